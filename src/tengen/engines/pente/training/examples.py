"""Examples from self-play: positions with their results, and moves with the alternatives.

A position is described by the number of its empty points with each multiset of shapes, for the side to move and,
negated, for the other; by the counts of the evaluation; and by its threat mask. Positions with a proved result and
those with an immediate threat are left out: the search does not evaluate them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse  # type: ignore[import-untyped]

from tengen.core.game import Move
from tengen.engines.pente.root_position import RootPosition
from tengen.engines.pente.search.kernels.evaluation import COUNTS, TERMS, THREAT_MASKS
from tengen.engines.pente.search.weights import MULTISET_OF, MULTISETS
from tengen.engines.pente.training.kernels.replay import NEAR, replay
from tengen.engines.pente.training.selfplay import SelfPlayGame
from tengen.games.pente.game import Pente
from tengen.games.pente.record import POINTS

Array = np.ndarray[Any, Any]
COLUMNS = 2 * len(MULTISETS) + TERMS
_ROW_SHAPE, _CODE = 15, 0xFFFF


@dataclass(frozen=True)
class Examples:
    """Positions: features [n, COLUMNS], and the winner and the value from the search as winning chances."""

    features: Any  # sparse matrix
    results: Array
    values: Array


@dataclass(frozen=True)
class Choices:
    """Moves that a search chose among the promising ones."""

    own: Array  # multiset of each alternative for the side to move
    other: Array  # and for the other side
    captures: Array  # [n, 4]: a capture, preventing one, a threat to capture, preventing one
    starts: Array  # first alternative of each choice
    chosen: Array  # index of the chosen alternative


def extract(game: Pente, games: Iterable[SelfPlayGame]) -> tuple[Examples, Choices]:
    """All examples of these games."""
    indices, data, ends, dense, results, values = [], [], [0], [], [], []
    own, other, captures, starts, chosen = [], [], [], [0], []
    for one in games:
        count = len(one.values)
        if count == 0:
            continue
        position = game.start().play_all([Move(move) for move in one.moves[: one.opening].tolist()])
        root = RootPosition(position)
        colours, at_turn_start = _turns(game, position.ply, count)
        shapes = np.zeros((count, POINTS), np.uint32)
        marks = np.zeros((count, POINTS), np.uint8)
        counts = np.zeros((count, 2 * COUNTS + 1), np.int64)
        replay(root.boards, root.patterns, one.moves[one.opening :], colours, shapes, marks, counts)
        for ply in range(count):
            colour = int(colours[ply])
            points = np.flatnonzero(shapes[ply])
            codes = shapes[ply][points]
            mine, theirs = codes >> 16 * colour & _CODE, codes >> 16 * (1 - colour) & _CODE
            if np.isnan(one.values[ply]) or _has_row(theirs):
                continue
            mine, theirs = MULTISET_OF[mine], MULTISET_OF[theirs]
            if at_turn_start[ply]:
                row = np.concatenate([np.bincount(mine, minlength=len(MULTISETS)),
                                      -np.bincount(theirs, minlength=len(MULTISETS))])  # fmt: skip
                used = np.flatnonzero(row)
                indices.append(used.astype(np.int32))
                data.append(row[used].astype(np.float32))
                ends.append(ends[-1] + len(used))
                dense.append(counts[ply])
                results.append(0.5 if one.winner is None else float(one.winner == colour))
                values.append((1 + one.values[ply]) / 2)
            mark = marks[ply][points]
            listed = mark & 31 != 0
            best = np.flatnonzero(points[listed] == one.best[ply])
            if len(best):
                own.append(mine[listed])
                other.append(theirs[listed])
                captures.append(mark[listed])
                chosen.append(starts[-1] + int(best[0]))
                starts.append(starts[-1] + int(listed.sum()))
    shape_counts = sparse.csr_matrix(
        (np.concatenate(data), np.concatenate(indices), ends), shape=(len(results), 2 * len(MULTISETS))
    )
    counts_of = np.array(dense, np.float32)
    threats = counts_of[:, 2 * COUNTS].astype(np.int64)
    masks = sparse.csr_matrix(
        (np.ones(len(threats), np.float32), threats, np.arange(len(threats) + 1)),
        shape=(len(threats), THREAT_MASKS),
    )
    features = sparse.hstack([shape_counts, sparse.csr_matrix(counts_of[:, : 2 * COUNTS]), masks]).tocsr()
    bits = np.concatenate(captures)
    flags = np.stack([(bits & NEAR << bit != 0).astype(np.float64) for bit in range(1, 5)], axis=1)
    return Examples(features, np.array(results), np.array(values)), Choices(
        np.concatenate(own), np.concatenate(other), flags, np.array(starts[:-1]), np.array(chosen)
    )


def _turns(game: Pente, ply: int, count: int) -> tuple[Array, Array]:
    """Colours of `count` stones from a ply on, and whether each is the first of its turn."""
    plies = np.arange(ply, ply + count)
    if game.stones == 1:
        return (plies % 2).astype(np.uint8), np.ones(count, np.bool_)
    return ((plies + 1) // 2 % 2).astype(np.uint8), plies % 2 == 1


def _has_row(codes: Array) -> bool:
    return any(((codes >> 4 * axis & 15) == _ROW_SHAPE).any() for axis in range(4))
