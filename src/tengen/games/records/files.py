"""Reading and writing files. Formats are recognised by content, and chosen by name or suffix on writing."""

from __future__ import annotations

import gc
import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tengen.core.errors import OptionError
from tengen.core.translation import mark
from tengen.games.records import ggf, gib, ngf, obf, ogs, pente_org, psq, renlib, sgf, text, transcript, wthor
from tengen.games.records.atomic_files import AtomicFiles
from tengen.games.records.dropped_features import HEADER, TREE, DroppedFeatures
from tengen.games.records.errors import RecordError, RecordTooLarge
from tengen.games.records.gomoku_rules import lost_rules
from tengen.games.records.record_size import GAME_COST, node_cost
from tengen.games.records.tree import Record
from tengen.games.records.tree_transforms import absorb_set_up, moves_only

OnBad = Callable[[int, RecordError], None]  # called with the number of a bad game and its error

MAX_FILE_BYTES = 1 << 30  # larger files would not fit into memory


@dataclass(frozen=True)
class Format:
    """A file format for games.

    `read` yields an error in place of a game that it cannot read but can skip. `write` takes records one by one
    and yields pieces of files with the suffix of their file, the main file first; it is None for a format that is
    only read. `games` are the names of the
    games that it supports; empty means all. `keeps` are the features (see `dropped_features`) that it can store;
    `lost` describes what else of a record is lost.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    recognises: Callable[[bytes], bool]
    read: Callable[[bytes], Iterator[Record | RecordError]]
    write: Callable[[Iterable[Record]], Iterator[tuple[str, bytes]]] | None
    games: frozenset[str] = frozenset()
    keeps: frozenset[str] = HEADER | TREE
    lost: Callable[[Record], list[str]] = lambda record: []

    def holds(self, game: str) -> bool:
        return not self.games or game in self.games


@dataclass(frozen=True)
class Written:
    """Serialised records: the bytes of each file by suffix, and the features that were dropped."""

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
_GO = frozenset({"go"})
_FORMATS: list[Format] = []


def register(form: Format) -> None:
    """Register a format. Recognition tries formats in order of registration."""
    _FORMATS.append(form)


for _form in (
    Format("wthor", mark("WTHOR database"), (".wtb",), wthor.recognises, wthor.read, wthor.write,
           _OTHELLO, wthor.KEEPS, wthor.lost),
    Format("ggf", "GGF", (".ggf",), ggf.recognises, ggf.read, _single(".ggf", ggf.write_each), _OTHELLO, ggf.KEEPS,
           ggf.lost),
    Format("sgf", "SGF", (".sgf",), sgf.recognises, sgf.read, _single(".sgf", sgf.write_each),
           frozenset({"go", "othello", "pente"}), lost=sgf.lost),
    Format("obf", "OBF", (".obf",), obf.recognises, obf.read, _single(".obf", obf.write_each), _OTHELLO, obf.KEEPS,
           obf.lost),
    Format("pente.org", mark("pente.org text"), (".txt", ".pgn"), pente_org.recognises, pente_org.read,
           _single(".txt", pente_org.write_each), frozenset({"pente"}), pente_org.KEEPS, pente_org.lost),
    Format("psq", "Piskvork", (".psq",), psq.recognises, psq.read, _single(".psq", psq.write_each),
           frozenset({"pente"}), psq.KEEPS, lost_rules),
    Format("renlib", "RenLib", (".lib",), renlib.recognises, renlib.read, _single(".lib", renlib.write_each),
           frozenset({"pente"}), renlib.KEEPS, lost_rules),
    Format("gib", "GIB", (".gib",), gib.recognises, gib.read, None, _GO),
    Format("ngf", "NGF", (".ngf",), ngf.recognises, ngf.read, None, _GO),
    Format("ogs", mark("OGS game"), (".json",), ogs.recognises, ogs.read, None, _GO),
    Format("transcript", "transcript", (".txt",), transcript.recognises, transcript.read,
           _single(".txt", transcript.write_each), _OTHELLO, transcript.KEEPS, transcript.lost),
    Format("text", mark("plain text"), (".txt", ".pgn"), text.recognises, text.read,
           _single(".txt", text.write_each),
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
    """The format for a file's suffix that supports a game."""
    suffix = path.suffix.lower()
    fitting = [form for form in _FORMATS if suffix in form.suffixes]
    for form in fitting:
        if form.holds(game) and form.write is not None:
            return form
    writable = [form for form in _FORMATS if form.holds(game) and form.write is not None]
    known = sorted({suffix for form in writable for suffix in form.suffixes})
    raise OptionError(
        mark("{name}: {game} is written to files that end in {choices}").format(
            name=path.name, game=game, choices=", ".join(known)
        )
    )


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
    """Iterate over the records in a file's content. With `check`, main lines must be legal.

    Errors name the number of the game or the position in the text. With `on_bad`, unreadable games are reported to
    it and skipped, as long as the start of the next game can be found.

    Each game must respect the limits of `core.resource_limits`. `max_nodes` limits all games together
    (see `record_size.node_cost`): beyond it, `RecordTooLarge` is raised.
    """
    content = data.encode() if isinstance(data, str) else data
    form = format_named(name) if name else recognise(content)
    if form is None:
        names = ", ".join(form.title for form in _FORMATS)
        known = mark("Format not recognised. Supported formats: {names}.")
        empty = mark("Format not recognised: the text is empty. Supported formats: {names}.")
        raise RecordError((known if content.strip() else empty).format(names=names))
    found = form.read(content)
    return _sound(found if max_nodes is None else _limited(found, max_nodes), check, on_bad)


def _limited(found: Iterator[Record | RecordError], max_nodes: int) -> Iterator[Record | RecordError]:
    """Pass records through; raises beyond `max_nodes` in total. Unreadable games count, too."""
    total = 0
    for item in found:
        total += GAME_COST if isinstance(item, RecordError) else node_cost(item.root)
        if total > max_nodes:
            raise RecordTooLarge(
                mark(
                    "the file has more than {max_nodes:,} nodes: split it, or raise file_nodes in limits.toml"
                ).format(max_nodes=max_nodes)
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
    """Iterate over the records of a file. Names of a WTHOR file are read from its companion files."""
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
    """All records of a file. `on_progress` is called with the number read so far."""
    # Trees have no cycles, and garbage collection with millions of nodes takes longer than reading them.
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
            raise RecordError(mark("this is a folder, not a file"), file=str(path))
        if path.stat().st_size > MAX_FILE_BYTES:
            raise RecordError(
                mark("the file has more than {max_file_bytes:,} bytes").format(max_file_bytes=MAX_FILE_BYTES),
                file=str(path),
            )
        return path.read_bytes()
    except OSError as error:
        raise RecordError(error.strerror or str(error), file=str(path)) from None


# ---- writing


def serialise(records: Iterable[Record], form: Format | str) -> Written:
    """Serialise records. The result lists the features that the format cannot store."""
    form = format_named(form) if isinstance(form, str) else form
    dropped = DroppedFeatures(form.name, form.keeps)
    files: dict[str, list[bytes]] = {}
    for suffix, data in _writer(form)(_fitting(records, form, dropped)):
        files.setdefault(suffix, []).append(data)
    return Written(form, {suffix: b"".join(pieces) for suffix, pieces in files.items()}, dropped.words())


def _writer(form: Format) -> Callable[[Iterable[Record]], Iterator[tuple[str, bytes]]]:
    if form.write is None:
        raise RecordError(mark("{format} is a format that is only read: write SGF").format(format=form.title))
    return form.write


def _fitting(records: Iterable[Record], form: Format, dropped: DroppedFeatures) -> Iterator[Record]:
    """Convert records to what a format can store, counting dropped features."""
    number = 0
    for number, record in enumerate(records, 1):
        if not form.holds(record.game.name):
            raise RecordError(
                mark("{format} cannot hold {game}").format(format=form.title, game=record.game.title),
                f"game {number}" * (number > 1),
            )
        try:
            fitting = record if form.name == "sgf" else absorb_set_up(record)
            dropped.add(fitting, form.lost(fitting))
            yield fitting if form.name == "sgf" else moves_only(fitting)
        except RecordError as error:
            raise error.within(place=f"game {number}" if number > 1 else "") from None
    if not number:
        raise RecordError(mark("there is no game to write"))


def write(records: Iterable[Record], path: Path | str, name: str = "") -> list[str]:
    """Write records to a file atomically; returns the features that the format cannot store.

    Records are consumed one by one, so a collection need not fit into memory. Names of a WTHOR file are added to
    the companion files that it shares with others in its folder.
    """
    path = Path(path)
    rest = iter(records)
    first = list(itertools.islice(rest, 1))
    if not first:
        raise RecordError(mark("there is no game to write"))
    form = format_named(name) if name else format_for(path, first[0].game.name)
    dropped = DroppedFeatures(form.name, form.keeps)
    fitting = _fitting(itertools.chain(first, rest), form, dropped)
    if form.name == "wthor" and path.parent.is_dir():
        beside = wthor.companions(path)
        names = {suffix: _load(file) for suffix, file in beside.items()}
        pieces = wthor.write(fitting, names.get(".jou", b""), names.get(".trn", b""))
    else:
        beside = {}
        pieces = _writer(form)(fitting)
    with AtomicFiles() as output:
        main = ""
        for suffix, data in pieces:
            main = main or suffix
            output.add(path if suffix == main else beside.get(suffix, path.with_suffix(suffix)), data)
    return dropped.words()
