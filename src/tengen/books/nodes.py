"""Hash table of the positions of a valued book: lookup, insertion, reconstruction."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from tengen.books.errors import BookError
from tengen.books.kernels import nodes as kernels
from tengen.books.kernels.nodes import NODE, BookArrays
from tengen.books.symmetry import images_of
from tengen.core.compiled.rules import UNKNOWN_MOVE_COUNT, move_count
from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.jobs import available_cores

Array = np.ndarray[Any, Any]

NO_VALUE = kernels.NO_VALUE
UNKNOWN, ALL_PLAYED, ROOT = kernels.UNKNOWN, kernels.ALL_PLAYED, kernels.ROOT
MAX_VALUE = 30_000
MIN_NODES_FOR_THREADS = 50_000  # larger books are evaluated by several threads


class NodeKind(IntEnum):
    """Kind of information about a position."""

    SOLVED = kernels.SOLVED  # its value is final
    LEAF = kernels.LEAF  # not played yet: an engine's value
    BRANCH = kernels.BRANCH  # played: the value of its best successor in the book


class Found(NamedTuple):
    """Result of a lookup: node or -1, image number of the key, sign to convert values to the mover's.

    `score_thousandths` is the mover's, if the game is over, possibly after a forced pass.
    """

    node: int
    image: int
    sign: int
    score_thousandths: int | None
    key: tuple[int, int]


class Successor(NamedTuple):
    """The position after a move; `node` is -1 if it is not in the book."""

    move: Move
    canonical: int
    node: int
    sign: int
    score_thousandths: int | None  # for the mover, if the game is over
    twin: bool  # an earlier move leads to an image of the same position
    key: tuple[int, int]


class Successors(NamedTuple):
    """Successors of all nodes, a row for each move; those of node i are rows `starts[i]` to `starts[i + 1]`.

    of: the node of each row. move: on the canonical image. node: the successor, -1 if it is not in the book, -2 if
    the game is over. sign: converts its value to the mover's. points: of the mover if the game is over, in
    thousandths.
    """

    starts: Array
    of: Array
    move: Array
    node: Array
    sign: Array
    points: Array


class Scratch:
    """Working memory of the kernels, one per thread."""

    def __init__(self, game: Game, start: Position) -> None:
        self.stack = np.zeros(kernels.ROOM, game.record)
        self.stack[kernels.START] = start.state
        self.moves = np.zeros(game.max_legal_moves, np.int32)
        self.bits = np.zeros(2, np.uint64)
        self.keys = np.zeros((game.max_legal_moves, 2), np.uint64)
        self.found = np.zeros(kernels.FOUND, np.int64)
        self.after = np.zeros((game.max_legal_moves, kernels.COLUMNS), np.int64)
        self.path = np.zeros(1 << 12, np.int16)


class Nodes:
    """A table of nodes. Any number of threads may read while one writes."""

    def __init__(self, game: Game, room: int = 64) -> None:
        self.game = game
        self.start = game.start()
        self.images = images_of(game)
        # Whether a state alone tells how many moves were played.
        self.has_move_count = _stage(self.start) != UNKNOWN_MOVE_COUNT
        self.array = np.zeros(room, NODE)
        self.slots = slots_for(room)
        self.count = 0
        self._local = threading.local()

    @property
    def scratch(self) -> Scratch:
        """Working memory of the current thread."""
        try:
            return self._local.scratch  # type: ignore[no-any-return]
        except AttributeError:
            self._local.scratch = Scratch(self.game, self.start)
            return self._local.scratch  # type: ignore[no-any-return]

    def __len__(self) -> int:
        return self.count

    def arrays(self) -> BookArrays:
        """The table, the symmetries, and the working memory of the current thread."""
        room, images = self.scratch, self.images
        return BookArrays(
            *(room.stack, self.array, self.slots, images.forward, images.back, room.moves, room.bits, room.path)
        )

    # ---- lookup

    def made(self, position: Position) -> int:
        """Number of moves that led to a position, without passes if the state tells."""
        return _stage(position) if self.has_move_count else position.ply

    def find(self, position: Position) -> Found:
        """Look up a position, or the one after a forced pass."""
        scratch = self.scratch
        made = 0 if self.has_move_count else position.ply
        kernels.look_up(position.states, made, self.arrays(), scratch.found)
        index, image, sign, over, score = scratch.found.tolist()
        high, low = scratch.bits.tolist()
        return Found(index, image, sign, score if over else None, (high, low))

    def find_key(self, key: tuple[int, int]) -> int:
        """The node with this key, or -1."""
        return int(kernels.find_node(self.array, self.slots, np.uint64(key[0]), np.uint64(key[1])))

    def after(self, index: int) -> list[Successor]:
        """Successors of a node."""
        scratch = self.scratch
        self.load(index)
        count = kernels.survey(np.int64(self.array[index]["stage"]), self.arrays(), scratch.keys, scratch.after)
        found = []
        keys = scratch.keys[:count].tolist()
        for i, (move, canonical, index, sign, points, twin) in enumerate(scratch.after[:count].tolist()):
            score = points if index == kernels.ENDED else None
            found.append(Successor(Move(move), canonical, max(index, -1), sign, score, twin != i, tuple(keys[i])))
        return found

    def successors(self) -> Successors:
        """Successors of all nodes at once."""
        starts = np.zeros(self.count + 1, np.int64)
        scratch, arrays = self.scratch, self.arrays()
        rows = np.zeros((kernels.count_moves(arrays, starts), kernels.COLUMNS), np.int32)
        kernels.survey_all(arrays, starts, scratch.keys, scratch.after, rows)
        of = np.repeat(np.arange(self.count, dtype=np.int32), np.diff(starts))
        columns = (kernels.CANONICAL, kernels.AFTER, kernels.TURN, kernels.POINTS)
        return Successors(starts, of, *(rows[:, column].copy() for column in columns))

    # ---- positions

    def load(self, index: int) -> Array:
        """Reconstruct the state of a node in the first element of the working stack."""
        kernels.load_node(np.int64(index), self.arrays())
        return self.scratch.stack[:1]

    def position(self, index: int) -> Position:
        """The position of a node, without history."""
        return Position(self.game, self.load(index).copy(), None, None)

    # ---- changing

    def add(self, key: tuple[int, int], made: int, kind: NodeKind, value: int, *, parent: int, via: int) -> int:
        """Insert a node for a position that was looked up and not found; returns its index."""
        if self.count == len(self.array):
            self._grow(max(64, 2 * self.count))
        index = self.count
        high, low = key
        self.array[index] = (high, low, parent, value, UNKNOWN, via, made, kind)
        self.count += 1
        kernels.add_node(self.array, self.slots, np.int64(index))
        return index

    def _grow(self, room: int) -> None:
        array = np.zeros(room, NODE)
        array[: self.count] = self.array[: self.count]
        slots = slots_for(room)
        kernels.index_all(array, np.int64(self.count), slots)
        # In this order, so that concurrent readers of old slots find all nodes in the new array.
        self.array = array
        self.slots = slots

    def fill(self, array: Array) -> None:
        """Replace all nodes and rebuild the index."""
        room = max(64, len(array))
        slots = slots_for(room)
        whole = np.zeros(room, NODE)
        whole[: len(array)] = array
        kernels.index_all(whole, np.int64(len(array)), slots)
        self.array, self.slots, self.count = whole, slots, len(array)

    def take(self, array: Array, slots: Array) -> None:
        """Replace all nodes and their index."""
        self.array, self.slots, self.count = array, slots, len(array)

    def keep(self, wanted: Array) -> None:
        """Remove all nodes except the marked ones. Removed parents must not be needed for reconstruction."""
        number = np.cumsum(wanted, dtype=np.int32) - 1
        kept = self.array[: self.count][wanted].copy()
        parents = kept["parent"]
        known = parents >= 0
        there = np.zeros(len(kept), bool)
        there[known] = wanted[parents[known]]
        if not self.has_move_count and np.any(known & ~there):
            raise BookError("a position of this game cannot be reconstructed without its parent")
        kept["parent"] = np.where(there, number[np.where(known, parents, 0)], kernels.ROOT)
        self.fill(kept)

    # ---- iteration

    def by_stage(self) -> dict[int, Array]:
        """Indices of all nodes by stage (number of moves), last stage first; sorted by key within a stage."""
        nodes = self.array[: self.count]
        order = np.lexsort((nodes["low"], nodes["high"], nodes["stage"]))
        stages, starts = np.unique(nodes["stage"][order], return_index=True)
        parts = np.split(order.astype(np.int64), starts[1:])
        return dict(reversed(list(zip(stages.tolist(), parts, strict=True)))) if self.count else {}

    def negamax_all(self, value_unit: int) -> int:
        """Recompute all branch values, on all cores; returns the number of changes."""
        flags = np.zeros(self.count, np.int8)
        order = np.argsort(-self.array[: self.count]["stage"], kind="stable").astype(np.int64)
        if self.count < MIN_NODES_FOR_THREADS:
            return self.negamax(order, value_unit, flags)
        changes = np.flatnonzero(np.diff(self.array["stage"][order])) + 1
        with ThreadPoolExecutor(available_cores()) as pool:
            changed = 0
            for stage in np.split(order, changes):
                parts = np.array_split(stage, available_cores())
                changed += sum(pool.map(lambda part: self.negamax(part, value_unit, flags), parts))
        return changed

    def negamax(self, order: Array, value_unit: int, flags: Array) -> int:
        """Recompute branch values, flag changes and return their number. `order` has later stages first."""
        return int(kernels.negamax(order, self.arrays(), np.int64(value_unit), flags))

    def touched(self, order: Array, flags: Array) -> Array:
        """Branches in `order` that are flagged or have a flagged successor."""
        wanted = np.zeros(len(order), bool)
        kernels.touched(order, self.arrays(), flags, wanted)
        return order[wanted]

    def inspect(self, order: Array, horizon: int, value_unit: int) -> Array:
        """Consistency verdict of each node, see `kernels.inspect`."""
        verdicts = np.zeros(len(order), np.int64)
        flags = np.zeros(self.count, np.int8)
        kernels.inspect(order, self.arrays(), np.int64(horizon), np.int64(value_unit), flags, verdicts)
        return verdicts


def slots_for(room: int) -> Array:
    """Empty hash index for up to `room` nodes, at most half full."""
    size = 256
    while size < 2 * room:
        size *= 2
    return np.full(size, -1, np.int32)


def _stage(position: Position) -> int:
    return int(move_count(position.state))  # type: ignore[no-untyped-call]
