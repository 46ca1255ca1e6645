"""Solving boards exactly: who wins when either player begins, and by which moves.

Read in this order: `kernels/parts` (boards become parts), `kernels/valuing` (parts have values), `kernels/sums`
(sums of both), then the two ways to search: `kernels/proving`, the default, and `kernels/deepening`, the original
design.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from tengen.core.errors import OptionError
from tengen.core.values import GameValue
from tengen.engines.clobber.kernels import deepening, links, proving
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

SLICE = 256  # nodes between two looks at the clock, in searches that have a time limit


@dataclass(frozen=True)
class Effort:
    """How much a search may do: nodes, seconds, a flag that stops it; whichever comes first."""

    nodes: float = math.inf
    seconds: float = math.inf
    stop: StopFlag | None = None


class Solver:
    """Solves sums, and remembers all it found for the next one."""

    def __init__(
        self, switches: Switches | None = None, *, megabytes: int = 1024, workspace: Workspace | None = None
    ) -> None:
        self.switches = switches or Switches()
        self.workspace = workspace or Workspace(megabytes)
        self.control = self.switches.control()
        self._links: links.Links | None = None

    # ---- what it has done

    @property
    def nodes(self) -> int:
        return int(self.control[slots.NODES])

    @property
    def leaves(self) -> int:
        return int(self.control[slots.LEAVES])

    def value(self, board: str) -> GameValue:
        return self.workspace.value(board)

    # ---- who wins

    def mover_wins(self, board: str, mover: str = "X", effort: Effort | None = None) -> bool | None:
        """Whether the player to move wins; None if the effort was not enough, or memory ran out."""
        board = board if mover == "X" else colour_swapped(board)
        return self.left_wins(self.workspace.parts_of(board), effort)

    def outcome(self, board: str, effort: Effort | None = None) -> str | None:
        """L, R, N or P; None if the effort was not enough."""
        left, right = self.mover_wins(board, "X", effort), self.mover_wins(board, "O", effort)
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
            if self.switches.method == "proof":
                return self.prove_bag(
                    self.bag_of_components([*self.components(parts), *(2 * v.form + 1 for v in plus)]), effort
                )
            if list(plus):
                raise OptionError("only the search by proof numbers takes values")
            return self._deepen(self.bag_of_components([2 * int(part) for part in parts]), parts, effort)
        except TableFull:
            self.workspace.forget_sums()
            self._links = None
            return None

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
        return bool(proving.bounds_decide(self.workspace.forms, self.workspace.sums, control, bag))

    def bag_of_components(self, components: list[int]) -> int:
        """The bag of components, as the search would make it."""
        space = self.workspace
        listed = np.array(components, np.int64)
        while (bag := int(proving.bag_of(space.parts, space.forms, space.sums, self.control, listed))) < 0:
            space.make_room()
        return bag

    def prove_bag(self, bag: int, effort: Effort) -> bool | None:
        """Whether Left, to move, wins a bag. Raises `TableFull`."""
        space = self.workspace
        deadline = time.perf_counter() + effort.seconds
        stop = (effort.stop or StopFlag()).array
        last = min(1 << 62, self.nodes + effort.nodes)
        while True:
            self.control[slots.NODE_LIMIT] = last
            if effort.seconds < math.inf:
                self.control[slots.NODE_LIMIT] = min(last, self.nodes + SLICE)
            status = int(proving.prove_bag(space.parts, space.forms, space.sums, self.control, stop, bag))
            if status == proving.DONE:
                return int(space.sums.known[bag]) == slots.WON
            if status == proving.NO_ROOM:
                space.make_room()
            elif stop[0] or self.nodes >= last or time.perf_counter() >= deadline:
                self.control[slots.NODES] -= 1  # the node that was refused
                return None
            else:
                self.control[slots.NODES] -= 1

    def _deepen(self, bag: int, parts: Array, effort: Effort) -> bool | None:
        """Depth by depth, each with its limit of leaves."""
        space = self.workspace
        tables = self._make_links()
        deadline = time.perf_counter() + effort.seconds
        stop = (effort.stop or StopFlag()).array
        last = min(1 << 62, self.nodes + effort.nodes)
        length = sum(int(space.parts.width[part]) * int(space.parts.height[part]) for part in parts)
        leaves = self.leaves
        for depth in itertools.count(1 if self.switches.deepening else ENDLESS_DEPTH):
            limit = length * (FIRST_LEAVES if depth == 1 else SECOND_LEAVES * LEAF_GROWTH ** (depth - 2))
            deep = depth >= ENDLESS_DEPTH
            while True:
                self.control[slots.LEAF_LIMIT] = 1 << 62 if deep else leaves + limit
                self.control[slots.NODE_LIMIT] = last
                if effort.seconds < math.inf:
                    self.control[slots.NODE_LIMIT] = min(last, self.nodes + SLICE)
                status = int(
                    deepening.deepen_bag(
                        space.parts,
                        space.forms,
                        space.sums,
                        self.control,
                        tables,
                        stop,
                        bag,
                        1 << 30 if deep else depth,
                    )
                )
                if status != deepening.NO_ROOM:
                    break
                space.make_room()
            if status in (slots.WON, slots.LOST):
                return status == slots.WON
            if status == deepening.CUT_SHORT and (
                stop[0] or self.nodes >= last or time.perf_counter() >= deadline
            ):
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
