"""The file of results, which survives a SIGKILL at any moment.

The file is a header and then blocks, only ever appended; docs/internals/jobs.md shows it byte by byte. One block
holds the results of one `append`, which returns after the block is on the disk. Hence the invariants:

- All blocks but the last are complete and on the disk, since a block is begun only after the one before it
  was synced. A kill or a loss of power can harm the last one alone.
- A kill leaves a true beginning of the last block; a loss of power may leave wrong bytes or zeros, up to the
  end of the file. Both are recognised on opening and cut off: nobody was told of those results.
- Anything else that is wrong is damage (a bad disk, an editor) and is refused, not repaired: the results
  behind it may be a month of work, and cutting them off is for a person to decide.
- Each digest covers the one before it, so a block that was moved, dropped or brought from another file is
  damage.

The header holds the fingerprint, and so every block depends on it.
"""

from __future__ import annotations

import io
import os
import pickle
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import IO, NamedTuple

from tengen.core.errors import TengenError
from tengen.jobs.lock import try_lock, unlock
from tengen.jobs.task import one_line

MAGIC = b"TENGENJB"
VERSION = 1
DIGEST = 16

_HEADER = struct.Struct("<8sII")  # magic, version, length of the fingerprint
_LENGTH = struct.Struct("<Q")  # length of a block's body ...
_CHECK = struct.Struct("<I")  # ... and the CRC-32 of those eight bytes
_ENTRY = struct.Struct("<IQ")  # length of the id, length of the pickled value
_HEAD = _LENGTH.size + _CHECK.size


class CheckpointError(TengenError):
    """A checkpoint that cannot be used: in use, of another run, damaged, or not to be written."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Where results are kept, and what they mean.

    The fingerprint is a text that names everything on which the results depend: the game, the settings, the
    version of the engine. A file with another fingerprint is refused. It need not name the tasks: a run may
    go on with more of them, or fewer, than before.
    """

    path: str | os.PathLike[str]
    fingerprint: str

    def open(self) -> CheckpointFile:
        return CheckpointFile(Path(self.path), self.fingerprint)


def encode(value: object) -> bytes:
    """A value as `append` takes it. Not done there, so that one that cannot be pickled spoils no other."""
    return pickle.dumps(value, protocol=5)  # part of the file format, and so not the highest of the day


_former_names: dict[tuple[str, str], type] = {}


def register_former_name(module: str, name: str, current: type) -> None:
    """Let checkpoints that were written when `current` had this module and name be read."""
    _former_names[module, name] = current


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> object:
        return _former_names.get((module, name)) or super().find_class(module, name)


def _load(data: bytes) -> object:
    return _Unpickler(io.BytesIO(data)).load()


class _Place(NamedTuple):
    """Where in the file a pickled value lies."""

    offset: int
    length: int


class _Tail(NamedTuple):
    """Where the sound part of the file ends, and the digest that the next block's digest must cover."""

    end: int
    digest: bytes


class CheckpointFile:
    """An open checkpoint, with this process as its only writer. Not for use by several threads."""

    def __init__(self, path: Path, fingerprint: str) -> None:
        self._path = path
        self._places: dict[str, _Place] = {}
        self._unsound = False  # bytes may lie behind the tail's end that are not ours
        self._lost = False  # a sync failed: what is on the disk is unknown
        header = _header(fingerprint)
        try:
            # Not "a" mode, in which every write goes to the end of the file, past a torn block.
            self._file: IO[bytes] = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | _BINARY, 0o666), "r+b", 0)
        except OSError as error:
            raise CheckpointError(f"cannot open the checkpoint {path}: {error.strerror}") from error
        if not try_lock(self._file):
            self._file.close()
            raise CheckpointError(f"the checkpoint {path} is in use by another run: wait for it or stop it")
        try:
            self._tail = self._read_header(header)
            self._read_blocks()
        except OSError as error:
            self.close()
            raise CheckpointError(f"cannot use the checkpoint {path}: {error.strerror}") from error
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> CheckpointFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self._places)

    def ids(self) -> frozenset[str]:
        """The tasks that have a result here."""
        return frozenset(self._places)

    def close(self) -> None:
        if not self._file.closed:
            unlock(self._file)
            self._file.close()

    def load(self, task_id: str) -> object:
        """The value stored for a task."""
        place = self._places[task_id]
        self._file.seek(place.offset)
        try:
            return _load(_read(self._file, place.length))
        except Exception as error:
            raise CheckpointError(
                f"the result of task {task_id!r} in {self._path} cannot be read back, "
                f"was it made by another version? ({one_line(error)})"
            ) from error

    def append(self, entries: Sequence[tuple[str, bytes]]) -> None:
        """Store pickled values by id. On return they are on the disk; if it raises, none of them counts."""
        if not entries:
            return
        if self._lost:
            raise CheckpointError(f"an earlier write to the checkpoint {self._path} failed: run again to resume")
        body = b"".join(part for task_id, value in entries for part in _entry(task_id, value))
        head = _head(len(body))
        digest = _chain(self._tail.digest, head, body)
        try:
            self._cut()
            self._unsound = True
            self._file.seek(self._tail.end)
            _write(self._file, head + body + digest)
            self._sync()
        except OSError as error:
            raise CheckpointError(
                f"cannot write the checkpoint {self._path}: {error.strerror}; "
                f"its {len(self)} earlier results are kept, run again to resume"
            ) from error
        places = _places(body, self._tail.end + _HEAD)
        # An interrupt (Ctrl-C) may come between any two lines. Before the next one, the block does not count
        # and the next append cuts it off; after it the block counts, and that cut would find nothing.
        self._tail = _Tail(self._tail.end + len(head) + len(body) + len(digest), digest)
        self._places.update(places)
        self._unsound = False

    def _cut(self) -> None:
        """Remove what a write that failed or was interrupted left behind."""
        if self._unsound:
            self._file.truncate(self._tail.end)
            self._unsound = False

    def _sync(self) -> None:
        try:
            os.fsync(self._file.fileno())
        except OSError:
            # The system may now take the unwritten pages for written: a second try would seem to succeed.
            self._lost = True
            raise

    def _read_header(self, header: bytes) -> _Tail:
        """Make sure that the file begins with `header`, and give the end and the digest of it."""
        self._file.seek(0)
        found = _read(self._file, len(header))
        if found != header:
            # A file that is a mere beginning of this header is new and empty, or its maker was killed. No other
            # file is overwritten.
            if not header.startswith(found):
                self._file.seek(0)
                raise CheckpointError(_explain_header(self._path, self._file, header))
            self._file.seek(0)
            _write(self._file, header)
            os.fsync(self._file.fileno())
            _sync_folder(self._path.parent)
        return _Tail(len(header), header[-DIGEST:])

    def _read_blocks(self) -> None:
        """Check all blocks and learn where the values lie; cut off a torn end."""
        size = self._file.seek(0, os.SEEK_END)
        self._file.seek(self._tail.end)
        while self._tail.end < size:
            head = _read(self._file, min(_HEAD, size - self._tail.end))
            if len(head) < _HEAD:
                break  # torn within the head
            (length,) = _LENGTH.unpack_from(head)
            if head != _head(length):
                if self._only_zeros(head):
                    break
                raise self._damaged()
            if length + DIGEST > size - self._tail.end - _HEAD:
                break  # torn within the body or the digest
            body = _read(self._file, length)
            digest = _read(self._file, DIGEST)
            end = self._tail.end + _HEAD + length + DIGEST
            if digest != _chain(self._tail.digest, head, body):
                if end == size:
                    break  # the last block, of right length but not yet on the disk when the power went
                raise self._damaged()
            self._places.update(_places(body, self._tail.end + _HEAD))
            self._tail = _Tail(end, digest)
        self._unsound = self._tail.end < size
        self._cut()

    def _only_zeros(self, chunk: bytes) -> bool:
        while chunk:
            if any(chunk):
                return False
            chunk = self._file.read(1 << 20)
        return True

    def _damaged(self) -> CheckpointError:
        return CheckpointError(
            f"the checkpoint {self._path} is damaged after byte {self._tail.end}: the {len(self)} results before "
            f"that are sound; cut the file to {self._tail.end} bytes to keep them, or delete it to begin anew"
        )


def _header(fingerprint: str) -> bytes:
    text = _encode(fingerprint)
    start = _HEADER.pack(MAGIC, VERSION, len(text)) + text
    return start + _chain(start)


def _head(length: int) -> bytes:
    # The check on the length tells a torn block, whose length is right but whose bytes are missing, from one
    # whose length was damaged and which only therefore seems to reach beyond the end.
    packed = _LENGTH.pack(length)
    return packed + _CHECK.pack(zlib.crc32(packed))


def _entry(task_id: str, value: bytes) -> tuple[bytes, bytes, bytes]:
    name = _encode(task_id)
    return _ENTRY.pack(len(name), len(value)), name, value


def _places(body: bytes, offset: int) -> dict[str, _Place]:
    """Where the values of a sound body lie, if the body begins at `offset`."""
    places = {}
    at = 0
    while at < len(body):
        name_length, value_length = _ENTRY.unpack_from(body, at)
        name_end = at + _ENTRY.size + name_length
        task_id = _decode(body[at + _ENTRY.size : name_end])
        places[task_id] = _Place(offset + name_end, value_length)
        at = name_end + value_length
    return places


def _chain(*parts: bytes) -> bytes:
    digest = blake2b(digest_size=DIGEST)
    for part in parts:
        digest.update(part)
    return digest.digest()


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")  # any str may be an id, even a file name that is not UTF-8


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def _explain_header(path: Path, file: IO[bytes], expected: bytes) -> str:
    """Why a file that does not begin with the expected header is not ours."""
    start = _read(file, _HEADER.size)
    if start[: len(MAGIC)] != MAGIC:
        return f"{path} is not a checkpoint: delete it or choose another file"
    if len(start) < _HEADER.size:
        return f"the checkpoint {path} ends within its header and holds no results: delete it"
    _, version, length = _HEADER.unpack(start)
    if version != VERSION:
        return f"the checkpoint {path} has format {version}, this version of Tengen reads {VERSION}"
    # The length may be damaged and huge; a reader of files does not ask the system for that much memory.
    text = _read(file, min(length, os.fstat(file.fileno()).st_size))
    if len(text) < length or _read(file, DIGEST) != _chain(start, text):
        return f"the checkpoint {path} has a damaged or unfinished header: delete it to begin anew"
    theirs, ours = _decode(text), _decode(expected[_HEADER.size : -DIGEST])
    differ = 0
    while theirs[differ : differ + 1] == ours[differ : differ + 1] != "":
        differ += 1
    return (
        f"the checkpoint {path} belongs to another run: it was made for {_excerpt(theirs, differ)}, "
        f"this run is for {_excerpt(ours, differ)}; delete it or choose another file"
    )


def _excerpt(text: str, around: int) -> str:
    """A long text cut down to what stands about one place in it."""
    first, last = max(0, around - 30), around + 50
    return ("…" if first else "") + repr(text[first:last]) + ("…" if last < len(text) else "")


def _read(file: IO[bytes], length: int) -> bytes:
    """Up to `length` bytes, fewer only at the end of the file. (One unbuffered read may give fewer.)"""
    parts = []
    while length > 0 and (part := file.read(length)):
        parts.append(part)
        length -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _write(file: IO[bytes], data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]


_BINARY: int = getattr(os, "O_BINARY", 0)  # Windows only


def _sync_folder(folder: Path) -> None:
    """Make a new file's name last. Windows can neither open a folder nor needs it."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
