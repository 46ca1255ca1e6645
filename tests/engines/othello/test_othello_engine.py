"""The Othello engine: kernels against simple implementations, known endgames, and player behaviour."""

from __future__ import annotations

import functools
import os
import random
import subprocess
import sys
import threading
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tengen.arena import othello_endgame_bench
from tengen.arena.othello_endgame_bench import measure
from tengen.core.compiled.kernel import kernel
from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.engines.othello import engine as engine_module
from tengen.engines.othello import searcher
from tengen.engines.othello.endgame.kernels.last_empties import odd_quadrants
from tengen.engines.othello.endgame.kernels.stability import edge_stability_table, stable_discs
from tengen.engines.othello.engine import OthelloEngine
from tengen.engines.othello.human_errors import choose_with_human_errors
from tengen.engines.othello.kernels import table_entry
from tengen.engines.othello.midgame.kernels.probcut import NO_SELECTIVITY, confidence_percent
from tengen.engines.othello.root_position import RootPosition
from tengen.engines.othello.search_memory import SWITCH_BITS, SearchMemory
from tengen.engines.othello.training.accuracy import read_solved_positions
from tengen.games.othello import Othello, rules
from tengen.games.othello.lanes import full_lines
from tengen.search.kernels.transposition_table import age_of, depth_of
from tengen.search.limits import Clock, Limits, StopFlag
from tengen.search.report import Kind, Value
from tengen.search.threads import UNLIMITED_NODES, KernelThreads
from tests.reference import othello_endgame as plain

ALL = (1 << 64) - 1
EVERYTHING = sum(SWITCH_BITS.values())
boards = st.tuples(st.integers(0, ALL), st.integers(0, ALL)).map(lambda pair: (pair[0] & ~pair[1], pair[1]))

# The best scores of the endgame tests of the Fédération Française d'Othello, numbers 40 to 44.
FFO = {
    40: ("O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X", 38, {"a2"}),
    41: ("-OOOOO----OOOOX--OOOOOO-XXXXXOO--XXOOX--OOXOXX----OXXO---OOO--O- X", 0, {"h4"}),
    42: ("--OOO-------XX-OOOOOOXOO-OOOOXOOX-OOOXXO---OOXOO---OOOXO--OOOO-- X", 6, {"g2"}),
    43: ("--XXXXX---XXXX---OOOXX---OOXXXX--OOXXXO-OOOOXOO----XOX----XXXXX- O", -12, {"c7", "g3"}),
    44: ("--O-X-O---O-XO-O-OOXXXOOOOOOXXXOOOOOXX--XXOOXO----XXXX-----XXX-- O", -14, {"b8", "d2"}),
}


@kernel
def lanes(square, mover, enemy):
    return rules.find_moves(mover, enemy, np.uint64(0xFFFFFFFFFFFFFFFF)), rules.find_flips(square, mover, enemy)


@kernel
def find_full_lines(discs):
    return full_lines(discs)


@kernel
def stable(mine, other, edges):
    return stable_discs(mine, other, edges)


@kernel
def find_odd_quadrants(empties):
    return odd_quadrants(empties)


@kernel
def pack_and_unpack(move, depth, selectivity, age, lower, upper):
    entry = table_entry.pack(move, depth, selectivity, age, lower, upper)
    bounds = table_entry.lower_of(entry), table_entry.upper_of(entry)
    return table_entry.move_of(entry), depth_of(entry), table_entry.selectivity_of(entry), age_of(entry), *bounds


@given(boards, st.integers(0, 63))
@settings(max_examples=400, deadline=None)
def test_vectorised_moves_and_flips_match_the_plain_rules(discs: tuple[int, int], square: int) -> None:
    free = ALL ^ 1 << square
    mover, enemy = np.uint64(discs[0] & free), np.uint64(discs[1] & free)
    moves, flips = lanes(np.uint64(square), mover, enemy)
    assert moves == rules.find_moves(mover, enemy, np.uint64(ALL))
    assert flips == rules.find_flips(square, mover, enemy)


@given(st.lists(st.integers(0, 63), max_size=8))
@settings(max_examples=200, deadline=None)
def test_full_lines_have_no_empty_square(empties: list[int]) -> None:
    discs = ALL
    for square in empties:
        discs &= ~(1 << square)
    lines_through = (
        lambda row, column: row,
        lambda row, column: column,
        lambda row, column: row + column,
        lambda row, column: row - column,
    )
    for line_of, compiled, interpreted in zip(
        lines_through, find_full_lines(np.uint64(discs)), full_lines(np.uint64(discs)), strict=True
    ):
        open_lines = {line_of(*divmod(square, 8)) for square in empties}
        full = sum(1 << square for square in range(64) if line_of(*divmod(square, 8)) not in open_lines)
        assert compiled == interpreted == full


@given(st.integers(0, ALL))
@settings(max_examples=100, deadline=None)
def test_odd_quadrants_have_an_odd_number_of_empty_squares(empties: int) -> None:
    quadrants = [0x0F0F0F0F << shift for shift in (0, 4, 32, 36)]
    odd = sum(quadrant for quadrant in quadrants if (empties & quadrant).bit_count() % 2)
    assert find_odd_quadrants(np.uint64(empties)) == odd


def endgame_position(empties: int, seed: int) -> RootPosition:
    """A position after random moves with `empties` empty squares."""
    rng = random.Random(f"{empties} {seed}")
    while True:
        root = RootPosition(0x0000000810000000, 0x0000001008000000, ALL ^ 0x0000001818000000)
        while root.empty_count > empties and root.legal_squares:
            root = root.play(rng.choice(root.legal_squares))
        if root.empty_count == empties and root.legal_squares:
            return root


@functools.cache
def search_memory() -> SearchMemory:
    return SearchMemory(4, KernelThreads(1, "test"))


def exact(
    root: RootPosition, *, switches: int = EVERYTHING, draw_value: int = 0, selectivity: int = NO_SELECTIVITY
) -> int:
    """Value of a position in centi-discs, searched to the end."""
    memory = search_memory()
    memory.clear()
    memory.prepare(root, switches, draw_value)
    memory.records["node_limit"] = UNLIMITED_NODES
    memory.search(0, root, root.legal_squares, (-6400, 6400), root.empty_count, selectivity)
    assert memory.records["done"][0]
    return int(memory.records["best_value"][0])


@pytest.mark.parametrize(
    ("empties", "positions"), [(1, 100), (2, 200), (3, 300), (4, 400), (5, 400), (6, 400), (7, 300), (8, 200),
                               (9, 40), (10, 12), (12, 1)]
)  # fmt: skip
def test_endgame_matches_plain_minimax(empties: int, positions: int) -> None:
    for seed in range(positions):
        root = endgame_position(empties, seed)
        assert exact(root) == 100 * plain.solve(root.mover, root.enemy), root


@pytest.mark.parametrize("off", SWITCH_BITS)
def test_each_search_feature_can_be_switched_off(off: str) -> None:
    differs = False
    selectivity = 0 if off == "probcut" else NO_SELECTIVITY  # ProbCut needs a selective search
    for seed in range(6):
        root = endgame_position(18 if off == "etc" else 15, seed)
        without, nodes = (
            exact(root, switches=EVERYTHING & ~SWITCH_BITS[off], selectivity=selectivity),
            int(search_memory().records["nodes"][0]),
        )
        assert without == exact(root), root
        exact(root, selectivity=selectivity)
        differs |= nodes != int(search_memory().records["nodes"][0])
    assert differs, "each switch changes the node count"


def test_contempt_changes_the_value_of_draws_only() -> None:
    seen = set()
    for seed in range(150):
        root = endgame_position(9, seed)
        true = exact(root)
        seen.add(true == 0)
        for draw_value in (-50, 50):
            found = exact(root, draw_value=draw_value)
            assert found == (draw_value if true == 0 else true)
    assert seen == {True, False}


@given(boards)
@settings(max_examples=60, deadline=None)
def test_stable_discs_are_never_flipped(discs: tuple[int, int]) -> None:
    """Whatever both sides play, at random and out of turn, at least as many discs stay as were counted."""
    mine, other = discs
    count = int(stable(np.uint64(mine), np.uint64(other), edge_stability_table()))
    rng = random.Random(mine)
    for _ in range(10):
        sides, never_turned = [mine, other], mine
        for _ in range(60):
            side = rng.randrange(2)
            moves = int(rules.find_moves(np.uint64(sides[side]), np.uint64(sides[1 - side]), np.uint64(ALL)))
            if not moves:
                side = 1 - side
                moves = int(rules.find_moves(np.uint64(sides[side]), np.uint64(sides[1 - side]), np.uint64(ALL)))
            if not moves:
                break
            square = rng.choice([s for s in range(64) if moves >> s & 1])
            flips = int(rules.find_flips(square, np.uint64(sides[side]), np.uint64(sides[1 - side])))
            sides[side] |= flips | 1 << square
            sides[1 - side] ^= flips
            never_turned &= ~flips
        assert never_turned.bit_count() >= count


def test_corners_and_full_edges_are_stable() -> None:
    assert stable(np.uint64(0x81), np.uint64(0), edge_stability_table()) == 2
    assert stable(np.uint64(0xFF), np.uint64(0), edge_stability_table()) == 8
    assert stable(np.uint64(ALL), np.uint64(0), edge_stability_table()) == 64
    assert stable(np.uint64(0x7E), np.uint64(0), edge_stability_table()) == 0


@given(
    st.integers(0, 255), st.integers(0, 60), st.integers(0, NO_SELECTIVITY), st.integers(0, 63),
    st.integers(-6400, 6400), st.integers(-6400, 6400),
)  # fmt: skip
@settings(deadline=None)
def test_table_entries_round_trip(
    move: int, depth: int, selectivity: int, age: int, lower: int, upper: int
) -> None:
    fields = (move, depth, selectivity, age, lower, upper)
    assert pack_and_unpack(*fields) == fields


def test_confidence_of_each_selectivity() -> None:
    assert [confidence_percent(selectivity) for selectivity in range(NO_SELECTIVITY + 1)] == [73, 87, 95, 99, 100]


def ffo(number: int) -> Position:
    return Othello(board=FFO[number][0]).start()


@pytest.mark.parametrize("number", FFO)
def test_ffo_endgames(number: int) -> None:
    _, score, best = FFO[number]
    report = OthelloEngine().solve(ffo(number))
    assert (report.value.amount, report.value.kind) == (score, Kind.EXACT)
    assert report.best in best
    end = ffo(number).play_all(report.line)
    assert end.is_over, "the line of a solved position ends with the game"
    assert end.final_score == (1000 * score if number < 43 else -1000 * score), "and has its score"


def test_solve_every_move_and_win_loss_draw() -> None:
    root = endgame_position(11, 5)
    position = Othello(board=text(root)).start()
    engine = OthelloEngine(table=4)
    report = engine.solve(position, every_move=True)
    assert len(report.candidates) == len(position.legal_moves)
    for candidate in report.candidates:
        after = root.play(root.move_to_square(position.game.read_move(candidate.move, position)))
        assert candidate.value.amount == -plain.solve(after.mover, after.enemy)
    amount = report.value.amount
    result = engine.solve(position, wld=True).value
    assert (result.unit, result.kind) == ("wins", Kind.EXACT)
    assert result.amount == (amount > 0) - (amount < 0)


def text(root: RootPosition) -> str:
    symbols = ["X" if root.mover >> s & 1 else "O" if root.enemy >> s & 1 else "-" for s in range(64)]
    return "".join(symbols) + " X"


def test_two_threads_match_one() -> None:
    for seed in range(3):
        position = Othello(board=text(endgame_position(17, seed))).start()
        one, two = (OthelloEngine(threads=threads).solve(position).value for threads in (1, 2))
        assert one == two


def test_smaller_boards_are_solved() -> None:
    engine = OthelloEngine(table=4)
    report = engine.search(Othello(size=4).start(), Limits())
    assert (report.value.amount, report.value.kind) == (-10, Kind.EXACT)
    report = engine.search(Othello(size=6).start(), Limits(depth=6))
    assert report.value.kind is Kind.HEURISTIC
    assert len(report.line) >= 1


def test_six_by_six_best_line_keeps_its_value() -> None:
    """`tengen solve othello size=6` finds this line, -4 for the first player, in a few minutes."""
    line = "c2b4c5d2e4e3d1c1b1d5d6f4b3b2f3f2e2b6a4a3a5a6a1a2f1c6e1e6e5b5f5f6"
    moves_of_it = [line[thread : thread + 2] for thread in range(0, len(line), 2)]
    engine, game = OthelloEngine(table=16), Othello(size=6)
    for moves in (14, 17, 20, 26):
        position = game.start().play_all(moves_of_it[:moves])
        report = engine.solve(position)
        assert report.value.kind is Kind.EXACT
        assert report.value.amount == (-4 if position.to_move == 0 else 4)


def test_results_are_labelled_exact_or_selective(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searcher, "MAX_EMPTIES_ONE_SELECTIVE_PASS", 13)
    position = Othello(board=text(endgame_position(17, 1))).start()
    seen = []
    final = OthelloEngine().search(position, Limits(), on_progress=seen.append)
    for report in seen:
        assert report.value.kind is not Kind.EXACT
        assert report.depth <= 17
    assert {73, 95} <= {report.trust for report in seen if report.depth == 17}
    assert (final.value.kind, final.depth, final.trust) == (Kind.EXACT, 17, 100)


def test_a_deep_solve_can_be_stopped() -> None:
    engine = OthelloEngine(threads=2)
    engine.search(Othello().start(), Limits(depth=8))
    stop = StopFlag()
    threading.Timer(0.3, stop.set).start()
    report = engine.solve(Othello().start(), stop=stop)  # solving it would take years
    assert report.value.kind is Kind.HEURISTIC


def test_node_limit_and_determinism() -> None:
    position = Othello().start()
    first, second = (OthelloEngine().search(position, Limits(nodes=30_000)) for _ in range(2))
    assert first.nodes < 40_000
    assert (first.best, first.value, first.nodes, first.line) == (
        second.best,
        second.value,
        second.nodes,
        second.line,
    )


@pytest.mark.parametrize(("nodes", "threads"), [(100, 2), (301, 3), (1001, 2), (20_000, 3)])
def test_node_limit_with_several_threads(nodes: int, threads: int) -> None:
    report = OthelloEngine(threads=threads, table=1).search(Othello().start(), Limits(nodes=nodes))
    assert report.best in {"d3", "c4", "f5", "e6"}
    assert report.nodes < 2 * nodes + 2000


def test_clock_time_is_allotted_to_moves_before_the_endgame(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def deepen(name, position, limits, searcher, **rest):  # type: ignore[no-untyped-def]
        asked.append(limits.thinking_time())
        raise KeyboardInterrupt

    monkeypatch.setattr(engine_module, "deepen", deepen)
    engine = OthelloEngine(table=1)
    for position in (Othello().start(), Othello(board=text(endgame_position(24, 1))).start()):
        with pytest.raises(KeyboardInterrupt):
            engine.search(position, Limits(clock=Clock(60.0)))
    opening, late = asked
    assert 1 < opening < 4
    assert late > 10, "the last searches before the endgame may use the remaining time"


def test_human_errors() -> None:
    """Errors cost discs, greed flips many; values stay those of the search."""
    position = Othello(board=text(endgame_position(20, 3))).start()
    sharp = OthelloEngine(table=1).search(position, Limits(depth=2, lines=60))
    values = {candidate.move: candidate.value for candidate in sharp.candidates}
    chosen = []
    for seed in range(12):
        report = OthelloEngine(table=1, error=8.0, seed=seed).search(position, Limits(depth=2))
        assert report.value == values[report.best]
        chosen.append(values[report.best].amount)
    assert len(set(chosen)) > 1
    assert np.mean(chosen) < sharp.value.amount
    even = tuple(replace(one, value=Value.heuristic(0.0, "discs")) for one in sharp.candidates)
    greedy = choose_with_human_errors(
        replace(sharp, candidates=even), position, 0.0, 1.0, np.random.default_rng(1)
    )

    def discs_flipped(move: str) -> int:
        after = position.play(move).state
        return int(position.state.enemy).bit_count() - int(after.othello_mover).bit_count()

    assert discs_flipped(greedy.best) == max(
        discs_flipped(position.game.write_move(move)) for move in position.legal_moves
    )


def test_search_matches_without_jit() -> None:
    code = """
import warnings
warnings.simplefilter("ignore")  # NumPy scalars warn about 64-bit overflow
from tengen.engines.othello.engine import OthelloEngine
from tengen.games.othello import Othello
from tengen.search.limits import Limits
position = Othello(size=4).start().play_all(["b1", "a1", "a2"])
report = OthelloEngine(table=1).search(position, Limits())
print(report.best, report.value, report.nodes, report.line)
"""
    plain, compiled = (
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "NUMBA_DISABLE_JIT": switch},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for switch in ("1", "0")
    )
    assert plain == compiled
    assert "exact" in plain


def test_endgame_benchmark_checks_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    found = measure(1, table=16)
    assert found.positions == 1
    assert found.nodes > 10_000
    assert "1 endgames of 20 empty squares, 1 thread: mean" in str(found)
    solved = read_solved_positions()
    monkeypatch.setattr(
        othello_endgame_bench, "read_solved_positions", lambda: replace(solved, scores=solved.scores + 2)
    )
    with pytest.raises(TengenError, match="position 1 has the score"):
        measure(1, table=16)


def test_a_depth_limit_holds_to_the_last_square() -> None:
    engine = OthelloEngine(table=1)
    rng = random.Random(5)
    position = Othello().start()
    while not position.is_over:
        if position.ply < 44:
            position = position.play(rng.choice(position.legal_moves))
            continue
        report = engine.search(position, Limits(depth=2))
        assert report.depth <= 2
        position = position.play(report.best)
