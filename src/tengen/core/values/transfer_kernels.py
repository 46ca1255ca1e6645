"""Kernels that move canonical forms between tables: rebuilding the hash table, export and import."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import kernel
from tengen.core.compiled.references import reference
from tengen.core.values.arrays import FORMS
from tengen.core.values.kernels import find_slot, intern

_ZERO = np.int64(0)


@kernel
def rebuild_slots(forms):
    """Insert all forms into an empty hash table."""
    forms = reference(forms)
    for form in range(1, forms.counts[FORMS]):
        begin = np.int64(forms.start[form])
        lefts = np.int64(forms.lefts[form])
        rights = np.int64(forms.rights[form])
        for index in range(lefts):
            forms.scratch[0, index] = forms.options[begin + index]
        for index in range(rights):
            forms.scratch[1, index] = forms.options[begin + lefts + index]
        forms.slots[find_slot(forms, _ZERO, lefts, _ZERO, rights)] = form + 1


@kernel
def mark_reachable(forms, used):
    """Mark all forms reachable from the marked ones."""
    forms = reference(forms)
    for form in range(used.size - 1, 0, -1):
        if used[form]:
            begin = np.int64(forms.start[form])
            for place in range(begin, begin + forms.lefts[form] + forms.rights[form]):
                used[forms.options[place]] = 1


@kernel
def export_rows(forms, used, places):
    """The marked forms as int32 rows; see `Values.export_forms`."""
    forms = reference(forms)
    size = 0
    for form in range(used.size):
        if used[form]:
            size += 2 + forms.lefts[form] + forms.rights[form]
    rows = np.zeros(size, np.int32)
    at = 0
    for form in range(used.size):
        if used[form]:
            rows[at] = forms.lefts[form]
            rows[at + 1] = forms.rights[form]
            begin = np.int64(forms.start[form])
            count = np.int64(forms.lefts[form] + forms.rights[form])
            for index in range(count):
                rows[at + 2 + index] = places[forms.options[begin + index]]
            at += 2 + count
    return rows


@kernel
def import_rows(forms, rows, ids, state):
    """Create the forms in `rows`; `state` is the progress (forms, entries of `rows`). Returns -1 if an array is
    full.
    """
    forms = reference(forms)
    while state[1] < rows.size:
        at = state[1]
        lefts = np.int64(rows[at])
        rights = np.int64(rows[at + 1])
        for index in range(lefts):
            forms.scratch[0, index] = ids[rows[at + 2 + index]]
        for index in range(rights):
            forms.scratch[1, index] = ids[rows[at + 2 + lefts + index]]
        form = intern(forms, _ZERO, lefts, _ZERO, rights)
        if form < 0:
            return np.int64(-1)
        ids[state[0]] = form
        state[0] += 1
        state[1] += 2 + lefts + rights
    return _ZERO
