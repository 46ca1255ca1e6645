"""What the formats of Go servers have in common: rules, handicap, and a record with its moves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from tengen.core.diagram import Point
from tengen.core.errors import TengenError
from tengen.core.game import Move
from tengen.core.translation import mark
from tengen.games import game as create_game
from tengen.games.go import PASS, RULE_SETS, Go
from tengen.games.records.errors import RecordError
from tengen.games.records.record_size import RecordSize
from tengen.games.records.tree import Node, Record

MAX_NAME_LENGTH = 200
MAX_KOMI = 400.0
_NUMBER = re.compile(r"-?\d{1,4}(?:\.\d{1,3})?", re.ASCII)

PlacedMove = tuple[int, Point | None]  # player, and the point; None is a pass


def go_game(size: tuple[int, int], rules: str, komi: float | None, handicap: int = 0) -> Go:
    """A game on an empty board or with the fixed handicap. Raises `RecordError`."""
    options: dict[str, Any] = {"width": size[0], "height": size[1]}
    options |= {name: value for name, value in RULE_SETS[rules].items() if name != "komi"}
    options["komi"] = (0.5 if handicap else RULE_SETS[rules]["komi"]) if komi is None else komi
    try:
        game = create_game("go", **options, **({"handicap": handicap} if handicap >= 2 else {}))
    except TengenError as error:
        raise RecordError(str(error)) from None
    assert isinstance(game, Go)
    return game


def with_stones(game: Go, black: Iterable[Point], white: Iterable[Point], to_move: int, handicap: int = 0) -> Go:
    """The game from a board with these stones."""
    cells = [["."] * game.width for _ in range(game.height)]
    for symbol, points in (("X", black), ("O", white)):
        for column, row in points:
            if not (0 <= column < game.width and 0 <= row < game.height):
                raise RecordError(mark("a stone at the start is off the board"))
            cells[row][column] = symbol
    board = f"{'/'.join(map(''.join, cells))} {'XO'[to_move]}"
    try:
        return replace(game, board=board, handicap=handicap, free_handicap=False)
    except TengenError as error:
        raise RecordError(str(error)) from None


def free_handicap(game: Go, count: int) -> Go:
    """The game in which Black begins by placing this many stones."""
    try:
        return replace(game, handicap=count, free_handicap=True)
    except TengenError as error:
        raise RecordError(str(error)) from None


def go_record(game: Go, moves: Sequence[PlacedMove], source: str, **header: Any) -> Record:
    """A record with these moves. Whether they are legal is checked later, as for every format."""
    size = RecordSize()
    codes: list[Move] = []
    players: list[int | None] = []
    for player, point in moves:
        size.add_move()
        if point is not None and not (0 <= point[0] < game.width and 0 <= point[1] < game.height):
            raise RecordError(mark("move {number} is off the board").format(number=len(codes) + 1))
        codes.append(PASS if point is None else game.point(point))
        players.append(player)
    record = Record(game, source=source, **header)
    if codes:
        record.root.children = [Node.chain(codes, players)[0]]
    return record


def read_number(text: str) -> float | None:
    """A number as servers write it; None for anything else."""
    found = _NUMBER.fullmatch(text.strip())
    return None if found is None else float(found[0])


def clean(text: str) -> str:
    """A name on one line, without control characters, cut to a sensible length."""
    words = "".join(symbol if symbol.isprintable() else " " for symbol in text[: 4 * MAX_NAME_LENGTH]).split()
    return " ".join(words)[:MAX_NAME_LENGTH]


def split_rank(name: str) -> tuple[str, str]:
    """`Lee (9D)` or `Lee 9D` as name and rank."""
    found = re.fullmatch(r"(.*?\S) ?\(?(\d{1,2} ?[dkpDKP段级級단급])\)?", clean(name))
    return (found[1].rstrip(" ("), found[2]) if found is not None else (clean(name), "")
