"""Bounds of long parts: two implementations, one compiled, against each other and against exact values."""

from __future__ import annotations

import json
import random
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import pytest

from tengen import cli
from tengen.engines.clobber import checker
from tengen.engines.clobber import pattern_bounds as law
from tengen.engines.clobber.bound_refinement import pattern_of, pieces_of
from tengen.engines.clobber.database import Database, DatabaseError, _write, make_database
from tengen.engines.clobber.patterns import run_experiment
from tengen.engines.clobber.proof import prove_position
from tengen.engines.clobber.solver import SearchLimits, Solver, after_moves
from tengen.engines.clobber.solver_options import SolverOptions
from tengen.engines.clobber.up_bounds import ZERO, UpBounds, extremes, from_moves
from tengen.engines.clobber.workspace import Workspace
from tengen.games.clobber.board import colour_swapped

solver = Solver()


@cache
def standing(strip: str) -> UpBounds:
    """Of a strip, by its moves only."""
    total = ZERO
    parts = [part for part in strip.split(".") if len(set(part)) == 2]
    if len(parts) != 1 or parts[0] != strip:
        for part in parts:
            total += standing(part)
        return total
    sides = [[standing(after) for after in after_moves(strip, mover).values()] for mover in "XO"]
    return from_moves(extremes(*sides))


def test_bounds_by_induction_hold_and_both_ways_to_them_agree() -> None:
    rng = random.Random(5)
    compiled = Solver(SolverOptions(values=False, bound_after=0, sharpen=0))
    tight = 0
    for _ in range(60):
        strip = "".join(rng.choice("XO") for _ in range(rng.randint(5, 13)))
        part = int(compiled.workspace.subgames_of(strip + "XO")[0])
        strip = compiled.workspace.board_of(part)
        compiled.mover_wins(strip, "X", SearchLimits(nodes=1))
        mine, theirs = standing(strip), standing(colour_swapped(strip))
        assert tuple(compiled.workspace.subgames.bounds[part]) == mine, strip
        low, high, low_star, high_star = solver.value(strip).bounds
        assert None not in (low, high, low_star, high_star)
        exact = UpBounds(low, low_star, high - 1, high_star - 1)  # type: ignore[arg-type, operator]
        assert all(shown <= true for shown, true in zip(mine, exact, strict=True)), strip
        assert (-theirs.second, -theirs.second_star) >= (high, high_star), strip
        tight += mine.second == low
    assert tight > 20  # they are not just true


def test_sharpened_bounds_are_exact() -> None:
    sharp = Solver(SolverOptions(short=6, sharpen=100, merge=20))
    assert sharp.mover_wins("XO" * 10) is True
    for length in (8, 11, 14):
        for piece in pieces_of("XO", length):
            part = int(sharp.workspace.subgames_of(piece)[0])
            low, high, low_star, high_star = solver.value(piece).bounds
            exact = low, low_star, high - 1, high_star - 1  # type: ignore[operator]
            assert tuple(sharp.workspace.subgames.bounds[part]) == exact, piece
    assert pattern_of("OXXOXXOXX") == "XXO"
    assert pattern_of("XXOOXOXXOOXXXOX") is None


def test_the_law_of_xxo_holds_for_every_n(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(law, "PERIOD_SEARCH_CELLS", 90)  # 88 cells are
    found = law.find_pattern_bounds("XXO", 500)
    assert (found.period, found.gain) == (6, 1)
    assert len(found.bounds) < 50  # the rest follows
    for n in (*range(1, 100), 499, 500, 10**6):
        assert found.bounds_of(n)[:2] == ((n + 1) // 2, (n + 1) // 2)
    further = law._pattern_bounds("XXO", 34)  # past what the law was found from
    assert further.bounds == tuple(found.bounds_of(n) for n in range(1, 35))


NO_UP, STAR, DOWN, DOWN_STAR = (0, 0), (0, 1), (-1, 0), (-1, 1)  # ups, stars


@pytest.mark.parametrize(
    ("pattern", "first", "values"),  # `values` repeat from n = `first` on
    [
        ("XXOO", 1, [NO_UP]),
        ("XOOX", 1, [NO_UP]),
        ("XXXOO", 1, [NO_UP]),
        ("XXOOX", 2, [NO_UP]),
        ("XXXOOO", 1, [NO_UP, STAR, STAR, NO_UP]),
        ("XXOOOX", 2, [STAR, DOWN, NO_UP, DOWN_STAR]),
    ],
)
def test_laws_of_values_that_stay_small(pattern: str, first: int, values: list[tuple[int, int]]) -> None:
    found = law.find_pattern_bounds(pattern, 1)
    assert found.period > 0
    assert found.gain == 0
    exact = run_experiment(pattern, 8).values
    for n in (*range(first, 200), 10**6 + 1):
        k, star = values[(n - first) % len(values)]
        low, high, low_star, high_star = found.bounds_of(n)
        assert (low_star, high_star) == (k, k) if star else (low, high) == (k, k)
        if n <= len(exact):
            assert str(exact[n - 1]) == {NO_UP: "0", STAR: "*", DOWN: "v", DOWN_STAR: "v*"}[k, star]


@pytest.mark.parametrize(("pattern", "first"), [("XXXO", 3), ("XXOX", 3), ("XOX", 9)])
def test_laws_of_strips_that_left_wins(pattern: str, first: int) -> None:
    found = law.find_pattern_bounds(pattern, 1)
    assert found.gain > 0
    for n in (*range(first, 200), 10**6 + 1):
        low, _, low_star, _ = found.bounds_of(n)
        assert low > 0 or low_star > 1  # up and 2 up + star are positive
    assert all(value.outcome == "L" for value in run_experiment(pattern, 6).values[first - 1 :])


@pytest.mark.parametrize("pattern", ["XO", "XXO", "XXXO", "XXOO", "XOXXO"])
def test_laws_agree_with_values(pattern: str) -> None:
    repeats = 24 // len(pattern)
    found = law._pattern_bounds(pattern, repeats)
    values = run_experiment(pattern, repeats).values
    assert all(found.agrees(n, value) for n, value in enumerate(values, 1))
    for n, value in enumerate(values, 1):
        if found.decides(n):
            assert not found.agrees(n, value + value.values.read("^"))


def test_a_proof_rests_on_bounds_that_were_shown() -> None:
    text = prove_position(Solver(SolverOptions(short=6, merge=20)), "XO" * 13, "X")
    assert text is not None
    proof = json.loads(text)
    by_bounds = [
        number
        for number, node in enumerate(proof["sums"])
        if node.get("by") == "bounds" and any(isinstance(term, str) for term in node["sum"])
    ]
    assert by_bounds
    assert checker.verify(text)[1] == len(proof["sums"])
    for number in by_bounds[:5]:  # without the sums before, nothing is known of its parts
        node = proof["sums"][number]
        alone = {**proof, "sums": [node]}
        with pytest.raises(checker.ProofError, match="not shown"):
            checker.verify(json.dumps(alone))
    with pytest.raises(checker.Unchecked, match="the first 0 of its"):
        checker.verify(text, seconds=0)
    endless = {**proof, "board": "XO" * 60, "sums": [{"sum": ["XO" * 60], "won": True, "by": "values"}]}
    with pytest.raises(checker.Unchecked, match="the first 0 of its 1 sums"):  # within a sum, too
        checker.verify(json.dumps(endless), seconds=0.2)


def test_a_forged_database_whose_checksum_is_right_is_found_out(tmp_path: Path) -> None:
    path = tmp_path / "values"
    with ThreadPoolExecutor(1) as executor:
        make_database(path, longest=6, alternating=8, width=5, executor=executor)
    database = Database(path)
    arrays = {name: database.array(name) for name in database.header["arrays"]}
    for length in range(2, 7):
        arrays[f"strips-{length}"] = arrays[f"strips-{length}"][::-1]  # the values of the opposites
    facts = {name: value for name, value in database.header.items() if name != "arrays"}
    _write(path, facts, arrays)
    with pytest.raises(DatabaseError, match="create it again"):
        Database(path).load_into(Workspace())


def test_the_laboratory_checks_itself(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(law, "PERIOD_SEARCH_CELLS", 90)
    assert cli.run(["clobber", "lab", "XXO", "-n", "12", "--check"]) == 0
    shown = capsys.readouterr().out
    assert "agree with all 12 values, and alone decide 12" in shown
    assert "for every n: from 38 cells on, the bounds of n + 2 are those of n and 1 up" in shown
    assert cli.run(["clobber", "lab", "XO", "-n", "4", "--check", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["check"]["decided"] == 2
