"""How long an engine may think: limits, clocks, the stop flag; and the settings that it can be tuned by."""

from __future__ import annotations

import math
import threading
from multiprocessing import shared_memory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tengen.core.errors import GameOver, IllegalMove, OptionError
from tengen.core.game import Move
from tengen.engines.registry import create, engine_class, names
from tengen.games import game
from tengen.search.limits import Budget, Clock, Limits, StopFlag, root_moves
from tengen.search.tunables import Tunable, settle, with_current_names

# ---- limits


@pytest.mark.parametrize(
    "wrong",
    [
        {"seconds": 0},
        {"seconds": -1.5},
        {"seconds": math.nan},
        {"nodes": 0},
        {"nodes": -3},
        {"depth": 0},
        {"lines": 0},
        {"moves": ()},
    ],
)
def test_limits_that_make_no_sense_are_refused_in_one_line(wrong: dict[str, object]) -> None:
    with pytest.raises(OptionError) as error:
        Limits(**wrong)
    assert "\n" not in str(error.value)


def test_root_moves_are_the_legal_ones_or_those_asked_for_without_repetition() -> None:
    position = game("othello").start()
    first, second = position.legal_moves[:2]
    assert root_moves(position, Limits()) == position.legal_moves
    assert root_moves(position, Limits(moves=(second, first, second))) == (second, first)
    with pytest.raises(IllegalMove, match="a1 is illegal: it turns no disc over"):
        root_moves(position, Limits(moves=(first, Move(0))))
    with pytest.raises(GameOver):
        root_moves(game("clobber", board="X.O").start(), Limits())


# ---- clocks


@given(
    left=st.floats(0, 1e5),
    increment=st.floats(0, 1e3),
    moves_to_go=st.none() | st.integers(1, 100),
    seconds=st.none() | st.floats(0.01, 1e5),
)
def test_thinking_time_never_exceeds_what_is_left(
    left: float, increment: float, moves_to_go: int | None, seconds: float | None
) -> None:
    limits = Limits(seconds=seconds, clock=Clock(left, increment, moves_to_go))
    time = limits.thinking_time()
    assert 0 <= time <= left
    assert time < left or left == 0, "the last of the time is never spent"
    assert seconds is None or time <= seconds


def test_without_a_limit_of_time_it_is_infinite() -> None:
    assert Limits().thinking_time() == math.inf
    assert Limits(nodes=5).thinking_time() == math.inf
    assert Limits(seconds=2).thinking_time() == 2


@pytest.mark.parametrize(("start", "increment"), [(10.0, 0.1), (10.0, 0.0), (300.0, 5.0)])
@pytest.mark.parametrize("late", [0.0, 0.01])
def test_a_game_of_sixty_moves_does_not_run_out(start: float, increment: float, late: float) -> None:
    left = start
    spent = []
    for _ in range(60):
        time = Limits(clock=Clock(left, increment)).thinking_time()
        spent.append(time)
        left -= time + late
        assert left > 0
        left += increment
    assert spent[0] < start / 4, "too much for one move"
    assert spent[0] > start / 200, "hardly any of the time is used"
    assert left < start / 2 + 60 * increment


def test_time_to_the_next_control_is_shared_by_the_moves_to_it() -> None:
    left = 60.0
    for to_go in range(20, 0, -1):
        time = Limits(clock=Clock(left, 0.0, to_go)).thinking_time()
        assert 0 < time < left
        left -= time
    assert left < 10, "most of the time was there to be used"


# ---- the budget of a search


def test_a_budget_of_nodes_is_counted_down() -> None:
    budget = Budget(Limits(nodes=100), None)
    ran = 0
    while not budget.is_spent:
        nodes = budget.slice_nodes()
        assert 1 <= nodes <= 100 - ran
        ran += nodes
        budget.count(nodes, 0.001)
    assert ran == 100


@given(st.lists(st.tuples(st.integers(0, 10**6), st.floats(0, 10)), max_size=20))
def test_a_slice_is_never_empty_nor_larger_than_what_a_slice_of_time_holds(
    slices: list[tuple[int, float]],
) -> None:
    budget = Budget(Limits(), None)
    for nodes, seconds in slices:
        assert budget.slice_nodes() >= 1
        budget.count(nodes, seconds)
    if slices and slices[-1][1] > 1 and slices[-1][0]:
        assert budget.slice_nodes() <= max(1, slices[-1][0] / slices[-1][1])


# ---- the stop flag


def test_a_stop_flag_is_set_from_another_thread_and_cleared() -> None:
    stop = StopFlag()
    assert not stop.is_set
    thread = threading.Thread(target=stop.set)
    thread.start()
    thread.join()
    assert stop.is_set
    stop.clear()
    assert not stop.is_set


def test_two_flags_on_the_same_memory_are_one() -> None:
    memory = shared_memory.SharedMemory(create=True, size=64)
    try:
        one, other = StopFlag(memory.buf), StopFlag(memory.buf)
        assert not one.is_set
        other.set()
        assert one.is_set
        report = create("uct").search(game("othello").start(), Limits(), stop=one)
        assert report.nodes == 0
        del one.array, other.array
    finally:
        memory.close()
        memory.unlink()


# ---- settings


@pytest.mark.parametrize(
    ("engine", "settings", "says"),
    [
        ("uct", {"exploration": -0.1}, "exploration should be a number from 0 to 10, not -0.1"),
        ("uct", {"exploration": "high"}, "exploration should be a number from 0 to 10, not 'high'"),
        ("uct", {"exploration": math.nan}, "exploration should be a number from 0 to 10, not nan"),
        ("uct", {"exploration": None}, "exploration should be a number from 0 to 10, not None"),
        ("uct", {"memory": 0}, "memory should be a whole number from 1 to 65536, not 0"),
        ("uct", {"memory": 1.5}, "memory should be a whole number from 1 to 65536, not 1.5"),
        ("uct", {"memory": math.inf}, "memory should be a whole number from 1 to 65536, not inf"),
        ("uct", {"memory": "99999999\n"}, r"memory should be a whole number from 1 to 65536, not '99999999\\n'"),
        ("uct", {"expand_after": 0}, "expand_after should be a whole number from 1 to 1000, not 0"),
        ("uct", {"reuse": "perhaps"}, "reuse should be yes or no, not 'perhaps'"),
        ("uct", {"tabel": 3}, "uct has no setting 'tabel'; it has: exploration, rave"),
        ("alphabeta", {"table": 10**9}, "table should be a whole number from 1 to 65536, not 1000000000"),
        ("alphabeta", {"aspiration": 2}, "aspiration should be a number from 0.001 to 1, not 2"),
        ("random", {"seeds": 3}, "random has no setting 'seeds'; it has: none"),
        (
            "mcts",
            {},
            "there is no engine 'mcts'; there are: clobber, othello, go, strings, glance, pente, "
            "classic, alphabeta, uct, flat, random, casual",
        ),
    ],
)
def test_a_wrong_setting_is_refused_in_one_line(engine: str, settings: dict[str, object], says: str) -> None:
    with pytest.raises(OptionError, match=says) as error:
        create(engine, **settings)
    assert "\n" not in str(error.value)


def test_settings_are_read_from_text() -> None:
    engine = create("uct", exploration="0.5", memory="16", reuse="no", rave=100)
    assert engine.settings["exploration"] == 0.5
    assert engine.settings["memory"] == 16
    assert engine.settings["reuse"] is False
    assert engine.settings["rave"] == 100
    assert engine.settings["bias"] == 0, "what is not given has its default"
    for yes in (True, "true", "yes", "On", "1"):
        assert create("uct", reuse=yes).settings["reuse"] is True


@pytest.mark.parametrize("engine", sorted(names()))
def test_every_default_is_within_its_range_and_has_help(engine: str) -> None:
    tunables = [tunable.name for tunable in engine_class(engine).tunables]
    assert len(tunables) == len(set(tunables))
    for tunable in engine_class(engine).tunables:
        assert tunable.check(tunable.default) == tunable.default
        assert tunable.low < tunable.high
        assert tunable.help
        for end in (tunable.low, tunable.high):
            kind = type(tunable.default)
            assert tunable.check(kind(end)) == kind(end)
    assert engine_class(engine).summary


@given(st.integers() | st.floats() | st.text(max_size=8) | st.none() | st.booleans())
def test_whatever_is_given_a_setting_is_in_its_range_or_refused(value: object) -> None:
    for tunable in (Tunable("x", 5, 1, 10, ""), Tunable("x", 0.5, -1, 1, ""), Tunable("x", False, 0, 1, "")):
        try:
            taken = tunable.check(value)
        except OptionError:
            continue
        assert type(taken) is type(tunable.default)
        assert tunable.low <= taken <= tunable.high


RENAMED = (Tunable("depth", 5, 1, 10, "", former_names=("plies", "looks")), Tunable("other", 0.5, 0, 1, ""))


@pytest.mark.parametrize("name", ["depth", "plies", "looks"])
def test_a_setting_is_accepted_under_its_current_and_former_names(name: str) -> None:
    assert settle("engine", RENAMED, {name: "7"}) == {"depth": 7, "other": 0.5}
    assert with_current_names("engine", RENAMED, {name: 7, "unknown": 1}) == {"depth": 7, "unknown": 1}


@pytest.mark.parametrize("pair", [("depth", "plies"), ("plies", "depth"), ("plies", "looks")])
def test_a_setting_under_two_of_its_names_is_refused(pair: tuple[str, str]) -> None:
    with pytest.raises(OptionError, match="'depth' is given twice"):
        settle("engine", RENAMED, dict.fromkeys(pair, 7))


def test_errors_name_the_current_setting() -> None:
    with pytest.raises(OptionError, match=r"^depth should be a whole number from 1 to 10, not 11$"):
        settle("engine", RENAMED, {"plies": 11})
    with pytest.raises(OptionError, match=r"has no setting 'ply'; it has: depth, other$"):
        settle("engine", RENAMED, {"ply": 1})


def test_an_engine_accepts_former_names_of_tunables_and_weaknesses() -> None:
    class Renamed(engine_class("random")):  # type: ignore[misc]
        tunables = RENAMED
        weaknesses = (Tunable("vision", 100, 60, 100, "", former_names=("sight",)),)

    engine = Renamed(plies=3, sight=80)
    assert (engine.settings, engine.weak) == ({"depth": 3, "other": 0.5}, {"vision": 80})


@pytest.mark.parametrize("engine", names())
def test_no_former_name_is_in_use_again(engine: str) -> None:
    declared = [
        name
        for tunable in (*engine_class(engine).tunables, *engine_class(engine).weaknesses)
        for name in (tunable.name, *tunable.former_names)
    ]
    assert len(declared) == len(set(declared))
