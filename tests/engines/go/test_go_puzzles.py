"""Go problems: that captures and life and death are what trying everything by the rules alone finds."""

from __future__ import annotations

import random
from itertools import islice

from tengen.app.go_puzzles import to_puzzle
from tengen.app.puzzle_files import shipped_puzzles
from tengen.core.diagram import Point
from tengen.core.position import Position
from tengen.engines.go.puzzles.capture_problems import generate_capture_problems, prove_capture
from tengen.engines.go.puzzles.capture_proof import CaptureProof
from tengen.engines.go.puzzles.connection_problems import generate_connection_problems
from tengen.engines.go.puzzles.life_problems import (
    generate_life_problems,
    generate_race_problems,
    prove_life,
    zone_of,
)
from tengen.engines.go.puzzles.problem import SIZE, Goal, Problem
from tengen.games.go import PASS
from tests.helpers.go_life import life_of, stones_of
from tests.helpers.go_positions import random_position
from tests.helpers.go_problems import check_zone
from tests.reference.go_life import Forced


def captures(position: Position, target: Point, moves: int) -> list[Point]:
    """The moves that capture the stones on a point within so many moves, by the rules and nothing else."""
    found = []
    for move in position.legal_moves:
        after = position.play(move)
        if target not in stones_of(after) or (
            moves > 1
            and move != PASS
            and all(
                target not in stones_of(reply) or captures(reply, target, moves - 1)
                for reply in (after.play(answer) for answer in after.legal_moves)
            )
        ):
            found += position.game.points(move)
    return found


def test_captures_are_those_of_the_rules() -> None:
    rng = random.Random(11)
    lengths = []
    while len(lengths) < 25:
        position = random_position(rng, 4, 3)
        theirs = [point for point, stone in stones_of(position).items() if stone == 2 - position.to_move]
        if position.is_over or not theirs:
            continue
        target = rng.choice(theirs)
        proof = CaptureProof(position)
        for moves in (1, 2):
            expected = captures(position, target, moves)
            assert sorted(proof.capturing_moves(target, moves)) == sorted(expected), position
            if expected:
                break
        lengths.append(moves if expected else 0)
        assert proof.shortest(target, 2) == lengths[-1]
    assert {0, 1, 2} <= set(lengths)  # all cases occurred


def is_complete(problem: Problem) -> bool:
    """Whether every legal move has one result."""
    legal = problem.position.write_moves(move for move in problem.position.legal_moves if move != PASS)
    return sorted((*problem.right, *problem.ko, *problem.wrong)) == sorted(legal)


def test_capture_problems_are_proved_and_those_that_ship() -> None:
    problem = next(generate_capture_problems(1))
    assert problem == prove_capture(problem.rows, problem.stones)
    assert is_complete(problem)
    assert to_puzzle(problem, "go-capture").digest == shipped_puzzles("go-capture")[0].digest


def test_life_problems_are_those_of_trying_everything() -> None:
    problems = list(islice(generate_life_problems(1), 60))
    assert to_puzzle(problems[0], "go-life").digest == shipped_puzzles("go-life")[0].digest
    small = [
        problem for problem in problems if len(zone_of(problem, life_of(SIZE, SIZE))) <= 10
    ]  # or it would take long
    assert {problem.goal for problem in small} == {Goal.KILL, Goal.LIVE}
    for problem in small:
        assert is_complete(problem)
        assert prove_life(problem.rows, problem.goal, life_of(SIZE, SIZE)) == problem
        zone = set(zone_of(problem, life_of(SIZE, SIZE)))
        for move in (*problem.right, *problem.ko, *problem.wrong):
            after = problem.position.play(move)
            assert after.move is not None
            if not set(after.game.points(after.move)) & zone:
                assert move in problem.wrong
                continue
            reached = [is_reached(problem, after, zone, mode) for mode in range(3)]
            assert (move in problem.right) == all(reached)
            assert (move in problem.wrong) == (not any(reached))


def is_reached(problem: Problem, after: Position, zone: set[Point], mode: int) -> bool:
    """Whether the goal is reached after a move, by trying everything; `mode` says who may retake a ko."""
    stones = stones_of(after)
    if problem.goal is Goal.KILL:  # the reference kills Black
        stones = {point: 3 - stone for point, stone in stones.items()}
    if_attacked, if_defended = Forced((SIZE, SIZE), mode, problem.stones[0], zone).outcome(stones)
    return if_defended if problem.goal is Goal.KILL else not if_attacked


def test_capturing_races_are_those_of_searching_every_position() -> None:
    """A soak test compares hundreds, and larger ones."""
    problems = list(islice(generate_race_problems(1), 25))
    assert to_puzzle(problems[0], "go-race").digest == shipped_puzzles("go-race")[0].digest
    small = sorted(problems, key=lambda problem: len(zone_of(problem, life_of(SIZE, SIZE))))[:6]
    assert {problem.goal for problem in small} == {Goal.KILL, Goal.LIVE}
    assert [check_zone(problem) for problem in small] == ["searched"] * 6


def test_connections_are_those_of_searching_every_position() -> None:
    """A soak test compares more of them."""
    problems = list(islice(generate_connection_problems(1), 4))
    assert to_puzzle(problems[0], "go-connection").digest == shipped_puzzles("go-connection")[0].digest
    assert {problem.goal for problem in problems} == {Goal.CONNECT, Goal.CUT}
    assert all(is_complete(problem) for problem in problems)
    assert [check_zone(problem) for problem in problems] == ["searched"] * 4
