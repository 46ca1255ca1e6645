"""Over a hundred positions with a seki of two strings between living strings, built from two patterns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import NamedTuple

from tengen.core.position import Position
from tengen.games.go import Go
from tests.helpers.go_groups import LIVING
from tests.helpers.go_positions import position_of
from tests.reference.go_tactics import Spot

EYE = ("OOO", "O.O", "OOO")  # a string with an eye; Black's has the colours swapped


class Seki(NamedTuple):
    """Two strings in seki, each given by a stone, and the shared liberties, which nobody should fill."""

    position: Position
    strings: tuple[Spot, Spot]
    shared: frozenset[Spot]


def sekis() -> list[Seki]:
    """All positions, each also with the sides exchanged and turned by a right angle."""
    found = []
    for rows, strings in (*_without_eyes(), *_with_an_eye_each()):
        full = [left.format("X") + row + left.format("O") for left, row in zip(LIVING, rows, strict=True)]
        shared = {(5 + strings[0] + 1, row) for row in range(3) if rows[row][strings[0] + 1] == "."}
        pair = ((5 + strings[0], 0), (5 + strings[1], 0))
        found += [
            _seki(full, pair, shared),
            _seki([row[::-1] for row in full], *_reversed(pair, shared, len(full[0]))),
        ]
        turned = ["".join(column) for column in zip(*full, strict=True)]
        found.append(_seki(turned, *[{(y, x) for x, y in points} for points in (pair, shared)]))
    return found


def to_move(position: Position, player: int, komi: float) -> Position:
    """The same stones under area rules with another side to move and another komi."""
    game = position.game
    assert isinstance(game, Go)
    rows = game.board.split()[0]
    return replace(game, board=f"{rows} {'XO'[player]}", komi=komi, scoring="area").start()


def _without_eyes() -> Iterator[tuple[list[str], tuple[int, int]]]:
    """Blocks of one to three columns with two or three shared liberties and no other."""
    for white, black in product((1, 2, 3), repeat=2):
        for column in ("...", "X..", ".X.", "..X", "O..", ".O.", "..O"):
            yield ["O" * white + point + "X" * black for point in column], (white - 1, white + 1)


def _with_an_eye_each() -> Iterator[tuple[list[str], tuple[int, int]]]:
    """Blocks with an eye each and one shared liberty."""
    for row, others in product(range(3), product("XO", repeat=2)):
        column = [*others[:row], ".", *others[row:]]
        yield [left + point + left.replace("O", "X") for left, point in zip(EYE, column, strict=True)], (2, 4)


def _reversed(pair: tuple[Spot, Spot], shared: set[Spot], width: int) -> list[set[Spot]]:
    return [{(width - 1 - column, row) for column, row in points} for points in (pair, shared)]


def _seki(rows: list[str], pair: object, shared: set[Spot]) -> Seki:
    one, other = sorted(pair)  # type: ignore[call-overload]
    return Seki(position_of("\n".join(rows)), (one, other), frozenset(shared))
