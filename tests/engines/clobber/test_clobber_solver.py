"""Clobber solved: against plain minimax, known results, other programs' values; and all that is built on it."""

from __future__ import annotations

import itertools
import json
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from tengen import cli
from tengen.cli import clobber as clobber_commands
from tengen.core.errors import OptionError, PositionError
from tengen.engines.clobber import checker
from tengen.engines.clobber.analysis import analyse, simplest_sum
from tengen.engines.clobber.batch import read_position, run_batch, run_batch_on
from tengen.engines.clobber.database import Database, DatabaseError, make_database
from tengen.engines.clobber.engine import ClobberEngine
from tengen.engines.clobber.parallel import SolverConfig, split
from tengen.engines.clobber.patterns import find_period, run_experiment
from tengen.engines.clobber.proof import prove_position
from tengen.engines.clobber.proof_format import FORMAT, VERSION, ProofError
from tengen.engines.clobber.solver import SearchLimits, Solver, after_moves, make_simplest_sums
from tengen.engines.clobber.solver_options import SolverOptions
from tengen.engines.clobber.workspace import Workspace
from tengen.games import game
from tengen.games.clobber.board import colour_swapped
from tengen.jobs import Progress
from tengen.search.limits import Limits, StopFlag
from tengen.search.report import Kind
from tests.reference import clobber as boards
from tests.reference import strips

OFF = SolverOptions(bounds=False, cancel=False, values=False, pairs=False)
SHORT = SolverOptions(short=6, merge=100)
SEED = SolverOptions(method="deepening", width=8)
SWITCHES = [
    "bounds",
    "cancel",
    "links",
    "lookup",
    "dominance",
    "static",
    "simpler",
    "positive",
    "deepening",
    "best_first",
    "negative_first",
    "quirk",
]

solver = Solver()


def all_strips(length: int) -> list[str]:
    return ["".join(cells) for cells in itertools.product("XO.", repeat=length)]


def test_all_strips_up_to_eight_cells() -> None:
    """Either player first. Longer strips, also by other ways, are in soak/test_clobber_strips.py."""
    for length in range(1, 9):
        for strip in all_strips(length):
            assert solver.outcome(strip) == strips.outcome(strip), strip


OTHERS = {"search": SHORT, "off": OFF, "seed": SEED, "narrow": replace(SEED, width=4)}


@pytest.mark.parametrize("solver_options", OTHERS.values(), ids=OTHERS)
def test_all_strips_by_other_ways(solver_options: SolverOptions) -> None:
    other = Solver(solver_options)
    for length in range(1, 7):
        for strip in all_strips(length):
            expected = strips.outcome(strip)
            assert other.outcome(strip) == expected, strip
            assert solver_options is not SHORT or solver.value(strip).outcome == expected, strip


def test_values_agree_with_pycgt() -> None:
    pycgt = pytest.importorskip("pycgt")
    from pycgt.rulesets import clobber

    known: dict[int, object] = {}

    def converted(form: int) -> object:
        if form not in known:
            value = solver.workspace.values.from_form(form)
            sides = [
                [converted(option.form) for option in side] for side in (value.left_options, value.right_options)
            ]
            known[form] = pycgt.game(*sides)
        return known[form]

    for length in range(2, 10):
        for cells in itertools.product("XO", repeat=length):
            strip = "".join(cells)
            if strip <= strip[::-1]:
                theirs = clobber.value(clobber.row(strip.lower()))
                assert pycgt.canonical(theirs) == converted(solver.value(strip).form), strip


def random_sum(rng: random.Random, length: int, empty: float) -> str:
    return "".join("." if rng.random() < empty else rng.choice("XO") for _ in range(length))


def test_random_sums_with_switches_on_and_off() -> None:
    rng = random.Random(7)
    settings = [SolverOptions(), SHORT, SEED]
    settings += [replace(SEED, width=6, **{name: False}) for name in SWITCHES]
    settings += [replace(SEED, width=6, shallow_metric=True, seed=3), replace(SEED, width=7, next_parts=True)]
    settings += [replace(SEED, width=9, windows=windows, ranked=windows > 1) for windows in (1, 3, 4)]
    solvers = [Solver(solver_options) for solver_options in settings]
    for _ in range(6):
        strip = random_sum(rng, 26, 0.2)
        assert len({each.outcome(strip) for each in solvers}) == 1, strip
    quick = [Solver(), Solver(SHORT), Solver(replace(SHORT, bounds=False)), Solver(replace(SHORT, pairs=False))]
    quick += [Solver(replace(SHORT, bound_after=0)), Solver(replace(SHORT, bound_parts=0))]
    for length in (40, 50, 60):
        for _ in range(3):
            strip = random_sum(rng, length, 0.25)
            assert len({each.outcome(strip) for each in quick}) == 1, strip


def test_known_results() -> None:
    value = solver.value
    read = solver.workspace.values.read
    assert all(solver.outcome("XO" * n) == ("P" if n == 3 else "N") for n in range(1, 25))
    assert value("XO" * 3) == 0
    assert value("OX") == value("OXO") == read("*")
    assert all(value("X" * m + "O" * n) == 0 for m in range(2, 6) for n in range(2, 6))
    for n in range(1, 12):
        assert value("O" + "X" * n) == solver.workspace.values.up(n - 1, star=n % 2 == 1)
        assert value("XXO" * n) == solver.workspace.values.up((n + 1) // 2)
        if n <= 5:
            assert read("v") < value("XO" * (n + 5)) < read("^")
    for strip in ("XXOXO", "XOOXXOX", "XOXXXOOXO"):
        assert value(strip) == value(strip[::-1]) == -value(colour_swapped(strip))
        assert solver.outcome(f"{strip}.{colour_swapped(strip)}") == "P"
    assert [solver.outcome("/".join(("XO" * n)[i : i + n] for i in (0, 1))) for n in range(1, 7)] == list("NNPNNP")


def test_alternating_strips_lie_between_down_and_up() -> None:
    up = solver.workspace.values.up()
    for n in (8, 14, 20):  # equal to its own negative, so one side is enough
        parts = solver.workspace.subgames_of("XO" * n)
        assert solver.left_wins(parts, plus=[up]) is True
        opposite = solver.workspace.subgames_of("OX" * n)
        assert solver.left_wins(opposite, plus=[-up]) is False


def test_rectangles() -> None:
    rng = random.Random(3)
    searching = [
        Solver(replace(SHORT, **settings))
        for settings in (
            {"short_board": 4},
            {"short_board": 0},
            {"short_board": 3, "alike": False, "overlap": 1},
            {"short_board": 3, "parts": False},
        )
    ]
    for rows, columns in ((2, 2), (2, 3), (3, 3), (2, 5), (3, 4)):
        for _ in range(8):
            board = "/".join("".join(rng.choice("XO.XO") for _ in range(columns)) for _ in range(rows))
            expected = boards.outcome(board)
            assert solver.value(board).outcome == expected, board
            assert {each.outcome(board) for each in [solver, *searching]} == {expected}, board


def test_boards_beside_values() -> None:
    """Results of a board beside one value decide it beside others; all agree with the sum's exact value."""
    rng = random.Random(5)
    exact, searching = Solver(), Solver(replace(SHORT, short_board=2, merge=10**6))
    names = ("0", "*", "^", "v", "^*", "v*", "^^", "vv*", "{^|v}", "*2", "{0|v*}")
    for _ in range(8):
        board = "/".join("".join(rng.choice("XO.XO") for _ in range(4)) for _ in range(3))
        for name in names:
            value = exact.workspace.values.read(name)
            total = exact.value(board) + value
            parts = searching.workspace.subgames_of(board)
            for sign in (1, -1):
                mate = searching.workspace.values.read(name)
                beside = [mate if sign == 1 else -mate]
                mine = parts if sign == 1 else searching.workspace.subgames.negative[parts].astype("int64")
                wins = searching.left_wins(mine, plus=beside)
                assert wins == ((total if sign == 1 else -total).outcome in "LN"), (board, name, sign)


@pytest.mark.parametrize(
    ("board", "settings", "megabytes"),
    [
        ("XOXOX/OXOXO/XOXOX/OXOXO", {"short_board": 4}, 5),
        ("XO" * 6 + "/" + "OX" * 6, {"short_board": 4, "short": 6}, 7),
    ],
)
def test_a_search_that_fills_its_memory_begins_again_with_its_results(
    board: str, settings: dict[str, int], megabytes: int
) -> None:
    options = SolverOptions(**settings)
    ample, scarce = Solver(options), Solver(options, megabytes=megabytes)
    assert scarce.mover_wins(board, "X") == ample.mover_wins(board, "X")
    assert ample.nodes < scarce.nodes < 4 * ample.nodes
    assert np.count_nonzero(scarce.workspace.sums.saved_keys) > 1000
    assert len(ample.workspace.sums.saved_keys) == 1


def test_many_questions_in_little_memory() -> None:
    rng = random.Random(12)
    searching = Solver(replace(SHORT, short_board=2), megabytes=2)
    cleared = 0
    for _ in range(250):
        board = "/".join("".join(rng.choice("XO") for _ in range(4)) for _ in range(3))
        before = int(searching.workspace.subgames.counts[0])
        assert searching.outcome(board) == solver.outcome(board), board
        cleared += int(searching.workspace.subgames.counts[0]) < before
    assert cleared > 0


def test_random_boards_in_little_memory() -> None:
    """Results of earlier boards are saved and found again, and stay those of minimax."""
    rng = random.Random(11)
    searching = Solver(replace(SHORT, short_board=2))
    for _ in range(60):
        board = "/".join("".join(rng.choice("XO.XO") for _ in range(4)) for _ in range(3))
        assert searching.outcome(board) == boards.outcome(board), board
        searching.workspace.save_and_clear(searching.workspace.mark() if rng.random() < 0.5 else (1, 0, 0))
        before = searching.nodes
        assert searching.outcome(board) == boards.outcome(board), board
        assert searching.nodes == before


def test_an_effort_that_is_too_small_leaves_it_open_and_more_goes_on() -> None:
    fresh = Solver(SolverOptions(short=10))
    assert fresh.mover_wins("XO" * 20, "X", SearchLimits(nodes=20)) is None
    assert fresh.nodes <= 20
    assert fresh.mover_wins("XO" * 20, "X", SearchLimits(seconds=60)) is True


@pytest.mark.parametrize(
    "solver_options", [SolverOptions(short=10), SolverOptions(short=34), SEED], ids=["search", "values", "seed"]
)
def test_a_stop_ends_a_long_search_and_the_next_one_is_free(solver_options: SolverOptions) -> None:
    """Set while a kernel is at work: at the search, at a value, or at the depths of the original design."""
    Solver(solver_options).mover_wins("XO" * 4, "X")  # compiled before the time counts
    busy = Solver(solver_options)
    stop = StopFlag()
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(busy.mover_wins, "XO" * 64, "X", SearchLimits(stop=stop))
        time.sleep(0.3)
        assert not future.done()
        stop.set()
        assert future.result(timeout=240) is None, "the whole search takes much longer than this sleep"
    assert busy.mover_wins("XO" * 4, "X") is True
    assert busy.mover_wins("XO" * 64, "X", SearchLimits(seconds=0.05)) is None
    assert busy.mover_wins("XO" * 5, "X") is True


def test_a_stopped_analysis_tells_what_is_known() -> None:
    stop = StopFlag()
    stop.set()
    result = analyse(Solver(), "XOXO.XXO", SearchLimits(stop=stop))
    assert result.outcome is result.value is None
    assert result.unknown_moves["X"]
    assert [part.board for part in result.parts] == ["XOXO", "XXO"]


def test_several_processes_agree_with_one() -> None:
    config = SolverConfig(SHORT, 64)
    with ThreadPoolExecutor(1) as executor:
        for board in ("XO" * 9, "XOXOXO", "XXO.XOXOX.OOX", "OX/XO", "XX"):
            for mover in "XO":
                found, _ = split(executor, 3, board, mover, config)
                assert found == solver.mover_wins(board, mover), board
        text = "\n".join(f"{random_sum(random.Random(n), 14, 0.2)} ?" for n in range(20))
        apart = [line for lines, _ in run_batch_on(executor, text, config) for line in lines]
        stop = StopFlag()
        stop.set()
        assert split(executor, 2, "XO" * 40, "X", config, stop=stop)[0] is None
    assert apart == list(run_batch(solver, text))


def test_memory_that_runs_out_leaves_it_open() -> None:
    small = Solver(SolverOptions(short=8, merge=0), megabytes=1)
    assert small.mover_wins("XO" * 34, "X") is None
    assert small.mover_wins("XO" * 6, "X") is True


# ---- proofs


@pytest.mark.parametrize(
    "board", ["XO", "XX", "XO" * 11, "XXO.XOXOX.OOXO", "XOX/OXO", "XOXOXXO.OXOXOOX", "XOXOXOXOXOXXO.OOXO"]
)
@pytest.mark.parametrize("mover", ["X", "O"])
def test_proofs_hold(board: str, mover: str) -> None:
    text = prove_position(Solver(SolverOptions(short=6, merge=50)), board, mover)
    assert text is not None
    proof, count = checker.verify(text)
    assert count == len(proof["sums"])
    assert proof["wins"] == solver.mover_wins(board, mover)


def test_proofs_that_were_tampered_with_do_not_hold() -> None:
    text = prove_position(Solver(SolverOptions(short=5, merge=20)), "XO" * 9, "X")
    assert text is not None
    proof = json.loads(text)
    rng = random.Random(1)
    damaged = [
        {**proof, "wins": not proof["wins"]},
        {**proof, "board": "XO" * 3},
        {**proof, "sums": proof["sums"][1:]},
    ]
    for _ in range(30):
        copy = json.loads(text)
        node = rng.choice([node for node in copy["sums"] if "moves" in node or "move" in node])
        if "moves" in node:
            node["moves"].pop(rng.randrange(len(node["moves"])))
        else:
            node["won"] = False
        damaged.append(copy)
    for copy in damaged:
        with pytest.raises(ProofError):
            checker.verify(json.dumps(copy))


@pytest.mark.parametrize("text", ["", "{}", "[1]", "nonsense", '{"format": "tengen clobber proof", "version": 9}'])
def test_what_is_no_proof_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(ProofError) as caught:
        checker.verify(text)
    assert "\n" not in str(caught.value)


ZERO: list[list[int]] = [[], []]
LOST = {"sum": [], "won": False, "by": "values"}


@pytest.mark.parametrize(
    ("board", "sums", "forms"),
    [
        # A place from the end: nothing is taken away for what the move makes.
        ("OOX.XXO", [LOST, {"sum": ["OOX", "XXO"], "won": True, "move": [-1, "X.X", 0]}], [ZERO]),
        ("OOX.XXO", [LOST, {"sum": ["OOX", "OXX"], "won": True, "move": [True, "X.X", 0]}], [ZERO]),
        # Two parts as one term: the board has only the first of them.
        ("XOXOXO", [{"sum": ["XOXOXO.XXO"], "won": True, "by": "values"}], [ZERO]),
        ("XOXOXO", [{"sum": ["XXO.XOXOXO"], "won": True, "by": "values"}], [ZERO]),
        # A form from the end, which is 0 in one place and the last form in another.
        ("OOX.XXO", [LOST, {"sum": [-1], "won": True, "move": [0, 0, 0]}], [ZERO, [[0], [0]]]),
        # A 0 that says it has a move.
        ("OOX.XXO", [LOST, {"sum": [0], "won": True, "move": [0, 0, 0]}], [[[0], []]]),
        # A sum that rests on itself, or on a later one.
        ("OOX.XXO", [{"sum": ["OOX", "OXX"], "won": True, "move": [1, "X.X", 0]}], [ZERO]),
        # Games too deep for plain Python.
        ("XO", [{"sum": [2999], "won": True, "by": "values"}], [ZERO, *([[n], []] for n in range(2999))]),
    ],
)
def test_forged_proofs_are_refused(board: str, sums: list[object], forms: list[object]) -> None:
    facts = {"format": FORMAT, "version": VERSION, "board": board, "mover": "X", "wins": True}
    with pytest.raises(ProofError) as caught:
        checker.verify(json.dumps({**facts, "forms": forms, "sums": sums}))
    assert "\n" not in str(caught.value)


# ---- database


class Interrupted(Exception):
    pass


def test_the_database_is_made_resumed_loaded_and_checked(tmp_path: Path) -> None:
    path, whole = tmp_path / "values", tmp_path / "whole"
    done: list[int] = []

    def note(progress: Progress) -> None:
        done.append(progress.done)

    def interrupt(progress: Progress) -> None:
        if progress.done >= 4:
            raise Interrupted

    with ThreadPoolExecutor(1) as executor:
        make = partial(make_database, longest=7, alternating=12, width=8, executor=executor)
        with pytest.raises(Interrupted):
            make(path, on_progress=interrupt)
        assert not path.exists()
        make(path, on_progress=note)
        make(whole)
    assert done[4] == 4  # what was kept comes first, and nothing is made twice
    assert path.read_bytes() == whole.read_bytes()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["values", "whole"]
    space = Workspace()
    database = Database(path)
    database.load_into(space)
    for strip in ("XOXOX", "XXOXOOX", "XO" * 6, "OOXOXOXOXOX"):
        part = int(space.subgames_of(strip)[0])
        assert space.subgames.value[part] >= 0, strip
        assert str(space.value(strip)) == str(solver.value(strip))
    loaded = Solver(replace(SEED, width=8), workspace=space)
    assert loaded.outcome("XOXXOXOXOXOX.OXXO") == solver.outcome("XOXXOXOXOXOX.OXXO")
    stored, own = make_simplest_sums(space, loaded.control, 8), make_simplest_sums(Workspace(), loaded.control, 8)
    assert np.array_equal(np.sort(stored.complexity[stored.sum_id > 0]), np.sort(own.complexity[own.sum_id > 0]))
    assert simplest_sum(loaded, loaded.value("XXOXX.OX")) == simplest_sum(solver, solver.value("XXOXX.OX"))
    content = path.read_bytes()
    for damage in (
        content[:-1],
        content[:100] + b"?" + content[101:],
        content[:-9] + b"x" + content[-8:],
        b"",
        b"nonsense" * 9,
    ):
        path.write_bytes(damage)
        with pytest.raises(DatabaseError) as caught:
            Database(path)
        assert "\n" not in str(caught.value)
    for old, new in (
        (b'"version": 3', b'"version": 7'),
        (b'"longest": 7', b'"longest": 6'),
        (b'"strips-4"', b'"strips-9"'),
        (b'["int32", 16, ', b'["int32", 17, '),
    ):
        assert content.count(old) == 1
        path.write_bytes(content.replace(old, new))
        with pytest.raises(DatabaseError, match="version 7" if b"version" in old else "checksum is wrong"):
            Database(path)
    # A header whose checksum is right, and which does not fit its content.
    for wrong, entry in (
        ("strips-4", None),
        ("strips-4", ["int32", 10**9, 0]),
        ("link-values", ["nonsense", 1, 0]),
        ("texts", 5),
        ("texts", ["int32", 3, 0]),
        ("rows", ["float64", 3, 0]),
    ):
        database = Database(whole)
        arrays = {name: array for name, array in database.header["arrays"].items() if name != wrong}
        database.header["arrays"] = arrays if entry is None else {**arrays, wrong: entry}
        with pytest.raises(DatabaseError, match="create it again"):
            database.load_into(Workspace())
    with pytest.raises(DatabaseError, match="there is no database"):
        Database(tmp_path / "elsewhere")


# ---- playing


@pytest.mark.parametrize(
    "board", ["XO" * 7, "XXO.XOXOX.OOX", "XOXO.OXOX.XXO", "XOX/OXO/XOX", "XO" * 5 + "." + "OX" * 4]
)
def test_the_engine_plays_perfectly_on_the_real_board(board: str) -> None:
    """Whoever wins by theory wins against replies at random, in whatever part they are."""
    rng = random.Random(board)
    for first in "XO":
        position = game("clobber", board=board, first=first).start()
        winner = position.to_move if solver.mover_wins(board, first) else 1 - position.to_move
        engine = ClobberEngine(short=6, memory=16)
        while not position.is_over:
            if position.to_move == winner:
                report = engine.search(position, Limits())
                assert report.value.kind is Kind.EXACT
                assert report.value.amount == 1
                position = position.play(report.best)
            else:
                position = position.play(rng.choice(position.legal_moves))
        assert position.to_move != winner


def test_the_engine_keeps_to_its_limits_and_tells_what_it_proved() -> None:
    large = game("clobber", size="6x6").start()
    report = ClobberEngine(memory=16).search(large, Limits(nodes=300))
    assert report.nodes <= 300
    assert report.value.kind is Kind.HEURISTIC
    assert len(report.candidates) == len(large.legal_moves)
    again = ClobberEngine(memory=16).search(large, Limits(nodes=300))
    assert replace(report, seconds=0.0) == replace(again, seconds=0.0)
    lost = game("clobber", board="XOXOXO").start()
    assert ClobberEngine().search(lost, Limits()).value.amount == -1
    stop = StopFlag()
    stop.set()
    assert ClobberEngine().search(large, Limits(), stop=stop).best in large.write_moves(large.legal_moves)


# ---- analysis, laboratory, batches


def stopped() -> StopFlag:
    stop = StopFlag()
    stop.set()
    return stop


def test_analysis() -> None:
    result = analyse(Solver(), "XOXO.XXO.XO")
    assert [part.board for part in result.parts] == ["XOXO", "XXO", "XO"]
    assert result.outcome == boards.outcome("XOXO.XXO.XO")
    for mover in "XO":
        other = "O" if mover == "X" else "X"
        moves = after_moves(result.board, mover)
        winning = {f"{a + 1}-{b + 1}" for (a, b), after in moves.items() if not boards.mover_wins(after, other)}
        assert set(result.winning_moves[mover]) == winning
        assert result.wins[mover] == bool(winning)
    assert result.simplest is not None
    assert solver.value(result.simplest.replace(" + ", ".")) == solver.value(result.board)
    assert json.loads(json.dumps(result.to_json()))["parts"][1]["value"]["name"] == "^"
    assert analyse(Solver(), "XOXOXO").simplest == "0"
    assert analyse(Solver(), "XO.XO").dominated_moves == {"X": [], "O": []}, "equal moves are not worse"
    late = analyse(Solver(), "XO", SearchLimits(stop=stopped()))
    assert not late.simplest_searched


def test_the_laboratory() -> None:
    ups = run_experiment("XXO", 12)
    assert [str(value) for value in ups.values[:5]] == ["^", "^", "^^", "^^", "^3"]
    assert ups.closed_form == "floor((1 n + 1) / 2) up"
    assert ups.outcome_period == (0, 1)
    alternating = run_experiment("XO", 7)
    assert [str(value) for value in alternating.values] == [str(solver.value("XO" * n)) for n in range(1, 8)]
    assert alternating.outcomes == "NNPNNNN"
    odd = run_experiment("XOOXX", 3)
    assert [str(value) for value in odd.values] == [str(solver.value("XOOXX" * n)) for n in range(1, 4)]
    assert find_period([5, 1, 2, 1, 2, 1, 2, 1, 2]) == (1, 2)
    assert find_period([1, 2, 3, 4, 5, 6]) is None
    with pytest.raises(OptionError):
        run_experiment("X.O", 3)


def test_batches() -> None:
    lines = list(run_batch(solver, "XOXOXO P  # zero\n\n(XO)^4 N\nXXO R\nXO.XO ?\n"))
    assert [(line.number, line.found, line.agrees) for line in lines] == [
        (1, "P", True),
        (3, "N", True),
        (4, "L", False),
        (5, "P", True),
    ]
    with pytest.raises(PositionError, match="line 2"):
        list(run_batch(solver, "XO N\nXQ N\n"))
    assert read_position("(XXO)^2.x") == "XXOXXO.X"


# ---- commands


def test_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENGEN_DATA", str(tmp_path))
    proof, drawing, batch = tmp_path / "proof.json", tmp_path / "graph.svg", tmp_path / "batch.txt"
    assert cli.run(["clobber", "analyse", "XOXO.XXO", "--svg", str(drawing)]) == 0
    assert "X first   wins" in capsys.readouterr().out
    assert drawing.read_text().startswith("<svg")
    assert cli.run(["clobber", "analyse", "{1|*}", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["temperature"] == "1/2"
    assert cli.run(["clobber", "solve", "(XO)^12", "--first", "o", "--proof", str(proof)]) == 0
    assert "O begins, O wins" in capsys.readouterr().out
    assert cli.run(["clobber", "verify", str(proof)]) == 0
    assert "the proof holds" in capsys.readouterr().out
    assert cli.run(["clobber", "solve", "(XO)^9", "--plus", "^", "--set", "short=8"]) == 0
    assert "X wins" in capsys.readouterr().out
    assert cli.run(["clobber", "lab", "XXO", "-n", "8"]) == 0
    assert "floor((1 n + 1) / 2) up" in capsys.readouterr().out
    batch.write_text("XO N\nXXO R\n")
    assert cli.run(["clobber", "batch", str(batch)]) == 1
    assert "expected R" in capsys.readouterr().out


def test_what_is_not_solved_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["clobber", "solve", "(XO)^60", "--memory", "16", "--seconds", "0.5", "--set", "short=10"]
    assert cli.run([*words, "--json"]) == 2
    shown = capsys.readouterr()
    found = json.loads(shown.out)
    assert found["winner"] is None
    assert min(found["to_prove"], found["to_disprove"]) >= 1
    assert "--seconds" in shown.err
    small = Solver(SolverOptions(short=10), megabytes=16)
    parts = small.workspace.subgames_of("XO" * 60)
    assert small.left_wins(parts, SearchLimits(nodes=30_000)) is None
    assert np.count_nonzero(small.workspace.sums.saved_keys) > 1000
    assert min(small.proof_numbers(parts)) > 1
    assert cli.run(["clobber", "analyse", "*24", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["name"] == "*24"


def test_ctrl_c_shows_what_is_known(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    solver.compile_kernels()
    main = threading.main_thread().ident
    assert main == threading.get_ident()
    timer = threading.Timer(0.5, signal.pthread_kill, (main, signal.SIGINT))
    search = clobber_commands._until_stopped

    def searched(work: Callable[[StopFlag], object]) -> tuple[object, bool]:
        timer.start()  # not before: getting there may take long
        return search(work)

    monkeypatch.setattr(clobber_commands, "_until_stopped", searched)
    code = cli.run(["clobber", "solve", "(XO)^60", "--set", "short=10"])
    timer.join()
    assert code == 130
    assert "X begins: not solved after" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        ["analyse", "XOZ"],
        ["analyse", "{1|"],
        ["analyse", ""],
        ["solve", ""],
        ["solve", "XO", "--first", "Z"],
        ["solve", "XO", "--set", "nonsense"],
        ["solve", "XO", "--set", "method=luck"],
        ["solve", "XO", "--database", "nowhere"],
        ["lab", "X.O"],
        ["analyse", "(XO)^0"],
        ["analyse", "XO", "--svg", "/nonexistent/x.svg"],
        ["lab", ""],
        ["solve", "XO", "--proof", "/nonexistent/x.json"],
        ["solve", "XO", "--proof", "."],
        ["solve", "XO", "--plus", "^", "--proof", "x.json"],
        ["verify", "nowhere"],
        ["batch", "nowhere"],
        ["database", "x", "--longest", "99"],
    ],
)
def test_bad_input_is_one_clear_line(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["clobber", *words]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_kernels_load_in_a_new_process() -> None:
    """What was compiled here is loaded there: recursion that varies its types would crash, once it is loaded."""
    program = (
        "from tengen.engines.clobber.solver import Solver\n"
        "from tengen.engines.clobber.solver_options import SolverOptions\n"
        "from tengen.core.values import Values\n"
        "values = Values()\n"
        "rows, _ = values.export_forms([(values.read('{3|^*}') + values.read('*')).form])\n"
        "assert len(Values().import_forms(rows)) > 3\n"
        "for options in (SolverOptions(short=4), SolverOptions(method='deepening', width=4)):\n"
        "    print(Solver(options).outcome('XOXXOXOX.OXXO'))\n"
    )
    expected = [Solver(solver_options).outcome("XOXXOXOX.OXXO") for solver_options in (SHORT, SEED)]
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == expected


def test_a_database_that_cannot_be_used_ends_a_command_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged = tmp_path / "values"
    damaged.write_bytes(b"tengen clobber database\n" + bytes(40))
    assert cli.run(["clobber", "solve", "XOXO", "--database", str(damaged)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "is damaged" in error
    assert "tengen clobber database" in error
