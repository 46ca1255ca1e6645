"""Operations on whole books: deviate, fill, forget searches, prune, merge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tengen.books.book import ValuedBook
from tengen.books.errors import BookError
from tengen.books.evaluation import best_leaf
from tengen.books.nodes import NO_VALUE, ROOT, UNKNOWN, NodeKind

_UNREACHED = 1 << 40
PLIES_FOR_MAX_LOSS = 8  # a line at the loss limit is extended as late as one this many plies longer without loss


def path_losses(book: ValuedBook, loss: int, depth: int | None = None, free_plies: int = 0) -> dict[int, int]:
    """Total loss of both sides on the cheapest path from the start to each node, up to `loss` value units.

    Follows moves in the book from valued positions after fewer than `depth` moves. The first `free_plies` moves
    cost nothing. If the start is not in the book, paths begin at nodes without a parent.
    """
    nodes = book.nodes.array[: len(book)]
    start = book.nodes.find(book.nodes.start).node
    costs = np.full(len(book), _UNREACHED, np.int64)
    costs[[start] if start >= 0 else nodes["parent"] == ROOT] = 0
    found = book.nodes.successors()
    values, stages = nodes["value"].astype(np.int64), nodes["stage"]
    rows = np.flatnonzero((found.node >= 0) & (values[found.of] != NO_VALUE))
    rows = rows[values[found.node[rows]] != NO_VALUE]
    rows = rows[np.argsort(stages[found.of[rows]], kind="stable")]
    of, after = found.of[rows], found.node[rows]
    losses = np.maximum(0, values[of] - found.sign[rows] * values[after])
    losses[stages[of] < free_plies] = 0
    ends = np.flatnonzero(np.diff(stages[of])) + 1
    for some in np.split(np.arange(len(rows)), ends):  # one stage after the other
        if not len(some) or (depth is not None and stages[of[some[0]]] >= depth):
            break
        np.minimum.at(costs, after[some], costs[of[some]] + losses[some])
    return {index: int(costs[index]) for index in np.flatnonzero(costs <= loss).tolist()}


def deviate(
    book: ValuedBook, loss: int, *, depth: int | None = None, most: int | None = None, free_plies: int = 0
) -> list[int]:
    """Turn leaves with a path loss of at most `loss` value units into branches; returns them.

    The book must be evaluated afterwards. Repeating this extends the book move by move. If there are more than
    `most`, short lines and cheap lines come first (see `PLIES_FOR_MAX_LOSS`).
    """
    costs = path_losses(book, loss, depth, free_plies)
    kinds = book.nodes.array["kind"]
    stages = book.nodes.array["stage"]
    leaves = [index for index in costs if kinds[index] == NodeKind.LEAF and stages[index] <= book.horizon]
    leaves.sort(key=lambda index: (PLIES_FOR_MAX_LOSS * costs[index] + loss * int(stages[index]), index))
    return _make_branches(book, leaves[:most])


def fill(book: ValuedBook, depth: int) -> list[int]:
    """Turn all leaves after up to `depth` moves into branches, regardless of loss; returns them."""
    nodes = book.nodes.array[: len(book)]
    last = min(depth, book.horizon)
    return _make_branches(
        book, np.flatnonzero((nodes["kind"] == NodeKind.LEAF) & (nodes["stage"] <= last)).tolist()
    )


def forget_searches(book: ValuedBook) -> int:
    """Remove all leaves, so that evaluating the book searches every branch again; returns their number.

    For a better engine or a greater depth. Solved positions and branches stay.
    """
    nodes = book.nodes.array[: len(book)]
    leaves = nodes["kind"] == NodeKind.LEAF
    branches = nodes["kind"] == NodeKind.BRANCH
    nodes["move"][branches], nodes["value"][branches] = UNKNOWN, NO_VALUE
    book.nodes.keep(~leaves)
    return int(np.count_nonzero(leaves))


def _make_branches(book: ValuedBook, leaves: list[int]) -> list[int]:
    for index in leaves:
        book.make_branch(index)
    return leaves


def prune(book: ValuedBook, loss: int) -> int:
    """Remove positions with a path loss of more than `loss` value units; returns their number.

    The first position beyond the limit stays as a leaf with its value, so the consistency level does not change.
    """
    nodes = book.nodes
    costs = path_losses(book, loss)
    if np.any(nodes.array[: len(book)]["value"] == NO_VALUE):
        raise BookError("only an evaluated book can be pruned: some branches have no value")
    wanted = np.zeros(len(book), bool)
    wanted[list(costs)] = True
    for index in costs:
        if nodes.array[index]["kind"] != NodeKind.BRANCH:
            continue
        for one in nodes.after(index):
            if one.node >= 0 and not wanted[one.node]:
                wanted[one.node] = True
                node = nodes.array[one.node]
                if node["kind"] == NodeKind.BRANCH:
                    node["kind"], node["move"] = NodeKind.LEAF, UNKNOWN
                if not nodes.has_move_count:  # its parent may be removed
                    node["parent"], node["via"] = index, one.canonical
    if not nodes.has_move_count:
        _relink_parents(book, costs)
    before = len(book)
    nodes.keep(wanted)
    for index in range(len(book)):
        node = nodes.array[index]
        if node["kind"] == NodeKind.BRANCH and node["move"] != UNKNOWN:
            if (leaf := best_leaf(book, index)) >= 0:
                node["move"] = leaf
    return before - len(book)


def _relink_parents(book: ValuedBook, kept: dict[int, int]) -> None:
    """Choose parents among the kept nodes only."""
    nodes = book.nodes
    for index in sorted(kept, key=lambda index: int(nodes.array[index]["stage"])):
        for one in nodes.after(index):
            if one.node in kept:
                nodes.array[one.node]["parent"] = index
                nodes.array[one.node]["via"] = one.canonical


@dataclass(frozen=True)
class MergeResult:
    """Number of new positions and of positions with better information."""

    added: int
    improved: int


def merge(book: ValuedBook, other: ValuedBook) -> MergeResult:
    """Add the content of another book: solved beats branch beats leaf; on a tie, the book's own entry stays.

    Raises `BookError`, before any change, if the books have different proved values of a position. Branch values
    are recomputed; if the consistency level dropped, the book must be evaluated again.
    """
    mine, theirs = book.parameters(), other.parameters()
    if any(mine[name] != theirs[name] for name in ("game", "options", "grain")):
        raise BookError(f"a book of {other.game.describe()} cannot be merged into one of {book.game.describe()}")
    nodes, others = book.nodes, other.nodes
    places = [nodes.find_key(_key(node)) for node in others.array[: len(other)]]
    for place, node in zip(places, others.array[: len(other)], strict=True):
        if place >= 0 and node["kind"] == NodeKind.SOLVED and nodes.array[place]["kind"] == NodeKind.SOLVED:
            if node["value"] != nodes.array[place]["value"]:
                raise BookError(
                    f"the books disagree on a solved position: {nodes.array[place]['value']} and {node['value']}\n"
                    f"{nodes.position(place)}"
                )
    added = improved = 0
    rank = {NodeKind.LEAF: 0, NodeKind.BRANCH: 1, NodeKind.SOLVED: 2}
    for index in np.argsort(others.array[: len(other)]["stage"], kind="stable").tolist():
        node = others.array[index]
        if node["stage"] > book.horizon:
            continue
        kind = NodeKind(int(node["kind"]))
        if places[index] < 0:
            parent = places[node["parent"]] if node["parent"] >= 0 else ROOT
            key, stage, value = _key(node), int(node["stage"]), int(node["value"])
            places[index] = nodes.add(key, stage, kind, value, parent=parent, via=int(node["via"]))
            nodes.array[places[index]]["move"] = node["move"]
            added += 1
            continue
        own = nodes.array[places[index]]
        if rank[kind] > rank[NodeKind(int(own["kind"]))] or (
            kind is NodeKind.BRANCH and own["kind"] == NodeKind.BRANCH and own["move"] == UNKNOWN != node["move"]
        ):
            own["kind"], own["value"], own["move"] = kind, node["value"], node["move"]
            improved += 1
    for index in range(len(book)):
        node = nodes.array[index]
        if node["kind"] == NodeKind.BRANCH and node["stage"] == book.horizon:
            node["move"] = UNKNOWN
        elif node["kind"] == NodeKind.BRANCH and node["move"] < UNKNOWN:
            node["move"] = best_leaf(book, index)  # all successors are in the book, but some may be leaves now
    book.negamax()
    return MergeResult(added, improved)


def _key(node: np.void) -> tuple[int, int]:
    return int(node["high"]), int(node["low"])
