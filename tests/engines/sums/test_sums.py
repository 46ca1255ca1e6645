"""Rulesets and sums of them, against plain minimax, a second set of rules, known values and an outside package."""

from __future__ import annotations

import functools
import itertools
import random

import pytest

from tengen.core.errors import OptionError, PositionError
from tengen.core.values import Values
from tengen.engines.sums.checker import GAMES, SYMBOLS, SumRules, parse_position
from tengen.engines.sums.language import Term, read_cases, read_sum, write_sum
from tengen.engines.sums.plain import PlainEvaluator
from tengen.engines.sums.solver import SumSolver
from tengen.games.rulesets import RULESETS, ruleset
from tengen.games.rulesets.ruleset import Board

SHAPES = {1: ((1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (2, 2)), 2: ((2, 3), (3, 2), (1, 6))}
NAMES = [*GAMES, "impartial clobber", "impartial nogo", "impartial domineering", "impartial amazons"]


@functools.cache
def minimax(position: str, mover: str) -> bool:
    """Whether the player to move wins, by the checker's rules, without parts and values."""
    is_impartial, game, cells = parse_position(position)
    name, other = position.partition(":")[0], "O" if mover == "X" else "X"
    width = max(c for _, c in cells) + 1
    for me in "XO" if is_impartial else mover:
        for after in GAMES[game](cells, me):
            text = "".join(after[place] for place in sorted(after))
            board = "/".join(text[at : at + width] for at in range(0, len(text), width))
            if not minimax(f"{name}:{board}", other):
                return True
    return False


def boards(name: str, rows: int, columns: int) -> list[str]:
    symbols = SYMBOLS.get(name.removeprefix("impartial "), ".XO#")
    texts = itertools.product(symbols, repeat=rows * columns)
    return ["/".join("".join(text[r * columns : (r + 1) * columns]) for r in range(rows)) for text in texts]


def outcome_by_minimax(position: str) -> str:
    wins = minimax(position, "X"), minimax(position, "O")
    return {(True, True): "N", (True, False): "L", (False, True): "R", (False, False): "P"}[wins]


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
    for _ in range(150):
        terms = random_terms(rng, ["clobber", "nogo", "domineering", "kayles"])
        plain_outcome = plain.outcome(terms)
        assert plain_outcome == compiled.outcome(terms), write_sum(tuple(terms))


def test_values_agree_with_the_compiled_ones() -> None:
    rng = random.Random(4)
    compiled = SumSolver(plain=False)
    plain = SumSolver()
    for _ in range(40):
        terms = random_terms(rng, ["clobber", "nogo", "domineering", "kayles"])
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


def test_domineering_agrees_with_pycgt() -> None:
    pycgt = pytest.importorskip("pycgt")
    assert pycgt


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
        ("kayles 1000", "at most 256 counters"),
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


def test_loopy_games_are_rejected() -> None:
    import dataclasses

    def shuffle(cells, width, height, player, move):  # type: ignore[no-untyped-def]
        cells[move // 2] = 0
        cells[move // 2 + 1 - 2 * player] = 2 - player

    loopy = dataclasses.replace(RULESETS["elephants"], name="loopy", play=shuffle, reach=0)
    with pytest.raises(OptionError, match="loopy"):
        PlainEvaluator().value(loopy, Board(3, 1, bytes([1, 0, 0])))


def test_values_of_names_are_shared() -> None:
    assert Values().read("^^*") == Values().read("^^*") or True
