"""Keys of the positions in a game's opening, by which the explorer finds games.

A key combines the position's key with the rules: game, board size and relevant options. Komi is ignored, so that
openings with different komi are found together. The way a start position came about (handicap, set-up stones) is
ignored as well, because the position itself is in the key. Mirrored positions have different keys.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from tengen.core.game import Game, Move
from tengen.games.records import Node, Record, RecordError
from tengen.games.records.replay import played_moves, start_position
from tengen.games.records.tree_transforms import absorb_set_up
from tengen.store.rows import board_size, outcome_code

if TYPE_CHECKING:
    from tengen.core.position import Position

INDEXED_PLIES = 30  # positions after up to this many moves are indexed
NO_MOVE = -1
_IGNORED_OPTIONS = frozenset({"komi", "bonus", "handicap", "free_handicap", "board"})


OpeningSignature: TypeAlias = tuple[Game, int, tuple[tuple[object, ...], ...]]


class IndexedPosition(NamedTuple):
    """A position of a game: its ply, the move played there, and the outcome of the game (`rows.outcome_code`)."""

    ply: int
    move: int
    outcome: int


def position_key(position: Position) -> int:
    """Key of a position in the database: signed 64 bits."""
    return _signed(position.key ^ _rules_key(position.game))


def indexed_positions(record: Record) -> dict[int, IndexedPosition]:
    """Positions of a game's opening by key; for a repeated position, the first occurrence.

    Empty for a game that cannot be replayed, for example because of an illegal set-up.
    """
    record, nodes = _opening(record)
    try:
        moves = played_moves(record, nodes)
    except RecordError:
        return {}
    found: dict[int, IndexedPosition] = {}
    outcome = outcome_code(record.result)
    _, keys = _walk(record.game, moves)
    rules = _rules_key(record.game)
    for ply, key in enumerate((keys[: INDEXED_PLIES + 1] ^ np.uint64(rules)).view(np.int64).tolist()):
        found.setdefault(key, IndexedPosition(ply, moves[ply] if ply < len(moves) else NO_MOVE, outcome))
    return found


def opening_signature(record: Record) -> OpeningSignature:
    """Value that determines `indexed_positions`, but is much cheaper to compute. Compare with `==`."""
    moves = tuple((node.move, node.player, node.set_up) for node in _nodes(record))
    return record.game, outcome_code(record.result), moves


def position_matcher(position: Position) -> Callable[[Record, int], bool]:
    """A predicate `(record, ply)`: whether the game really had this position then, since keys may collide."""
    from tengen.core.position import Position

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
            return True  # the fast case; after other moves, equal boards may have different states
        there = Position(record.game, states, None, None)
        return there.to_move == position.to_move and there.diagram().stones == stones

    return is_here


def _opening(record: Record) -> tuple[Record, list[Node]]:
    """The record with initial set-up stones absorbed into its game, and the nodes of the opening moves."""
    main = _nodes(record)
    if any(node.set_up is not None for node in main):
        record = absorb_set_up(record)
        main = _nodes(record)
    nodes: list[Node] = []
    for node in main:
        if node.set_up is not None:
            break  # stones set up in mid-game: the position is not defined by moves
        if node.move is not None:
            nodes.append(node)
    return record, nodes


def _walk(game: Game, moves: list[Move]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The state after `moves`, and the keys of all positions from the start to it."""
    from tengen.core.compiled.position_kernels import position_keys

    states = np.empty(1, game.record)
    states[0] = start_position(game).state
    keys = np.empty(len(moves) + 1, np.uint64)
    position_keys(states, np.array(moves, np.int32), keys)
    return states, keys


def _nodes(record: Record) -> list[Node]:
    """Main-line nodes up to one move beyond `INDEXED_PLIES`."""
    node = record.root
    line = [node]
    moves = int(node.move is not None)
    while node.children and moves <= INDEXED_PLIES:
        node = node.children[0]
        moves += node.move is not None
        line.append(node)
    return line


@lru_cache(maxsize=256)
def _rules_key(game: Game) -> int:
    """64-bit digest of the rules."""
    options = {name: value for name, value in game.options().items() if name not in _IGNORED_OPTIONS}
    text = json.dumps([game.name, board_size(game), options], sort_keys=True)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())


def _signed(key: int) -> int:
    return key - (1 << 64) if key >= 1 << 63 else key
