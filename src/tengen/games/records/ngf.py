"""NGF, the format of the Go server wBaduk: eleven header lines, the number of moves, and moves as `PMABBPEEP`.

The header has a title, the size, White's and Black's name, the place, the handicap, an unused line, the komi, the
date, the time and the result. A move is `PM`, two characters for its number, the colour, and column and row from
the top left, in which B is the first; it is repeated. Read only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tengen.core.translation import mark
from tengen.games.go.handicap import fixed_handicap
from tengen.games.records.encoding import decode
from tengen.games.records.errors import RecordError, TextPositions
from tengen.games.records.go_servers import (
    PlacedMove,
    clean,
    go_game,
    go_record,
    read_number,
    split_rank,
    with_stones,
)
from tengen.games.records.tree import Record

HEADER_LINES = 12
MAX_HANDICAP = 9
_MOVE = re.compile(r"PM..([BW])([A-Z])([A-Z])", re.IGNORECASE)
_LINE = re.compile(r"[^\n]*")
_SIZE = re.compile(r"\s*([2-9]|1\d|2[0-5])\s*", re.ASCII)
_DATE = re.compile(r"\s*(\d{4})-?(\d{2})-?(\d{2})", re.ASCII)
_POINTS = re.compile(r"(\d{1,3}(?:\.\d{1,2})?)\s*(?:point|moku|집)", re.IGNORECASE)


def recognises(data: bytes) -> bool:
    lines = data[:8192].split(b"\n")
    return (
        len(lines) > HEADER_LINES
        and _SIZE.fullmatch(lines[1].decode("latin-1")) is not None
        and any(_MOVE.match(line.strip().decode("latin-1")) for line in lines[HEADER_LINES - 1 :])
    )


def read(data: bytes) -> Iterator[Record | RecordError]:
    text, _ = decode(data)
    places = TextPositions(text)
    place = places(0)
    try:
        header: list[str] = []
        moves: list[PlacedMove] = []
        size = 0
        offset = 0
        for number, line in enumerate(text.split("\n")):
            place = places(offset)
            offset += len(line) + 1
            if number < HEADER_LINES - 1:
                header.append(line.strip())
                if number == 1:
                    size = _read_size(line)
            elif line.strip().upper().startswith("PM"):
                moves.append(_read_move(line.strip(), size))
        place = places(0)
        if len(header) < HEADER_LINES - 1:
            raise RecordError(mark("the header has fewer than {count} lines").format(count=HEADER_LINES - 1))
        yield _record(header, size, moves)
    except RecordError as error:
        yield error.within(place=place)


def _read_size(line: str) -> int:
    found = _SIZE.fullmatch(line)
    if found is None:
        raise RecordError(mark("the second line should be the size of the board, 2 to 25"))
    return int(found[1])


def _read_move(line: str, size: int) -> PlacedMove:
    found = _MOVE.match(line)
    if found is None:
        raise RecordError(mark("expected a move as PMABBPEEP, not {text!r}").format(text=line[:20]))
    column, row = (ord(letter.upper()) - ord("B") for letter in found.group(2, 3))
    player = "BW".index(found[1].upper())
    if column < 0 or row < 0:
        return player, None
    if column >= size or row >= size:
        raise RecordError(mark("the move is off the board"))
    return player, (column, row)


def _record(header: list[str], size: int, moves: list[PlacedMove]) -> Record:
    handicap = int(read_number(header[5]) or 0)
    if not 0 <= handicap <= MAX_HANDICAP:
        raise RecordError(
            mark("a handicap has 2 to 9 stones, not {count}").format(count=handicap), "line 6, column 1"
        )
    komi = read_number(header[7])
    if komi is not None and not handicap and komi == int(komi):
        komi += 0.5  # the server writes whole points
    game = go_game((size, size), "japanese", komi if komi is not None and abs(komi) <= 400 else None)
    if handicap >= 2:
        try:
            game = with_stones(game, fixed_handicap(size, size, handicap), (), 1, handicap)
        except RecordError:
            raise
        except Exception as error:
            raise RecordError(str(error), "line 6, column 1") from None
    white, black = split_rank(header[2]), split_rank(header[3])
    date = _DATE.match(header[8])
    return go_record(
        game,
        moves,
        "ngf",
        names=(black[0], white[0]),
        ratings=(black[1], white[1]),
        event=clean(header[0]),
        place=clean(header[4]),
        date="" if date is None else f"{date[1]}-{date[2]}-{date[3]}",
        result=_result(header[10]),
    )


def _result(text: str) -> str:
    lower = text[:200].lower()
    winner = "W" if "white win" in lower else "B" if "black win" in lower else ""
    if not winner:
        return ""
    points = _POINTS.search(lower)
    return f"{winner}+{'R' if 'resign' in lower else 'T' if 'time' in lower else points[1] if points else ''}"
