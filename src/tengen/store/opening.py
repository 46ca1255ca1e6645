"""The opening of a game as keys of its positions: what the explorer finds games by.

A key is the position's own, mixed with the rules: the game, the size of its board and the options that matter.
Komi and the like do not: games that differ only there find each other, as people who study openings want it. Nor
does the way by which a start came about (handicap, a set-up board), because the position itself is in the key.
Positions that are mirror images have different keys.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled.position_kernels import position_keys
from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.games.records import Node, Record, RecordError
from tengen.games.records.replay import played_moves, start_of
from tengen.games.records.shape import absorb_set_up
from tengen.store.rows import outcome_of, size_of

DEPTH = 30  # positions after so many moves are found
NO_MOVE = -1
_NO_MATTER = frozenset({"komi", "bonus", "handicap", "free_handicap", "board"})


class Stop(NamedTuple):
    """A position on a game's way: after how many moves, what was played there, and how the game ended."""

    ply: int
    move: int
    outcome: int


def key_of(position: Position) -> int:
    """What a position is stored under: 64 bits with a sign, as databases have them."""
    return _signed(position.key ^ _identity(position.game))


def trace(record: Record) -> dict[int, Stop]:
    """The positions of a game's opening by their keys; one that comes twice counts once, for its first move.

    Empty for a game that cannot be replayed, such as one whose stones are set up as the rules cannot have them.
    """
    record, nodes = _opening(record)
    try:
        moves = played_moves(record, nodes)
    except RecordError:
        return {}
    found: dict[int, Stop] = {}
    outcome = outcome_of(record.result)
    _, keys = _walk(record.game, moves)
    rules = _identity(record.game)
    for ply, key in enumerate((keys[: DEPTH + 1] ^ np.uint64(rules)).view(np.int64).tolist()):
        found.setdefault(key, Stop(ply, moves[ply] if ply < len(moves) else NO_MOVE, outcome))
    return found


def same_opening(one: Record, other: Record) -> bool:
    """Whether two records of a game have the same trace; quick, and false only at the cost of some work."""
    return (
        one.game == other.game
        and outcome_of(one.result) == outcome_of(other.result)
        and _moves(one) == _moves(other)
    )


def same_position(position: Position) -> Callable[[Record, int], bool]:
    """A test whether a game had this very position after so many moves: equal keys alone do not prove it."""
    stones = position.diagram().stones
    state = np.empty(1, position.game.record)
    state[0] = position.state

    def is_here(record: Record, ply: int) -> bool:
        record, nodes = _opening(record)
        try:
            moves = played_moves(record, nodes[:ply])[:ply]
        except RecordError:
            return False
        if len(moves) < ply:
            return False
        states, _ = _walk(record.game, moves)
        if record.game == position.game and np.array_equal(states, state):
            return True  # as it came about by the same moves; by others the state may know more than the board
        there = Position(record.game, states, None, None)
        return there.to_move == position.to_move and there.diagram().stones == stones

    return is_here


def _opening(record: Record) -> tuple[Record, list[Node]]:
    """The record with stones set up at the start as part of its game, and the nodes of the first moves."""
    main = _nodes(record)
    if any(node.set_up is not None for node in main):
        record = absorb_set_up(record)
        main = _nodes(record)
    nodes: list[Node] = []
    for node in main:
        if node.set_up is not None:
            break  # stones set up in mid-game: nobody can say what position that is
        if node.move is not None:
            nodes.append(node)
    return record, nodes


def _walk(game: Game, moves: list[Move]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The state after these moves, and the keys of all positions from the start to it."""
    states = np.empty(1, game.record)
    states[0] = start_of(game).state
    keys = np.empty(len(moves) + 1, np.uint64)
    position_keys(states, np.array(moves, np.int32), keys)
    return states, keys


def _nodes(record: Record) -> list[Node]:
    """The main line up to one move beyond the depth."""
    node = record.root
    line = [node]
    moves = int(node.move is not None)
    while node.children and moves <= DEPTH:
        node = node.children[0]
        moves += node.move is not None
        line.append(node)
    return line


def _moves(record: Record) -> list[tuple[object, ...]]:
    return [(node.move, node.player, node.set_up) for node in _nodes(record)]


@lru_cache(maxsize=256)
def _identity(game: Game) -> int:
    """64 bits of the rules."""
    options = {name: value for name, value in game.options().items() if name not in _NO_MATTER}
    text = json.dumps([game.name, size_of(game), options], sort_keys=True)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())


def _signed(key: int) -> int:
    return key - (1 << 64) if key >= 1 << 63 else key
