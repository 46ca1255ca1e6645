"""Move choice in lost positions: of the moves that lose latest, the one with the fewest winning replies."""

from __future__ import annotations

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.pente.classic.kernels.utility import FORCED_WIN_VALUE
from tengen.engines.pente.classic.searcher import ClassicSearcher, SearchMemory
from tengen.search.driver import Step
from tengen.search.limits import Limits, StopFlag, root_moves

MAX_REPLY_DEPTH = 4
"""Replies are searched no deeper than this, to limit the cost."""
NODES_PER_SEARCH = 20_000
"""Node limit for each move or reply."""


def choose_stubborn_move(
    memory: SearchMemory,
    position: Position,
    limits: Limits,
    best: Move,
    depth: int,
    *,
    seed: int,
    stop: StopFlag | None,
) -> tuple[Move, int]:
    """The move, and the nodes spent. `best` is the choice of the main search, to this depth."""
    flag = stop or StopFlag()
    searcher = ClassicSearcher(memory, position, seed=seed, depth=depth)
    allowed = set(root_moves(position, limits))
    moves = [move for move in searcher.listed if move in allowed] or [best]
    nodes = 0
    values: dict[Move, float] = {}
    for move in moves:
        value, spent = _value_after(memory, position, move, depth, seed=seed, stop=flag)
        nodes += spent
        if value is not None:
            values[move] = value
    if not values:
        return best, nodes
    longest = max(values.values())
    if longest > -FORCED_WIN_VALUE:  # the separate searches find an escape
        return max(values, key=lambda move: values[move]), nodes
    equals = [move for move in values if values[move] == longest]
    wins: dict[Move, int] = {}
    for move in equals if len(equals) > 1 else ():
        after = position.play(move)
        wins[move] = 0
        if after.is_over:
            continue
        replies = ClassicSearcher(memory, after, seed=seed, depth=depth).listed
        for reply in replies:
            value, spent = _value_after(
                memory, after, reply, min(depth - 1, MAX_REPLY_DEPTH), seed=seed, stop=flag
            )
            nodes += spent
            wins[move] += value is not None and value >= FORCED_WIN_VALUE
    return (min(wins, key=lambda move: wins[move]) if wins else equals[0]), nodes


def _value_after(
    memory: SearchMemory, position: Position, move: Move, depth: int, *, seed: int, stop: StopFlag
) -> tuple[float | None, int]:
    """Utility of a move for the side that makes it, and the nodes; None if the search did not finish."""
    searcher = ClassicSearcher(memory, position, seed=seed, depth=depth)
    searcher.begin((move,), -searcher.top, searcher.top, Step(max(1, depth), 0))
    finished = searcher.run(NODES_PER_SEARCH, stop)
    searcher.found()
    return (searcher.utilities.get(move) if finished else None), searcher.nodes
