"""Reading and writing files: formats are known by their content when read, by name or suffix when written."""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tengen.core.errors import OptionError
from tengen.games.records import ggf, obf, pente_org, sgf, text, transcript, wthor
from tengen.games.records.errors import RecordError
from tengen.games.records.losses import HEADER, TREE, losses
from tengen.games.records.shape import absorb_set_up, moves_only
from tengen.games.records.tree import Record

LARGEST = 1 << 30  # bytes: a file beyond that is none of ours, and would not fit into memory


@dataclass(frozen=True)
class Format:
    """One way to write games down.

    `games` are the names of those it can hold; none means any. `keeps` are the features (see `losses`) that
    survive it; `lost` says what of a record does not fit besides. `write` returns the bytes of each file by its
    suffix; the first is the file itself.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    recognises: Callable[[bytes], bool]
    read: Callable[[bytes], Iterator[Record]]
    write: Callable[[Sequence[Record]], dict[str, bytes]]
    games: frozenset[str] = frozenset()
    keeps: frozenset[str] = HEADER | TREE
    lost: Callable[[Record], list[str]] = lambda record: []

    def holds(self, game: str) -> bool:
        return not self.games or game in self.games


@dataclass(frozen=True)
class Written:
    """What was made of records: the bytes of each file by suffix, and what the format could not keep."""

    format: Format
    files: dict[str, bytes]
    dropped: list[str] = field(default_factory=list)

    @property
    def data(self) -> bytes:
        return next(iter(self.files.values()))


def _single(
    suffix: str, write: Callable[[Sequence[Record]], bytes]
) -> Callable[[Sequence[Record]], dict[str, bytes]]:
    return lambda records: {suffix: write(records)}


_OTHELLO = frozenset({"othello"})
_FORMATS: list[Format] = []


def register(form: Format) -> None:
    """Add a format. Those added first are asked first whether they know a file."""
    _FORMATS.append(form)


for _form in (
    Format("wthor", "WTHOR database", (".wtb",), wthor.recognises, wthor.read, wthor.write_files,
           _OTHELLO, wthor.KEEPS, wthor.lost),
    Format("ggf", "GGF", (".ggf",), ggf.recognises, ggf.read, _single(".ggf", ggf.write_all), _OTHELLO, ggf.KEEPS,
           ggf.lost),
    Format("sgf", "SGF", (".sgf",), sgf.recognises, sgf.read, _single(".sgf", sgf.write_all),
           frozenset({"go", "othello", "pente"})),
    Format("obf", "OBF", (".obf",), obf.recognises, obf.read, _single(".obf", obf.write_all), _OTHELLO, obf.KEEPS,
           obf.lost),
    Format("pente.org", "pente.org text", (".txt", ".pgn"), pente_org.recognises, pente_org.read,
           _single(".txt", pente_org.write_all), frozenset({"pente"}), pente_org.KEEPS, pente_org.lost),
    Format("transcript", "transcript", (".txt",), transcript.recognises, transcript.read,
           _single(".txt", transcript.write_all), _OTHELLO, transcript.KEEPS, transcript.lost),
    Format("text", "plain text", (".txt", ".pgn"), text.recognises, text.read, _single(".txt", text.write_all),
           keeps=text.KEEPS),
):  # fmt: skip
    register(_form)


def formats() -> list[Format]:
    return list(_FORMATS)


def format_named(name: str) -> Format:
    for form in _FORMATS:
        if form.name == name.lower():
            return form
    raise OptionError(f"there is no format {name!r}; there are: {', '.join(form.name for form in _FORMATS)}")


def format_for(path: Path, game: str) -> Format:
    """The format that a file's suffix asks for, for a game."""
    suffix = path.suffix.lower()
    fitting = [form for form in _FORMATS if suffix in form.suffixes]
    for form in fitting:
        if form.holds(game):
            return form
    known = sorted({suffix for form in _FORMATS if form.holds(game) for suffix in form.suffixes})
    raise OptionError(f"{path.name}: {game} is written to files that end in {', '.join(known)}")


def recognise(data: bytes) -> Format | None:
    """The format of a file's content."""
    return next((form for form in _FORMATS if form.recognises(data)), None)


# ---- reading


def parse(data: bytes | str, name: str = "", check: bool = True) -> Iterator[Record]:
    """The records in a file's content, one after the other. `check` refuses illegal moves of a main line.

    An error names the game by its number among them, or the place in the text.
    """
    content = data.encode() if isinstance(data, str) else data
    form = format_named(name) if name else recognise(content)
    if form is None:
        names = ", ".join(form.title for form in _FORMATS)
        empty = "it is empty; " if not content.strip() else ""
        raise RecordError(f"this is no record that is known here: {empty}expected {names}")
    return _checked(form.read(content), check)


def _checked(records: Iterator[Record], check: bool) -> Iterator[Record]:
    for number, record in enumerate(records, 1):
        if check:
            try:
                record.check()
            except RecordError as error:
                raise error.within(place=f"game {number}") from None
        yield record


def stream(path: Path | str, name: str = "", check: bool = True) -> Iterator[Record]:
    """The records of a file, one after the other. Names of a WTHOR file come from the files beside it."""
    path = Path(path)
    data = _load(path)
    form = format_named(name) if name else recognise(data)
    try:
        if form is not None and form.name == "wthor":
            yield from _checked(wthor.read(data, *wthor.companions(path)), check)
        else:
            yield from parse(data, name, check)
    except RecordError as error:
        raise error.within(file=str(path)) from None


def read(
    path: Path | str, name: str = "", check: bool = True, on_progress: Callable[[int], None] | None = None
) -> list[Record]:
    """All records of a file. `on_progress` is told how many there are so far."""
    # Trees have no cycles, and looking for some while millions of nodes pile up takes longer than reading them.
    collecting = gc.isenabled()
    gc.disable()
    try:
        records = []
        for record in stream(path, name, check):
            records.append(record)
            if on_progress is not None:
                on_progress(len(records))
        return records
    finally:
        if collecting:
            gc.enable()


def _load(path: Path) -> bytes:
    try:
        if path.is_dir():
            raise RecordError("this is a folder, not a file", file=str(path))
        if path.stat().st_size > LARGEST:
            raise RecordError(f"the file has more than {LARGEST:,} bytes", file=str(path))
        return path.read_bytes()
    except OSError as error:
        raise RecordError(error.strerror or str(error), file=str(path)) from None


# ---- writing


def serialise(records: Iterable[Record], form: Format | str) -> Written:
    """Records in a format. What it cannot keep is listed, never lost in silence."""
    form = format_named(form) if isinstance(form, str) else form
    whole = list(records)
    if not whole:
        raise RecordError("there is no game to write")
    for record in whole:
        if not form.holds(record.game.name):
            raise RecordError(f"{form.title} cannot hold {record.game.title}")
    if form.name != "sgf":
        whole = [absorb_set_up(record) for record in whole]
    dropped = losses(whole, form.name, form.keeps)
    counts: dict[str, int] = {}
    for record in whole:
        for what in form.lost(record):
            counts[what] = counts.get(what, 0) + 1
    dropped += [f"{what} ({count})" if count > 1 else what for what, count in sorted(counts.items())]
    if form.name != "sgf":
        whole = [moves_only(record) for record in whole]
    return Written(form, form.write(whole), dropped)


def write(records: Iterable[Record], path: Path | str, name: str = "") -> list[str]:
    """Write records to a file, whole or not at all; returns what its format could not keep."""
    path = Path(path)
    whole = list(records)
    game = whole[0].game.name if whole else ""
    written = serialise(whole, format_named(name) if name else format_for(path, game))
    for suffix, data in written.files.items():
        save(path if data is written.data else path.with_suffix(suffix), data)
    return written.dropped


def save(path: Path, data: bytes) -> None:
    """Put a file in place by one renaming, so that nobody ever finds half of it."""
    if path.is_dir():
        raise RecordError("this is a folder, not a file", file=str(path))
    place = path.resolve() if path.is_symlink() else path
    unfinished = place.with_name(f".{place.name}.{secrets.token_hex(4)}.tmp")
    try:
        with open(unfinished, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, place)
    except OSError as error:
        with contextlib.suppress(OSError):
            unfinished.unlink()
        reason = "there is no such folder" if error.errno == errno.ENOENT else error.strerror or str(error)
        raise RecordError(reason, file=str(path)) from None
