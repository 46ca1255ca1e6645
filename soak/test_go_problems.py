"""A thousand generated Go problems: every move has the result of an exhaustive search, and what is unique is so.

Life and death, capturing races and connections are searched exhaustively in their closed region
(`reference.go_zone`).
Captures within two or three moves are searched with every move of both sides, except that the attacker has to fill
one liberty of the string with each move where there are as many as moves left.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice

import pytest
from tests.helpers.go_life import stones_of
from tests.helpers.go_problems import check_zone
from tests.reference.go_tactics import EveryMove, Spot, Stones

from tengen.app import go_puzzles
from tengen.app.puzzle_files import shipped_puzzles
from tengen.engines.go.puzzles.capture_problems import generate_capture_problems
from tengen.engines.go.puzzles.connection_problems import generate_connection_problems
from tengen.engines.go.puzzles.life_problems import generate_life_problems, generate_race_problems
from tengen.engines.go.puzzles.problem import SIZE, Goal, Problem

PROBLEMS = int(os.environ.get("TENGEN_SOAK_PROBLEMS", "1000"))
SEED = int(os.environ.get("TENGEN_SOAK_SEED", "32"))
SHARES = (
    (generate_life_problems, 0.65),
    (generate_race_problems, 0.2),
    (generate_connection_problems, 0.1),
    (generate_capture_problems, 0.05),
)


class Captures:
    """Which first moves capture a white string within a number of moves, by trying every move."""

    def __init__(self, stones: Stones, target: Spot) -> None:
        self.rules, self.start, self.target = EveryMove(SIZE, SIZE, 1, 2), stones, target

    def works(self, stones: Stones, left: int, path: tuple[Stones, ...]) -> bool:
        """Whether Black, to move, captures with at most this number of moves."""
        liberties = self.rules.string(stones, self.target)[1]
        if len(liberties) > left:
            return False
        points = liberties if len(liberties) == left else self.rules.inside - set(stones)
        return any(self.move_works(stones, point, left, path) for point in points)

    def move_works(self, stones: Stones, point: Spot, left: int, path: tuple[Stones, ...]) -> bool:
        played = self.rules.play(stones, point, 1)
        if played is None or played[0] in path:
            return False
        after, path = played[0], (*path, played[0])
        if self.target not in after:
            return True
        if left == 1 or not self.works(after, left - 1, path):
            return False
        for answer in self.rules.inside - set(after):
            reply = self.rules.play(after, answer, 2)
            if (
                reply is not None
                and reply[0] not in path
                and not self.works(reply[0], left - 1, (*path, reply[0]))
            ):
                return False
        return True


def check_capture(problem: Problem) -> str:
    position, game = problem.position, problem.position.game
    stones = stones_of(position)
    search = Captures(stones, problem.stones[0])
    right = {
        game.write_move(game.point(point))  # type: ignore[attr-defined]
        for point in search.rules.inside - set(stones)
        if search.move_works(stones, point, problem.moves, (stones,))
    }
    assert right == set(problem.right), problem.rows
    assert not search.works(stones, problem.moves - 1, (stones,)), "it takes that many moves"
    return "searched"


@pytest.mark.timeout(7200)
@pytest.mark.parametrize(("generate", "share"), SHARES)
def test_every_move_of_a_problem_has_its_true_result(
    generate: Callable[[int], Iterator[Problem]], share: float
) -> None:
    """With `-s`, prints how many problems were searched, of which goal."""
    counts: Counter[str] = Counter()
    for problem in islice(generate(SEED), round(share * PROBLEMS)):
        legal = problem.position.write_moves(move for move in problem.position.legal_moves)
        assert sorted((*problem.right, *problem.ko, *problem.wrong, "pass")) == sorted(legal), "complete"
        assert len(problem.right) == 1, "unique"
        how = check_capture(problem) if problem.goal is Goal.CAPTURE else check_zone(problem)
        counts[f"{problem.goal}, {how}"] += 1
        counts["with a ko"] += bool(problem.ko)
    print(dict(counts))
    assert not any("too large" in name for name in counts)


@pytest.mark.parametrize("kind", go_puzzles.KINDS)
def test_shipped_problems(kind: str) -> None:
    for puzzle in shipped_puzzles(kind):
        rows = str(puzzle.options["board"]).split()[0]
        by_reason: dict[str, list[str]] = {}
        for one in puzzle.report.candidates:
            by_reason.setdefault("ko" if "ko" in one.reason else "other", []).append(one.move)
        kos = tuple(by_reason.get("ko", ()))
        wrong = tuple(move for move in by_reason["other"] if move not in puzzle.right)
        goal = next(goal for goal in Goal if f" {goal} " in puzzle.task)
        moves = next((number for number in (2, 3) if f"in {number} moves" in puzzle.task), 0)
        problem = Problem(goal, rows, puzzle.marked, puzzle.right, kos, wrong, moves)
        how = check_capture(problem) if goal is Goal.CAPTURE else check_zone(problem)
        assert how == "searched"
