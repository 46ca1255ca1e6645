"""Arrays as bare pointers and wide arrays of zeros: what compiled code sees is what Python sees."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba.core.errors import TypingError

from tengen.core.aligned_memory import aligned_zeros
from tengen.core.compiled import atomics
from tengen.core.compiled.kernel import kernel
from tengen.core.compiled.pointers import pointer, prefetch
from tengen.core.compiled.records import record_type


@kernel
def double(table, count):
    """Twice each element, in place and one by one, and the sum of what was there."""
    words = pointer(table)
    total = np.int64(0)
    for index in range(count):
        prefetch(words, np.uint64(index))
        total += atomics.load(words, index)
        words[index] *= np.int64(2)
    return total


@settings(deadline=None)
@given(st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=24).filter(lambda row: len(row) % 2 == 0))
def test_a_pointer_reads_and_writes_the_array_in_c_order(row: list[int]) -> None:
    table = np.array(row, np.int64).reshape(2, -1)
    assert double(table, table.size) == sum(row)
    assert table.reshape(-1).tolist() == [2 * number for number in row]


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="plain Python has no types to refuse")
def test_a_pointer_needs_an_array_whose_elements_follow_each_other() -> None:
    with pytest.raises(TypingError, match="in C order"):
        double(np.zeros((4, 4), np.int64)[:, ::2], 4)


@pytest.mark.parametrize("words", [1, 1000, 700_000])
def test_aligned_zeros_are_zero_begin_at_a_cache_line_and_can_be_written(words: int) -> None:
    zeros = aligned_zeros(words)
    assert zeros.shape == (words,)
    assert zeros.dtype == np.uint64
    assert zeros.ctypes.data % 64 == 0
    assert not zeros.any()
    zeros[:] = 7
    assert int(zeros.sum()) == 7 * words


COUNTER = record_type(("count", np.int64), ("largest", np.uint64))


@kernel
def count_records(counters, index, value):
    """A field of a record behind a pointer, read and changed in place."""
    counter = pointer(counters)[index]
    counter.count += 1
    counter.largest = max(counter.largest, np.uint64(value))
    return counter.count


def test_an_element_that_is_a_record_is_changed_in_place():
    compiled, plain = np.zeros(3, COUNTER), np.zeros(3, COUNTER)
    for index, value in ((1, 5), (1, 3), (2, 7)):
        assert count_records(compiled, index, value) == count_records.py_func(plain, index, value)
    assert compiled.tolist() == plain.tolist() == [(0, 0), (2, 5), (1, 7)]
