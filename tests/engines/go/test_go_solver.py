"""The small-board solver: unconditional life and values against brute force, and published values."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache, partial

import numpy as np
import pytest
from numba import njit

import tengen
from tengen.core.errors import OptionError
from tengen.engines.go.mcts.engine import GoEngine
from tengen.engines.go.solver import prover
from tengen.engines.go.solver.grid import Array, Grid, map_bits
from tengen.engines.go.solver.kernels.benson import MAX_PARTS, unconditionally_alive
from tengen.engines.go.solver.kernels.board import encode, update_sums
from tengen.engines.go.solver.solver import solve_small_board
from tengen.engines.go.solver.value_learning import Windows, learn_weights
from tengen.search.limits import Budget, StopFlag
from tengen.search.report import Kind, Report, Value
from tengen.search.solve import solve
from tests.reference import go as reference


def solved(size: str, ko: str = "positional", board: str = "", **options: bool) -> Report:
    game = tengen.game("go", size=size, komi=0, ko=ko, **({"board": board} if board else {}))
    return solve_small_board(game.start(), 4, **options)


# ---- unconditional life


@njit
def life(own: np.uint64, other: np.uint64, shape: Array, scratch: Array) -> np.uint64:
    return unconditionally_alive(own, other, shape, scratch[0], scratch[1], scratch[2])


def boards(seed: int, width: int, height: int, count: int) -> list[reference.Board]:
    """Boards from random play, many of them nearly full."""
    rng = random.Random(seed)
    grid = reference.Grid(width, height)
    found = []
    for _ in range(count):
        board: reference.Board = (frozenset(), frozenset())
        for ply in range(rng.randint(width * height, 3 * width * height)):
            player = ply % 2 if rng.random() < 0.8 else 0
            free = [point for point in grid.points() if point not in board[0] | board[1]]
            after, _, lost = grid.place(board, player, rng.choice(free)) if free else (board, 0, 1)
            board = board if lost else after
        found.append(board)
    return found


def bits(grid: Grid, stones: frozenset[reference.Point]) -> np.uint64:
    return np.uint64(sum(1 << (row * grid.stride + column) for column, row in stones))


def survivors(grid: reference.Grid, board: reference.Board, player: int) -> frozenset[reference.Point]:
    """Stones that survive all moves of the other side while their owner passes, by exhaustive search."""

    @cache
    def left(board: reference.Board) -> frozenset[reference.Point]:
        stones = board[player]
        for point in grid.points():
            if point not in board[0] | board[1]:
                after, _, lost = grid.place(board, 1 - player, point)
                if not lost:
                    stones &= left(after)
        return stones

    return left(board)


@pytest.mark.parametrize(("width", "height"), [(3, 3), (7, 1)])
def test_unconditional_life_equals_survival_of_all_attacks(width: int, height: int) -> None:
    plain, grid, scratch = reference.Grid(width, height), Grid(width, height), np.zeros((3, MAX_PARTS), np.uint64)
    alive = 0
    for board in boards(width, width, height, 30):
        for player in (0, 1):
            own, other = bits(grid, board[player]), bits(grid, board[1 - player])
            found = life(own, other, grid.shape, scratch)
            expected = survivors(plain, board, player)
            assert found == bits(grid, expected), (board, player)
            alive += bool(expected)
    assert alive


# ---- learned values


@njit
def encoded(mine: np.uint64, theirs: np.uint64, powers: Array, sums: Array) -> None:
    encode(mine, theirs, powers, sums)


@njit
def sums_after(sums: Array, stone: np.uint64, taken: np.uint64, turn: int, powers: Array, into: Array) -> None:
    update_sums(sums, stone, taken, turn, powers, into)


@pytest.mark.parametrize(("width", "height"), [(5, 5), (4, 3), (2, 9), (7, 1)])
def test_symmetric_patterns_share_a_weight(width: int, height: int) -> None:
    grid = Grid(width, height)
    windows = Windows.from_grid(grid)
    assert np.all(windows.powers.sum(axis=0) > 0)
    assert np.all(windows.powers[grid.bits].any(axis=1)), "every point is in a window"
    assert len(np.unique(windows.weight_index)) < len(windows.weight_index)
    for board in boards(1, width, height, 5):
        black, white = (int(bits(grid, stones)) for stones in board)
        seen = set()
        for image in grid.symmetries:
            sums = np.zeros(windows.powers.shape[1], np.int64)
            encoded(np.uint64(map_bits(black, image)), np.uint64(map_bits(white, image)), windows.powers, sums)
            seen.add(tuple(sorted(windows.weight_index[windows.starts + sums])))
        assert len(seen) == 1


def test_incremental_codes_equal_computed_codes() -> None:
    grid = Grid(4, 4)
    powers = grid.tables([])[0]
    plain = reference.Grid(4, 4)
    taken = 0
    for board in boards(7, 4, 4, 60):
        here, there, expected = (np.zeros(powers.shape[1], np.int64) for _ in range(3))
        encoded(bits(grid, board[0]), bits(grid, board[1]), powers, here)
        for player in (0, 1):
            for point in set(plain.points()) - board[0] - board[1]:
                after, _, lost = plain.place(board, player, point)
                if lost:
                    continue
                captured = board[1 - player] - after[1 - player]
                taken += len(captured)
                stone = bits(grid, frozenset([point]))
                sums_after(here, stone, bits(grid, captured), player, powers, there)
                encoded(bits(grid, after[0]), bits(grid, after[1]), powers, expected)
                assert np.array_equal(there, expected)
    assert taken


def test_learned_values_prefer_good_first_moves() -> None:
    grid = Grid(3, 3)
    windows = Windows.from_grid(grid)
    weights = learn_weights(grid, windows, (0, 0, 0), 9, lambda: None)
    assert np.array_equal(weights, learn_weights(grid, windows, (0, 0, 0), 9, lambda: None)), (
        "training is deterministic"
    )

    def learned_value(point: reference.Point) -> int:
        sums = np.zeros(windows.powers.shape[1], np.int64)
        encoded(bits(grid, frozenset([point])), np.uint64(0), windows.powers, sums)
        return int(weights[1, windows.starts + sums].sum(dtype=np.int64))

    assert learned_value((1, 1)) > learned_value((1, 0)) > learned_value((0, 0))


# ---- values


def holds_by_the_rules(
    size: tuple[int, int],
    start: reference.Board,
    to_move: int,
    ko: str,
    goal: int,
    past: Sequence[object] = (),
    passed: bool = False,
) -> bool:
    """Whether Black gets at least `goal` points, by exhaustive search of games with their full history."""
    grid = reference.Grid(*size)
    place = cache(grid.place)

    @cache
    def score(board: reference.Board) -> int:
        black, white = grid.territory(board)
        return len(board[0]) + len(black) - len(board[1]) - len(white)

    def black_can(board: reference.Board, player: int, seen: frozenset[object], passed: bool) -> bool:
        wanted = player == 0
        if passed and (score(board) >= goal) == wanted:
            return wanted
        for point in grid.points():
            if point in board[0] or point in board[1]:
                continue
            after, _, lost = place(board, player, point)
            now = after if ko == "positional" else (after, 1 - player)
            if not lost and now not in seen and black_can(after, 1 - player, seen | {now}, False) == wanted:
                return wanted
        now = board if ko == "positional" else (board, 1 - player)
        if not passed and black_can(board, 1 - player, seen | {now}, True) == wanted:
            return wanted
        return not wanted

    first = start if ko == "positional" else (start, to_move)
    return black_can(start, to_move, frozenset([first, *past]), passed)


SMALL = [
    ("1x1", ""),
    ("1x3", ""),
    ("3x1", "... O"),
    ("2x2", ""),
    ("2x2", "X./.O X"),
    ("2x2", "XX/.O O"),
    ("2x2", "X./.. O"),
    ("4x1", ".X.O O"),
    ("5x1", ".X.O. X"),
]


@pytest.mark.parametrize("ko", ["positional", "situational"])
@pytest.mark.parametrize(("size", "board"), SMALL)
def test_values_equal_an_exhaustive_search(size: str, board: str, ko: str) -> None:
    position = tengen.game("go", size=size, komi=0, ko=ko, **({"board": board} if board else {})).start()
    report = solve_small_board(position, 1)
    assert report.value.kind is Kind.EXACT
    value = round(report.value.amount) * (1 if position.to_move == 0 else -1)
    width, height = position.game.width, position.game.height
    stones = position.diagram().stones
    black, white = (
        frozenset((c, r) for r in range(height) for c in range(width) if stones[r][c] == colour)
        for colour in (1, 2)
    )
    start = (black, white)
    assert holds_by_the_rules((width, height), start, position.to_move, ko, value)
    assert not holds_by_the_rules((width, height), start, position.to_move, ko, value + 1)


# Published by van der Werf and others (docs/measurements/go.md).
KNOWN = {"1x5": 0, "2x3": 0, "2x4": 8, "5x2": 10, "3x3": 9}


@pytest.mark.parametrize("size", KNOWN)
def test_known_values(size: str) -> None:
    report = solved(size)
    assert report.value == Value.exact(KNOWN[size], "points")
    tengen.game("go", size=size).start().play_all(report.line)


def test_every_move_is_valued_and_the_best_comes_first() -> None:
    report = solved("3x3", every_move=True)
    values = {candidate.move: candidate.value for candidate in report.candidates}
    assert {value.kind for value in values.values()} == {Kind.EXACT}
    assert len(values) == 10
    assert (report.best, values["B2"].amount) == ("B2", 9)
    edges = [values[move].amount for move in ("A2", "B1", "B3", "C2")]
    corners = [values[move].amount for move in ("A1", "A3", "C1", "C3")]
    assert (edges, corners, values["pass"].amount) == ([3] * 4, [-9] * 4, -9)


def test_komi_counts_and_the_winner_can_be_solved_alone() -> None:
    game = tengen.game("go", size=3, komi=8.5)
    assert solve(GoEngine(memory=16), game.start()).value == Value.exact(0.5, "points")
    assert solve(GoEngine(memory=16), game.start(), wld=True).value == Value.exact(1, "wins")
    white_to_move = tengen.game("go", size=3, komi=9).start().play("B2")
    assert solve(GoEngine(memory=16), white_to_move, wld=True).value == Value.exact(0, "wins")


def boards_of(width: int, height: int, played: Sequence[str]) -> list[reference.Board]:
    """The boards of a game, the current one last."""
    seen: list[reference.Board] = [(frozenset(), frozenset())]
    for ply, move in enumerate(played):
        point = ("ABCDE".index(move[0]), height - int(move[1])) if move != "pass" else None
        seen.append(reference.Grid(width, height).place(seen[-1], ply % 2, point)[0] if point else seen[-1])
    return seen


def test_superko_includes_the_history_of_the_game() -> None:
    played = ["B1", "A2", "A1", "B2"]
    for ko in ("positional", "situational"):
        position = tengen.game("go", size=2, komi=0, ko=ko).start().play_all(played)
        report = solve_small_board(position, 1)
        seen = boards_of(2, 2, played)
        past = seen if ko == "positional" else [(one, number % 2) for number, one in enumerate(seen)]
        for extra in (0, 1):
            goal = round(report.value.amount) + extra
            assert holds_by_the_rules((2, 2), seen[-1], 0, ko, goal, past) == (extra == 0)
        assert report.value.kind is Kind.EXACT


@pytest.mark.parametrize("ko", ["positional", "situational"])
@pytest.mark.parametrize(("width", "height"), [(2, 2), (4, 1)])
def test_bounds_hold_after_games_with_captures_and_passes(width: int, height: int, ko: str) -> None:
    rng = random.Random(width)
    exact = 0
    for _ in range(25):
        position = tengen.game("go", size=f"{width}x{height}", komi=0, ko=ko).start()
        played: list[str] = []
        for _ in range(rng.randint(1, 9)):
            move = rng.choice(position.legal_moves)
            after = position.play(move)
            if not after.is_over:
                played.append(position.game.write_move(move))
                position = after
        value = solve_small_board(position, 1).value
        sign = 1 if position.to_move == 0 else -1
        low, high = (value.amount, value.amount) if value.kind is Kind.EXACT else (value.low, value.high)
        seen = boards_of(width, height, played)
        past = seen if ko == "positional" else [(one, number % 2) for number, one in enumerate(seen)]
        holds = partial(holds_by_the_rules, (width, height), seen[-1], position.to_move, ko, past=past)
        holds = partial(holds, passed=played[-1:] == ["pass"])
        if sign < 0:
            low, high = (None if bound is None else -bound for bound in (high, low))
        if low is not None:
            assert holds(goal=round(low)), (played, value)
        if high is not None:
            assert not holds(goal=round(high) + 1), (played, value)
        exact += value.kind is Kind.EXACT
    assert exact >= 20


def test_a_capture_forbidden_by_superko_makes_nothing_safe() -> None:
    # The board is .X.OO; Black C1 would repeat .XX.. of the game.
    played = ["C1", "pass", "B1", "E1", "D1", "pass", "E1", "A1", "pass", "D1", "B1", "E1"]
    position = tengen.game("go", size="5x1", komi=0, ko="situational").start().play_all(played)
    report = solve_small_board(position, 1)
    seen = boards_of(5, 1, played)
    past = [(one, number % 2) for number, one in enumerate(seen)]
    assert not holds_by_the_rules((5, 1), seen[-1], 0, "situational", 5, past)
    assert report.value.low is not None
    assert report.value.low < 5
    assert holds_by_the_rules((5, 1), seen[-1], 0, "situational", round(report.value.low), past)


def test_a_second_pass_ends_the_game_with_dead_stones_on_the_board() -> None:
    report = solved("7x1", board=".X.XX.O X", every_move=True)
    values = {candidate.move: candidate.value for candidate in report.candidates}
    assert values["C1"] == Value.exact(7, "points")
    assert values["pass"] == Value.exact(4, "points")


def test_goals_that_ko_leaves_open_do_not_block_others() -> None:
    assert solved("7x1", ko="situational", board=".XO.X.O O").value == Value.exact(-2, "points")


def test_simple_ko_claims_only_what_no_cycle_can_undo() -> None:
    report = solved("2x2", ko="simple")
    assert report.value.kind is Kind.BOUND
    assert solved("3x3", ko="simple").value == Value.exact(9, "points")


def test_progress_reports_do_not_disturb_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prover, "NODES_PER_SLICE", 50)
    monkeypatch.setattr(Budget, "PROGRESS_INTERVAL_S", 0.0)
    told: list[Report] = []
    position = tengen.game("go", size="3x3", komi=0).start().play("B1")
    report = solve_small_board(position, 4, on_progress=told.append)
    assert report.value == Value.exact(-3, "points")
    assert len(told) > 5
    assert all(one.value.kind is Kind.BOUND for one in told)


def test_a_stopped_search_reports_what_is_proved() -> None:
    stop = StopFlag()
    stop.set()
    report = solve_small_board(tengen.game("go", size=5, komi=0).start(), 1, stop=stop)
    assert report.value == Value.proved(25, "points", low=False, high=True)


def test_a_stop_within_a_search_keeps_earlier_proofs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prover, "NODES_PER_SLICE", 50)
    monkeypatch.setattr(Budget, "PROGRESS_INTERVAL_S", 0.0)
    stop = StopFlag()

    def watch(report: Report) -> None:
        if report.value.low is not None:
            stop.set()

    position = tengen.game("go", size="3x4", komi=0).start()
    report = solve_small_board(position, 4, stop=stop, on_progress=watch)
    assert report.value.kind is Kind.BOUND
    assert report.value.low is not None
    assert -12 < report.value.low <= 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": 6}, "boards of up to 30 points"),
        ({"size": 3, "rules": "japanese"}, "area scoring"),
        ({"size": 3, "rules": "tromp-taylor"}, "without suicide"),
        ({"size": 4, "handicap": 2, "free_handicap": True}, "handicap"),
    ],
)
def test_unsupported_positions_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        solve(GoEngine(), tengen.game("go", **options).start())
