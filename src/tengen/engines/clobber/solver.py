"""Solving boards exactly: who wins when either player begins, and by which moves.

Read in this order: `kernels/parts` (boards become parts), `kernels/valuing` (parts have values), `kernels/sums`
(sums of both), then the two ways to search: `kernels/proving`, the default, and `kernels/deepening`, the original
design.
"""

from __future__ import annotations

import itertools
import math
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from tengen.core.errors import OptionError
from tengen.core.values import GameValue, Stopped
from tengen.engines.clobber.kernels import deepening, links, proving, tasks
from tengen.engines.clobber.kernels import sums as slots
from tengen.engines.clobber.kernels.parts import PARTS
from tengen.engines.clobber.sharpening import Sharpener
from tengen.engines.clobber.switches import (
    ENDLESS_DEPTH,
    FIRST_LEAVES,
    LEAF_GROWTH,
    SECOND_LEAVES,
    Switches,
)
from tengen.engines.clobber.workspace import Array, TableFull, Workspace
from tengen.games.clobber.board import colour_swapped, read_board
from tengen.search.limits import StopFlag

SLICE = 1024  # nodes between two looks at the clock; Ctrl-C is seen then, too
LOOK_EVERY = 0.02  # seconds, in calls of kernels that do much at once


@dataclass(frozen=True)
class Effort:
    """How much a search may do: nodes, seconds, a flag that stops it; whichever comes first."""

    nodes: float = math.inf
    seconds: float = math.inf
    stop: StopFlag | None = None


class Watch:
    """Looks at the clock and the stop flag of an effort that begins now, and tells the kernels."""

    def __init__(self, effort: Effort, told: Array) -> None:
        """`told` is the array that kernels look at."""
        self._stop = effort.stop
        self._deadline = time.perf_counter() + effort.seconds
        self._told = told
        self._done = threading.Event()

    @property
    def is_over(self) -> bool:
        stopped = self._stop is not None and self._stop.is_set
        return stopped or time.perf_counter() >= self._deadline

    def look(self) -> None:
        """Raise `Stopped` if it is time to."""
        if self.is_over:
            raise Stopped

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Look every now and then while this block runs: kernels that do much in one call cannot."""
        if self._stop is None and self._deadline == math.inf:
            yield
            return
        self.look()
        thread = threading.Thread(target=self._wait, daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._done.set()
            thread.join()
            self._told[0] = 0

    def _wait(self) -> None:
        while not self._done.wait(LOOK_EVERY):
            if self.is_over:
                self._told[0] = 1
                return


def after_moves(board: str, mover: str) -> dict[tuple[int, int], str]:
    """The boards after each move, by the cells that it goes from and to."""
    rows = read_board(board).split("/")
    width, text = len(rows[0]), "".join(rows)
    enemy = "O" if mover == "X" else "X"
    found = {}
    for cell, stone in enumerate(text):
        if stone != mover:
            continue
        row, column = divmod(cell, width)
        for near, fits in (
            (cell - 1, column > 0),
            (cell + 1, column + 1 < width),
            (cell - width, row > 0),
            (cell + width, row + 1 < len(rows)),
        ):
            if fits and text[near] == enemy:
                cells = list(text)
                cells[cell], cells[near] = ".", mover
                after = "".join(cells)
                found[cell, near] = "/".join(after[at : at + width] for at in range(0, len(after), width))
    return found


class Solver:
    """Solves sums, and remembers all it found for the next one."""

    def __init__(
        self, switches: Switches | None = None, *, megabytes: int = 1024, workspace: Workspace | None = None
    ) -> None:
        self.switches = switches or Switches()
        self.workspace = workspace or Workspace(megabytes)
        self.control = self.switches.control()
        self.memory_ran_out = False  # in the last search
        self._forgotten: dict[tuple[int, ...], tuple[int, int]] = {}  # numbers of a sum that memory ran out on
        self._links: links.Links | None = None
        self._sharpener = Sharpener(self)

    def compile_kernels(self) -> None:
        """All that the search by proof numbers may need, so that no clock runs while it is compiled."""
        self.workspace.compile_kernels()

    # ---- what it has done

    @property
    def nodes(self) -> int:
        return int(self.control[slots.NODES])

    @property
    def leaves(self) -> int:
        return int(self.control[slots.LEAVES])

    @contextmanager
    def watched(self, effort: Effort | None) -> Iterator[Watch]:
        """Within this block, kernels stop when the effort is at an end. Raises `Stopped` then."""
        watch = Watch(effort or Effort(), self.workspace.forms.stop)
        with watch.watching():
            yield watch

    def value(self, board: str, effort: Effort | None = None) -> GameValue:
        """The exact value of a board. Raises `Stopped`."""
        with self.watched(effort):
            return self.workspace.value(board)

    # ---- who wins

    def mover_wins(self, board: str, mover: str = "X", effort: Effort | None = None) -> bool | None:
        """Whether the player to move wins; None if the effort was not enough, or memory ran out."""
        board = board if mover == "X" else colour_swapped(board)
        return self.left_wins(self.workspace.parts_of(board), effort)

    def outcome(self, board: str, effort: Effort | None = None) -> str | None:
        """L, R, N or P; None if the effort was not enough."""
        parts = self.workspace.parts_of(board)
        left = self.left_wins(parts, effort)
        right = self.left_wins(self.workspace.parts.negative[parts].astype(np.int64), effort)
        if left is None or right is None:
            return None
        return {(True, True): "N", (True, False): "L", (False, True): "R", (False, False): "P"}[left, right]

    def winning_moves(
        self, board: str, mover: str, effort: Effort | None = None
    ) -> dict[tuple[int, int], bool | None]:
        """For each move whether it wins; None where that is not known."""
        other = "O" if mover == "X" else "X"
        verdicts: dict[tuple[int, int], bool | None] = {}
        for move, after in after_moves(board, mover).items():
            reply = self.mover_wins(after, other, effort)
            verdicts[move] = None if reply is None else not reply
        return verdicts

    # ---- searching

    def left_wins(
        self, parts: Array, effort: Effort | None = None, *, plus: Iterable[GameValue] = ()
    ) -> bool | None:
        """Whether Left, to move, wins the sum of these parts, and of values of this solver's store."""
        effort = effort or Effort()
        plus = list(plus)
        self.memory_ran_out = False
        try:
            with self.watched(effort) as watch:
                if self.switches.method == "proof":
                    before = self.nodes
                    self.begin()
                    if self.switches.bounds:
                        self._sharpen(parts, effort.nodes, watch)
                    bag = self.bag_of_components(self._all_components(parts, plus))
                    return self.prove_bag(bag, effort.nodes - (self.nodes - before), watch)
                if plus:
                    raise OptionError("only the search by proof numbers takes values")
                bag = self.bag_of_components([2 * int(part) for part in parts])
                return self._deepen(bag, parts, effort)
        except Stopped:
            return None
        except TableFull:
            self.memory_ran_out = True
            components = tuple(self._all_components(parts, plus))
            try:
                self._forgotten = {components: self.numbers(parts, plus)}
            except TableFull:  # not even the sum itself found room
                self._forgotten = {}
            self.workspace.forget_sums()
            self._links = None
            return None

    def _sharpen(self, parts: Array, nodes: float, watch: Watch) -> None:
        try:
            self._sharpener.sharpen(parts, nodes, watch)
        except TableFull:  # what was found by then stays, and the board has the room for itself
            self.workspace.forget_sums()

    def numbers(self, parts: Array, plus: Iterable[GameValue] = ()) -> tuple[int, int]:
        """How many sums are missing, at least, to prove that Left, to move, wins, and that he loses."""
        components = self._all_components(parts, plus)
        row = self.workspace.sums.effort[self.bag_of_components(components)]
        proof, disproof = self._forgotten.get(tuple(components), (1, 1))
        return max(proof, int(row[proving.PROOF])), max(disproof, int(row[proving.DISPROOF]))

    def _all_components(self, parts: Array, plus: Iterable[GameValue]) -> list[int]:
        return [*self.components(parts), *(2 * value.form + 1 for value in plus)]

    def components(self, parts: Array) -> list[int]:
        """Parts as the search by proof numbers takes them: short ones by their values."""
        space = self.workspace
        sizes = space.parts.width[parts] * space.parts.height[parts]
        flat = space.parts.height[parts] == 1
        short = sizes <= np.where(flat, self.control[slots.SHORT], self.control[slots.SHORT_BOARD])
        values = space.values_of(parts[short])
        return [*(2 * int(form) + 1 for form in values), *(2 * int(part) for part in parts[~short])]

    def bag_of_board(self, board: str) -> int:
        """The bag that a board becomes."""
        return self.bag_of_components(self.components(self.workspace.parts_of(board)))

    def settle(self, bag: int) -> int:
        """WON or LOST for a bag that takes a moment, or whose answer is known."""
        with self.watched(None) as watch:
            self.prove_bag(bag, math.inf, watch)
        return int(self.workspace.sums.known[bag])

    def bag_of_components(self, components: list[int]) -> int:
        """The bag of components, as the search would make it."""
        space = self.workspace
        listed = np.array(components, np.int64)
        while (bag := space.work(tasks.BAG, listed, control=self.control)) < 0:
            space.grow()
        return bag

    def begin(self) -> None:
        """A new board: bounds of long parts are looked for only if it turns out to be hard."""
        self.control[slots.BOUND_FROM] = self.nodes + self.switches.bound_after

    def prove_bag(self, bag: int, nodes: float, watch: Watch) -> bool | None:
        """Whether Left, to move, wins a bag; None after so many nodes. Raises `TableFull` and `Stopped`."""
        space = self.workspace
        last = min(1 << 62, self.nodes + nodes)
        given = np.array([bag])
        while True:
            self.control[slots.NODE_LIMIT] = min(last, self.nodes + SLICE)
            status = space.work(tasks.PROVE, given, control=self.control)
            if status == proving.DONE:
                return int(space.sums.known[bag]) == slots.WON
            if status == proving.NO_ROOM:
                space.grow()
                continue
            self.control[slots.NODES] -= 1  # the node that was refused
            if self.nodes >= last:
                return None
            watch.look()

    def _deepen(self, bag: int, parts: Array, effort: Effort) -> bool | None:
        """Depth by depth, each with its limit of leaves."""
        space = self.workspace
        tables = self._make_links()
        last = min(1 << 62, self.nodes + effort.nodes)
        length = sum(int(space.parts.width[part]) * int(space.parts.height[part]) for part in parts)
        leaves = self.leaves
        for depth in itertools.count(1 if self.switches.deepening else ENDLESS_DEPTH):
            limit = length * (FIRST_LEAVES if depth == 1 else SECOND_LEAVES * LEAF_GROWTH ** (depth - 2))
            deep = depth >= ENDLESS_DEPTH
            self.control[slots.LEAF_LIMIT] = 1 << 62 if deep else leaves + limit
            self.control[slots.NODE_LIMIT] = last
            arguments = (self.control, tables, bag, 1 << 30 if deep else depth)
            while True:
                status = int(deepening.deepen_bag(space.parts, space.forms, space.sums, *arguments))
                if status != proving.NO_ROOM:
                    break
                space.grow()
            if status in (slots.WON, slots.LOST):
                return status == slots.WON
            if status == deepening.CUT_SHORT:
                return None
            leaves = self.leaves
        raise AssertionError("the last depth has no limits")

    def _make_links(self) -> links.Links:
        """The simplest sums for the width that is wanted, made when first asked for."""
        if self._links is None:
            self._links = make_links(
                self.workspace, self.control, self.switches.width if self.switches.links else 0
            )
        return self._links


def make_links(space: Workspace, control: Array, width: int) -> links.Links:
    """Link every sum of a width to the simplest equal one; from the database, if it has just these."""
    if space.stored_links is not None and space.stored_links[0] == width and not control[slots.SHALLOW]:
        return space.stored_links[1]()
    for length in range(2, width + 1):
        space.values_of(space.strips(length))
    count = int(space.parts.counts[PARTS])
    chosen = [
        part for part in range(1, count) if space.parts.height[part] == 1 and space.parts.width[part] <= width
    ]
    tables = links.fresh(len(space.forms.start))
    state = np.zeros(2, np.int64)
    stack = np.zeros((width + 2, 4), np.int64)
    stack[0] = 0, 0, 0, width
    kept = int(control[slots.SHORT])
    while chosen:
        status = int(
            links.link_sums(
                space.parts, space.forms, space.sums, control, tables, np.array(chosen), width, state, stack
            )
        )
        if status == 0:
            break
        space.grow()
        if len(space.forms.start) > len(tables.bag):
            tables = links.widened(tables, len(space.forms.start))
    control[slots.SHORT] = kept
    return tables
