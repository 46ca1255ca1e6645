"""Large zeroed arrays for randomly accessed tables.

They use huge pages where available: with ordinary pages, a table of 64 MB costs a page fault at each of 16,000
first writes and a page table lookup at most reads.
"""

from __future__ import annotations

import contextlib
import mmap
from typing import Any

import numpy as np

_HUGE = 2 << 20


def aligned_zeros(words: int) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """An array of `words` np.uint64 zeros, aligned to a cache line."""
    nbytes = 8 * words
    if nbytes < 2 * _HUGE or not hasattr(mmap, "MADV_HUGEPAGE"):
        spare = np.zeros(words + 8, np.uint64)
        first = -(spare.ctypes.data // 8) % 8
        return spare[first : first + words]
    memory = mmap.mmap(-1, nbytes + _HUGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    with contextlib.suppress(OSError):  # disabled on this system: ordinary pages work too, but slower
        memory.madvise(mmap.MADV_HUGEPAGE)
    spare = np.frombuffer(memory, np.uint64)
    first = -(spare.ctypes.data % _HUGE) % _HUGE // 8
    zeros = spare[first : first + words]
    zeros[:: 4096 // 8] = 0  # touch every page now instead of during the first search
    return zeros
