"""The transposition table that all engines share."""

from __future__ import annotations

import numpy as np
import pytest

from tengen.search.kernels import transposition_table as table


def entry(move: int, depth: int, age: int, bound: int, value: int) -> np.uint64:
    return np.uint64(table.pack(*(np.int64(field) for field in (move, depth, age, bound, value))))


@pytest.mark.parametrize("value", [0, 1, -1, 64_000, -64_000, 2**31 - 1, -(2**31)])
@pytest.mark.parametrize(
    ("move", "depth", "age", "bound"),
    [(0, 0, 0, table.LOWER), (65_535, 239, 63, table.UPPER), (64, 255, 5, table.EXACT)],
)
def test_a_standard_entry_round_trips(move: int, depth: int, age: int, bound: int, value: int) -> None:
    array = table.make_table(1 << 20)
    data = entry(move, depth, age, bound, value)
    fields = (table.move_of, table.depth_of, table.age_of, table.bound_of, table.value_of)
    assert tuple(field(data) for field in fields) == (move, depth, age, bound, value)
    key = np.uint64(0x9E3779B97F4A7C15 + 12345 * (value % 1000) + move)
    table.store(array, key, data)
    assert table.probe(array, key) == data
    assert table.probe(array, key ^ np.uint64(1 << 60)) == 0
    table.clear_table(array)
    assert table.probe(array, key) == 0


def test_the_age_wraps_around() -> None:
    assert table.age_of(entry(1, 2, 64 + 3, table.EXACT, 4)) == 3
    assert table.bound_of(entry(1, 2, 64 + 3, table.LOWER, 4)) == table.LOWER


@pytest.mark.parametrize("nbytes", [0, 1 << 10, 3 << 20])
def test_a_table_fits_and_its_buckets_do_not_span_cache_lines(nbytes: int) -> None:
    array = table.make_table(nbytes)
    buckets = int(array[0]) + 1
    assert buckets & (buckets - 1) == 0
    assert len(array) == table.HEADER_WORDS + 4 * buckets
    assert buckets == 16 or 32 * buckets <= nbytes
    assert array.ctypes.data % 64 == 0


def test_a_torn_entry_is_not_found() -> None:
    array = table.make_table(1 << 20)
    key = np.uint64(0xABCDEF0123456789)
    table.store(array, key, entry(3, 5, 0, table.EXACT, 7))
    array[int(table.bucket_of(array, key)) + 1] = entry(3, 5, 0, table.EXACT, 8)
    assert table.probe(array, key) == 0


def test_a_bucket_keeps_the_deepest_and_the_latest() -> None:
    array = table.make_table(1 << 20)
    keys = [np.uint64(i << 40 | 6) for i in range(1, 4)]
    entries = [entry(i, depth, 0, table.EXACT, i) for i, depth in enumerate((9, 2, 3))]
    for key, data in zip(keys, entries, strict=True):
        table.store(array, key, data)
    assert [table.probe(array, key) for key in keys] == [entries[0], 0, entries[2]]


def test_a_new_search_replaces_deep_entries_of_an_old_one() -> None:
    array = table.make_table(1 << 20)
    old, new = np.uint64(1 << 40 | 6), np.uint64(2 << 40 | 6)
    table.store(array, old, entry(1, 9, 1, table.EXACT, 1))
    data = entry(2, 2, 2, table.EXACT, 2)
    table.store(array, new, data)
    assert table.probe(array, old) == 0
    assert table.probe(array, new) == data


def test_a_deeper_result_of_the_same_search_and_position_is_kept() -> None:
    array = table.make_table(1 << 20)
    key = np.uint64(1 << 40 | 6)
    deep, shallow, later = (entry(1, depth, age, table.EXACT, 1) for depth, age in ((9, 1), (2, 1), (2, 2)))
    for data, kept in ((deep, deep), (shallow, deep), (later, later)):
        table.store(array, key, data)
        assert table.probe(array, key) == kept
