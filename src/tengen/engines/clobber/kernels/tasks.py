"""The entry point to all that the search by proof numbers needs. Compiled.

One kernel for several tasks, because every kernel is compiled together with all that it calls, and these call much
the same.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import kernel
from tengen.core.values.kernels import add
from tengen.engines.clobber.kernels import sums as sum_kernels
from tengen.engines.clobber.kernels import valuing
from tengen.engines.clobber.kernels.proving import bag_of, prove_bag
from tengen.engines.clobber.kernels.valuing import find_values, intern_strips, split_board

SPLIT, STRIPS, VALUES, ADD, BAG, PROVE, REFILL_PARTS, REFILL_SUMS = range(8)

_refill_parts = valuing.rebuild_slots
_refill_sums = sum_kernels.rebuild_slots


@kernel
def work(parts, forms, sums, control, task, given, out):
    """Do a task; `given` and `out` are int64. A negative result means that some array was full.

    SPLIT a board into parts: how many; number the STRIPS given as length, begin and end of their bits, or find the
    VALUES of parts: how many found room; ADD two forms: their sum; make the BAG of components; PROVE a bag: see
    `prove_bag`; fill the hash tables of parts or sums again after they have grown.
    """
    if task == SPLIT:
        return split_board(parts, given, out)
    if task == STRIPS:
        return intern_strips(parts, np.int64(given[0]), np.int64(given[1]), np.int64(given[2]), out)
    if task == VALUES:
        return find_values(parts, forms, given, out)
    if task == ADD:
        return add(forms, np.int64(given[0]), np.int64(given[1]), np.int64(0), np.int64(0))
    if task == BAG:
        return bag_of(parts, forms, sums, control, given)
    if task == PROVE:
        return prove_bag(parts, forms, sums, control, np.int64(given[0]))
    if task == REFILL_PARTS:
        _refill_parts(parts)
    else:
        _refill_sums(sums)
    return np.int64(0)
