"""Reading and writing files: formats are known by their content when read, by name or suffix when written."""

from __future__ import annotations

import gc
import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tengen.core.errors import OptionError
from tengen.games.records import ggf, obf, pente_org, sgf, text, transcript, wthor
from tengen.games.records.errors import RecordError, RecordTooLarge
from tengen.games.records.losses import HEADER, TREE, Losses
from tengen.games.records.saving import Saving
from tengen.games.records.shape import absorb_set_up, moves_only
from tengen.games.records.size import GAME_WEIGHT, weight
from tengen.games.records.tree import Record

OnBad = Callable[[int, RecordError], None]  # is told the number of a game and what is wrong with it

LARGEST = 1 << 30  # bytes: a file beyond that is none of ours, and would not fit into memory


@dataclass(frozen=True)
class Format:
    """One way to write games down.

    `read` gives an error in place of a game that it cannot read but get past. `write` takes records one by one and
    gives pieces of files, each with the suffix of its file; the first is of the file itself. `games` are the names
    of those that it can hold; none means any. `keeps` are the features (see `losses`) that survive it; `lost` says
    what of a record does not fit besides.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    recognises: Callable[[bytes], bool]
    read: Callable[[bytes], Iterator[Record | RecordError]]
    write: Callable[[Iterable[Record]], Iterator[tuple[str, bytes]]]
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
    suffix: str, write: Callable[[Iterable[Record]], Iterator[bytes]]
) -> Callable[[Iterable[Record]], Iterator[tuple[str, bytes]]]:
    return lambda records: ((suffix, data) for data in write(records))


_OTHELLO = frozenset({"othello"})
_FORMATS: list[Format] = []


def register(form: Format) -> None:
    """Add a format. Those added first are asked first whether they know a file."""
    _FORMATS.append(form)


for _form in (
    Format("wthor", "WTHOR database", (".wtb",), wthor.recognises, wthor.read, wthor.write,
           _OTHELLO, wthor.KEEPS, wthor.lost),
    Format("ggf", "GGF", (".ggf",), ggf.recognises, ggf.read, _single(".ggf", ggf.write_each), _OTHELLO, ggf.KEEPS,
           ggf.lost),
    Format("sgf", "SGF", (".sgf",), sgf.recognises, sgf.read, _single(".sgf", sgf.write_each),
           frozenset({"go", "othello", "pente"}), lost=sgf.lost),
    Format("obf", "OBF", (".obf",), obf.recognises, obf.read, _single(".obf", obf.write_each), _OTHELLO, obf.KEEPS,
           obf.lost),
    Format("pente.org", "pente.org text", (".txt", ".pgn"), pente_org.recognises, pente_org.read,
           _single(".txt", pente_org.write_each), frozenset({"pente"}), pente_org.KEEPS, pente_org.lost),
    Format("transcript", "transcript", (".txt",), transcript.recognises, transcript.read,
           _single(".txt", transcript.write_each), _OTHELLO, transcript.KEEPS, transcript.lost),
    Format("text", "plain text", (".txt", ".pgn"), text.recognises, text.read, _single(".txt", text.write_each),
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


def parse(
    data: bytes | str,
    name: str = "",
    check: bool = True,
    on_bad: OnBad | None = None,
    max_nodes: int | None = None,
) -> Iterator[Record]:
    """The records in a file's content, one after the other. `check` refuses illegal moves of a main line.

    An error names the game by its number among them, or the place in the text. With `on_bad`, games that cannot be
    read are told to it and left out, as long as the reader finds where the next one begins.

    Every game by itself is held to the limits of `core.resource_limits`. Servers also give `max_nodes`, for all
    games together (see `size.weight`): when it is exceeded, `RecordTooLarge` is raised and nothing more is read.
    """
    content = data.encode() if isinstance(data, str) else data
    form = format_named(name) if name else recognise(content)
    if form is None:
        names = ", ".join(form.title for form in _FORMATS)
        empty = "The text is empty. " if not content.strip() else ""
        raise RecordError(f"Format not recognised. {empty}Supported formats: {names}.")
    found = form.read(content)
    return _sound(found if max_nodes is None else _limited(found, max_nodes), check, on_bad)


def _limited(found: Iterator[Record | RecordError], max_nodes: int) -> Iterator[Record | RecordError]:
    """The records, as long as they have at most `max_nodes` together; an unreadable game counts, too."""
    total = 0
    for item in found:
        total += GAME_WEIGHT if isinstance(item, RecordError) else weight(item.root)
        if total > max_nodes:
            raise RecordTooLarge(
                f"the file has more than {max_nodes:,} nodes: split it, or raise file_nodes in limits.toml"
            )
        yield item


def _sound(
    found: Iterator[Record | RecordError], check: bool, on_bad: OnBad | None, file: str = ""
) -> Iterator[Record]:
    for number, item in enumerate(found, 1):
        if not isinstance(item, RecordError):
            try:
                if check:
                    item.check()
                yield item
                continue
            except RecordError as error:
                item = error
        item = item.within(file, f"game {number}")
        if on_bad is None:
            raise item
        on_bad(number, item)


def stream(path: Path | str, name: str = "", check: bool = True, on_bad: OnBad | None = None) -> Iterator[Record]:
    """The records of a file, one after the other. Names of a WTHOR file come from the files beside it."""
    path = Path(path)
    data = _load(path)
    form = format_named(name) if name else recognise(data)
    try:
        if form is None:
            yield from parse(data)
        elif form.name == "wthor":
            beside = {suffix: _load(file) for suffix, file in wthor.companions(path).items()}
            found = wthor.read(data, beside.get(".jou", b""), beside.get(".trn", b""))
            yield from _sound(found, check, on_bad, str(path))
        else:
            yield from _sound(form.read(data), check, on_bad, str(path))
    except RecordError as error:
        raise error.within(file=str(path)) from None


def read(
    path: Path | str,
    name: str = "",
    check: bool = True,
    on_progress: Callable[[int], None] | None = None,
    on_bad: OnBad | None = None,
) -> list[Record]:
    """All records of a file. `on_progress` is told how many there are so far."""
    # Trees have no cycles, and looking for some while millions of nodes pile up takes longer than reading them.
    collecting = gc.isenabled()
    gc.disable()
    try:
        records = []
        for record in stream(path, name, check, on_bad):
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
    losses = Losses(form.name, form.keeps)
    files: dict[str, list[bytes]] = {}
    for suffix, data in form.write(_fitting(records, form, losses)):
        files.setdefault(suffix, []).append(data)
    return Written(form, {suffix: b"".join(pieces) for suffix, pieces in files.items()}, losses.words())


def _fitting(records: Iterable[Record], form: Format, losses: Losses) -> Iterator[Record]:
    """The records in a shape that a format can hold; what that takes from them is counted."""
    number = 0
    for number, record in enumerate(records, 1):
        if not form.holds(record.game.name):
            raise RecordError(f"{form.title} cannot hold {record.game.title}", f"game {number}" * (number > 1))
        try:
            fitting = record if form.name == "sgf" else absorb_set_up(record)
            losses.add(fitting, form.lost(fitting))
            yield fitting if form.name == "sgf" else moves_only(fitting)
        except RecordError as error:
            raise error.within(place=f"game {number}" if number > 1 else "") from None
    if not number:
        raise RecordError("there is no game to write")


def write(records: Iterable[Record], path: Path | str, name: str = "") -> list[str]:
    """Write records to a file, whole or not at all; returns what its format could not keep.

    They are taken one by one, so that a collection need not fit into memory. A WTHOR file adds its names to those
    that it shares with others in its folder.
    """
    path = Path(path)
    rest = iter(records)
    first = list(itertools.islice(rest, 1))
    if not first:
        raise RecordError("there is no game to write")
    form = format_named(name) if name else format_for(path, first[0].game.name)
    losses = Losses(form.name, form.keeps)
    fitting = _fitting(itertools.chain(first, rest), form, losses)
    if form.name == "wthor" and path.parent.is_dir():
        beside = wthor.companions(path)
        names = {suffix: _load(file) for suffix, file in beside.items()}
        pieces = wthor.write(fitting, names.get(".jou", b""), names.get(".trn", b""))
    else:
        beside = {}
        pieces = form.write(fitting)
    with Saving() as saving:
        main = ""
        for suffix, data in pieces:
            main = main or suffix
            saving.add(path if suffix == main else beside.get(suffix, path.with_suffix(suffix)), data)
    return losses.words()
