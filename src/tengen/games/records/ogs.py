"""Games of the Go server OGS as JSON: the answer of its API for a game, or the `gamedata` in it. Read only."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tengen.core.diagram import Point
from tengen.core.translation import mark
from tengen.games.records.errors import RecordError, TextPositions
from tengen.games.records.go_servers import (
    PlacedMove,
    clean,
    free_handicap,
    go_game,
    go_record,
    read_number,
    with_stones,
)
from tengen.games.records.tree import Record

MAX_NESTING = 50
MAX_HANDICAP = 36
_RULES = {
    "japanese": "japanese",
    "korean": "japanese",
    "chinese": "chinese",
    "aga": "aga",
    "ing": "chinese",
    "nz": "new-zealand",
}
_START_FIELDS = ('"moves"', '"gamedata"')


def recognises(data: bytes) -> bool:
    start = data.lstrip(b"\xef\xbb\xbf \t\r\n")
    return start.startswith(b"{") and all(word in data for word in (b'"moves"', b'"width"', b'"komi"'))


def read(data: bytes) -> Iterator[Record | RecordError]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        yield RecordError(mark("the text is not UTF-8"), f"offset {error.start}")
        return
    try:
        given = json.loads(text)
    except json.JSONDecodeError as error:
        yield RecordError(f"not JSON: {error.msg}", TextPositions(text)(error.pos))
        return
    except (ValueError, RecursionError):
        yield RecordError(
            mark("not JSON: nested too deeply, or a number with too many digits"), "line 1, column 1"
        )
        return
    try:
        yield _record(given)
    except RecordError as error:
        yield error.within(place="line 1, column 1")


def _record(given: object) -> Record:
    outer = given if isinstance(given, dict) else {}
    inner = outer.get("gamedata")
    game_data: Mapping[str, Any] = {**outer, **(inner if isinstance(inner, dict) else {})}
    if not isinstance(game_data.get("moves"), list | str):
        raise RecordError(mark("expected a game of OGS, with a list of moves"))
    size = _integer(game_data, "width", 1, 25), _integer(game_data, "height", 1, 25)
    rules = _RULES.get(str(game_data.get("rules", "japanese")).lower(), "japanese")
    komi = read_number(str(game_data.get("komi", "")))
    handicap = _integer(game_data, "handicap", 0, MAX_HANDICAP, 0)
    game = go_game(size, rules, komi if komi is not None and abs(komi) <= 400 else None)
    first = 1 if game_data.get("initial_player") == "white" else 0
    state = game_data.get("initial_state")
    stones = [_letters(state.get(side), size[1]) if isinstance(state, dict) else [] for side in ("black", "white")]
    count = handicap if handicap >= 2 else 0
    if any(stones):
        game = with_stones(game, stones[0], stones[1], first, count)
    elif count and game_data.get("free_handicap_placement"):
        game = free_handicap(game, count)
    elif first or count:
        game = with_stones(game, (), (), first, count)
    free = count if game_data.get("free_handicap_placement") and not any(stones) else 0
    names, ratings = _players(outer, game_data)
    return go_record(
        game,
        _moves(game_data["moves"], first, free, size[1]),
        "ogs",
        names=names,
        ratings=ratings,
        event=clean(str(game_data.get("name") or game_data.get("game_name") or "")),
        place="OGS",
        date=str(outer.get("started") or "")[:10] if isinstance(outer.get("started"), str) else "",
        result=_result(outer, game_data),
    )


def _integer(data: Mapping[str, Any], name: str, low: int, high: int, default: int | None = None) -> int:
    value = data.get(name, default)
    if type(value) is not int or not low <= value <= high:
        raise RecordError(
            mark("{name} should be a whole number from {low} to {high}").format(name=name, low=low, high=high)
        )
    return value


def _letters(text: object, height: int) -> list[Point]:
    """Points as pairs of letters, as in SGF."""
    if text in (None, ""):
        return []
    if not isinstance(text, str) or len(text) % 2 or not all("a" <= letter <= "y" for letter in text):
        raise RecordError(mark("expected the stones at the start as pairs of letters"))
    codes = [ord(letter) - ord("a") for letter in text]
    return list(zip(codes[::2], codes[1::2], strict=True))


def _moves(given: list[Any] | str, first: int, free: int, height: int) -> list[PlacedMove]:
    """Moves in turn, after as many of Black's as he has free handicap stones."""
    if isinstance(given, str):
        pairs = [given[at : at + 2] for at in range(0, len(given), 2)]
        points: list[Point | None] = [None if pair == ".." else _letters(pair, height)[0] for pair in pairs]
    else:
        points = [_point(one) for one in given]
    moves: list[PlacedMove] = []
    player = first
    for number, point in enumerate(points):
        moves.append((0 if number < free else player, point))
        if number >= free - 1:
            player = 1 if number == free - 1 else 1 - player
    return moves


def _point(given: object) -> Point | None:
    if isinstance(given, dict):
        given = [given.get("x"), given.get("y")]
    if not isinstance(given, list) or len(given) < 2 or type(given[0]) is not int or type(given[1]) is not int:
        raise RecordError(mark("expected a move as [column, row, time]"))
    column, row = given[:2]
    return None if column < 0 or row < 0 else (column, row)


def _players(outer: Mapping[str, Any], data: Mapping[str, Any]) -> tuple[tuple[str, str], tuple[str, str]]:
    players = data.get("players") if isinstance(data.get("players"), dict) else outer.get("players")
    names, ratings = [], []
    for side in ("black", "white"):
        player = players.get(side) if isinstance(players, dict) else None
        player = player if isinstance(player, dict) else {}
        names.append(clean(str(player.get("username") or player.get("name") or "")))
        rank = read_number(str(player.get("ranking", player.get("rank", ""))))
        ratings.append("" if rank is None else f"{30 - int(rank)}k" if rank < 30 else f"{int(rank) - 29}d")
    return (names[0], names[1]), (ratings[0], ratings[1])


def _result(outer: Mapping[str, Any], data: Mapping[str, Any]) -> str:
    if data.get("annulled") is True or "ancel" in str(data.get("outcome", ""))[:40]:
        return "Void"
    lost = [outer.get(f"{side}_lost") is True for side in ("black", "white")]
    if lost[0] == lost[1]:
        return ""
    words = str(data.get("outcome", ""))[:60].lower().split()
    points = read_number(words[0]) if words else None
    how = "R" if "resignation" in words else "T" if "timeout" in words else "" if points is None else f"{points:g}"
    return f"{'W' if lost[0] else 'B'}+{how}"
