"""Tuples of arrays by reference: compiled code reads and writes the arrays that Python sees."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from numba.core.errors import TypingError

from tengen.core.compiled import atomics
from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.records import record_type
from tengen.core.compiled.references import reference


class Counters(NamedTuple):
    """A nested tuple."""

    visits: Any


class Tables(NamedTuple):
    """Every kind of attribute."""

    width: int
    numbers: Any
    rows: Any
    frames: Any
    counters: Counters


@inner
def _visit(tables, left):
    atomics.add(tables.counters.visits, 0, 1)
    if left == 0:
        return tables.rows[1, 0] + tables.rows[1][1]
    tables.numbers[left] += 10
    tables.rows[left - 1, 1] = left
    tables.frames[left].turn = np.int64(tables.numbers[left])
    return _visit(tables, left - 1) + tables.frames[left].turn


@kernel
def visit(tables):
    tables = reference(tables)
    return _visit(tables, np.int64(2)), tables.width, tables.rows.size


def _tables() -> Tables:
    return Tables(
        width=7,
        numbers=np.arange(3, dtype=np.int16),
        rows=np.arange(6, dtype=np.int64).reshape(3, 2),
        frames=np.zeros(3, record_type(("turn", np.int64), ("depth", np.int32))),
        counters=Counters(np.zeros(1, np.int64)),
    )


def test_attributes_of_a_reference_are_the_arrays_numbers_and_tuples() -> None:
    tables = _tables()
    assert visit(tables) == (2 + 2 + 11 + 12, 7, 6)
    assert tables.numbers.tolist() == [0, 11, 12]
    assert tables.rows.tolist() == [[0, 1], [2, 2], [4, 5]]
    assert tables.frames["turn"].tolist() == [0, 11, 12]
    assert tables.counters.visits.tolist() == [3]


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="plain Python has no types to refuse")
def test_a_reference_needs_arrays_in_c_order() -> None:
    with pytest.raises(TypingError, match="in C order"):
        visit(_tables()._replace(rows=np.zeros((3, 4), np.int64)[:, ::2]))


@kernel
def add_to_rows(tables):
    return atomics.add(reference(tables).rows, 0, 1)


@kernel
def read_row(tables):
    return reference(tables).rows[0][0]


@kernel
def write_number(tables):
    reference(tables).numbers[0] = 1


def _cube() -> Any:
    return np.zeros((2, 2, 2), np.int64)


def _read_only() -> Any:
    array = np.zeros(3, np.int16)
    array.flags.writeable = False
    return array


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="plain Python has no types to refuse")
@pytest.mark.parametrize(
    ("function", "tables"),
    [
        pytest.param(add_to_rows, _tables(), id="an atomic operation on a row"),
        pytest.param(read_row, _tables()._replace(rows=_cube()), id="three dimensions"),
        pytest.param(write_number, _tables()._replace(numbers=_read_only()), id="a read-only array"),
    ],
)
def test_what_a_reference_cannot_do_is_refused(function: Any, tables: Tables) -> None:
    with pytest.raises(TypingError):
        function(tables)
