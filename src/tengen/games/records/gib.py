r"""GIB, the format of the Go server Tygem: a header `\[NAME=value\]` and lines such as `STO 0 2 1 15 3`.

`INI` gives the handicap; `STO` is a move with its number, colour (1 Black, 2 White), column and row from the top
left, and `SKI` a pass. Read only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tengen.core.diagram import Point
from tengen.core.translation import mark
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

SIZE = 19
MAX_LINE_CHARS = 20_000

_TAG = re.compile(r"\\\[([A-Z]{1,30})=([^\\]*+)\\\]")
_MOVE = re.compile(r"STO\s+\d{1,6}\s+\d{1,6}\s+([12])\s+(-?\d{1,3})\s+(-?\d{1,3})(?=\s|$)", re.ASCII)
_PASS = re.compile(r"SKI\s+\d{1,6}\s+\d{1,6}(?:\s+([12]))?(?=\s|$)", re.ASCII)
_START = re.compile(r"INI\s+\d{1,6}\s+\d{1,6}\s+(\d{1,2})(?=\s|$)", re.ASCII)
_DATE = re.compile(r"C(\d{4}):(\d{2}):(\d{2})", re.ASCII)
_OWN_DATE = re.compile(r"(\d{4})-\s?(\d{1,2})-\s?(\d{1,2})", re.ASCII)
_RESULTS = {0: "B+{}", 1: "W+{}", 3: "B+R", 4: "W+R", 7: "B+T", 8: "W+T"}
# The handicap points of the server, in order: the second stone of 2 to 4 is the lower left one.
_POINTS: tuple[Point, ...] = ((15, 3), (3, 15), (15, 15), (3, 3), (3, 9), (15, 9), (9, 3), (9, 15))
_CENTRE = (9, 9)


def recognises(data: bytes) -> bool:
    start = data[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    return start.startswith((b"\\HS", b"\\[GAME")) or (start.startswith(b"\\GS") and b"INI" in start)


def read(data: bytes) -> Iterator[Record | RecordError]:
    text, _ = decode(data)
    places = TextPositions(text)
    tags: dict[str, str] = {}
    moves: list[PlacedMove] = []
    handicap, offset = 0, 0
    place = places(0)
    try:
        for line in text.splitlines(keepends=True):
            place = places(offset)
            offset += len(line)
            words = line.strip()
            if len(words) > MAX_LINE_CHARS:
                raise RecordError(mark("a line has more than {most} characters").format(most=MAX_LINE_CHARS))
            tags.update((name, value) for name, value in _TAG.findall(words) if name not in tags)
            if words.startswith("STO"):
                moves.append(_read_move(words))
            elif words.startswith("SKI"):
                found = _PASS.match(words)
                following = 0 if not moves else 1 - moves[-1][0]
                moves.append((following if found is None or found[1] is None else int(found[1]) - 1, None))
            elif words.startswith("INI"):
                start = _START.match(words)
                if start is None:
                    raise RecordError(mark("expected a line as INI 0 1 HANDICAP"))
                handicap = int(start[1])
        place = places(0)
        yield _record(tags, handicap, moves)
    except RecordError as error:
        yield error.within(place=place)


def _read_move(line: str) -> PlacedMove:
    found = _MOVE.match(line)
    if found is None:
        raise RecordError(mark("expected a move as STO 0 NUMBER COLOUR COLUMN ROW"))
    point = int(found[2]), int(found[3])
    if not (0 <= point[0] < SIZE and 0 <= point[1] < SIZE):
        raise RecordError(mark("the move is off the board"))
    return int(found[1]) - 1, point


def _record(tags: dict[str, str], handicap: int, moves: list[PlacedMove]) -> Record:
    if not moves and not tags:
        raise RecordError(mark("the file has no moves"))
    fields = _fields(tags.get("GAMETAG", "")) | _fields(tags.get("GAMEINFOMAIN", ""))
    komi = read_number(fields.get("GONGJE", "") or tags.get("GAMEGONGJE", ""))
    game = go_game((SIZE, SIZE), "japanese", None if komi is None or not 0 <= komi <= 1000 else komi / 10)
    if handicap >= 2:
        if handicap > 9:
            raise RecordError(mark("a handicap has 2 to 9 stones, not {count}").format(count=handicap))
        game = with_stones(game, _handicap_points(handicap), (), 1, handicap)
    black, white = (split_rank(tags.get(f"GAME{side}NAME", "")) for side in ("BLACK", "WHITE"))
    return go_record(
        game,
        moves,
        "gib",
        names=(black[0], white[0]),
        ratings=(black[1], white[1]),
        event=clean(tags.get("GAMENAME", "")),
        place=clean(tags.get("GAMEPLACE", "")),
        date=_date(tags),
        result=_result(fields),
    )


def _handicap_points(count: int) -> list[Point]:
    points = list(_POINTS[: count if count <= 4 else count // 2 * 2])
    return [*points, _CENTRE] if count > 4 and count % 2 else points


def _fields(text: str) -> dict[str, str]:
    """`GRLT:3,ZIPSU:0,…`"""
    return dict(word.strip().partition(":")[::2] for word in text[:MAX_LINE_CHARS].split(",") if ":" in word)


def _date(tags: dict[str, str]) -> str:
    found = _DATE.search(tags.get("GAMETAG", "")) or _OWN_DATE.search(tags.get("GAMEDATE", ""))
    return "" if found is None else f"{found[1]}-{int(found[2]):02}-{int(found[3]):02}"


def _result(fields: dict[str, str]) -> str:
    kind, points = read_number(fields.get("GRLT", "")), read_number(fields.get("ZIPSU", ""))
    form = _RESULTS.get(int(kind), "") if kind is not None else ""
    return form.format(f"{(points or 0) / 10:g}") if "{}" not in form or points else ""
