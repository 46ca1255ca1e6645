"""Wins by trying everything: in one or two by the rules alone, in up to three on the player's board.

The first knows nothing of the player (see `kernels.exhaustive`); the second is fast enough to list every winning
move (see `kernels.thorough`), and the tests compare the two. Longer wins cannot be found so, but one that the
player claims can be replayed against every answer.
"""

from __future__ import annotations

import numpy as np

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.pente.search_threads import Place, Root
from tengen.engines.pente.threats.kernels.brute_force_board import ESCAPED, UNCLAIMED, every_win, replay_win
from tengen.engines.pente.threats.kernels.brute_force_rules import shortest_win

MOST_STONES = 3
"""More would take minutes."""
BY_FOURS, BY_THREES = 20_000, 2_000_000
"""Positions that a search by fours, and a whole claim, may cost when it is replayed."""


def stones_to_win(position: Position) -> int:
    """1 or 2 if the side to move wins with its first or second stone from now, against every defence; else 0."""
    stack = np.zeros(4, position.game.record)
    stack[0] = position.state
    return int(shortest_win(stack, np.zeros((3, position.game.most_moves + 3), np.int64)))


def winning_moves(position: Position, stones: int) -> tuple[Move, ...]:
    """Every move by which the side to move wins with so many stones at the latest, against every defence."""
    assert 1 <= stones <= MOST_STONES
    root = Root(position)
    out = np.zeros(512, np.int64)
    count = every_win(root.boards, root.patterns, root.colour, np.int64(stones), out)
    return tuple(sorted(Move(int(point)) for point in out[:count]))


def refuted(position: Position, place: Place, *, threes: int) -> bool | None:
    """Whether some answer escapes the forced win that is claimed here, if one is (else None).

    `threes` are the quiet threats that it may have; all answers are tried, each time against what is claimed then.
    """
    root = Root(position)
    arrays = (root.boards, root.patterns, place.memo, place.work, place.zone)
    numbers = (np.int64(threes), np.int64(BY_FOURS), np.int64(BY_THREES))
    came = int(replay_win(*arrays, root.colour, *numbers))
    return None if came == UNCLAIMED else came == ESCAPED
