"""Exact values of short games, interned and comparable.

values = Values()
up = values.read("{0|*}")
str(up + up)   # ^^
up > 0         # True
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tengen.core.values import arrays, kernels, transfer_kernels
from tengen.core.values.arrays import HIGH, HIGH_STAR, INFINITE_BOUND, LOW, LOW_STAR, Forms
from tengen.core.values.game_value import Bounds, Stopped, ValueStore

MAX_CACHED_COMPARISONS = 1 << 22


class Values(ValueStore):
    """A store of canonical forms, computed by compiled code."""

    def __init__(self, forms: Forms | None = None) -> None:
        super().__init__()
        self.forms = forms or arrays.make_forms()

    # ---- kernels, repeated with larger arrays if necessary

    def grow(self) -> None:
        """Enlarge the arrays that a kernel found full. Raises `Stopped` if the stop flag was set instead."""
        if self.forms.counts[arrays.FULL] == arrays.STOPPED:
            self.forms.counts[arrays.FULL] = arrays.NOT_FULL
            raise Stopped
        table = self.forms.slots
        self.forms = arrays.with_more_space(self.forms)
        if self.forms.slots is not table:
            self.rebuild_hash_table()
            if len(self.forms.comparison_cache) < min(MAX_CACHED_COMPARISONS, 4 * len(self.forms.start)):
                self.forms = arrays.with_cache_size(self.forms, 2 * len(self.forms.comparison_cache))

    def rebuild_hash_table(self) -> None:
        """Rebuild the hash table after it was enlarged."""
        self.forms.slots[:] = 0
        transfer_kernels.rebuild_slots(self.forms)

    def _run(self, operation: int, first: list[int], second: list[int]) -> int:
        given = [np.array(side, np.int64) for side in (first, second)]
        while (result := int(kernels.run_operation(self.forms, operation, *given))) < 0:
            self.grow()
        return result

    # ---- forms of other stores

    def export_forms(self, forms: Iterable[int]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """These forms and all forms they depend on, as rows for `import_forms`, and the index of each in the rows.

        For each form the rows contain the numbers of Left and Right options, then the options by their index.
        """
        wanted = np.array(list(forms), np.int64)
        used = np.zeros(int(self.forms.counts[arrays.FORMS]), np.uint8)
        used[wanted] = 1
        used[0] = 1
        transfer_kernels.mark_reachable(self.forms, used)
        places = np.cumsum(used, dtype=np.int64) - 1
        return transfer_kernels.export_rows(self.forms, used, places), places[wanted]

    def import_forms(self, rows: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Import the rows of `export_forms`; return the id of each form in their order."""
        ids = np.zeros(len(rows), np.int64)
        state = np.zeros(2, np.int64)  # the form and the row that are next
        while transfer_kernels.import_rows(self.forms, rows, ids, state) < 0:
            self.grow()
        return ids[: state[0]]

    # ---- the interface of a store

    def options_of(self, form: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        begin = int(self.forms.start[form])
        middle = begin + int(self.forms.lefts[form])
        end = middle + int(self.forms.rights[form])
        options = self.forms.options[begin:end].tolist()
        return tuple(options[: middle - begin]), tuple(options[middle - begin :])

    def negative_of(self, form: int) -> int:
        return int(self.forms.negative[form])

    def bounds_of(self, form: int) -> Bounds:
        row = [int(self.forms.bounds[form, column]) for column in (LOW, HIGH, LOW_STAR, HIGH_STAR)]
        low, high, low_star, high_star = (None if abs(k) >= INFINITE_BOUND else k for k in row)
        return low, high, low_star, high_star

    def make_form(self, lefts: list[int], rights: list[int]) -> int:
        return self._run(kernels.MAKE, lefts, rights)

    def add_forms(self, a: int, b: int) -> int:
        return self._run(kernels.ADD, [a], [b])

    def compare_forms(self, a: int, b: int) -> tuple[bool, bool]:
        answer = self._run(kernels.COMPARE, [a], [b])
        return bool(answer & 1), bool(answer & 2)

    def signs_of(self, form: int) -> tuple[bool, bool]:
        return bool(self.forms.bounds[form, LOW] >= 0), bool(self.forms.bounds[form, HIGH] <= 0)
