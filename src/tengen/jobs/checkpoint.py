"""The file of results, which survives a SIGKILL at any moment.

The file is a header followed by append-only blocks; docs/internals/jobs.md shows the format. One block contains
the results of one `append`, which returns after the block is on disk. Invariants:

- All blocks except the last are complete and on disk, because a block is started only after the previous one was
  synced. A kill or a power failure can damage only the last one.
- A kill leaves a prefix of the last block; a power failure may leave wrong bytes or zeros up to the end of the
  file. Both are detected on opening and truncated: those results were never reported.
- Any other error is damage (a bad disk, an editor) and is rejected, not repaired: the results after it may be a
  month of work, and a person must decide whether to discard them.
- Each digest covers the previous one, so a block that was moved, removed or copied from another file is damage.

The header contains the fingerprint, so every block depends on it.
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
from tengen.core.file_lock import try_lock, unlock
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
    """A checkpoint that cannot be used: locked, of another run, damaged, or not writable."""


class CheckpointInUse(CheckpointError):
    """The checkpoint is locked by another run."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Path and fingerprint of a file of results.

    The fingerprint is a text that names everything the results depend on: game, settings, engine version. A file
    with another fingerprint is rejected. It need not name the tasks: a run may continue with more or fewer of
    them.
    """

    path: str | os.PathLike[str]
    fingerprint: str

    def open(self) -> CheckpointFile:
        return CheckpointFile(Path(self.path), self.fingerprint)

    @classmethod
    def existing(cls, path: str | os.PathLike[str]) -> Checkpoint:
        """The checkpoint in a file, whatever its fingerprint: to read the results of a run that ended."""
        try:
            with Path(path).open("rb") as file:
                start = file.read(_HEADER.size)
                length = _HEADER.unpack(start)[2] if len(start) == _HEADER.size else 0
                text = file.read(
                    min(length, os.fstat(file.fileno()).st_size)
                )  # the length may be damaged and huge
                if start[: len(MAGIC)] == MAGIC and file.read(DIGEST) == _chain(start, text):
                    return cls(path, _decode(text))
                file.seek(0)
                raise CheckpointError(_explain_header(Path(path), file, _header("")))
        except OSError as error:
            raise CheckpointError(f"cannot open the checkpoint {path}: {error.strerror}") from error

    def exists(self) -> bool:
        """Whether there is a file with this fingerprint."""
        header = _header(self.fingerprint)
        try:
            with Path(self.path).open("rb") as file:
                return file.read(len(header)) == header
        except OSError:
            return False


def encode(value: object) -> bytes:
    """Pickle a value for `append`. Separate, so that a value that cannot be pickled does not affect others."""
    return pickle.dumps(value, protocol=5)  # part of the file format, so not the highest protocol


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
    """Location of a pickled value in the file."""

    offset: int
    length: int


class _Tail(NamedTuple):
    """End of the valid part of the file, and the digest that the next block's digest must cover."""

    end: int
    digest: bytes


class CheckpointFile:
    """An open checkpoint, locked by this process. Not thread-safe."""

    def __init__(self, path: Path, fingerprint: str) -> None:
        self._path = path
        self._places: dict[str, _Place] = {}
        self._unsound = False  # there may be invalid bytes after the end of the tail
        self._lost = False  # a sync failed: the state of the disk is unknown
        header = _header(fingerprint)
        try:
            # Not mode "a", which always writes at the end of the file, after a partial block.
            self._file: IO[bytes] = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | _BINARY, 0o666), "r+b", 0)
        except OSError as error:
            raise CheckpointError(f"cannot open the checkpoint {path}: {error.strerror}") from error
        if not try_lock(self._file):
            self._file.close()
            raise CheckpointInUse(f"the checkpoint {path} is in use by another run: wait for it or stop it")
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
        """The ids of the tasks with a stored result."""
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
        """Store pickled values by id. On return they are on disk; if it raises, none of them is stored."""
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
        # An interrupt (Ctrl-C) may occur between any two lines. Before the next line, the block is invalid and the
        # next append truncates it; after it, the block is valid and there is nothing to truncate.
        self._tail = _Tail(self._tail.end + len(head) + len(body) + len(digest), digest)
        self._places.update(places)
        self._unsound = False

    def _cut(self) -> None:
        """Truncate the remains of a failed or interrupted write."""
        if self._unsound:
            self._file.truncate(self._tail.end)
            self._unsound = False

    def _sync(self) -> None:
        try:
            os.fsync(self._file.fileno())
        except OSError:
            # The system may now consider the unwritten pages as written, so a second attempt would seem to
            # succeed.
            self._lost = True
            raise

    def _read_header(self, header: bytes) -> _Tail:
        """Ensure that the file starts with `header`; return its end and digest."""
        self._file.seek(0)
        found = _read(self._file, len(header))
        if found != header:
            # A prefix of this header is an empty file, or its creator was killed. Other files are not overwritten.
            if not header.startswith(found):
                self._file.seek(0)
                raise CheckpointError(_explain_header(self._path, self._file, header))
            self._file.seek(0)
            _write(self._file, header)
            os.fsync(self._file.fileno())
            _sync_folder(self._path.parent)
        return _Tail(len(header), header[-DIGEST:])

    def _read_blocks(self) -> None:
        """Verify all blocks and index the values; truncate a partial block at the end."""
        size = self._file.seek(0, os.SEEK_END)
        self._file.seek(self._tail.end)
        while self._tail.end < size:
            head = _read(self._file, min(_HEAD, size - self._tail.end))
            if len(head) < _HEAD:
                break  # incomplete head
            (length,) = _LENGTH.unpack_from(head)
            if head != _head(length):
                if self._only_zeros(head):
                    break
                raise self._damaged()
            if length + DIGEST > size - self._tail.end - _HEAD:
                break  # incomplete body or digest
            body = _read(self._file, length)
            digest = _read(self._file, DIGEST)
            end = self._tail.end + _HEAD + length + DIGEST
            if digest != _chain(self._tail.digest, head, body):
                if end == size:
                    break  # the last block, which was not yet on disk at a power failure
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
            f"that are intact; truncate it to {self._tail.end} bytes to keep them, or delete it to start again"
        )


def _header(fingerprint: str) -> bytes:
    text = _encode(fingerprint)
    start = _HEADER.pack(MAGIC, VERSION, len(text)) + text
    return start + _chain(start)


def _head(length: int) -> bytes:
    # The checksum of the length distinguishes a partial block, whose length is correct, from a block with a
    # damaged length that seems to extend beyond the end.
    packed = _LENGTH.pack(length)
    return packed + _CHECK.pack(zlib.crc32(packed))


def _entry(task_id: str, value: bytes) -> tuple[bytes, bytes, bytes]:
    name = _encode(task_id)
    return _ENTRY.pack(len(name), len(value)), name, value


def _places(body: bytes, offset: int) -> dict[str, _Place]:
    """Locations of the values in a valid body that starts at `offset`."""
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
    return text.encode("utf-8", "surrogatepass")  # ids may be any str, even a file name that is not valid UTF-8


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def _explain_header(path: Path, file: IO[bytes], expected: bytes) -> str:
    """Explain why a file does not start with the expected header."""
    start = _read(file, _HEADER.size)
    if start[: len(MAGIC)] != MAGIC:
        return f"{path} is not a checkpoint: delete it or choose another file"
    if len(start) < _HEADER.size:
        return f"the checkpoint {path} ends within its header and holds no results: delete it"
    _, version, length = _HEADER.unpack(start)
    if version != VERSION:
        return f"the checkpoint {path} has format {version}, this version of Tengen reads {VERSION}"
    # The length may be damaged and huge; do not allocate that much memory.
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
    """A long text shortened to the surroundings of one position."""
    first, last = max(0, around - 30), around + 50
    return ("…" if first else "") + repr(text[first:last]) + ("…" if last < len(text) else "")


def _read(file: IO[bytes], length: int) -> bytes:
    """Read up to `length` bytes, fewer only at the end of the file (unlike a single unbuffered read)."""
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
    """Sync the folder so that a new file name is durable. Not possible or necessary on Windows."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
