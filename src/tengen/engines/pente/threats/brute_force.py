"""Wins by brute force: in one or two stones by the rules, in up to three on the engine's board.

The first is independent of the engine (`kernels.brute_force_rules`). The second is fast enough to list every
winning move (`kernels.brute_force_board`); tests compare the two. Longer wins are out of reach, but a win that the
engine claims can be replayed against every answer.
"""

from __future__ import annotations

import numpy as np

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.pente.root_position import RootPosition
from tengen.engines.pente.search_threads import SearchThread
from tengen.engines.pente.threats.kernels.brute_force_board import (
    ESCAPED,
    NO_CLAIM,
    list_winning_moves,
    replay_claimed_win,
)
from tengen.engines.pente.threats.kernels.brute_force_rules import shortest_win

MAX_STONES = 3
"""More would take minutes."""
FOURS_NODE_LIMIT, CLAIM_NODE_LIMIT = 20_000, 2_000_000
"""Node limits of a search by fours, and of a whole claim, when it is replayed."""


def stones_to_win(position: Position) -> int:
    """1 or 2 if the side to move wins with its first or second stone against every defence; else 0."""
    stack = np.zeros(4, position.game.record)
    stack[0] = position.state
    return int(shortest_win(stack, np.zeros((3, position.game.max_legal_moves + 3), np.int64)))


def winning_moves(position: Position, stones: int) -> tuple[Move, ...]:
    """All moves by which the side to move wins with at most `stones` stones against every defence."""
    assert 1 <= stones <= MAX_STONES
    root = RootPosition(position)
    out = np.zeros(512, np.int64)
    count = list_winning_moves(root.boards, root.patterns, root.colour, np.int64(stones), out)
    return tuple(sorted(Move(int(point)) for point in out[:count]))


def is_claim_refuted(position: Position, thread: SearchThread, *, threes: int) -> bool | None:
    """Whether some answer escapes the forced win that the engine claims; None if it claims none.

    `threes` limits the quiet threats of the win. All answers are tried, each against the win claimed after it.
    """
    root = RootPosition(position)
    thread.work.node_limit = thread.work.nodes + CLAIM_NODE_LIMIT
    outcome = int(
        replay_claimed_win(*thread.arrays(root), root.colour, np.int64(threes), np.int64(FOURS_NODE_LIMIT))
    )
    return None if outcome == NO_CLAIM else outcome == ESCAPED
