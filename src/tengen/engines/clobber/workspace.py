"""Arrays that all searches of a solver share, and their growth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tengen.core.values import GameValue, Values
from tengen.core.values.arrays import FULL as FORMS_FULL
from tengen.core.values.arrays import Forms, enlarged
from tengen.engines.clobber.kernels import subgames as subgame_arrays
from tengen.engines.clobber.kernels import sums as sum_arrays
from tengen.engines.clobber.kernels.operations import (
    ADD,
    REBUILD_SUBGAMES,
    REBUILD_SUMS,
    SAVE,
    SPLIT,
    STRIPS,
    SUM,
    VALUES,
    run_operation,
)
from tengen.engines.clobber.kernels.simplest_sums import SimplestSums
from tengen.engines.clobber.kernels.subgames import CELLS, OPTIONS, SUBGAMES, UNKNOWN, Subgames
from tengen.engines.clobber.kernels.sums import CONTROL_SIZE, Sums
from tengen.games.clobber.board import read_board

Array = np.ndarray[Any, Any]


_NONE = np.zeros(0, np.int64)


# Memory of a subgame and of a sum without hash tables; of a saved result.
SUBGAME_BYTES, SUM_BYTES, SAVED_BYTES = 60, 33, 16


class TableFull(Exception):
    """A search needs more memory than the limit."""


class Workspace:
    """Forms, subgames and sums.

    `megabytes` limits their memory in a search, which then begins again with the results that it saved.
    """

    def __init__(self, megabytes: int = 1024) -> None:
        self.values = Values()
        self.subgames = subgame_arrays.make_subgames()
        self.sums = sum_arrays.make_sums()
        self.stored_simplest_sums: tuple[int, Callable[[], SimplestSums]] | None = (
            None  # of a database: width, loader
        )
        self._control = np.zeros(CONTROL_SIZE, np.int64)  # for operations that are not searches
        self._multiples_of_up: dict[int, tuple[int, int]] = {}
        self.megabytes = megabytes
        self.kept = (1, 0, 0)  # the subgames that `make_room` keeps; see `mark`
        self.max_sums = 1 << max(14, (megabytes * 2**20 // 60).bit_length() - 1)

    @property
    def forms(self) -> Forms:
        return self.values.forms

    def run_operation(self, task: int, given: Array, out: Array = _NONE, control: Array | None = None) -> int:
        """Call the kernel `kernels.operations.run_operation`."""
        control = self._control if control is None else control
        return int(run_operation(self.subgames, self.forms, self.sums, control, task, given, out))

    def compile_kernels(self) -> None:
        """Compile or load the kernels of proof-number search and of growing tables."""
        self.run_operation(SUM, _NONE)
        self.values.rebuild_hash_table()

    # ---- growth

    def grow(self) -> None:
        """Enlarge the arrays that a kernel found full. Raises `TableFull`, or `Stopped` if the stop flag was
        set.
        """
        if self.forms.counts[FORMS_FULL]:
            self.values.grow()
        if self.subgames.counts[subgame_arrays.FULL] == subgame_arrays.MOVES_NEEDED:
            self.subgames.counts[subgame_arrays.FULL] = subgame_arrays.NOT_FULL
            self.generate_moves(int(self.subgames.counts[subgame_arrays.WANTED]))
        if self.subgames.counts[subgame_arrays.FULL]:
            table = self.subgames.slots
            self.subgames = _with_more_subgame_space(self.subgames)
            if self.subgames.slots is not table:
                self.run_operation(REBUILD_SUBGAMES, _NONE)
        full = int(self.sums.counts[sum_arrays.FULL])
        if full:
            if full == sum_arrays.SUM_SPACE and len(self.sums.rest) >= self.max_sums:
                raise TableFull
            table = self.sums.slots
            self.sums = _with_more_sum_space(self.sums)
            if self.sums.slots is not table:
                self.run_operation(REBUILD_SUMS, _NONE)

    def generate_moves(self, subgame: int) -> None:
        """Generate the moves of a subgame of another ruleset than Clobber."""
        raise NotImplementedError

    def clear_sums(self) -> None:
        self.sums = sum_arrays.make_sums()
        self.subgames.solved[:] = 0

    # ---- bounded memory

    @property
    def is_crowded(self) -> bool:
        """Whether the arrays use the memory of a search, apart from a quarter for saved results."""
        return self._bytes_used() > self.megabytes * 2**20 * 3 // 4

    def _bytes_used(self) -> int:
        """Memory in use apart from forms; the arrays are larger, but what was never written takes none."""
        subgames, sums = self.subgames.counts, self.sums.counts
        return int(
            self.subgames.slots.nbytes
            + subgames[SUBGAMES] * SUBGAME_BYTES
            + subgames[CELLS]
            + subgames[OPTIONS] * 4 * subgame_arrays.MAX_PIECES
            + self.sums.slots.nbytes
            + sums[sum_arrays.SUMS] * SUM_BYTES
            + sums[sum_arrays.POOL] * 4
        )

    def make_room(self) -> bool:
        """Forget what earlier questions left if it takes half of the memory; results are saved.

        Ids of subgames and sums are then invalid.
        """
        if self._bytes_used() <= self.megabytes * 2**20 * 3 // 8:
            return False
        self.save_and_clear(self.kept)
        return True

    def mark(self) -> tuple[int, int, int]:
        """The subgames so far, for `save_and_clear`."""
        counts = self.subgames.counts
        return int(counts[SUBGAMES]), int(counts[CELLS]), int(counts[OPTIONS])

    def save_and_clear(self, mark: tuple[int, int, int]) -> None:
        """Save the results of all sums in a table of fixed size; then forget the sums, and the subgames after
        `mark`.
        """
        if len(self.sums.saved_keys) == 1:
            places = 1 << max(10, (self.megabytes * 2**20 // 4 // SAVED_BYTES).bit_length() - 1)
            self.sums = self.sums._replace(
                saved_keys=np.zeros(places, np.uint64), saved_numbers=np.zeros((places, 2), np.int32)
            )
        self.run_operation(SAVE, _NONE)
        saved = {"saved_keys": self.sums.saved_keys, "saved_numbers": self.sums.saved_numbers}
        self.sums = sum_arrays.make_sums()._replace(**saved)
        self.subgames = _truncated(self.subgames, mark)
        self.run_operation(REBUILD_SUBGAMES, _NONE)

    def clear_bounds(self) -> None:
        self.subgames.bounds[1:] = subgame_arrays.NO_BOUNDS

    # ---- boards

    def subgames_of(self, board: str) -> Array:
        """The ids of the subgames of a board that have moves."""
        rows = read_board(board).split("/")
        height, width = len(rows), len(rows[0])
        cells = np.array([width, height, *("".join(rows).translate(_CODES).encode("latin1"))], np.int64)
        self._fit(width * height)
        out = np.zeros(width * height // 2 + 1, np.int64)
        while (count := self.run_operation(SPLIT, cells, out)) < 0:
            self.grow()
        return out[:count]

    def _fit(self, size: int) -> None:
        """Make the scratch arrays large enough for boards of `size` cells."""
        if size > self.subgames.queue.size:
            self.subgames = self.subgames._replace(
                buffer=np.zeros((8, size), np.uint8), queue=np.zeros(size, np.int32)
            )

    def board_of(self, subgame: int) -> str:
        """A subgame as a board."""
        width, height = int(self.subgames.width[subgame]), int(self.subgames.height[subgame])
        begin = int(self.subgames.at[subgame])
        text = "".join(".XO"[cell] for cell in self.subgames.cells[begin : begin + width * height])
        return "/".join(text[row * width : (row + 1) * width] for row in range(height))

    def strips(self, length: int, begin: int = 0, end: int | None = None) -> Array:
        """The subgames of all full strips of a length, indexed by their bits (first cell lowest, O is 1)."""
        self._fit(length)
        end = 1 << length if end is None else end
        out = np.zeros(end - begin, np.int64)
        done = 0
        while done < len(out):
            done += self.run_operation(STRIPS, np.array([length, begin + done, end], np.int64), out[done:])
            self.grow()
        return out

    def values_of(self, wanted: Array) -> Array:
        """The forms of subgames."""
        out = np.zeros(len(wanted), np.int64)
        done = 0
        while done < len(out):
            done += self.run_operation(VALUES, wanted[done:], out[done:])
            self.grow()
        return out

    def sum_of(self, subgames: Array) -> int:
        """The sum of these subgames, not simplified."""
        while (sum_id := self.run_operation(SUM, subgames << 1)) < 0:
            self.grow()
        return sum_id

    def multiple_of_up(self, k: int, star: int) -> int:
        """The form of k up, or of k up + star."""
        if abs(k) not in self._multiples_of_up:
            up, single = self.values_of(np.array([self.subgames_of(text)[0] for text in ("XXO", "XO")], np.int64))
            self._multiples_of_up[0] = 0, int(single)
            for height in range(1, abs(k) + 1):
                if height not in self._multiples_of_up:
                    form = self._add(self._multiples_of_up[height - 1][0], int(up))
                    self._multiples_of_up[height] = form, self._add(form, int(single))
        form = self._multiples_of_up[abs(k)][star]
        return form if k >= 0 else int(self.forms.negative[form])

    def _add(self, one: int, other: int) -> int:
        while (total := self.run_operation(ADD, np.array([one, other], np.int64))) < 0:
            self.grow()
        return total

    def value_of_subgame(self, subgame: int) -> GameValue:
        return self.values.from_form(int(self.values_of(np.array([subgame], np.int64))[0]))

    def value(self, board: str) -> GameValue:
        """The exact value of a board. Feasible for strips of up to about 40 cells and rectangles of 16."""
        total = self.values.zero
        for subgame in self.subgames_of(board):
            total = total + self.value_of_subgame(int(subgame))
        return total


_CODES = str.maketrans({".": "\x00", "X": "\x01", "O": "\x02"})


# Arrays with a row for each subgame, and the contents of unused rows.
_SUBGAME_ROWS = {
    "kind": 0,
    "at": 0,
    "width": 0,
    "height": 0,
    "size": 0,
    "negative": 0,
    "value": UNKNOWN,
    "moves": UNKNOWN,
    "lefts": 0,
    "rights": 0,
    "solved": 0,
    "balance": 0,
    "bounds": subgame_arrays.NO_BOUNDS,
}


def _with_more_subgame_space(subgames: Subgames) -> Subgames:
    full = int(subgames.counts[subgame_arrays.FULL])
    subgames.counts[subgame_arrays.FULL] = subgame_arrays.NOT_FULL
    if full == subgame_arrays.CELL_SPACE:
        return subgames._replace(cells=enlarged(subgames.cells, 2 * len(subgames.cells)))
    if full == subgame_arrays.OPTION_SPACE:
        return subgames._replace(options=enlarged(subgames.options, 2 * len(subgames.options)))
    size = 2 * len(subgames.at)
    subgames = subgames._replace(
        **{name: enlarged(getattr(subgames, name), size, blank) for name, blank in _SUBGAME_ROWS.items()}
    )
    return subgames._replace(slots=np.zeros(4 * size, np.int32))


def _truncated(subgames: Subgames, mark: tuple[int, int, int]) -> Subgames:
    """Arrays of the usual size with the subgames up to `mark` only; their hash table is empty."""
    kept, cells, options = mark
    smaller = subgame_arrays.make_subgames(
        _power_of_two(kept), _power_of_two(cells), _power_of_two(options), len(subgames.queue)
    )
    for name in _SUBGAME_ROWS:
        getattr(smaller, name)[:kept] = getattr(subgames, name)[:kept]
    smaller.cells[:cells] = subgames.cells[:cells]
    smaller.options[:options] = subgames.options[:options]
    smaller.moves[1:kept][smaller.moves[1:kept] >= options] = UNKNOWN
    smaller.solved[:] = 0
    smaller.counts[:] = subgames.counts
    smaller.counts[SUBGAMES], smaller.counts[CELLS], smaller.counts[OPTIONS] = mark
    return smaller


def _power_of_two(size: int) -> int:
    return 1 << max(14, size.bit_length())


def _with_more_sum_space(sums: Sums) -> Sums:
    full = int(sums.counts[sum_arrays.FULL])
    sums.counts[sum_arrays.FULL] = sum_arrays.NOT_FULL
    if full == sum_arrays.POOL_SPACE:
        return sums._replace(pool=enlarged(sums.pool, 2 * len(sums.pool)))
    if full == sum_arrays.STACK_SPACE:
        names: tuple[str, ...] = ("lists", "child_sums", "child_scores")
        return sums._replace(**{name: enlarged(getattr(sums, name), 2 * len(sums.lists)) for name in names})
    names = ("rest", "last", "result", "next_solved", "search_data", "complexity")
    size = 2 * len(sums.rest)
    sums = sums._replace(**{name: enlarged(getattr(sums, name), size) for name in names})
    return sums._replace(slots=np.zeros(2 * size, np.int32))
