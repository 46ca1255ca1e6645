"""The small-board solver against a search by the rules."""

from __future__ import annotations

import numpy as np
import pytest

import tengen
from tengen.core.position import Position
from tengen.engines.pente.engine import PenteEngine
from tengen.engines.pente.small.board_tables import new_work
from tengen.engines.pente.small.kernels import patterns
from tengen.engines.pente.small.solver import SmallSolver, is_small, solver_stones
from tengen.engines.registry import create
from tengen.search.limits import StopFlag
from tengen.search.report import Kind, Report, Value
from tengen.search.solve import solve

GAMES = [
    {"size": 5},
    {"size": 5, "goal": 4},
    {"size": 5, "goal": 5, "variant": "freestyle"},
    {"size": 6, "goal": 4},
    {"size": 5, "variant": "no-capture"},
]


def late_positions(options: dict[str, object], empties: int, count: int) -> list[Position]:
    """Positions of random games with `empties` empty points, before the game is over."""
    rng = np.random.default_rng(11)
    game = tengen.game("pente", **options)
    found: list[Position] = []
    while len(found) < count:
        position = game.start()
        while not position.is_over and len(position.legal_moves) != empties:
            position = position.play(int(rng.choice(position.legal_moves)))
        if not position.is_over and position.ply > 1:
            found.append(position)
    return found


@pytest.mark.parametrize("options", GAMES, ids=str)
def test_values_match_a_search_by_the_rules(options) -> None:
    values = set()
    for position in late_positions(options, 6, 12):
        expected = solve(create("alphabeta", position.game, table=4), position, every_move=True)
        report = solve(PenteEngine(table=1), position, every_move=True)
        assert all(candidate.value.kind is Kind.EXACT for candidate in report.candidates)
        assert {c.move: c.value.amount for c in report.candidates} == {
            c.move: c.value.amount for c in expected.candidates
        }
        single = solve(PenteEngine(table=1), position)
        assert single.value == report.value == expected.value
        assert single.best in [c.move for c in report.candidates if c.value == report.value]
        values |= {candidate.value.amount for candidate in report.candidates}
    assert len(values) > 1


def random_positions(options: dict[str, object], games: int) -> list[Position]:
    rng = np.random.default_rng(3)
    found: list[Position] = []
    for _ in range(games):
        position = tengen.game("pente", **options).start()
        while not position.is_over:
            found.append(position)
            position = position.play(int(rng.choice(position.legal_moves)))
    return [position for position in found if position.ply > 1]


@pytest.mark.parametrize("size", [5, 6])
def test_patterns_match_the_rules(size: int) -> None:
    """Rows and captures of every move, as the rules play it."""
    work = new_work(tengen.game("pente", size=size))[0]
    seen = set()
    for position in random_positions({"size": size}, 20):
        (own, enemy), pairs = solver_stones(position)
        empty = work.points & ~(own | enemy)
        rows = patterns.row_points(work, own, enemy)
        captures = patterns.capture_points(work, own, enemy, empty)
        for move in position.legal_moves:
            row, column = divmod(int(move), 20)
            bit = np.uint64(1) << np.uint64((row - 1) * size + column - 1)
            after = position.play(move)
            if after.is_over and after.final_score:
                assert rows & bit or patterns.captured_by(work, bit, own, enemy)
                continue
            assert not rows & bit
            (now_enemy, _), now = solver_stones(after)
            taken = enemy & ~now_enemy
            assert patterns.captured_by(work, bit, own, enemy) == taken
            count = int(now[1] - pairs[0])
            assert [bool(points & bit) for points in captures] == [count >= k for k in (1, 2, 3)]
            seen.add(count)
    assert seen >= {0, 1, 2}


def can_win_with_help(work: np.void, sides: tuple[int, ...], pairs: tuple[int, ...], side: int) -> bool | None:
    """Whether a side (0: on turn) wins if both sides help it; None if that takes more than 3,000 positions."""
    seen, stack = set(), [(*sides, *pairs, side == 0)]
    while stack:
        position = stack.pop()
        if position in seen:
            continue
        seen.add(position)
        if len(seen) > 3000:
            return None
        own, enemy, own_pairs, enemy_pairs, is_helped = position
        for bit in (1 << point for point in range(25)):
            if (own | enemy) & bit:
                continue
            captured = int(patterns.captured_by(work, np.uint64(bit), np.uint64(own), np.uint64(enemy)))
            taken = own_pairs + captured.bit_count() // 2
            row = any(int(line) & bit and not int(line) & ~(own | bit) for line in work.lines[:12])
            if not row and taken < 5:
                stack.append((enemy & ~captured, own | bit, enemy_pairs, taken, not is_helped))
            elif is_helped:
                return True
    return False


def test_who_can_no_longer_win_does_not_even_with_help() -> None:
    work = new_work(tengen.game("pente", size=5))[0]
    claims = wins = 0
    for position in late_positions({"size": 5}, 5, 30) + late_positions({"size": 5}, 3, 90):
        stones, pairs = solver_stones(position)
        empty = work.points & ~(stones[0] | stones[1])
        for side in (0, 1):
            moves = np.uint64((int(empty).bit_count() + 1 - side) // 2)
            claimed = patterns.cannot_win(work, stones[side], stones[1 - side], empty, pairs[side], moves)
            helped = can_win_with_help(work, tuple(map(int, stones)), tuple(map(int, pairs)), side)
            assert not (claimed and helped)
            claims += claimed and helped is False
            wins += helped is True
    assert claims > 10
    assert wins > 10


def plain_value(work: np.void, position: tuple[int, int, int, int], known: dict[tuple[int, ...], int]) -> int:
    """1, 0 or -1 for the side to move, by trying everything."""
    if position in known:
        return known[position]
    own, enemy, own_pairs, enemy_pairs = position
    best = None
    for bit in (1 << point for point in range(25)):
        if (own | enemy) & bit:
            continue
        captured = int(patterns.captured_by(work, np.uint64(bit), np.uint64(own), np.uint64(enemy)))
        taken = own_pairs + captured.bit_count() // 2
        row = any(int(line) & bit and not int(line) & ~(own | bit) for line in work.lines[:12])
        after = (enemy & ~captured, own | bit, enemy_pairs, taken)
        value = 1 if row or taken >= 5 else -plain_value(work, after, known)
        best = value if best is None else max(best, value)
    known[position] = best or 0
    return known[position]


def test_answers_for_other_numbers_of_pairs() -> None:
    """One table for a board with all numbers of captured pairs, against a search that knows nothing of tables."""
    game = tengen.game("pente", size=5)
    work = new_work(game)[0]
    known: dict[tuple[int, ...], int] = {}
    rng = np.random.default_rng(2)
    values = set()
    for position in late_positions({"size": 5}, 3, 12):
        solver = SmallSolver(game, 1, StopFlag(), lambda: None)
        own, enemy = solver_stones(position)[0]
        for pairs in rng.permutation([(a, b) for a in range(5) for b in range(5)]):
            value = plain_value(work, (int(own), int(enemy), int(pairs[0]), int(pairs[1])), known)
            for alpha in rng.permutation([0, -1]):
                assert solver.answer(np.array([own, enemy]), pairs, int(alpha)) == (value > alpha)
            values.add((*map(int, pairs), value))
    assert {value for *_, value in values} == {-1, 0, 1}
    assert len(values) > 40


def test_supported_games() -> None:
    assert is_small(tengen.game("pente", size=6))
    for options in ({"size": 7}, {"size": 5, "variant": "keryo"}, {"size": 5, "variant": "boat"},
                    {"size": 5, "variant": "five-in-a-row"}, {"size": 6, "variant": "poof"}):  # fmt: skip
        assert not is_small(tengen.game("pente", **options))


def test_a_stopped_solve_returns_an_estimate() -> None:
    stop = StopFlag()
    stop.set()
    report = solve(PenteEngine(table=1), tengen.game("pente", size=6).start(), stop=stop)
    assert report.value.kind is Kind.HEURISTIC
    assert report.best in ("C3", "C4", "D3", "D4")


def test_a_partial_solve_reports_only_proved_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Solved moves give a lower bound; knowing that no move wins gives an upper bound."""
    moves = "C3 D2 A5 D5 B3 E4 C1 E3 A3 D4 C2 B2 E5 A1 B1 E1 E2 A4 B4 E3"
    position = tengen.game("pente", size=5, goal=4).start().play_all(moves.split())
    assert solve(PenteEngine(table=1), position).value == Value.exact(0.0, "wins")
    known = {move: solve(PenteEngine(table=1), position.play(move)).value.amount for move in position.legal_moves}
    whole = SmallSolver.value
    for done in range(1, len(known)):
        left = iter(range(done))
        monkeypatch.setattr(
            SmallSolver, "value", lambda self, at, left=left: None if next(left, None) is None else whole(self, at)
        )
        report = solve(PenteEngine(table=1), position, every_move=True)
        best = max(-value for value in list(known.values())[:done])
        assert len(report.candidates) == done
        assert (report.value.kind, report.value.low) == (
            (Kind.BOUND, 0.0) if best == 0 else (Kind.HEURISTIC, None)
        )
    above = SmallSolver.is_above
    monkeypatch.setattr(
        SmallSolver, "is_above", lambda self, at, alpha: None if alpha == 0 else above(self, at, alpha)
    )
    assert solve(PenteEngine(table=1), position).value == Value.proved(0.0, "wins", low=False, high=True)


def test_a_long_solve_reports_progress() -> None:
    stop, reports = StopFlag(), []

    def receive(report: Report) -> None:
        reports.append(report)
        if report.nodes > 0:
            stop.set()

    solve(PenteEngine(table=1), tengen.game("pente", size=6).start(), stop=stop, on_progress=receive)
    assert reports[-1].nodes > 0
    assert reports[-1].value.kind is Kind.HEURISTIC
