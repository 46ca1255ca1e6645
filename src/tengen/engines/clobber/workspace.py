"""The arrays that all searches of one solver share, and how they grow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tengen.core.values import GameValue, Values
from tengen.core.values.arrays import FULL as FORMS_FULL
from tengen.core.values.arrays import Forms, enlarged
from tengen.engines.clobber.kernels import parts as part_arrays
from tengen.engines.clobber.kernels import sums as sum_arrays
from tengen.engines.clobber.kernels.links import Links
from tengen.engines.clobber.kernels.parts import Parts
from tengen.engines.clobber.kernels.sums import CONTROL_SIZE, Sums
from tengen.engines.clobber.kernels.tasks import ADD, BAG, REFILL_PARTS, REFILL_SUMS, SPLIT, STRIPS, VALUES, work
from tengen.games.clobber.board import read_board

Array = np.ndarray[Any, Any]


_NONE = np.zeros(0, np.int64)


class TableFull(Exception):
    """The sums of a search need more memory than it was given."""


class Workspace:
    """Forms, parts and sums. `megabytes` limits the memory of the sums; forms and parts need little."""

    def __init__(self, megabytes: int = 1024) -> None:
        self.values = Values()
        self.parts = part_arrays.fresh()
        self.sums = sum_arrays.fresh()
        self.stored_links: tuple[int, Callable[[], Links]] | None = None  # those of a database: width, how to load
        self._control = np.zeros(CONTROL_SIZE, np.int64)  # for tasks that are no search
        self._rungs: dict[int, tuple[int, int]] = {}
        self.most_bags = 1 << max(14, (megabytes * 2**20 // 60).bit_length() - 1)

    @property
    def forms(self) -> Forms:
        return self.values.forms

    def work(self, task: int, given: Array, out: Array = _NONE, control: Array | None = None) -> int:
        """Call the kernel: see `kernels/tasks`."""
        control = self._control if control is None else control
        return int(work(self.parts, self.forms, self.sums, control, task, given, out))

    def compile_kernels(self) -> None:
        """Compile, or load, the kernels of every search, and those for its tables when they grow."""
        self.work(BAG, _NONE)
        self.values.rebuild_hash_table()

    # ---- room

    def grow(self) -> None:
        """After a kernel has found some array full. Raises `TableFull`, or `Stopped` if it was told to stop."""
        if self.forms.counts[FORMS_FULL]:
            self.values.grow()
        if self.parts.counts[part_arrays.FULL]:
            table = self.parts.slots
            self.parts = _grown_parts(self.parts)
            if self.parts.slots is not table:
                self.work(REFILL_PARTS, _NONE)
        full = int(self.sums.counts[sum_arrays.FULL])
        if full:
            if full == sum_arrays.BAG_SPACE and len(self.sums.rest) >= self.most_bags:
                raise TableFull
            table = self.sums.slots
            self.sums = _grown_sums(self.sums)
            if self.sums.slots is not table:
                self.work(REFILL_SUMS, _NONE)

    def forget_sums(self) -> None:
        self.sums = sum_arrays.fresh()

    def forget_bounds(self) -> None:
        self.parts.bounds[1:] = part_arrays.UNBOUNDED

    # ---- boards

    def parts_of(self, board: str) -> Array:
        """The parts of a board, as ids; those without a move left out."""
        rows = read_board(board).split("/")
        height, width = len(rows), len(rows[0])
        cells = np.array([width, height, *("".join(rows).translate(_CODES).encode("latin1"))], np.int64)
        self._fit(width * height)
        out = np.zeros(width * height // 2 + 1, np.int64)
        while (count := self.work(SPLIT, cells, out)) < 0:
            self.grow()
        return out[:count]

    def _fit(self, size: int) -> None:
        """Room in the scratch for boards of a size."""
        if size > self.parts.queue.size:
            self.parts = self.parts._replace(buffer=np.zeros((8, size), np.uint8), queue=np.zeros(size, np.int32))

    def board_of(self, part: int) -> str:
        """A part as a board."""
        width, height = int(self.parts.width[part]), int(self.parts.height[part])
        begin = int(self.parts.at[part])
        text = "".join(".XO"[cell] for cell in self.parts.cells[begin : begin + width * height])
        return "/".join(text[row * width : (row + 1) * width] for row in range(height))

    def strips(self, length: int, begin: int = 0, end: int | None = None) -> Array:
        """The parts of all connected strips of a length, by their bits (the first cell is the lowest, O is 1)."""
        self._fit(length)
        end = 1 << length if end is None else end
        out = np.zeros(end - begin, np.int64)
        done = 0
        while done < len(out):
            done += self.work(STRIPS, np.array([length, begin + done, end], np.int64), out[done:])
            self.grow()
        return out

    def values_of(self, wanted: Array) -> Array:
        """The ids of the values of parts."""
        out = np.zeros(len(wanted), np.int64)
        done = 0
        while done < len(out):
            done += self.work(VALUES, wanted[done:], out[done:])
            self.grow()
        return out

    def bag_of(self, parts: Array) -> int:
        """The sum of these parts, as it is."""
        while (bag := self.work(BAG, parts << 1)) < 0:
            self.grow()
        return bag

    def rung(self, k: int, star: int) -> int:
        """The form of k up, or of k up + star."""
        if abs(k) not in self._rungs:
            up, single = self.values_of(np.array([self.parts_of(text)[0] for text in ("XXO", "XO")], np.int64))
            self._rungs[0] = 0, int(single)
            for height in range(1, abs(k) + 1):
                if height not in self._rungs:
                    form = self._add(self._rungs[height - 1][0], int(up))
                    self._rungs[height] = form, self._add(form, int(single))
        form = self._rungs[abs(k)][star]
        return form if k >= 0 else int(self.forms.negative[form])

    def _add(self, one: int, other: int) -> int:
        while (total := self.work(ADD, np.array([one, other], np.int64))) < 0:
            self.grow()
        return total

    def value_of_part(self, part: int) -> GameValue:
        return self.values.from_form(int(self.values_of(np.array([part], np.int64))[0]))

    def value(self, board: str) -> GameValue:
        """The exact value of a board. Grows fast with its longest parts: some 40 cells, or 16 in a rectangle."""
        total = self.values.zero
        for part in self.parts_of(board):
            total = total + self.value_of_part(int(part))
        return total


_CODES = str.maketrans({".": "\x00", "X": "\x01", "O": "\x02"})


def _grown_parts(parts: Parts) -> Parts:
    full = int(parts.counts[part_arrays.FULL])
    parts.counts[part_arrays.FULL] = part_arrays.NOT_FULL
    if full == part_arrays.CELL_SPACE:
        return parts._replace(cells=enlarged(parts.cells, 2 * len(parts.cells)))
    if full == part_arrays.OPTION_SPACE:
        return parts._replace(options=enlarged(parts.options, 2 * len(parts.options)))
    size = 2 * len(parts.at)
    blanks = {"at": 0, "width": 0, "height": 0, "negative": 0, "value": -1, "moves": -1, "lefts": 0, "rights": 0}
    blanks["bounds"] = part_arrays.UNBOUNDED
    parts = parts._replace(**{name: enlarged(getattr(parts, name), size, blank) for name, blank in blanks.items()})
    return parts._replace(slots=np.zeros(4 * size, np.int32))


def _grown_sums(sums: Sums) -> Sums:
    full = int(sums.counts[sum_arrays.FULL])
    sums.counts[sum_arrays.FULL] = sum_arrays.NOT_FULL
    if full == sum_arrays.POOL_SPACE:
        return sums._replace(pool=enlarged(sums.pool, 2 * len(sums.pool)))
    if full == sum_arrays.STACK_SPACE:
        names: tuple[str, ...] = ("lists", "child_bags", "child_scores")
        return sums._replace(**{name: enlarged(getattr(sums, name), 2 * len(sums.lists)) for name in names})
    names = ("rest", "last", "known", "effort", "complexity")
    size = 2 * len(sums.rest)
    sums = sums._replace(**{name: enlarged(getattr(sums, name), size) for name in names})
    return sums._replace(slots=np.zeros(2 * size, np.int32))
