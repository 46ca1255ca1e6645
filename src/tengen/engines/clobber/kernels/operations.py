"""Entry point of all operations that proof-number search needs.

A single kernel, because every kernel is compiled together with its callees and these operations share most of
them.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import kernel
from tengen.core.compiled.references import reference
from tengen.core.values.kernels import add
from tengen.engines.clobber.kernels import saved_results
from tengen.engines.clobber.kernels import subgame_values as valuing
from tengen.engines.clobber.kernels import sums as sum_kernels
from tengen.engines.clobber.kernels.proof_number_search import prove_sum, sum_of
from tengen.engines.clobber.kernels.subgame_values import find_values, intern_strips, split_board

SPLIT, STRIPS, VALUES, ADD, SUM, PROVE, REBUILD_SUBGAMES, REBUILD_SUMS, SAVE = range(9)

_save_all = saved_results.save_all
_rebuild_subgames = valuing.rebuild_slots
_rebuild_sums = sum_kernels.rebuild_slots


@kernel
def run_operation(subgames, forms, sums, control, task, given, out):
    """Perform an operation; `given` and `out` are int64. A negative result means that an array is full.

    SPLIT: split a board into subgames; return their number. STRIPS: intern the strips given by length, begin and
    end of their bits; VALUES: compute values of subgames; both return how many were completed. ADD: the sum of two
    forms. SUM: the sum of components. PROVE: see `prove_sum`. SAVE: save the results of all sums. REBUILD_…: fill
    the hash table after it was enlarged.
    """
    subgames, forms, sums = reference(subgames), reference(forms), reference(sums)
    if task == SPLIT:
        return split_board(subgames, given, out)
    if task == STRIPS:
        return intern_strips(subgames, np.int64(given[0]), np.int64(given[1]), np.int64(given[2]), out)
    if task == VALUES:
        return find_values(subgames, forms, given, out)
    if task == ADD:
        return add(forms, np.int64(given[0]), np.int64(given[1]), np.int64(0), np.int64(0))
    if task == SUM:
        return sum_of(subgames, forms, sums, control, given)
    if task == PROVE:
        return prove_sum(subgames, forms, sums, control, np.int64(given[0]))
    if task == SAVE:
        _save_all(subgames, sums)
    elif task == REBUILD_SUBGAMES:
        _rebuild_subgames(subgames)
    else:
        _rebuild_sums(sums)
    return np.int64(0)
