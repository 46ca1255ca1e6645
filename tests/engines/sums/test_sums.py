"""Rulesets and sums of them, against plain minimax, a second set of rules, known values and an outside package."""

from __future__ import annotations

import contextlib
import itertools
import json
import pickle
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tengen.core.errors import OptionError, PositionError
from tengen.core.values import GameValue, PlainValues
from tengen.engines.clobber.analysis import analyse
from tengen.engines.clobber.kernels import sums
from tengen.engines.clobber.proof_format import ProofError
from tengen.engines.clobber.simplest_sums import WIDTH, simplest_known_sums
from tengen.engines.clobber.solver import Solver, make_simplest_sums
from tengen.engines.clobber.solver_options import SolverOptions
from tengen.engines.clobber.workspace import Workspace
from tengen.engines.sums.checker import GAMES, SYMBOLS, SumRules, verify
from tengen.engines.sums.experiments import comparison_page, read_csv, read_files, run_cases, write_csv
from tengen.engines.sums.language import Term, read_cases, read_sum, write_sum
from tengen.engines.sums.plain import PlainEvaluator
from tengen.engines.sums.proof_claim import describe_terms
from tengen.engines.sums.small_clobber import analyse_small
from tengen.engines.sums.solver import SumSolver
from tengen.games.rulesets import RULESETS, ruleset
from tengen.games.rulesets.ruleset import Board
from tests.reference.rulesets import boards, minimax, outcome_by_minimax

SHAPES = {1: ((1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (2, 2)), 2: ((2, 3), (3, 2), (1, 6))}
NAMES = [*GAMES, "impartial clobber", "impartial nogo", "impartial domineering", "impartial amazons"]


def positions(name: str, most: int, seed: int = 1) -> list[str]:
    """Boards of all small shapes, at most `most` of each shape."""
    rng = random.Random(seed)
    found = []
    for shapes in SHAPES.values():
        for shape in shapes:
            every = boards(name, *shape)
            found += every if len(every) <= most else rng.sample(every, most)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_outcomes_agree_with_minimax(name: str) -> None:
    rules, plain = ruleset(name), PlainEvaluator()
    for text in positions(name, 60):
        assert plain.value(rules, rules.read(text)).outcome == outcome_by_minimax(f"{name}:{text}"), text


@pytest.mark.parametrize("name", NAMES)
def test_negatives_and_images(name: str) -> None:
    rules, plain, checker_rules = ruleset(name), PlainEvaluator(), SumRules(PlainEvaluator().values.arithmetic)
    for text in positions(name, 8, seed=2):
        board = rules.read(text)
        value = plain.value(rules, board)
        assert plain.value(rules, rules.negative(board)) == -value
        assert str(rules.normal_form(rules.normal_form(board))) == str(rules.normal_form(board))
        swapped = checker_rules.swapped(f"{name}:{text}").partition(":")[2]
        assert plain.value(rules, rules.read(swapped)) == -value


def random_terms(rng: random.Random, names: list[str]) -> list[Term]:
    terms = []
    for _ in range(rng.randint(1, 3)):
        name = rng.choice(names)
        rows, columns = rng.choice(((1, 4), (2, 3), (1, 6), (2, 2)))
        symbols = SYMBOLS.get(name.removeprefix("impartial "), ".XO#" if name != "amazons" else "..XO")
        text = "".join(rng.choice(symbols) for _ in range(rows * columns))
        rules = ruleset(name)
        terms.append(Term(rules, rules.read("/".join(text[r * columns :][:columns] for r in range(rows)))))
    if rng.random() < 0.5:
        terms.append(Term(value=rng.choice(("1/2", "^", "*", "{1|*}", "±1", "-1", "*2", "vv*"))))
    return terms


def test_random_sums_of_different_games() -> None:
    rng = random.Random(3)
    plain, compiled = SumSolver(), SumSolver(plain=False)
    for _ in range(100):
        terms = random_terms(rng, GAMES_WITH_KERNELS)
        plain_outcome = plain.outcome(terms)
        assert plain_outcome == compiled.outcome(terms), write_sum(tuple(terms))


def test_thousands_of_random_sums_without_values_of_parts() -> None:
    """Parts are searched instead of replaced by their values, beside numbers and hot values."""
    rng = random.Random(8)
    plain, compiled = SumSolver(), SumSolver(plain=False)
    compiled.compiled.workspace.most_valued = 2
    compiled.compiled.solver.control[sums.SHORT] = compiled.compiled.solver.control[sums.SHORT_BOARD] = 2
    for _ in range(2000):
        terms = random_terms(rng, GAMES_WITH_KERNELS)
        terms.append(Term(value=rng.choice(("3", "-2", "1/4", "-1/8", "{3|-2}", "^", "0"))))
        value = plain.value(terms)
        for mover, class_won in (("X", "L"), ("O", "R")):
            wins = value.outcome in ("N", class_won)
            assert compiled.compiled.mover_wins(terms, mover) == wins, write_sum(tuple(terms))


def test_values_agree_with_the_compiled_ones() -> None:
    rng = random.Random(4)
    compiled = SumSolver(plain=False)
    plain = SumSolver()
    for _ in range(40):
        terms = random_terms(rng, GAMES_WITH_KERNELS)
        assert str(plain.value(terms)) == str(compiled.value(terms))


def test_known_values() -> None:
    solver = SumSolver()
    known = {
        "domineering ../..": "±1",
        "domineering .../...": "{2|-1/2}",
        "domineering .../.../...": "±1",
        "domineering ./././.": "2",
        "clobber XXO": "^",
        "clobber (XO)^3": "0",
        "toppling_dominoes XXX": "3",
        "toppling_dominoes XO": "*",
        "toads_and_frogs X.O": "*",
        "elephants X.O": "*",
        "nogo ..": "*",
        "amazons X.": "1",
    }
    for text, value in known.items():
        assert str(solver.value(read_sum(text))) == value, text


def test_kayles_has_its_known_period() -> None:
    solver = SumSolver()
    known = [1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6, 4, 1, 2, 7, 1, 4, 3, 2, 1]
    assert [solver.nim_value(read_sum(f"kayles {n}")) for n in range(1, 21)] == known
    assert solver.nim_value(read_sum("nim 3 + nim 5 + kayles 3")) == 3 ^ 5 ^ 3
    with pytest.raises(OptionError, match="not impartial"):
        solver.nim_value(read_sum("domineering ../.."))


KNOWN_OUTCOMES = {
    # Du and Müller, Solving Linear NoGo with Combinatorial Game Theory, 2025; Du, Wei and Müller, Solving NoGo on
    # Small Rectangular Boards, 2024
    "nogo": {
        **{(1, n): "P" if n in (1, 4) else "N" for n in range(1, 11)},
        (2, 2): "N",
        (2, 3): "P",
        (2, 4): "P",
        (2, 5): "N",
        (3, 3): "N",
        (3, 4): "P",
    },
    # Grossman, Report on the First International Clobber Tournament, 2004; 2x8 and 2x9 by MCGS
    "clobber": {
        **{(2, n): "P" if n % 3 == 0 else "N" for n in range(2, 10)},
        **{(3, n): "P" if n % 2 == 0 else "N" for n in range(3, 7)},
        (4, 4): "N",
        (4, 5): "N",
    },
    # Breuker, Uiterwijk and van den Herik, Solving 8x8 Domineering, 2000
    "domineering": {(2, 2): "N", (2, 3): "N", (3, 3): "N", (4, 4): "N", (5, 5): "P"},
}
KNOWN_NIM_VALUES = {
    # 1xn is Dawson's Kayles; 2xn and 3xn by Winning Ways, and Lemoine and Viennot, 2013
    "impartial domineering": {
        **dict(zip(((1, n) for n in range(1, 14)), (0, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2, 2), strict=True)),
        **{(2, n): n % 2 for n in range(2, 6)},
        (3, 3): 0,
        (3, 4): 1,
        (3, 5): 1,
        (4, 4): 0,
    },
    # MCGS, 2025
    "impartial nogo": {
        **dict(zip(((1, n) for n in range(1, 11)), (0, 1, 0, 1, 2, 0, 1, 0, 1, 2), strict=True)),
        (2, 2): 1,
        (2, 3): 1,
        (2, 4): 0,
        (3, 3): 0,
        (3, 4): 0,
    },
}


def full_board(name: str, rows: int, columns: int) -> Term:
    """An empty board, in Clobber a chequered one."""
    fill = "XO" * columns if name == "clobber" else "." * columns
    text = "/".join(fill[row % 2 : row % 2 + columns] if name == "clobber" else fill for row in range(rows))
    return Term(ruleset(name), ruleset(name).read(text))


@pytest.mark.parametrize("name", KNOWN_OUTCOMES)
def test_outcomes_are_those_of_the_literature(name: str) -> None:
    solver = SumSolver(plain=False)
    for shape, outcome in KNOWN_OUTCOMES[name].items():
        assert solver.outcome([full_board(name, *shape)]) == outcome, shape


@pytest.mark.parametrize("name", KNOWN_NIM_VALUES)
def test_nim_values_are_those_of_the_literature(name: str) -> None:
    solver = SumSolver(plain=False)
    for shape, size in KNOWN_NIM_VALUES[name].items():
        assert solver.nim_value([full_board(name, *shape)]) == size, shape


def converted(values: PlainValues, game: Any) -> GameValue:
    """A value of the package pycgt as one of ours."""
    sides = [[converted(values, option) for option in side] for side in (game.left, game.right)]
    return values.game(*sides)


@pytest.mark.parametrize(
    ("module", "name", "texts"),
    [
        ("domineering", "domineering", ["..../....", ".../.../...", "...../.....", "..#/.../#..", ".#../...."]),
        ("cram", "impartial domineering", ["..../....", ".../.../...", ".#../...."]),
        ("clobber", "clobber", ["XOXO/OXOX", "XXOXO", "XO./OXO", "XXOOXO"]),
        ("toads_and_frogs", "toads_and_frogs", ["XX..OO", "X..OO", "XXX.OO", "X.XO.O"]),
    ],
)
def test_values_agree_with_another_package(module: str, name: str, texts: list[str]) -> None:
    package = pytest.importorskip(f"pycgt.rulesets.{module}")
    plain, rules = PlainEvaluator(), ruleset(name)
    for text in texts:
        if module == "toads_and_frogs":
            found = package.value(text.translate(str.maketrans("XO", "tf")))
        elif module == "clobber":
            found = package.parse(text.lower().replace("/", "\n"))
        else:
            found = package.parse(text.replace("/", "\n"))
        assert converted(plain.values, found) == plain.value(rules, rules.read(text)), text


def test_winning_moves() -> None:
    solver = SumSolver()
    terms = read_sum("domineering ../.. + ^")
    assert solver.winning_moves(terms, "X") == ["1:a2-a1", "1:b2-b1"]
    for name in NAMES:
        rules = ruleset(name)
        text = {1: "X.O", 2: "##"}[1 if "X" in rules.symbols else 2]
        text = ".." if name.endswith("domineering") else text
        for mover, other in ("XO", "OX"):
            term = Term(rules, rules.read(text))
            expected = {
                move: not minimax(f"{name}:{rules.after(term.board, 'XO'.index(mover), code)}", other)
                for code in rules.moves(term.board, "XO".index(mover))
                for move in [rules.write_move(term.board, code)]
            } if "domineering" not in name else None  # fmt: skip
            if expected is not None:
                assert solver.move_verdicts([term], mover) == expected


def test_the_language() -> None:
    assert write_sum(read_sum("clobber xo_ + nim 3 - domineering ..")) == (
        "clobber XO. + nim ### + domineering ./."
    )
    assert write_sum(read_sum("[clobber_1xn] XO (OX) [switch_game] (2 1/2) [up_star] -2* [nogo] ..|X.")) == (
        "clobber XO + clobber OX + {2|1/2} + v2* + nogo ../X."
    )
    cases = read_cases(
        "{version 1.5}\n/* comment */ [kayles] 2 [impartial clobber] XOXO {B win, N 3}\n"
        "[clobber] XO {winning moves W 2-1}\n[value] {1|*} # comment\n {W}"
    )
    assert [str(case) for case in cases] == ["kayles ## + impartial clobber XOXO", "clobber XO", "{1|*}"]
    assert [question.expected for case in cases for question in case.questions] == ["win", "3", "2-1", ""]
    assert [case.line for case in cases] == [2, 3, 5]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("clobber (XO", "bracket is not closed"),
        ("clobber (XO)^-3", "not -3"),
        ("clobber (XO)^99999999999", "at most"),
        ("clobber XO/X", "same number of cells"),
        ("clobber X#", "'#' is not a cell"),
        ("domineering", "board is missing"),
        ("nim 3 + ", "missing beside"),
        ("kayles 5000", "at most 4096 counters"),
        ("[chess] e4", "no game 'chess'"),
        ("[clobber] XO {Q}", "not a command"),
        ("[clobber] XO {B", "not closed"),
        ("[gen_toads] 2,3,2,0:X..O", "not supported"),
        ("amazons " + "." * 41, "at most 40"),
    ],
)
def test_errors_are_clear(text: str, message: str) -> None:
    with pytest.raises(PositionError, match=message):
        read_sum(text)


def test_rulesets_reach_other_processes() -> None:
    for name in NAMES:
        assert pickle.loads(pickle.dumps(ruleset(name))).name == name


def test_sums_of_hot_values() -> None:
    """Means, temperatures and stops decide sums as their exact values do; without them, the search agrees."""
    rng = random.Random(8)
    ways = [Solver(SolverOptions(merge=0, pairs=False, heat=heat)) for heat in (True, False)]

    def number() -> str:
        return f"{rng.randrange(-6, 7)}/{rng.choice([1, 2, 4])}"

    def switch(depth: int) -> str:
        sides = [number() if depth == 0 or rng.random() < 0.4 else switch(depth - 1) for _ in range(2)]
        return "{" + "|".join(sides) + "}"

    for _ in range(150):
        names = [
            rng.choice([switch(2), switch(1), number(), "^", "*", "{0|v*}"]) for _ in range(rng.randint(2, 4))
        ]
        plain = PlainValues()
        total = plain.zero
        for name in names:
            total = total + plain.read(name)
        for solver in ways:
            terms = [solver.workspace.values.read(name) for name in names]
            none = np.zeros(0, np.int64)
            assert solver.left_wins(none, plus=terms) == (total.outcome in "LN"), names
            assert solver.left_wins(none, plus=[-term for term in terms]) == (total.outcome in "RN"), names
    assert 0 < 4 * ways[0].nodes < ways[1].nodes


def test_small_clobber_boards_are_analysed_alike_in_plain_python() -> None:
    rng = random.Random(5)
    solver = Solver()
    for _ in range(40):
        height, width = rng.choice([(1, 5), (1, 12), (2, 4), (3, 3), (3, 4)])
        board = "/".join("".join(rng.choice("XO.XO") for _ in range(width)) for _ in range(height))
        small = analyse_small(board)
        assert small is None or small == analyse(solver, board), board
    assert analyse_small("(XO)^3") is not None
    assert analyse_small("XO" * 7) is None


def test_simplest_sums_are_those_of_the_search() -> None:
    space = Workspace()
    tables = make_simplest_sums(space, SolverOptions().control(), WIDTH)
    found = {}
    for form in np.flatnonzero(tables.sum_id >= 0):
        sum_id, strips = int(tables.sum_id[form]), []
        while sum_id:
            strips.append(space.board_of(int(space.sums.last[sum_id]) >> 1))
            sum_id = int(space.sums.rest[sum_id])
        found[str(space.values.from_form(int(form)))] = " + ".join(sorted(strips)) or "0"
    assert found == simplest_known_sums()


def test_loopy_games_are_rejected() -> None:
    import dataclasses

    def shuffle(cells, width, height, player, move):  # type: ignore[no-untyped-def]
        cells[move // 2] = 0
        cells[move // 2 + 1 - 2 * player] = 2 - player

    loopy = dataclasses.replace(RULESETS["elephants"], name="loopy", play=shuffle, reach=0)
    with pytest.raises(OptionError, match="loopy"):
        PlainEvaluator().value(loopy, Board(3, 1, bytes([1, 0, 0])))


GAMES_WITH_KERNELS = ["clobber", "nogo", "domineering", "kayles"]  # each further one takes a second to compile


def test_proofs_hold_and_tampered_ones_claim_nothing_false() -> None:
    rng = random.Random(5)
    solver = SumSolver(plain=False)
    solver.compiled.solver.control[sums.SHORT] = solver.compiled.solver.control[sums.SHORT_BOARD] = 2
    solver.compiled.workspace.most_valued = 2  # so that proofs have moves
    refused = 0
    for _ in range(12):
        terms = tuple(random_terms(rng, GAMES_WITH_KERNELS))
        mover = rng.choice("XO")
        text = solver.compiled.prove(terms, mover)
        assert text is not None
        proof, count = verify(text)
        assert count == len(proof["sums"])
        wins = PLAIN.mover_wins(terms, mover)
        assert proof["wins"] == wins
        for _ in range(25):
            forged = json.loads(text)
            forged["wins"] = not wins
            for _ in range(rng.randint(0, 4)):
                tamper(forged, rng)
            with contextlib.suppress(ProofError):
                accepted, _ = verify(json.dumps(forged))
                claimed = read_sum(describe_terms(accepted))
                assert PLAIN.mover_wins(claimed, accepted["mover"]) == accepted["wins"], describe_terms(accepted)
                continue
            refused += 1
    assert refused > 200


PLAIN = SumSolver()


def tamper(proof: dict, rng: random.Random) -> None:
    """Change something at random."""
    node = rng.choice(proof["sums"])
    what = rng.randrange(6)
    if what == 0:
        node["won"] = not node["won"]
    elif what == 1 and node["sum"]:
        node["sum"].pop()
    elif what == 2 and node.get("moves"):
        node["moves"].pop(rng.randrange(len(node["moves"])))
    elif what == 3 and "move" in node:
        node["move"][2] = rng.randrange(len(proof["sums"]))
    elif what == 4:
        proof["mover"] = "XO"[proof["mover"] == "X"]
    else:
        node.pop("move", None)
        node["by"] = rng.choice(("values", "bounds"))


def test_the_checker_rejects_other_files() -> None:
    for text in ("", "{}", '{"format": "tengen sum proof", "version": 9}', "[1]"):
        with pytest.raises(ProofError):
            verify(text)


def test_experiments_resume_and_are_compared(tmp_path: Path) -> None:
    file = tmp_path / "some.test"
    file.write_text("[kayles] 5 {N 4} [clobber] XO {B win, W loss} [nogo] .. {winning moves B 1 2} [nim] 2 {B}")
    cases = read_files([tmp_path])
    with ThreadPoolExecutor(1) as executor:
        runs = [
            list(itertools.chain(*run_cases(cases, executor=executor, seconds=10, checkpoint=tmp_path / "jobs")))
            for _ in range(2)
        ]
    assert runs[0] == runs[1]
    assert [row.agrees for row in runs[0]] == ["yes", "yes", "no", "yes", ""]
    (tmp_path / "a.csv").write_text(write_csv(runs[0]))
    rows = read_csv(tmp_path / "a.csv")
    assert sorted(rows, key=lambda row: row.key) == sorted(runs[0], key=lambda row: row.key)
    page = comparison_page(rows, rows, ("before", "after"))
    assert "5 questions in both; 0 results differ; 1 and 1 disagree" in page
