"""Problems of Go: verdicts and results of moves are those of the shipped proofs and of trying everything."""

from __future__ import annotations

from itertools import islice

import pytest

import tengen
from tengen.app.deck import PROBLEM
from tengen.app.problems import (
    Outcome,
    ProblemReader,
    Verdict,
    examine,
    moves_of,
    problem_of,
    problem_of_game,
    strings_of,
)
from tengen.core.errors import OptionError
from tengen.engines.go.puzzles.life_problems import generate_life_problems


def test_generated_problems_are_unsettled_and_every_move_has_its_proved_result() -> None:
    for problem in islice(generate_life_problems(1), 10):
        position, target = problem.position, problem.stones[0]
        found = examine(position, target)
        assert found.is_proved
        assert found.verdict is Verdict.UNSETTLED
        by_outcome = {
            outcome: {one.move for one in moves_of(position, target) if one.outcome is outcome}
            for outcome in Outcome
        }
        assert by_outcome[Outcome.WORKS] == set(problem.right)
        assert by_outcome[Outcome.KO] == set(problem.ko)
        assert by_outcome[Outcome.FAILS] <= set(problem.wrong), "moves elsewhere fail, too"
        puzzle = problem_of(position, target)
        assert puzzle is not None
        assert puzzle.kind == PROBLEM
        assert set(puzzle.right) == set(problem.right)
        assert set(puzzle.marked) == set(problem.stones)
        legal = {move for move in position.write_moves(position.legal_moves) if move != "pass"}
        assert {one.move for one in puzzle.report.candidates} == legal, "complete"


def test_what_a_move_elsewhere_leads_to_is_what_happens_without_it() -> None:
    for problem in islice(generate_life_problems(3), 20):
        reader = ProblemReader(problem.position, problem.stones[0])
        elsewhere = reader.elsewhere()
        found = reader.examine()
        assert (elsewhere.outcome is Outcome.KO) == (found.verdict is Verdict.KO)
        assert elsewhere.outcome is not Outcome.WORKS
        assert elsewhere.is_proved
        puzzle = problem_of(problem.position, problem.stones[0])
        assert puzzle is not None
        inside = {one.move for one in reader.moves()}
        words = {one.reason for one in puzzle.report.candidates if one.move not in inside}
        assert len(words) <= 1
        assert all(("ko" in text) == (elsewhere.outcome is Outcome.KO) for text in words)


MIDDLE_GAME = "E5 G5 G4 G6 F4 E7 D6 D7 C6 C7 B7 B8 A8 B6 A7 B5 C5 F5 H5 H6 H4 E4 D4 E3"


def test_verdicts_about_open_strings_agree_with_the_results_of_their_moves() -> None:
    position = tengen.game("go", size=9).start().play_all(MIDDLE_GAME.split())
    settled = 0
    targets = {one.name: one.points[0] for one in strings_of(position)}
    for name in ("A8", "B6", "C6", "C7", "F5"):
        target = targets[name]
        reader = ProblemReader(position, target)
        found, moves = reader.examine(), reader.moves()
        works = {one.move for one in moves if one.outcome is Outcome.WORKS}
        mine = found.owner == position.to_move
        named = found.save if mine else found.kill
        settled += found.verdict is not Verdict.UNCLEAR
        if found.verdict is Verdict.UNSETTLED:
            assert named in works
        elif found.verdict is (Verdict.DEAD if mine else Verdict.ALIVE):
            assert all(one.outcome is Outcome.FAILS for one in moves)
            assert named is None
        elif found.verdict is Verdict.KO:
            assert named is None or named in {one.move for one in moves if one.outcome is not Outcome.FAILS}
        elif found.verdict is Verdict.UNCLEAR:
            assert not found.is_proved
            assert found.kill is found.save is None
    assert settled >= 2


def test_a_problem_is_found_in_the_course_of_a_game() -> None:
    problem = next(generate_life_problems(1))
    start = problem.position
    found = problem_of_game([start, start.play(problem.right[0])])
    assert found is not None
    assert set(found.right) == set(problem.right)
    assert problem_of_game(list(tengen.game("go", size=9).start().play_all(["E5", "C3", "G7"]).line())) is None


def test_what_is_not_shut_in_is_read_and_not_called_proved() -> None:
    open_board = tengen.game("go", size=9).start().play_all(["E5", "D5", "A1", "E4", "A9", "F5", "J1"])
    assert problem_of(open_board) is None
    reader = ProblemReader(open_board, (4, 4))
    assert not reader.is_closed
    assert not reader.examine().is_proved
    assert not any(one.is_proved for one in reader.moves() if one.outcome is not Outcome.WORKS)
    with pytest.raises(OptionError, match="no stone"):
        examine(open_board, (8, 0))
    with pytest.raises(OptionError, match="about Go"):
        examine(tengen.game("othello").start(), (3, 3))
