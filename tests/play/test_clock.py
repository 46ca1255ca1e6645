"""Time controls and clocks: their text, the times against a second way to compute them, engines on the clock."""

from __future__ import annotations

import json
import math
import random
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tengen.core.errors import OptionError
from tengen.play.clock import Clock, ClockError, TimeIsUp
from tengen.play.time_control import TimeControl, TimeLeft
from tengen.play.time_management import limits_for, tick_interval
from tengen.search.limits import Limits
from tests.reference import clock as reference

CONTROLS = ["10s", "10s+2s", "5s+2x3s", "3x2s", "5s+3/6s", "4/6s", "4s/move", "none"]
parse = TimeControl.parse


def running(text: str, *, at: float = 0.0) -> Clock:
    return Clock.from_control(parse(text)).begin(0, at)


def play(clock: Clock, *times: float, now: float = 0.0) -> tuple[Clock, float]:
    """Moves in turn, each after so many seconds."""
    for seconds in times:
        now += seconds
        assert clock.player is not None
        clock = clock.move(now, then=1 - clock.player)
    return clock, now


# ---- the text of a control


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("none", TimeControl()),
        ("10m", TimeControl(600)),
        ("1h30m", TimeControl(5400)),
        ("5m+3s", TimeControl(300, increment=3)),
        ("10s+0.1s", TimeControl(10, increment=0.1)),
        ("10m+3x30s", TimeControl(600, period=30, periods=3, moves=1)),
        ("10m+1x30s", TimeControl(600, period=30, periods=1, moves=1)),
        ("10m+25/10m", TimeControl(600, period=600, periods=1, moves=25)),
        ("25/10m", TimeControl(0, period=600, periods=1, moves=25)),
        ("3x30s", TimeControl(0, period=30, periods=3, moves=1)),
        ("30s/move", TimeControl(0, period=30, periods=1, moves=1)),
    ],
)
def test_text(text: str, control: TimeControl) -> None:
    assert parse(text) == control
    assert str(control) == text


@pytest.mark.parametrize(
    ("text", "same"),
    [
        (" 10M + 3 × 30S ", "10m+3x30s"),
        ("0s+3x30s", "3x30s"),
        ("1x30s", "30s/move"),
        ("90s", "1m30s"),
        ("1.5m", "1m30s"),
        ("100ms/move", "0.1s/move"),
        ("NONE", "none"),
        ("60m", "1h"),
    ],
)
def test_other_ways_to_write_it(text: str, same: str) -> None:
    assert str(parse(text)) == same


times = st.integers(1, 36_000_000).map(lambda thousandths: thousandths / 1000)
controls = st.one_of(
    st.just(TimeControl()),
    st.builds(TimeControl, times),
    st.builds(TimeControl, times, increment=times),
    st.builds(TimeControl, times | st.just(0), period=times, periods=st.integers(1, 1000), moves=st.just(1)),
    st.builds(TimeControl, times | st.just(0), period=times, periods=st.just(1), moves=st.integers(1, 1000)),
)


@settings(deadline=None)
@given(controls)
def test_every_control_survives_its_text(control: TimeControl) -> None:
    assert parse(str(control)) == control


@pytest.mark.parametrize(
    "text",
    ["", "10", "10+0.1", "5m+", "+3s", "0s", "0s+3s", "0x30s", "10m+0/5m", "3x0s", "0s/move", "10m+3x30s+2s",
     "10m/25", "10m+30s/move", "none+3s", "0.0001s", "2000h", "1001x3s", "-5m", "5m+3", "٣s", "1e3s", "inf",
     "9" * 5000 + "s"],
)  # fmt: skip
def test_refused_in_one_line(text: str) -> None:
    with pytest.raises(OptionError) as error:
        parse(text)
    assert "\n" not in str(error.value)


@settings(deadline=None)
@given(st.text(alphabet="0123456789.+x/hms move", max_size=12))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        control = parse(text)
    except OptionError:
        return
    assert parse(str(control)) == control


@pytest.mark.parametrize(
    "wrong",
    [
        {"main": -1},
        {"main": math.nan},
        {"main": 0},
        {"main": 1, "increment": math.inf},
        {"main": 1, "period": 1},
        {"main": 1, "periods": 3},
        {"main": 1, "period": 1, "periods": 2, "moves": 2},
        {"main": 1, "increment": 1, "period": 1, "periods": 1, "moves": 1},
        {"period": 1, "periods": 1, "moves": 1},
        {"increment": 1},
    ],
)
def test_a_control_makes_sense(wrong: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        TimeControl(**wrong)


@pytest.mark.parametrize(
    ("left", "text"),
    [
        (TimeLeft(299.2), "5:00"),
        (TimeLeft(3600), "1:00:00"),
        (TimeLeft(0.001), "0:01"),
        (TimeLeft(0), "0:00"),
        (TimeLeft(0, 30, 3, 1), "0:30 (3)"),
        (TimeLeft(0, 551.5, 1, 25), "9:12/25"),
        (TimeLeft(math.inf), "-"),
    ],
)
def test_what_a_display_shows(left: TimeLeft, text: str) -> None:
    assert str(left) == text


# ---- each control


def test_absolute_time() -> None:
    clock, now = play(running("10s"), 3, 1, 4)
    assert clock.left_at(0, now) == TimeLeft(3)
    assert clock.left_at(1, now + 2) == TimeLeft(7)
    assert clock.falls_at == now + 9


def test_increment() -> None:
    clock, now = play(running("10s+2s"), 3, 1, 4)
    assert clock.left_at(0, now) == TimeLeft(7)
    assert clock.left_at(1, now) == TimeLeft(11)


def test_byo_yomi() -> None:
    clock, now = play(running("5s+2x3s"), 4, 0, 3)  # the second move begins with 1 s and takes 2 s of a period
    assert clock.left_at(0, now) == TimeLeft(0, 3, 2, 1)
    clock, now = play(clock, 0, 3, now=now)  # just too long: a period is lost
    assert clock.left_at(0, now) == TimeLeft(0, 3, 1, 1)
    clock, now = play(clock, 0, 2.999, now=now)
    assert clock.left_at(0, now) == TimeLeft(0, 3, 1, 1)
    clock, now = play(clock, 0, now=now)
    assert clock.falls_at == now + 3


def test_canadian() -> None:
    clock, now = play(running("5s+3/6s"), 6, 0, 2)
    assert clock.left_at(0, now) == TimeLeft(0, 3, 1, 1)
    clock, now = play(clock, 0, 2.5, now=now)  # the third move: a new period
    assert clock.left_at(0, now) == TimeLeft(0, 6, 1, 3)


def test_per_move() -> None:
    clock, now = play(running("4s/move"), 3.9, 3.9, 3.9)
    assert clock.left == (TimeLeft(0, 4, 1, 1), TimeLeft(0, 4, 1, 1))
    assert clock.falls_at == now + 4


def test_none() -> None:
    clock, now = play(running("none"), 1e6, 1e6)
    assert clock.falls_at is None
    assert clock.check(now + 1e9) is clock
    assert [made.seconds for made in clock.moves] == [1e6, 1e6]


def test_players_may_have_different_controls() -> None:
    clock, now = play(Clock.from_control(parse("10s"), parse("4s/move")).begin(0, 0), 3, 3)
    assert clock.left == (TimeLeft(7), TimeLeft(0, 4, 1, 1))
    assert now == 6


def test_several_moves_in_one_turn_and_a_turn_that_stops_the_clock() -> None:
    clock = running("10s+2s").move(1, then=1).move(2, then=1).move(4, then=0)
    assert [(made.player, made.seconds) for made in clock.moves] == [(0, 1), (1, 1), (1, 2)]
    assert clock.left == (TimeLeft(11), TimeLeft(11))
    over = clock.move(5, then=None)
    assert not over.is_running
    assert over.left_at(0, 100) == TimeLeft(12)
    assert over.fallen is None
    assert over.begin(1, 50).falls_at == 61  # play goes on after all, as after two passes in Go


# ---- events


def test_flag_falls_at_the_exact_moment() -> None:
    clock, now = play(running("10s", at=100.0), 3.25, 1, now=100.0)
    assert clock.falls_at == 111.0
    assert clock.check(110.999999).fallen is None
    for late in (111.0, 500.0):
        fallen = clock.check(late)
        assert (fallen.fallen, fallen.fell_at) == (0, 111.0)
        assert fallen.left_at(0, late) == TimeLeft(0.0)
        assert fallen.left_at(1, late) == TimeLeft(9)
    with pytest.raises(TimeIsUp, match="the first player has run out of time") as error:
        clock.move(111.0, then=1)
    assert error.value.clock == clock.check(111.0)
    assert clock.pause(200.0).fallen == 0, "a pause that comes too late saves nobody"
    with pytest.raises(ClockError, match="run out of time"):
        fallen.resume(600)
    assert now == 104.25


@settings(deadline=None)
@given(st.floats(0, 1e6), st.sampled_from(CONTROLS[:-1]), st.floats(0, 3.9))
def test_the_moment_of_the_fall_is_when_it_falls(start: float, text: str, thinking: float) -> None:
    clock = running(text, at=start).pause(start + thinking).resume(start + 10)
    moment = clock.falls_at
    assert moment is not None
    assert clock.check(moment).fallen == 0
    assert clock.check(moment - 2e-6).fallen is None


def test_a_paused_game_does_not_run() -> None:
    paused = running("10s").pause(3)
    assert paused.left_at(0, 1e9) == TimeLeft(7)
    assert paused.check(1e9).fallen is None
    assert paused.pause(1e9) == paused
    clock = paused.resume(1e9).move(1e9 + 1, then=1)
    assert clock.moves[0].seconds == 4
    with pytest.raises(ClockError, match="the clock is stopped"):
        paused.move(4, then=1)


def test_an_adjourned_game_does_not_run_and_goes_on_in_another_program() -> None:
    clock, _ = play(running("5s+2x3s", at=1e5), 4, 1, now=1e5)
    text = json.dumps(clock.pause(1e5 + 7).to_dict(), allow_nan=False)
    resumed = Clock.from_dict(json.loads(text)).resume(3.0)  # a machine that has just started
    assert resumed.left_at(0, 3.0) == TimeLeft(0, 2, 2, 1)
    assert resumed.falls_at == 8.0


def test_a_killed_program_resumes_with_what_was_acknowledged() -> None:
    clock, now = play(running("10s+2s"), 1, 2, 3)
    saved = clock.to_dict()  # written with the move; then the program is killed in the midst of the next one
    again = Clock.from_dict(json.loads(json.dumps(saved)))
    assert not again.is_running
    assert again == clock.pause(now)
    assert again.resume(0).left_at(1, 0) == clock.left_at(1, now)


def test_taking_back_gives_the_time_when_the_move_began() -> None:
    clock, now = play(running("5s+3/6s"), 4, 1, 3, 1, 2, 1)  # of the first player: 5 s, 1 s, then 4 s for 2 moves
    assert clock.left[0] == TimeLeft(0, 2, 1, 1)
    back = clock.take_back(now + 1, 2)
    assert back.player == 0
    assert back.is_running
    assert back.left_at(0, now + 1) == TimeLeft(0, 4, 1, 2)
    assert back.left_at(0, now + 2) == TimeLeft(0, 3, 1, 2)
    assert back.left[1] == TimeLeft(3, 6, 1, 3)
    assert clock.take_back(now, 1).player == 1, "one side only"
    start = clock.take_back(now, 6)
    assert start.left == Clock.from_control(parse("5s+3/6s")).left
    for wrong in (0, 7, -1):
        with pytest.raises(ClockError, match="cannot be taken back"):
            clock.take_back(now, wrong)


def test_taking_back_when_the_clock_stands() -> None:
    clock, now = play(running("10s"), 1, 1, 1)
    assert not clock.pause(now).take_back(now).is_running
    fallen = clock.check(100)
    back = fallen.take_back(101)
    assert back.fallen is None
    assert not back.is_running
    assert back.resume(101).left_at(0, 101) == TimeLeft(9)


def test_going_to_a_move_keeps_the_rest() -> None:
    clock, now = play(running("10s+2s"), 1, 2, 3, 4)
    shown = [clock.at(count) for count in range(5)]
    assert [view.left for view in shown] == [
        (TimeLeft(10), TimeLeft(10)),
        (TimeLeft(11), TimeLeft(10)),
        (TimeLeft(11), TimeLeft(10)),
        (TimeLeft(10), TimeLeft(10)),
        (TimeLeft(10), TimeLeft(8)),
    ]
    assert [view.player for view in shown] == [0, 1, 0, 1, 0]
    assert not any(view.is_running for view in shown)
    assert len(clock.moves) == 4
    assert clock.is_running
    variation = clock.at(1).resume(now).move(now + 5, then=0)
    assert variation.left == (TimeLeft(11), TimeLeft(7))
    with pytest.raises(ClockError, match="no move 5"):
        clock.at(5)


@pytest.mark.parametrize("text", CONTROLS)
def test_replaying_a_timed_game_never_loses_on_time(text: str) -> None:
    """Neither a game that ended on time, step by step at leisure, nor a record with more time than there was."""
    clock, now = play(running(text), 1, 2, 3)
    clock = clock.check(now + 1e6)
    for count in [*range(len(clock.moves), -1, -1), *range(len(clock.moves) + 1)]:
        view = clock.at(count).check(1e9)
        assert view.fallen is None
    replayed = Clock.replay(parse(text), [(0, 1.0), (1, 1e5), (0, 1e5), (1, 3.0)])
    assert replayed.fallen is None
    assert [made.seconds for made in replayed.moves] == [1, 1e5, 1e5, 3]
    assert Clock.replay(parse(text), [(0, 1), (1, 2), (0, 3)]).left == clock.left


def test_change_of_control_in_a_game() -> None:
    clock, now = play(running("10s"), 1, 2, 3)
    with pytest.raises(ClockError, match="pause it first"):
        clock.change(parse("none"))
    changed = clock.pause(now).change(parse("5s+2x3s")).resume(now)
    assert [made.seconds for made in changed.moves] == [1, 2, 3]
    assert changed.left_at(1, now) == TimeLeft(5, 3, 2, 1)
    assert changed.take_back(now, 2).left == changed.left


def test_events_that_do_not_fit() -> None:
    clock = running("10s", at=5)
    fresh = Clock.from_control(parse("10s"))
    for event in (
        lambda: clock.begin(1, 6),
        lambda: clock.move(4, then=1),
        lambda: clock.move(6, then=2),
        lambda: clock.pause(4.9),
        lambda: fresh.resume(0),
        lambda: fresh.move(0, then=1),
        lambda: fresh.begin(2, 0),
        lambda: Clock.replay(parse("10s"), [(0, -1.0)]),
        lambda: limits_for(fresh, 0),
    ):
        with pytest.raises(ClockError) as error:
            event()
        assert "\n" not in str(error.value)
    assert clock.left_at(0, 4.0) == TimeLeft(10), "a display that is a little late sees no more than there was"


# ---- any sequence of events, against the second way


@dataclass
class Model:
    """The events of a game as a list of moves, in whole microseconds."""

    text: str
    made: list[tuple[int, int]] = field(default_factory=list)
    player: int = 0
    thinking: int = 0
    paused: bool = False

    def shown(self, player: int) -> reference.Shown:
        used = [time for mover, time in self.made if mover == player]
        thinking = player == self.player
        if thinking:
            used = [*used, self.thinking]
        control = parse(self.text)
        main, increment, period = (
            round(1e6 * time) for time in (min(control.main, 1e9), control.increment, control.period)
        )
        if control.moves > 1:
            return reference.canadian(main, period, control.moves, used, thinking)
        if control.periods:
            return reference.byo_yomi(main, period, control.periods, used, thinking)
        return reference.absolute(main, increment, used, thinking)


def expect(model: Model, clock: Clock, now: float) -> bool:
    """Compare both players; returns whether a flag has fallen."""
    for player in (0, 1):
        shown = model.shown(player)
        left = clock.left_at(player, now)
        if shown is None:
            assert left.main <= 0 >= left.periods
        elif model.text == "none":
            assert left == TimeLeft(math.inf)
        else:
            main, period, periods, moves = shown
            assert left == TimeLeft(main / 1e6, period / 1e6, periods, moves)
    used = clock.moves
    assert [(made.player, made.seconds) for made in used] == [(mover, time / 1e6) for mover, time in model.made]
    assert (clock.check(now).fallen is None) == (model.shown(model.player) is not None)
    return model.shown(model.player) is None


steps = st.tuples(
    st.sampled_from(["move", "move", "move", "again", "back", "pause", "resume", "save", "look"]),
    st.integers(0, 2_500_000) | st.sampled_from([0, 500_000, 1_000_000, 3_000_000]),
    st.integers(1, 6),
)


@pytest.mark.parametrize("text", CONTROLS)
@settings(max_examples=50, deadline=None)
@given(start=st.integers(0, 10**12), events=st.lists(steps, min_size=5, max_size=40))
def test_any_sequence_of_events_ends_with_the_times_of_its_list(
    text: str, start: int, events: list[tuple[str, int, int]]
) -> None:
    model = Model(text)
    micro = start
    clock = running(text, at=micro / 1e6)
    for event, wait, count in events:
        micro += wait
        now = micro / 1e6
        if not model.paused:
            model.thinking += wait
        if expect(model, clock, now):
            # The fall comes first, whatever the event was; only taking back goes on from here.
            with pytest.raises(TimeIsUp):
                clock.move(now, then=0)
            clock = clock.pause(now)
            assert clock.fallen == model.player
            if not model.made:
                return
            event = "back"
            model.paused = True
        if event in ("move", "again") and not model.paused:
            then = model.player if event == "again" else 1 - model.player
            clock = clock.move(now, then=then)
            model.made.append((model.player, model.thinking))
            model.player, model.thinking = then, 0
        elif event == "back" and model.made:
            count = min(count, len(model.made))
            clock = clock.take_back(now, count)
            model.player, model.thinking = model.made[-count][0], 0
            del model.made[-count:]
            if model.paused:
                clock, model.paused = clock.resume(now), False
        elif event == "pause":
            clock = clock.pause(now)
            model.paused = True
        elif event == "resume":
            clock = clock.resume(now)
            model.paused = False
        elif event == "save":
            clock = clock.pause(now)
            clock = Clock.from_dict(json.loads(json.dumps(clock.to_dict(), allow_nan=False)))
            model.paused = True
        elif event == "look":
            count = min(count, len(model.made))
            past = Model(text, model.made[:count], (model.made[count:] or [(model.player, 0)])[0][0])
            expect(past, clock.at(count), now)
        expect(model, clock, now)


@pytest.mark.parametrize("text", CONTROLS)
def test_json_round_trip(text: str) -> None:
    clock, now = play(running(text), 1, 2, 3.000001, 0.1)
    for state in (clock.pause(now + 0.7), clock.check(1e9).pause(1e9), clock.move(now + 1, then=None)):
        assert Clock.from_dict(json.loads(json.dumps(state.to_dict(), allow_nan=False))) == state


def test_what_is_not_a_clock_is_refused() -> None:
    good = running("5s+2x3s").move(1, then=1).to_dict()
    assert Clock.from_dict(good)
    wrong: list[Any] = [{}, [], None, "clock"]
    for name, value in [
        ("version", 2), ("controls", ["5m"]), ("controls", ["5", "5"]), ("controls", 3), ("player", 2),
        ("player", "0"), ("used", -1), ("used", math.nan), ("used", None), ("left", [[1, 2, 3, 4]]),
        ("left", [[1, 2, 3]] * 2), ("left", [[1, 2, -3, 4]] * 2),
        ("moves", [[0, 1]]), ("moves", [[0, "1", [1, 0, 0, 0]]]), ("moves", None),
    ]:  # fmt: skip
        wrong.append({**good, name: value})
    for data in wrong:
        with pytest.raises(ValueError, match=r"clock|unpack"):
            Clock.from_dict(data)


# ---- engines on the clock


def simulate(text: str, moves: int, overhead: float, seed: int = 1) -> tuple[Clock, list[float]]:
    """Two engines that use all they are given and up to `overhead` seconds more; and what they were given."""
    rng = random.Random(seed)
    clock, now = running(text), 0.0
    given_seconds = []
    for _ in range(moves):
        seconds = limits_for(clock, now).seconds
        assert seconds is not None
        given_seconds.append(seconds)
        now += seconds + overhead * rng.random()
        assert clock.player is not None
        clock = clock.move(now, then=1 - clock.player)  # raises if the flag has fallen
    return clock, given_seconds


@pytest.mark.parametrize(
    "text",
    ["10s+0.1s", "1s+0.1s", "5m+3s", "10s+3x1s", "3x1s", "10s+1x0.2s", "10s+25/10s", "25/10s", "10m+25/10m",
     "1s/move", "0.1s/move", "2s+300s", "1h"],
)  # fmt: skip
@pytest.mark.parametrize("seed", range(2))
def test_engines_never_lose_on_time_in_1000_moves(text: str, seed: int) -> None:
    clock, _ = simulate(text, 1000, 0.015, seed)
    assert len(clock.moves) == 1000


def test_engines_on_absolute_time_hold_out_for_long() -> None:
    clock, _ = simulate("10s", 300, 0.015)
    assert len(clock.moves) == 300


def test_engines_use_what_they_have() -> None:
    assert limits_for(running("30s/move"), 0).seconds == pytest.approx(0.95 * 30)
    assert limits_for(running("3x30s"), 0).seconds == pytest.approx(0.95 * 30)
    assert limits_for(running("25/10m"), 0).seconds == pytest.approx(0.95 * 24)
    assert limits_for(running("10m+3x30s"), 0).seconds == pytest.approx((600 - 1) / 30 + 0.95 * 30)
    assert limits_for(running("5m+3s"), 0).seconds == pytest.approx((300 - 1) / 30 + 0.95 * 3)
    clock, given_seconds = simulate("10s+3x1s", 200, 0.015)
    assert clock.left[0].periods == 3, "no period is lost"
    assert given_seconds[-1] == pytest.approx(1 - 0.05)
    clock, given_seconds = simulate("10s+0.1s", 1000, 0.015)
    used = sum(made.seconds for made in clock.moves if made.player == 0)
    assert used > 0.6 * (10 + 499 * 0.1), "the safety margin is half of each increment here"


def test_time_already_used_counts() -> None:
    clock = running("30s/move").pause(10)
    assert limits_for(clock, 99).seconds == pytest.approx(0.95 * 20)
    assert limits_for(running("30s/move"), 29.99).seconds == pytest.approx(0.0025)


def test_an_engine_keeps_its_own_limits() -> None:
    own = Limits(seconds=1.0, nodes=500, lines=2)
    assert limits_for(running("10m"), 0, own) == own
    assert limits_for(running("none"), 0, own) == own
    limits = limits_for(running("0.2s/move"), 0, own)
    assert limits == Limits(seconds=limits.seconds, nodes=500, lines=2)
    assert limits.seconds == pytest.approx(0.15)
    assert limits_for(running("10s/move"), 0, latency=2).seconds == pytest.approx(8)


# ---- the display


def test_the_display_ticks_faster_as_time_runs_out() -> None:
    clock = running("100s")
    assert tick_interval(clock, 0) == 1.0
    assert tick_interval(clock, 50) == pytest.approx((0.5 * 1.5) ** 2)
    assert tick_interval(clock, 100) == 0.25
    intervals = [tick_interval(clock, now) for now in range(101)]
    assert intervals == sorted(intervals, reverse=True)
    bends = [a - 2 * b + c for a, b, c in zip(intervals, intervals[1:], intervals[2:], strict=False)]
    assert all(bend > 0 for bend in bends), "a quadratic speed-up"


@settings(deadline=None)
@given(st.sampled_from(CONTROLS), st.floats(0, 3.9), st.integers(0, 30))
def test_the_display_ticks_one_to_four_times_a_second(text: str, now: float, quick_moves: int) -> None:
    clock, _ = play(running(text), *([0.0] * quick_moves))  # increments may pile up
    assert 0.25 <= tick_interval(clock, now) <= 1.0


def test_the_tick_follows_the_period_in_overtime() -> None:
    assert tick_interval(running("10s+3x30s"), 10) == 1.0
    assert tick_interval(running("10s+3x30s"), 25) == pytest.approx((0.5 * 1.5) ** 2)
    assert tick_interval(running("none"), 5) == 1.0
    assert tick_interval(Clock.from_control(parse("10s")), 5) == 1.0
