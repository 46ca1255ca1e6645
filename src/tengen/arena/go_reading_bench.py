"""Benchmarks of Go reading.

A ladder across the whole board, and updating the status of all strings after a move.
"""

from __future__ import annotations

from collections.abc import Callable

from tengen.core.position import Position
from tengen.engines.go.board import geometry_for
from tengen.engines.go.reading.status import StatusTracker
from tengen.engines.go.reading.tactics import Result, TacticalReader
from tengen.games.go import Go

MIDGAME = (
    "Q16 C4 Q4 D17 E4 E3 F3 D3 F4 C6 K4 C15 K17 R6 R8 P6 O4 N6 M4 Q14 O16 R16 R17 R15 S17 R10 R5 S7 Q9 O9 "
    "G17 Q5 R4 C10 O14 F14 F8 Q12 F10 E12 T14 S12 L6 O13 L8 M11 E18 D8 E6 D18 K11 F18 G18 E17 F2 E2 M13 "
    "H14 G11 S5 S4 T4 T3 T5 S2 G19 H19 F19 K15 N13 N14 P14 H17 S14 F16 E16 P5 Q6 O6 O7 O5 T15 N7 N8 M7 M8 "
    "L9 P15 P16 F1 G1 E1 H2 M12 L13 F17 P7 S8 O8 N10 Q10 R9 P9 F15 O11 N11 R7 Q11 Q7 S6 P10 S16 T17 E11 "
    "G16 E9 F9 G12 H12 H13 F12 G13 H11 F11 D7 C7 E8 E10 D5 J13 "
)
"""A self-play game up to the middle game."""
FIRST_TIMED_MOVE = 90  # moves from here on are timed
LADDER = {(2, 2): "O", (2, 1): "X", (1, 2): "X", (1, 3): "X", (3, 1): "X"}
"""The start of a ladder from the corner across the whole board."""


def ladder() -> Callable[[], tuple[int, str]]:
    """A measurement that reads the ladder a hundred times."""
    rows = [["."] * 19 for _ in range(19)]
    for (column, row), stone in LADDER.items():
        rows[row][column] = stone
    game = Go(width=19, height=19, board="/".join(map("".join, rows)) + " X")
    tactics = TacticalReader(geometry_for(game))
    tactics.load(game.start())
    target = int(tactics.geometry.from_rules[game.point((2, 2))])

    def measure() -> tuple[int, str]:
        for _ in range(100):
            answer = tactics.attack(target, max_budget=0)
            assert answer.result is Result.WORKS
        return 100, f" ({len(answer.line)} moves)"

    return measure


def status_updates() -> Callable[[], tuple[int, str]]:
    """A measurement that updates the status after each move of the middle game."""
    game = Go(width=19, height=19)
    position = game.start()
    positions: list[Position] = []
    for number, move in enumerate(MIDGAME.split()):
        position = position.play(move)
        if number >= FIRST_TIMED_MOVE:
            positions.append(position)
    board = StatusTracker(game)

    def measure() -> tuple[int, str]:
        board.update(positions[0])
        read = 0
        for position in positions[1:]:
            board.update(position)
            read += board.read
        return len(positions) - 1, f" ({read / (len(positions) - 1):.1f} strings read)"

    return measure
