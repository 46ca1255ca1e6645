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
from tengen.core.values import GameValue
from tengen.engines.clobber.kernels import deepening, links, proving, tasks
from tengen.engines.clobber.kernels import sums as slots
from tengen.engines.clobber.kernels.parts import PARTS
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
ALARM_EVERY = 0.02  # seconds


@dataclass(frozen=True)
class Effort:
    """How much a search may do: nodes, seconds, a flag that stops it; whichever comes first."""

    nodes: float = math.inf
    seconds: float = math.inf
    stop: StopFlag | None = None


class OutOfEffort(Exception):
    """The time is up, or the stop flag is set."""


class Watch:
    """Looks at the clock and the stop flag of an effort that begins now."""

    def __init__(self, effort: Effort) -> None:
        self.stop = effort.stop or StopFlag()
        self._deadline = time.perf_counter() + effort.seconds

    @property
    def is_over(self) -> bool:
        return self.stop.is_set or time.perf_counter() >= self._deadline

    def look(self) -> None:
        """Raise `OutOfEffort` if it is time to stop."""
        if self.is_over:
            raise OutOfEffort

    @contextmanager
    def alarm(self) -> Iterator[StopFlag]:
        """A flag that is set when it is time to stop, for kernels that run to their end in one call."""
        flag, done = StopFlag(), threading.Event()

        def wait() -> None:
            while not done.wait(ALARM_EVERY):
                if self.is_over:
                    flag.set()
                    return

        thread = threading.Thread(target=wait, daemon=True)
        thread.start()
        try:
            yield flag
        finally:
            done.set()
            thread.join()


class Solver:
    """Solves sums, and remembers all it found for the next one."""

    def __init__(
        self, switches: Switches | None = None, *, megabytes: int = 1024, workspace: Workspace | None = None
    ) -> None:
        self.switches = switches or Switches()
        self.workspace = workspace or Workspace(megabytes)
        self.control = self.switches.control()
        self._links: links.Links | None = None

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
    def watched(self, effort: Effort) -> Iterator[Watch]:
        """Within this block, kernels that find values look at the clock, too. Raises `OutOfEffort`."""
        watch = Watch(effort)
        values = self.workspace.values
        before, values.watch = values.watch, watch.look
        try:
            yield watch
        finally:
            values.watch = before

    def value(self, board: str, effort: Effort | None = None) -> GameValue:
        """The exact value of a board. Raises `OutOfEffort`."""
        with self.watched(effort or Effort()):
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

    def after_moves(self, board: str, mover: str) -> dict[tuple[int, int], str]:
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

    def winning_moves(
        self, board: str, mover: str, effort: Effort | None = None
    ) -> dict[tuple[int, int], bool | None]:
        """For each move whether it wins; None where that is not known."""
        other = "O" if mover == "X" else "X"
        verdicts: dict[tuple[int, int], bool | None] = {}
        for move, after in self.after_moves(board, mover).items():
            reply = self.mover_wins(after, other, effort)
            verdicts[move] = None if reply is None else not reply
        return verdicts

    # ---- searching

    def left_wins(
        self, parts: Array, effort: Effort | None = None, *, plus: Iterable[GameValue] = ()
    ) -> bool | None:
        """Whether Left, to move, wins the sum of these parts, and of values of this solver's store."""
        effort = effort or Effort()
        try:
            with self.watched(effort) as watch:
                if self.switches.method == "proof":
                    added = [2 * value.form + 1 for value in plus]
                    return self._prove(self.bag_of_components([*self.components(parts), *added]), effort, watch)
                if list(plus):
                    raise OptionError("only the search by proof numbers takes values")
                bag = self.bag_of_components([2 * int(part) for part in parts])
                return self._deepen(bag, parts, effort, watch)
        except OutOfEffort:
            return None
        except TableFull:
            self.workspace.forget_sums()
            self._links = None
            return None

    def numbers(self, parts: Array, plus: Iterable[GameValue] = ()) -> tuple[int, int]:
        """How many sums are missing, at least, to prove that Left, to move, wins, and that he loses."""
        bag = self.bag_of_components([*self.components(parts), *(2 * value.form + 1 for value in plus)])
        row = self.workspace.sums.effort[bag]
        return max(1, int(row[proving.PROOF])), max(1, int(row[proving.DISPROOF]))

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
        self.prove_bag(bag, Effort())
        return int(self.workspace.sums.known[bag])

    def judged_by_bounds(self, bag: int) -> bool:
        """Whether the bounds of its values alone decide a bag."""
        control = self.control.copy()
        control[slots.BOUNDS] = 1
        return bool(self.workspace.work(tasks.BOUNDS, np.array([bag]), control=control))

    def bag_of_components(self, components: list[int]) -> int:
        """The bag of components, as the search would make it."""
        space = self.workspace
        listed = np.array(components, np.int64)
        while (bag := space.work(tasks.BAG, listed, control=self.control)) < 0:
            space.make_room()
        return bag

    def prove_bag(self, bag: int, effort: Effort) -> bool | None:
        """Whether Left, to move, wins a bag. Raises `TableFull`."""
        try:
            with self.watched(effort) as watch:
                return self._prove(bag, effort, watch)
        except OutOfEffort:
            return None

    def _prove(self, bag: int, effort: Effort, watch: Watch) -> bool | None:
        space = self.workspace
        last = min(1 << 62, self.nodes + effort.nodes)
        given = np.array([bag])
        while True:
            self.control[slots.NODE_LIMIT] = min(last, self.nodes + SLICE)
            status = space.work(tasks.PROVE, given, control=self.control, stop=watch.stop.array)
            if status == proving.DONE:
                return int(space.sums.known[bag]) == slots.WON
            if status == proving.NO_ROOM:
                space.make_room()
                continue
            self.control[slots.NODES] -= 1  # the node that was refused
            if self.nodes >= last:
                return None
            watch.look()

    def _deepen(self, bag: int, parts: Array, effort: Effort, watch: Watch) -> bool | None:
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
            with (
                watch.alarm() as alarm
            ):  # a depth cannot go on where it was: it runs until it is done, or time is up
                arguments = (self.control, tables, alarm.array, bag, 1 << 30 if deep else depth)
                while True:
                    status = int(deepening.deepen_bag(space.parts, space.forms, space.sums, *arguments))
                    if status != proving.NO_ROOM:
                        break
                    space.make_room()
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
    """Link every sum of a width to the simplest equal one."""
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
        space.make_room()
        if len(space.forms.start) > len(tables.bag):
            tables = links.widened(tables, len(space.forms.start))
    control[slots.SHORT] = kept
    return tables
