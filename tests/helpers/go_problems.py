"""Problems of Go in closed regions against an exhaustive search."""

from __future__ import annotations

from tengen.engines.go.puzzles.life_problems import zone_of
from tengen.engines.go.puzzles.problem import SIZE, Goal, Problem
from tests.helpers.go_life import life_of, stones_of
from tests.reference.go_zone import SolvedZone


def check_zone(problem: Problem) -> str:
    """Compare every move; returns what was found."""
    position, game = problem.position, problem.position.game
    zone = set(zone_of(problem, life_of(SIZE, SIZE)))
    target, *others = problem.targets
    solved = SolvedZone(stones_of(position), (SIZE, SIZE), target, zone, other=others[0] if others else None)
    if not solved.is_solved:
        return "too large"
    wanted = problem.goal in (Goal.KILL, Goal.CONNECT)
    for moves, results in (
        (problem.right, {(True, True, True)}),
        (problem.wrong, {(False, False, False)}),
        (problem.ko, {(False, False, True), (False, True, True), (True, False, False), (True, True, False)}),
    ):
        for move in moves:
            point = game.points(game.read_move(move, position))[0]
            reached = tuple(solved.reached_after(mode, point, 1) for mode in range(3))
            assert tuple(one == wanted for one in reached) in results, (problem.rows, move, reached)
    return "searched"
