"""What to play where all is lost: of the moves that lose latest, the one with the fewest replies that win."""

from __future__ import annotations

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.pente.classic.kernels.utility import SURELY
from tengen.engines.pente.classic.searcher import ClassicSearcher, Memory
from tengen.search.driver import Step
from tengen.search.limits import Limits, StopFlag, root_moves

SHALLOW = 4
"""Replies are looked at no deeper than that: more would cost more than the game was worth."""
NODES = 20_000
"""For each search of a move or a reply."""


def most_stubborn(
    memory: Memory, position: Position, limits: Limits, best: Move, depth: int, *, seed: int, stop: StopFlag | None
) -> tuple[Move, int]:
    """The move, and the nodes that it took to find. `best` is what the search would play, to this depth."""
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
    if longest > -SURELY:  # a quieter look finds a way out
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
            value, spent = _value_after(memory, after, reply, min(depth - 1, SHALLOW), seed=seed, stop=flag)
            nodes += spent
            wins[move] += value is not None and value >= SURELY
    return (min(wins, key=lambda move: wins[move]) if wins else equals[0]), nodes


def _value_after(
    memory: Memory, position: Position, move: Move, depth: int, *, seed: int, stop: StopFlag
) -> tuple[float | None, int]:
    """What a move is worth to who makes it, and the nodes; None if that was not found out."""
    searcher = ClassicSearcher(memory, position, seed=seed, depth=depth)
    searcher.begin((move,), -searcher.top, searcher.top, Step(max(1, depth), 0))
    finished = searcher.run(NODES, stop)
    searcher.found()
    return (searcher.utilities.get(move) if finished else None), searcher.nodes
