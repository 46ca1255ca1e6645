"""Large arrays of zeros for tables that are read and written all over.

Where the system offers it, they lie in huge pages: a table of 64 megabytes in ordinary ones costs a page fault at
each of 16,000 first writes, and a search through the page tables at most reads.
"""

from __future__ import annotations

import contextlib
import mmap
from typing import Any

import numpy as np

_HUGE = 2 << 20


def aligned_zeros(words: int) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """An array of so many np.uint64, all 0, that begins at a cache line."""
    nbytes = 8 * words
    if nbytes < 2 * _HUGE or not hasattr(mmap, "MADV_HUGEPAGE"):
        spare = np.zeros(words + 8, np.uint64)
        first = -(spare.ctypes.data // 8) % 8
        return spare[first : first + words]
    memory = mmap.mmap(-1, nbytes + _HUGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    with contextlib.suppress(OSError):  # switched off in this system: ordinary pages do as well, more slowly
        memory.madvise(mmap.MADV_HUGEPAGE)
    spare = np.frombuffer(memory, np.uint64)
    first = -(spare.ctypes.data % _HUGE) % _HUGE // 8
    zeros = spare[first : first + words]
    zeros[:: 4096 // 8] = 0  # each page is here from now on: a search would spend its first moments on that
    return zeros
