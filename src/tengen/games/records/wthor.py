"""WTHOR, the Othello database of the French federation: games in `.wtb`, players in `.jou`, events in `.trn`.

All three start with a header of 16 bytes: century, year, month and day of the file; number of games (u32); number
of names (u16); year of the games (u16); board size (0 means 8), kind of games, depth of the theoretical score,
reserved. A game is 68 bytes: event, Black, White (u16 each, indices into the names), Black's discs, Black's
theoretical discs, 60 moves as 10 * row + column (both from 1), padded with 0; passes are omitted. Names of players
have 20 bytes and names of events 26, padded with zeros.
"""

from __future__ import annotations

import datetime
import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tengen.core.game import Game, Move
from tengen.games import game as create_game
from tengen.games.records.errors import RecordError
from tengen.games.records.replay import final_score, implied_pass
from tengen.games.records.results import iso_date, margin, result_by_margin
from tengen.games.records.tree import NO_PROPERTIES, Node, Properties, Record

KEEPS = frozenset({"names", "event", "date", "result"})

_HEADER = struct.Struct("<4BIHH4B")
_GAME = struct.Struct("<HHHBB60s")
_PLAYER_BYTES, _EVENT_BYTES = 20, 26
_NUMBER = re.compile(r"#(\d{1,5})")
_MOST_NAMES = 65535
_FIGURES = {"size": "8", "kind": "0", "depth": "0", "reserved": "0"}


@dataclass(frozen=True)
class Header:
    """The fields of the header."""

    century: int
    year_of_century: int
    month: int
    day: int
    games: int
    names: int
    year: int
    size: int
    kind: int
    depth: int
    reserved: int


def recognises(data: bytes) -> bool:
    """Whether the header has a plausible date and no names. Text formats cannot start like this."""
    if len(data) < _HEADER.size:
        return False
    header = Header(*_HEADER.unpack_from(data))
    dated = 19 <= header.century <= 21 and header.year_of_century <= 99 and header.month <= 12 and header.day <= 31
    return dated and header.names == 0


def read(data: bytes, players: bytes = b"", events: bytes = b"") -> Iterator[Record | RecordError]:
    """The games of a `.wtb` file. Players and events without a known name are called by number: `#7`."""
    header = Header(*_HEADER.unpack_from(data))
    if header.size not in (0, 8):
        raise RecordError(f"expected games on 8x8, not {header.size}x{header.size}", "offset 12")
    expected = _HEADER.size + _GAME.size * header.games
    if len(data) != expected:
        raise RecordError(f"expected {expected} bytes for {header.games} games, not {len(data)}", "offset 4")
    player_names = read_names(players, _PLAYER_BYTES, ".jou")
    event_names = read_names(events, _EVENT_BYTES, ".trn")
    game = create_game("othello")
    moves = _moves_by_code(game)
    created = f"{header.century:02}{header.year_of_century:02}-{header.month:02}-{header.day:02}"
    figures = {"size": header.size, "kind": header.kind, "depth": header.depth, "reserved": header.reserved}
    shared = {"created": (created,), **{name: (str(figure),) for name, figure in figures.items()}}
    date = f"{header.year:04}" if header.year else ""
    for number in range(header.games):
        offset = _HEADER.size + _GAME.size * number
        event, black, white, discs, theoretical, codes = _GAME.unpack_from(data, offset)
        record = Record(game, source="wthor", date=date)
        record.names = (_name(player_names, black), _name(player_names, white))
        record.event = _name(event_names, event)
        if discs > 64:
            yield RecordError(f"expected 0 to 64 discs of Black, not {discs}", _place(number, offset + 6))
            continue
        record.result = result_by_margin(2 * discs - 64)
        record.root.properties = {**shared, "theoretical": (str(theoretical),)}
        line = codes.rstrip(b"\0")
        try:
            played = [moves[code] for code in line]
        except KeyError as error:
            index = line.index(error.args[0])
            yield RecordError(
                f"expected a move as 10 * row + column, not {line[index]}", _place(number, offset + 8 + index)
            )
            continue
        if played:
            record.root.add(Node.chain(played, [None] * len(played))[0])
        yield record


def _place(number: int, offset: int) -> str:
    return f"game {number + 1}, offset {offset}"


def _moves_by_code(game: Game) -> dict[int, Move]:
    start = game.start()
    return {
        10 * row + column: game.read_move(f"{'abcdefgh'[column - 1]}{row}", start)
        for row in range(1, 9)
        for column in range(1, 9)
    }


def read_names(data: bytes, width: int, what: str) -> list[str]:
    """Read the names in a `.jou` or `.trn` file."""
    if not data:
        return []
    if len(data) < _HEADER.size:
        raise RecordError(f"expected 16 bytes at least in the {what} file, not {len(data)}")
    header = Header(*_HEADER.unpack_from(data))
    if len(data) != _HEADER.size + width * header.names:
        raise RecordError(
            f"expected {header.names} names of {width} bytes in the {what} file, not {len(data)} bytes"
        )
    body = data[_HEADER.size :]
    return [body[start : start + width].split(b"\0")[0].decode("latin-1") for start in range(0, len(body), width)]


def _name(names: list[str], index: int) -> str:
    return names[index] if index < len(names) else f"#{index}"


def companions(path: Path) -> dict[str, Path]:
    """The `.jou` and `.trn` files of a `.wtb` file, by suffix: of the same name, or the only shared ones.

    A file named like another `.wtb` belongs to that one, so writing one file never changes the names of another.
    """
    beside = [file for file in path.parent.iterdir() if file.is_file()]
    others = {file.stem.lower() for file in beside if file.suffix.lower() == ".wtb"} - {path.stem.lower()}
    found = {}
    for suffix in (".jou", ".trn"):
        files = [file for file in beside if file.suffix.lower() == suffix and file.stem.lower() not in others]
        own = [file for file in files if file.stem.lower() == path.stem.lower()]
        if len(own or files) == 1:
            found[suffix] = (own or files)[0]
    return found


# ---- writing


def write(
    records: Iterable[Record], players: bytes = b"", events: bytes = b"", today: datetime.date | None = None
) -> Iterator[tuple[str, bytes]]:
    """The files to write, by suffix: the games, and a file of names if there are new ones other than numbers.

    `players` and `events` are the contents of existing `.jou` and `.trn` files. New names are appended, so that
    existing indices stay valid.
    """
    player_names = _Names(players, _PLAYER_BYTES, ".jou")
    event_names = _Names(events, _EVENT_BYTES, ".trn")
    codes = {move: code for code, move in _moves_by_code(create_game("othello")).items()}
    kept: Properties | None = None
    years: set[int] = set()
    rows = []
    for record in records:
        if record.game != create_game("othello"):
            raise RecordError("WTHOR holds games on 8x8 from the usual start")
        own = record.root.properties if record.source == "wthor" else NO_PROPERTIES
        kept = own if kept is None else kept
        years.add(_year(record))
        if len(years) > 1:
            raise RecordError(
                f"WTHOR holds the games of one year, not of {min(years)} to {max(years)}: write each by itself"
            )
        player_names.reserve(record.names)
        event_names.reserve([record.event])
        no_move = implied_pass(record.game)
        line = bytes(codes[move] for move in record.moves() if move != no_move)
        theoretical = int(own.get("theoretical", ("0",))[0])
        rows.append((record.event, *record.names, _discs(record), theoretical, line))
    kept = kept or NO_PROPERTIES
    created = kept.get("created", ((today or datetime.date.today()).isoformat(),))[0]
    stamp = tuple(int(created[start : start + 2]) for start in (0, 2, 5, 8))
    figures = (int(kept.get(name, (usual,))[0]) for name, usual in _FIGURES.items())
    body = [_HEADER.pack(*stamp, len(rows), 0, years.pop() if years else 0, *figures)]
    for event, black, white, *rest in rows:
        numbers = (event_names.index(event), player_names.index(black), player_names.index(white))
        body.append(_GAME.pack(*numbers, *rest))
    yield ".wtb", b"".join(body)
    for suffix, names in ((".jou", player_names), (".trn", event_names)):
        if names.has_new:
            yield suffix, names.file(stamp)


class _Names:
    """Names with their indices, starting with those of an existing file.

    A name like `#7` stands for index 7 and is not stored, unless a file of names exists or the index is taken.
    """

    def __init__(self, data: bytes, width: int, what: str) -> None:
        self._width = width
        self._head = data[: _HEADER.size]
        self._known = len(read_names(data, width, what))
        body = data[_HEADER.size :]
        self._entries = [body[start : start + width] for start in range(0, len(body), width)]
        self._indices: dict[bytes, int] = {}
        for index, entry in enumerate(self._entries):
            self._indices.setdefault(entry.split(b"\0")[0], index)

    @property
    def has_new(self) -> bool:
        return len(self._entries) > self._known

    def reserve(self, names: Sequence[str]) -> None:
        """Add names that need an entry. Call `index` only after all names have been added."""
        for name in names:
            if self._known or self._number(name) is None:
                self._add(name)

    def _number(self, name: str) -> int | None:
        match = _NUMBER.fullmatch(name)
        return int(match[1]) if match is not None and int(match[1]) <= _MOST_NAMES else None

    def _add(self, name: str) -> int:
        short = short_name(name, self._width)
        if short not in self._indices:
            if len(self._entries) == _MOST_NAMES:
                raise RecordError(f"WTHOR has room for {_MOST_NAMES} names, not more")
            self._indices[short] = len(self._entries)
            self._entries.append(short.ljust(self._width, b"\0"))
        return self._indices[short]

    def index(self, name: str) -> int:
        number = self._number(name)
        if number is None or number < len(self._entries) or self._known:
            return self._add(name)
        return number

    def file(self, stamp: tuple[int, ...]) -> bytes:
        """The content of the file of names, with the header of the existing file if there is one."""
        fields = _HEADER.unpack(self._head) if self._head else (*stamp, 0, 0, 0, 0, 0, 0, 0)
        return _HEADER.pack(*fields[:5], len(self._entries), *fields[6:]) + b"".join(self._entries)


def short_name(name: str, width: int) -> bytes:
    return name.encode("latin-1", errors="replace")[: width - 1]


def _discs(record: Record) -> int:
    points = margin(record.result)
    if points is None:
        points = final_score(record) or 0.0
    return max(0, min(64, 32 + int(points) // 2))


def _year(record: Record) -> int:
    match = re.match(r"\d{1,5}(?=-|$)", iso_date(record.date))
    return int(match[0]) if match and int(match[0]) <= 65535 else 0


def lost(record: Record) -> list[str]:
    """Losses: long names, characters outside latin-1, results other than disc counts, exact dates."""
    dropped = []
    if not record.result and final_score(record) is None:
        dropped.append("that the game has no result: it is written as 32 discs each")
    for name, width, what in (
        *((name, _PLAYER_BYTES, "end of a name") for name in record.names),
        (record.event, _EVENT_BYTES, "end of the event's name"),
    ):
        if short_name(name, width).decode("latin-1") != name:
            dropped.append(what)
    points = margin(record.result)
    if record.result and (points is None or points % 2 or abs(points) > 64):
        dropped.append("result other than by discs")
    if record.date and record.date != f"{_year(record):04}":
        dropped.append("day of the date")
    return dropped
