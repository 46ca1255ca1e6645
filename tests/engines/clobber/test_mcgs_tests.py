"""Test files of MCGS: the sums and questions that are read, and errors with their line."""

from __future__ import annotations

import pytest

from tengen.core.errors import PositionError
from tengen.engines.clobber.batch import read_batch, run_batch
from tengen.engines.clobber.mcgs_tests import is_mcgs, read_mcgs
from tengen.engines.clobber.solver import Solver

FILE = """{version 1.5}
/*_ several
   lines */
[clobber_1xn]
XO {B win, W win}
/* a sum */ XO (XO) {B loss, W loss}
xxo {B}
(XXO) {B win} XO {W}
[impartial clobber_1xn] XO {N 1}
[clobber] XO|OX {B win}
[nogo_1xn] X..O [clobber_1xn] XO {B win}
[clobber_1xn] XO {winning moves B 1-2} XO.XO {B loss}
"""


def test_sums_of_linear_clobber_are_read() -> None:
    assert is_mcgs(FILE)
    assert not is_mcgs("XOXO L")
    found = read_mcgs(FILE)
    assert found.cases == [
        (5, "XO", "N"),
        (6, "XO.XO", "P"),
        (7, "XXO", None),
        (8, "XXO", "LN"),
        (8, "XO", None),
        (12, "XO.XO", "RP"),
    ]
    assert found.skipped == 4


def test_they_are_solved_like_other_files() -> None:
    lines = list(run_batch(Solver(), FILE))
    assert all(line.agrees for line in lines)
    assert [line.found for line in lines] == ["N", "P", "L", "L", "N", "P"]
    (wrong,) = run_batch(Solver(), "{version 1}[clobber_1xn] XO {B loss, W loss}")
    assert not wrong.agrees


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{version 1}\n[clobber_1xn]\n\nXQ {B}", "line 4: 'XQ' is not a row"),
        ("{version 1}\n[clobber_1xn] XO {B", "line 2: expected a game"),
        ("{version 1}\n/* XO", "line 2: the comment has no end"),
        ("{version 1}\n[nogo_1xn] XO {B}", "no sum of linear Clobber"),
    ],
)
def test_errors_name_the_line(text: str, words: str) -> None:
    with pytest.raises(PositionError, match=words):
        read_batch(text)
