"""Backups: one ZIP file with the store, the books, the settings, and a manifest with checksums.

manifest.json     version, date, rows of each table, size and SHA-256 of every other member
store.db          the store as a SQLite file, even if the original is in PostgreSQL (see `tengen.store.snapshot`)
books/…           the user's opening books
limits.toml, …    settings and other files of the data folder
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TypeAlias

import tengen
from tengen.core.errors import TengenError
from tengen.core.folders import data_folder
from tengen.store import snapshot
from tengen.store.private_files import make_private_file, make_private_folder
from tengen.store.store import Store

FORMAT = "tengen backup"
VERSION = 1
MANIFEST, STORE = "manifest.json", "store.db"
SETTINGS = ("limits.toml", "clobber.values")  # files of the data folder to back up besides books
_BOOK = re.compile(r"books/[A-Za-z0-9][A-Za-z0-9_.,=+ -]{0,150}\.(book|stats)")
MAX_MANIFEST_BYTES = 4 << 20
MAX_MEMBERS = 10_000
MAX_RATIO = 200  # max unpacked/packed size of a member, against ZIP bombs; a store has 3 to 10
CHUNK_BYTES = 1 << 20

OnProgress: TypeAlias = Callable[[str, float], None]  # current step, and its progress from 0 to 1


class BackupError(TengenError):
    """A backup cannot be made or restored. Unless the message says otherwise, nothing was changed."""


@dataclass(frozen=True)
class Member:
    """A file in a backup."""

    size: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """Contents of a backup."""

    created: str
    tengen: str
    rows: dict[str, int] = field(default_factory=dict)
    members: dict[str, Member] = field(default_factory=dict)

    def to_json(self) -> str:
        return json.dumps({"format": FORMAT, "version": VERSION, **asdict(self)}, indent=1)

    @classmethod
    def from_json(cls, data: bytes) -> Manifest:
        try:
            found = json.loads(data)
            if found["format"] != FORMAT:
                raise BackupError("this is not a backup of Tengen")
            if found["version"] != VERSION:
                raise BackupError(f"this backup has version {found['version']!r}: use a newer Tengen")
            members = {
                str(name): Member(int(one["size"]), str(one["sha256"])) for name, one in found["members"].items()
            }
            rows = {str(name): int(count) for name, count in found["rows"].items()}
            return cls(str(found["created"]), str(found["tengen"]), rows, members)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise BackupError("the manifest of this backup is damaged") from None

    @property
    def games(self) -> int:
        return self.rows.get("games", 0)

    @property
    def books(self) -> int:
        return sum(name.startswith("books/") for name in self.members)


def make_backup(store: Store, target: Path, on_progress: OnProgress) -> Manifest:
    """Write a backup of the store, the books and the settings to `target`.

    The store may be in use meanwhile. The file is replaced atomically.
    """
    if target.is_dir():
        raise BackupError(f"{target} is a folder: name a file")
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with _working_folder(target.parent) as folder:
            copy = folder / STORE
            snapshot.save_copy(store._database, copy, lambda done: on_progress("copying the store", done))
            rows = snapshot.count_rows(copy)
            members: dict[str, Member] = {}
            make_private_file(unfinished)
            with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
                for name, path in [(STORE, copy), *_files()]:
                    with suppress(FileNotFoundError), open(path, "rb") as source:
                        members[name] = _pack(archive, name, source, on_progress)
                made = datetime.now(UTC).isoformat(timespec="seconds")
                manifest = Manifest(made, tengen.__version__, rows, members)
                archive.writestr(MANIFEST, manifest.to_json())
            with open(unfinished, "rb+") as written:
                os.fsync(written.fileno())
            os.replace(unfinished, target)
    except OSError as error:
        raise BackupError(f"{target}: {error.strerror or error}; no backup was made") from error
    finally:
        with suppress(OSError):
            unfinished.unlink()
    return manifest


def restore_backup(
    store: Store, source: Path, *, force: bool, on_progress: OnProgress
) -> tuple[Manifest, Path | None]:
    """Replace the store, the books and the settings with the contents of a backup.

    Without `force`, raises `BackupError` if anything would be replaced. Everything is unpacked and checked first;
    the store is replaced in one transaction. Returns the manifest, and the folder with copies of what was
    replaced, or None if nothing was.
    """
    data = data_folder()
    try:
        make_private_folder(data)
        with _working_folder(data) as folder, _opened(source) as archive:
            manifest = _manifest(archive)
            _check_room(manifest, folder)
            occupied = not snapshot.is_empty(store._database)
            present = [name for name in manifest.members if name != STORE and (data / name).exists()]
            if (occupied or present) and not force:
                raise BackupError(
                    f"{store.name if occupied else data / present[0]} would be replaced: with --force it is,"
                    " and what is there now is kept as a copy"
                )
            for name, member in manifest.members.items():
                place = folder / name
                place.parent.mkdir(exist_ok=True)
                make_private_file(place)
                _unpack(archive, name, member, place)
                on_progress(f"checking {name}", 1.0)
            snapshot.check_copy(folder / STORE)
            if snapshot.count_rows(folder / STORE) != {**_no_rows(), **manifest.rows}:
                raise BackupError("the store in this backup has other rows than its manifest says")
            snapshot.delete_credentials(folder / STORE)
            replaced = data / f"replaced-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}"
            make_private_folder(replaced)
            snapshot.replace_store(
                store._database,
                folder / STORE,
                replaced / STORE,
                lambda done: on_progress("replacing the store", done),
            )
            for name in manifest.members:
                if name != STORE:
                    try:
                        _put_in_place(folder / name, data / name, replaced / name)
                    except OSError as error:
                        raise BackupError(
                            f"the games are restored, but {data / name} is not: {error.strerror or error}; "
                            f"what was there before is in {replaced}"
                        ) from error
            if not occupied:
                (replaced / STORE).unlink()
            with suppress(OSError):
                replaced.rmdir()  # if nothing was replaced
            return manifest, replaced if replaced.exists() else None
    except OSError as error:
        raise BackupError(f"{source}: it could not be restored: {error.strerror or error}") from error


def _files() -> list[tuple[str, Path]]:
    """The files of the data folder to back up. They are only replaced by renaming, so an open one is complete."""
    data = data_folder()
    books = sorted((data / "books").glob("*")) if (data / "books").is_dir() else []
    named = [(name, data / name) for name in SETTINGS] + [(f"books/{path.name}", path) for path in books]
    return [(name, path) for name, path in named if path.is_file() and (name in SETTINGS or _BOOK.fullmatch(name))]


def _pack(archive: zipfile.ZipFile, name: str, source: IO[bytes], on_progress: OnProgress) -> Member:
    digest, size = hashlib.sha256(), 0
    whole = max(1, os.fstat(source.fileno()).st_size)
    with archive.open(name, "w", force_zip64=True) as target:
        while chunk := source.read(CHUNK_BYTES):
            digest.update(chunk)
            target.write(chunk)
            size += len(chunk)
            on_progress(f"packing {name}", min(1.0, size / whole))
    return Member(size, digest.hexdigest())


def _unpack(archive: zipfile.ZipFile, name: str, member: Member, place: Path) -> None:
    """Unpack a member, at most its stated size; raises `BackupError` if it does not match the manifest."""
    digest, size = hashlib.sha256(), 0
    try:
        with archive.open(name) as packed, open(place, "wb") as target:
            while chunk := packed.read(CHUNK_BYTES):
                size += len(chunk)
                if size > member.size:
                    break
                digest.update(chunk)
                target.write(chunk)
    except (
        zipfile.BadZipFile,
        EOFError,
        KeyError,
        ValueError,
        NotImplementedError,
        RuntimeError,
        zlib.error,
    ) as error:
        raise BackupError(f"{name} in this backup is damaged: {error}") from None
    if size != member.size or digest.hexdigest() != member.sha256:
        raise BackupError(f"{name} in this backup is damaged: it is not what the manifest says")


@contextmanager
def _opened(source: Path) -> Iterator[zipfile.ZipFile]:
    try:
        archive = zipfile.ZipFile(source)
    except (zipfile.BadZipFile, EOFError, ValueError, NotImplementedError):
        raise BackupError(f"{source}: this is not a backup, or not the whole of one") from None
    except OSError as error:
        raise BackupError(f"{source}: {error.strerror or error}") from None
    with archive:
        yield archive


def _manifest(archive: zipfile.ZipFile) -> Manifest:
    """The manifest. Raises `BackupError` unless the archive has exactly its members, under expected names."""
    entries = archive.infolist()
    names = [entry.filename for entry in entries]
    if len(names) > MAX_MEMBERS or len(set(names)) != len(names) or MANIFEST not in names:
        raise BackupError("this is not a backup of Tengen")
    if archive.getinfo(MANIFEST).file_size > MAX_MANIFEST_BYTES:
        raise BackupError("the manifest of this backup is too large")
    try:
        with archive.open(MANIFEST) as packed:
            data = packed.read(MAX_MANIFEST_BYTES + 1)
    except (zipfile.BadZipFile, EOFError, ValueError, NotImplementedError, RuntimeError, zlib.error):
        raise BackupError("the manifest of this backup is damaged") from None
    manifest = Manifest.from_json(data)
    if STORE not in manifest.members or set(names) != {MANIFEST, *manifest.members}:
        raise BackupError("this backup does not hold what its manifest says")
    for entry in entries:
        if entry.filename in (MANIFEST, STORE, *SETTINGS) or _BOOK.fullmatch(entry.filename):
            continue
        raise BackupError(f"this backup holds a file that does not belong into one: {entry.filename[:80]!r}")
    for entry in entries:
        size = entry.file_size if entry.filename == MANIFEST else manifest.members[entry.filename].size
        if size < 0 or entry.file_size != size or size > MAX_RATIO * entry.compress_size + CHUNK_BYTES:
            raise BackupError(f"{entry.filename} in this backup has a size that makes no sense")
    return manifest


def _check_room(manifest: Manifest, folder: Path) -> None:
    needed = 3 * sum(
        member.size for member in manifest.members.values()
    )  # unpacked files, copies of replaced files, write-ahead log
    if needed > shutil.disk_usage(folder).free:
        raise BackupError(f"{folder.parent}: {needed / 1e9:.1f} GB must be free there to restore this backup")


def _no_rows() -> dict[str, int]:
    """Zero rows for every table: older backups lack newer tables, which are then empty."""
    from tengen.store.schema import metadata

    return {table.name: 0 for table in metadata.sorted_tables}


def _put_in_place(new: Path, place: Path, replaced: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.exists():
        make_private_folder(replaced.parent)
        shutil.copy2(place, replaced)
    os.replace(new, place)


@contextmanager
def _working_folder(beside: Path) -> Iterator[Path]:
    """A private temporary folder in `beside`, and so on the same disk."""
    with tempfile.TemporaryDirectory(prefix=".tengen-backup-", dir=beside) as name:
        yield Path(name)
