"""Books of other Othello programs as valued books: positions with values, and the best move outside the book.

A position becomes a branch if successors in the book explain its value, or are better; its value is recomputed
from them. Others become leaves with the value that the file has. Nothing counts as solved, because these formats
do not tell what was proved. Positions with fewer than 20 empty squares are left out; forced passes are not stored.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import tengen.games
from tengen.books.book import ValuedBook
from tengen.books.errors import BookError
from tengen.books.kernels import foreign_positions as kernels
from tengen.books.kernels.nodes import NODE
from tengen.books.nodes import ALL_PLAYED, NO_VALUE, ROOT, UNKNOWN, Array, NodeKind

MAX_DISCS = 64
_REASONS = {
    kernels.INVALID: "this is not an Othello board",
    kernels.BAD_LEAF: "the best move outside the book is not legal",
}


class ForeignPositions(NamedTuple):
    """Positions of a file: boards (mover, enemy); the mover's value; leaf moves (-1: none) with the mover's value.

    offsets: where each position begins in the file, for messages. leaves_make_branches: whether a position
    without successors in the book, but with a leaf move, is a branch.
    """

    boards: Array
    values: Array
    leaf_moves: Array
    leaf_values: Array
    offsets: Array
    leaves_make_branches: bool


def book_from_positions(found: ForeignPositions, name: str) -> ValuedBook:
    """The book of the positions in a file. Raises `BookError` with the offset of an invalid position."""
    count = len(found.boards)
    keys, leaf_keys = np.zeros((count, 2), np.uint64), np.zeros((count, 2), np.uint64)
    signs, stages, status = np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros(count, np.int64)
    kernels.canonical_positions(
        found.boards, found.leaf_moves.astype(np.int64), keys, leaf_keys, signs, stages, status
    )
    reasons = [(np.flatnonzero(status == code), reason) for code, reason in _REASONS.items()]
    reasons += [(np.flatnonzero(np.abs(found.values) > MAX_DISCS), "a value is more than 64 discs")]
    reasons += [
        (np.flatnonzero((signs != 0) & (np.abs(found.leaf_values) > MAX_DISCS)), "a value is more than 64 discs")
    ]
    wrong = [(int(some[0]), reason) for some, reason in reasons if len(some)]
    if wrong:
        first, reason = min(wrong)
        raise BookError(f"{name} is damaged at byte {found.offsets[first]}: {reason}")
    book = ValuedBook(tengen.games.game("othello"))
    kept = np.flatnonzero((status == kernels.FINE) & (stages <= book.horizon))
    _, first_of = np.unique(keys[kept], axis=0, return_index=True)
    kept = kept[np.sort(first_of)]
    nodes = _nodes(keys[kept], stages[kept], found.values[kept])
    book.nodes.fill(nodes)
    signs = np.where(stages < book.horizon, signs, 0)
    successors = book.nodes.successors()
    has_child = np.zeros(len(kept), bool)
    has_child[successors.of[successors.node >= 0]] = True
    rows = kept[(has_child | found.leaves_make_branches) & (signs[kept] != 0)]
    leaves = _nodes(leaf_keys[rows], stages[rows] + 1, signs[rows] * found.leaf_values[rows])
    book.nodes.fill(_without_duplicates(np.concatenate((nodes, leaves))))
    # Edax lists its positions with their leaves: a leaf stays one, even if other lines lead to its successors.
    _link(book, len(nodes) if found.leaves_make_branches else len(book))
    book.negamax()
    return book


def _nodes(keys: Array, stages: Array, values: Array) -> Array:
    nodes = np.zeros(len(keys), NODE)
    nodes["high"], nodes["low"] = keys[:, 0], keys[:, 1]
    nodes["parent"], nodes["move"], nodes["kind"] = ROOT, UNKNOWN, NodeKind.LEAF
    nodes["stage"], nodes["value"] = stages, values
    return nodes


def _without_duplicates(nodes: Array) -> Array:
    """The first node with each key, in the same order."""
    _, first = np.unique(np.stack((nodes["high"], nodes["low"]), axis=1), axis=0, return_index=True)
    return nodes[np.sort(first)]


def _link(book: ValuedBook, candidates: int) -> None:
    """Turn those of the first `candidates` positions that have successors in the book into branches, with their
    best unplayed moves and parents.
    """
    nodes, found = book.nodes.array[: len(book)], book.nodes.successors()
    inside = found.node >= 0
    after = np.maximum(found.node, 0)
    values = np.where(inside, found.sign * nodes["value"][after].astype(np.int64), found.points // 1000)
    best_value = np.full(len(book), NO_VALUE, np.int64)
    known = found.node != -1
    np.maximum.at(best_value, found.of[known], values[known])
    has_child = np.zeros(len(book), bool)
    has_child[found.of[inside]] = True
    has_child[candidates:] = False
    has_child &= (nodes["stage"] < book.horizon) & (best_value >= nodes["value"])
    nodes["kind"][has_child] = NodeKind.BRANCH
    nodes["parent"][found.node[inside]] = found.of[inside]
    leaf = inside & (nodes["kind"][after] == NodeKind.LEAF)
    is_complete = np.ones(len(book), bool)
    is_complete[found.of[found.node == -1]] = False
    best = np.where(is_complete, ALL_PLAYED, UNKNOWN).astype(np.int64)
    rows = np.flatnonzero(leaf)
    rows = rows[np.lexsort((-found.move[rows], values[rows]))]  # the last one of a node is its best
    best[found.of[rows]] = found.move[rows]
    nodes["move"][has_child] = best[has_child]
    nodes["value"][has_child] = NO_VALUE
