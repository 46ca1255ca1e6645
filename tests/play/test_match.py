"""Matches: moves, take-backs, variations, ends, clocks and who is told of them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tengen
from tengen.core.diagram import Change, Stone
from tengen.core.errors import IllegalMove, TengenError
from tengen.games import records
from tengen.games.records import Node, Record, RecordError
from tengen.play import events, match_clock
from tengen.play.clock import TimeIsUp
from tengen.play.game_tree import MatchError
from tengen.play.match import Match
from tengen.play.time_control import TimeControl
from tengen.play.view import View
from tengen.players.configure import configure, engine_player
from tengen.players.player import Person
from tengen.runtime.messages import Progress, Stage
from tengen.search.limits import Limits
from tengen.search.report import Candidate, Report, Value
from tengen.store.game_entry import GameEntry

ANN, BEA = Person("Ann"), Person("Bea")
UCT = engine_player(configure("uct", Limits(seconds=1.0)))


class Time:
    """A clock on the wall that stands until it is told otherwise."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> Time:
    wall = Time()
    monkeypatch.setattr(match_clock, "time", wall)
    return wall


@pytest.fixture
def othello() -> Match:
    match = Match.new(tengen.game("othello"), (ANN, BEA))
    match.start()
    return match


def moves_of(match: Match) -> str:
    return " ".join(match.game.write_move(move) for move in match.live.moves)


def main_line(match: Match) -> str:
    return " ".join(match.game.write_move(node.move) for node in match.record.nodes() if node.move is not None)


def reopened(match: Match) -> Match:
    """The match as another program would find it: with its state through JSON."""
    entry = match.to_entry()
    return Match.open(
        GameEntry(
            entry.record,
            entry.players,
            entry.end,
            entry.presumed,
            json.loads(json.dumps(entry.state)),
            entry.rated,
            entry.id,
        )
    )


# ---- playing


def test_moves_are_made_and_refused(othello: Match) -> None:
    assert othello.play("f5").to_move == 1
    with pytest.raises(IllegalMove, match="a1 is illegal"):
        othello.play("a1")
    othello.play("d6")
    assert moves_of(othello) == main_line(othello) == "f5 d6"
    assert othello.to_move == 0
    assert othello.record.names == ("Ann", "Bea")


def test_nobody_moves_while_the_clock_stands() -> None:
    match = Match.new(tengen.game("othello"), (ANN, BEA))
    with pytest.raises(MatchError, match="the clock is stopped"):
        match.play("f5")
    match.start()
    match.play("f5")
    match.adjourn()
    with pytest.raises(MatchError, match="the clock is stopped"):
        match.play("d6")
    match.start()
    match.play("d6")


def test_a_game_that_ends_by_the_rules() -> None:
    match = Match.new(tengen.game("clobber", board="XOX"), (ANN, BEA))
    seen: list[events.Event] = []
    match.watch(seen.append)
    match.start()
    match.play("1-2")  # leaves .XX: White cannot move
    assert match.result is not None
    assert (match.result.winner, match.result.code) == (0, "B+")
    assert match.record.result == match.result.code
    assert isinstance(seen[-1], events.Ended)
    assert not match.is_running
    with pytest.raises(MatchError, match="the game is over"):
        match.take_back()


def test_resigning_draws_and_forfeits(othello: Match) -> None:
    othello.play("f5")
    othello.resign()
    assert othello.result is not None
    assert (othello.result.winner, othello.result.code) == (0, "B+R")
    assert "White resigned" in othello.result.reason
    for again in (othello.resign, othello.draw, othello.start):
        with pytest.raises(MatchError, match="the game is over: White resigned"):
            again()

    drawn = Match.new(tengen.game("othello"), (ANN, BEA))
    drawn.draw()
    assert drawn.result is not None
    assert (drawn.result.winner, drawn.result.code) == (None, "0")

    forfeited = Match.new(tengen.game("othello"), (ANN, BEA))
    forfeited.forfeit(0, "an illegal move: z9")
    assert forfeited.result is not None
    assert (forfeited.result.winner, forfeited.result.code, forfeited.result.reason) == (
        1,
        "W+F",
        "an illegal move: z9",
    )


@pytest.mark.parametrize(
    ("game", "possible"),
    [
        (tengen.game("clobber"), False),
        (tengen.game("go", size=5, komi=7.5), False),
        (tengen.game("go", size=5, komi=7), True),
        (tengen.game("pente"), True),
    ],
)
def test_only_games_that_know_draws_can_be_drawn(game: Any, possible: bool) -> None:
    match = Match.new(game, (ANN, BEA))
    if possible:
        match.draw()
        assert match.result is not None
    else:
        with pytest.raises(MatchError, match="cannot be drawn"):
            match.draw()


def test_dead_stones_are_agreed_on_before_the_result() -> None:
    match = Match.new(tengen.game("go", size=5, rules="japanese", komi=0.5), (ANN, BEA))
    seen: list[events.Event] = []
    match.watch(seen.append)
    match.start()
    for move in ("C3", "A1", "pass", "pass"):
        match.play(move)
    assert match.is_counting
    assert match.result is None
    assert isinstance(seen[-1], events.CountingStarted)
    again = reopened(match)
    assert again.is_counting
    match.take_back()
    assert not match.is_counting
    assert match.is_running, "the clock goes on for the player who had passed"
    match.play("pass")
    alive = match.game.count(match.live).score
    end = match.finish_counting(["A1"])
    assert end.winner == 0
    assert end.code == f"B+{match.game.count(match.live, ['A1']).score:g}"
    assert match.game.count(match.live, ["A1"]).score > alive
    with pytest.raises(MatchError, match="not being counted"):
        match.finish_counting()


# ---- taking back


def test_moves_taken_back_stay_as_a_variation(othello: Match) -> None:
    for move in ("f5", "d6", "c3", "d3"):
        othello.play(move)
    assert othello.to_entry().rated
    othello.take_back(2)
    assert moves_of(othello) == main_line(othello) == "f5 d6"
    assert not othello.to_entry().rated
    othello.play("c5")
    assert main_line(othello) == "f5 d6 c5"
    d6 = othello.record.nodes()[2]
    assert [othello.game.write_move(child.move) for child in d6.children if child.move is not None] == ["c5", "c3"]
    assert reopened(othello).live.moves == othello.live.moves


def test_a_move_that_was_taken_back_can_be_made_again(othello: Match) -> None:
    for move in ("f5", "d6", "c3", "d3"):
        othello.play(move)
    othello.take_back(2)
    othello.play("c3")
    assert moves_of(othello) == main_line(othello) == "f5 d6 c3"
    assert len(othello.tree.current.node.children) == 2, "an end mark, and d3, which is a variation now"
    othello.play("d3")
    assert main_line(othello) == "f5 d6 c3 d3"
    assert sum(1 for _ in othello.record.root.walk()) == 5, "the same nodes again, and no marks"


def test_taking_back_for_one_side(othello: Match) -> None:
    for move in ("f5", "d6", "c3"):
        othello.play(move)
    othello.take_back_for(1)
    assert moves_of(othello) == "f5"
    othello.take_back_for(0)
    assert moves_of(othello) == ""
    with pytest.raises(MatchError, match="Black has no move to take back"):
        othello.take_back_for(0)
    with pytest.raises(MatchError, match="1 moves cannot be taken back: the game has 0 moves"):
        othello.take_back()


def test_observers_see_what_is_captured_and_what_an_undo_brings_back() -> None:
    match = Match.new(tengen.game("pente", size=9, variant="freestyle"), (ANN, BEA))
    match.start()
    for move in ("A1", "B1", "A9", "C1"):
        match.play(move)
    seen: list[events.Event] = []
    match.watch(seen.append)
    match.play("D1")
    moved = seen.pop()
    assert isinstance(moved, events.Moved)
    white, black, none = Stone.SECOND, Stone.FIRST, Stone.EMPTY
    taken = {Change((1, 8), white, none), Change((2, 8), white, none), Change((3, 8), none, black)}
    assert set(moved.changes) == taken
    match.take_back()
    undone = seen.pop()
    assert isinstance(undone, events.TakenBack)
    assert set(undone.changes) == {Change(point, after, before) for point, before, after in taken}
    assert match.live.write_moves(undone.moves) == ["D1"]


# ---- variations and looking back


def test_looking_back_changes_nothing_in_the_game(othello: Match) -> None:
    for move in ("f5", "d6", "c3", "d3"):
        othello.play(move)
    view = View(othello, follow=True)
    view.go_to(1)
    assert view.position.ply == 1
    assert len(view.line) == 5, "the rest is still there"
    othello.play("c4")  # an engine's move comes while somebody looks back
    assert view.position.ply == 1
    assert moves_of(othello) == "f5 d6 c3 d3 c4"
    assert len(view.line) == 6
    view.go_to_live()
    assert view.is_at_live
    with pytest.raises(MatchError, match="there is no move 6"):
        view.go_to(6)


def test_a_view_at_the_current_position_follows_the_game_if_it_should(othello: Match) -> None:
    following, fixed = View(othello, follow=True), View(othello)
    othello.play("f5")
    assert (following.position.ply, fixed.position.ply) == (1, 0)
    assert [position.ply for position in fixed.line] == [0, 1]
    othello.play("d6")
    following.go_to(0)
    following.go_to(2)
    othello.play("c3")
    assert following.is_at_live
    othello.take_back(2)
    assert following.position.ply == 1
    fixed.go_to(1)
    othello.play("f4")
    assert fixed.position.ply == 1


def test_a_view_survives_what_others_do_to_the_tree(othello: Match) -> None:
    othello.play("f5")
    mine, theirs = View(othello), View(othello)
    mine.show(othello.add_variation(mine.node, "d6"))
    mine.show(othello.add_variation(mine.node, "c3"))
    node = mine.node
    assert othello.add_variation(theirs.node, "d6").node is node.parent.node, "the tree has it already"
    othello.delete_variation(node.parent)
    assert mine.position.ply == 1, "its move was deleted"
    for edit in (lambda: othello.add_variation(node, "d3"), lambda: othello.set_comment(node, "gone")):
        with pytest.raises(MatchError, match="has been deleted"):
            edit()


def test_a_move_made_while_looking_back_is_a_variation(othello: Match) -> None:
    for move in ("f5", "d6", "c3"):
        othello.play(move)
    view = View.restore(othello)
    view.go_to(1)
    view.play("f6")
    assert moves_of(othello) == main_line(othello) == "f5 d6 c3"
    assert view.position.ply == 2
    view.save()
    again = reopened(othello)
    restored = View.restore(again)
    assert restored.position.moves == view.position.moves, "the move looked at is restored"
    restored.enter_sibling(1)
    assert again.live.moves[:2] == restored.position.moves
    restored.go_to(1)
    restored.enter(0)
    assert again.live.moves[:2] == restored.position.moves
    with pytest.raises(MatchError, match="no variation 3"):
        restored.enter(3)


def test_a_game_stored_with_a_cursor_by_an_older_version_opens_there(othello: Match) -> None:
    for move in ("f5", "d6", "c3"):
        othello.play(move)
    entry = othello.to_entry()
    entry.state = {**entry.state, "looked_at": {"moves": 2, "branches": []}}
    again = Match.open(entry)
    assert View.restore(again).position.ply == 2
    assert again.live.ply == 3


def test_a_move_after_the_end_is_never_part_of_the_game(othello: Match) -> None:
    othello.play("f5")
    othello.resign()
    view = View.restore(othello)
    view.play("d6")
    view.play("c3")
    assert moves_of(othello) == main_line(othello) == "f5"
    assert view.position.ply == 3
    view.save()
    again = reopened(othello)
    assert again.result == othello.result
    assert main_line(again) == "f5"
    assert View.restore(again).position.ply == 3


def test_the_game_stays_the_main_line_in_files(othello: Match, tmp_path: Any) -> None:
    othello.play("f5")
    othello.resign()
    othello.add_variation(othello.tree.current, "d6")
    records.write([othello.record], tmp_path / "game.sgf")
    (record,) = records.read(tmp_path / "game.sgf")
    assert len(record.moves()) == 1
    match = Match.open(GameEntry(record))
    assert moves_of(match) == "f5"
    assert match.result is not None
    assert match.result.code == "B+R"
    view = View(match)
    view.enter(0)
    assert view.position.ply == 2


def test_variations_can_be_removed_and_the_game_cannot(othello: Match) -> None:
    for move in ("f5", "d6"):
        othello.play(move)
    view = View(othello)
    with pytest.raises(MatchError, match="part of the game"):
        othello.delete_variation(view.node)
    view.go_to(1)
    view.play("f6")
    othello.delete_variation(view.node)
    assert view.position.ply == 1
    assert len(view.node.node.children) == 1
    othello.set_comment(view.node, "a good start")
    assert reopened(othello).record.nodes()[1].comment == "a good start"


# ---- clocks


def test_time_is_used_and_given_back(wall: Time) -> None:
    match = Match.new(tengen.game("othello"), (ANN, BEA), TimeControl.parse("60s"))
    match.start()
    wall.now += 10
    match.play("f5")
    wall.now += 20
    match.play("d6")
    assert [node.seconds for node in match.record.nodes()[1:]] == [10.0, 20.0]
    assert match.clock.left_at(0, wall.now).main == 50
    wall.now += 5
    match.take_back()
    assert match.clock.left_at(1, wall.now).main == 60
    assert match.clock.left_at(0, wall.now).main == 50
    match.adjourn()
    wall.now += 10_000
    match.start()
    wall.now += 59
    match.play("d6")


def test_the_flag_ends_the_game(wall: Time) -> None:
    match = Match.new(tengen.game("othello"), (ANN, BEA), TimeControl.parse("60s"))
    match.start()
    wall.now += 59
    assert not match.check_time()
    match.play("f5")
    wall.now += 60
    with pytest.raises(TimeIsUp):
        match.play("d6")
    assert match.result is not None
    assert (match.result.winner, match.result.code, match.result.reason) == (0, "B+T", "White ran out of time")
    assert moves_of(match) == "f5"


@pytest.mark.parametrize("act", ["adjourn", "check_time", "resign", "take_back"])
def test_no_act_saves_a_fallen_flag(wall: Time, act: str) -> None:
    match = Match.new(tengen.game("othello"), (ANN, BEA), TimeControl.parse("60s"))
    match.start()
    match.play("f5")
    wall.now += 61
    with suppress(MatchError):
        getattr(match, act)()
    assert match.result is not None
    assert match.result.code == "B+T"


def test_an_adjourned_game_goes_on_with_its_time_in_another_program(wall: Time) -> None:
    match = Match.new(tengen.game("othello"), (ANN, BEA), TimeControl.parse("60s+2s"))
    match.start()
    wall.now += 10
    match.play("f5")
    wall.now += 7
    match.adjourn()
    wall.now = 3.0  # the other program's clock counts from elsewhere
    again = reopened(match)
    again.start()
    assert again.clock.left_at(1, wall.now).main == 53
    assert again.clock.left_at(0, wall.now).main == 52


def test_a_killed_program_goes_on_from_the_last_move(wall: Time) -> None:
    kept: list[str] = []

    def save(entry: GameEntry) -> None:
        kept.append(json.dumps(entry.state))

    match = Match.new(tengen.game("othello"), (ANN, BEA), TimeControl.parse("60s"), save=save)
    match.start()
    wall.now += 10
    match.play("f5")
    wall.now += 30
    entry = match.to_entry()
    entry.state = json.loads(kept[-1])
    again = Match.open(entry)
    again.start()
    assert again.clock.left_at(1, wall.now).main == 60


ACTS = st.one_of(
    st.tuples(st.just("wait"), st.integers(0, 3000)),
    st.tuples(st.just("play"), st.integers(0, 60)),
    st.tuples(st.just("take back"), st.integers(1, 4)),
    st.tuples(st.just("adjourn"), st.just(0)),
    st.tuples(st.just("start"), st.just(0)),
    st.tuples(st.just("reopen"), st.just(0)),
)


@settings(deadline=None, max_examples=60)
@given(st.lists(ACTS, max_size=40), st.sampled_from([0, 1500]))
def test_any_acts_end_with_the_times_of_the_event_list(acts: list[tuple[str, int]], increment: int) -> None:
    """Times in thousandths of a second, computed again from nothing but what was done."""
    wall = Time()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(match_clock, "time", wall)
        control = "20s" + (f"+{increment}ms" if increment else "")
        match = Match.new(tengen.game("othello", size=4), (ANN, BEA), TimeControl.parse(control))
        left, history, used, running = [20_000, 20_000], [], 0, False
        for act, number in acts:
            mover = match.live.to_move
            if match.result is not None:
                break
            if act == "wait":
                wall.now += number / 1000
                used += number if running else 0
            elif act == "start":
                match.start()
                running = True
            elif act == "adjourn":
                match.adjourn()
                running = False
            elif act == "reopen":
                match.adjourn()
                match = reopened(match)
                running = False
            elif act == "play" and running:
                moves = match.live.legal_moves
                fallen = used >= left[mover]
                try:
                    match.play(moves[number % len(moves)])
                except TimeIsUp:
                    assert fallen
                else:
                    assert not fallen
                    history.append((list(left), mover))
                    left[mover] += increment - used
                    used = 0
            elif act == "take back" and number <= len(history):
                try:
                    match.take_back(number)
                except MatchError:
                    assert used >= left[mover]
                else:
                    left, used = history[-number][0], 0
                    del history[-number:]
            if match.result is not None and match.result.code.endswith("+T"):
                assert used >= left[mover]
                return
        shown = [round(1000 * match.clock.left_at(player, wall.now).main) for player in (0, 1)]
        expected = list(left)
        if match.result is None:
            expected[match.live.to_move] = max(0, expected[match.live.to_move] - used)
        assert shown == expected
        assert len(match.clock.moves) == match.live.ply == len(history)


# ---- observers


def test_an_observer_that_fails_disturbs_nobody(othello: Match, caplog: pytest.LogCaptureFixture) -> None:
    seen: list[events.Event] = []

    def fail(event: events.Event) -> None:
        raise RuntimeError("the screen is gone")

    othello.watch(fail)
    leave = othello.watch(seen.append)
    othello.play("f5")
    assert len(seen) == 1
    assert "an observer of the match failed" in caplog.text
    leave()
    othello.play("d6")
    assert len(seen) == 1


def test_an_interrupted_observer_silences_nobody(othello: Match) -> None:
    seen: list[events.Event] = []

    def interrupt(event: events.Event) -> None:
        raise KeyboardInterrupt

    leave = othello.watch(interrupt)
    othello.watch(seen.append)
    with pytest.raises(KeyboardInterrupt):
        othello.play("f5")
    leave()
    othello.play("d6")
    assert isinstance(seen[-1], events.Moved)


def test_an_observer_may_move_and_all_are_told_in_order(othello: Match) -> None:
    seen: list[int] = []

    def answer(event: events.Event) -> None:
        if isinstance(event, events.Moved) and event.position.ply == 1:
            othello.play("d6")

    def note(event: events.Event) -> None:
        assert isinstance(event, events.Moved)
        seen.append(event.position.ply)

    othello.watch(answer)
    othello.watch(note)
    othello.play("f5")
    assert seen == [1, 2]


def test_an_observer_may_wait_for_another_thread_that_uses_the_match(othello: Match) -> None:
    """As a screen does that draws in its own thread, which may be about to look at the match."""
    looked: list[int] = []

    def draw(event: events.Event) -> None:
        if not isinstance(event, events.Moved):
            return
        thread = threading.Thread(target=lambda: (othello.check_time(), looked.append(1)))
        thread.start()
        thread.join(240)

    leave = othello.watch(draw)
    othello.play("f5")
    leave()
    assert looked == [1]


def test_a_search_can_be_watched_to_a_chosen_depth(othello: Match) -> None:
    value = Value.heuristic(1.0, "discs")
    line = ("f5", "d6", "c3", "d3", "z9")
    report = Report("test", "f5", value, (Candidate("f5", value, line),), 10, 0.1)
    shallow: list[events.Event] = []
    deep: list[events.Event] = []
    blind: list[events.Event] = []
    othello.watch(shallow.append, depth=2)
    othello.watch(deep.append, depth=20)
    othello.watch(blind.append)
    othello.report_progress(Progress(Stage.SEARCHING, report))
    lengths = [len(seen[0].line) for seen in (shallow, deep, blind) if isinstance(seen[0], events.SearchProgress)]
    assert lengths == [2, 4, 0]
    assert othello.live.ply == 0


# ---- keeping


def test_what_observers_are_told_is_in_the_store(othello: Match) -> None:
    kept: list[int] = []

    def save(entry: GameEntry) -> None:
        kept.append(len(entry.record.moves()))
        entry.revision += 1

    match = Match.new(tengen.game("othello"), (ANN, BEA), save=save)
    match.watch(lambda event: kept.append(-1))
    match.start()
    match.play("f5")
    view = View(match)
    view.go_to(0)
    assert kept == [0, 0, -1, 1, -1], "looking back is not worth a write"
    view.save()
    assert kept[-1] == 1
    assert match.to_entry().revision == 4
    view.save()
    match.set_comment(view.node, "")
    assert match.to_entry().revision == 4, "nothing has changed since"


def test_a_store_that_fails_ends_no_game() -> None:
    full = True

    def save(entry: GameEntry) -> None:
        if full:
            raise TengenError("the disk is full")

    match = Match.new(tengen.game("othello"), (ANN, BEA), save=save)
    seen: list[events.Event] = []
    match.watch(seen.append)
    match.start()
    assert [type(event) for event in seen] == [events.SaveFailed, events.Started, events.SaveFailed]
    full = False
    match.play("f5")
    assert isinstance(seen[-1], events.Moved)


# ---- changes and rematches


def test_changes_keep_the_game(othello: Match) -> None:
    othello.play("f5")
    before = othello.id
    othello.change(players=(ANN, UCT), control=TimeControl.parse("5m"))
    assert othello.id == before
    assert othello.record.names == ("Ann", UCT.name)
    assert othello.clock.left[0].main == 300
    assert othello.is_running
    assert moves_of(othello) == "f5"
    assert not othello.to_entry().rated


def test_rules_can_change_unless_the_moves_forbid_it() -> None:
    match = Match.new(tengen.game("pente", size=9, variant="freestyle"), (ANN, BEA))
    match.start()
    match.play("A1")
    with pytest.raises(TengenError, match="move 1: A1 is illegal"):
        match.change(game=tengen.game("pente", size=9, variant="standard"))
    assert match.game == tengen.game("pente", size=9, variant="freestyle")
    with pytest.raises(MatchError, match="cannot become"):
        match.change(game=tengen.game("go"))
    go = Match.new(tengen.game("go", size=9), (ANN, BEA))
    go.start()
    go.play("D4")
    go.change(game=tengen.game("go", size=9, komi=0.5))
    assert go.game.options()["komi"] == 0.5
    go.play("E5")


def test_a_rematch_of_a_finished_game(othello: Match) -> None:
    othello.play("f5")
    othello.resign()  # Bea
    again = othello.rematch()
    assert again.players == (BEA, ANN)
    assert again.id != othello.id
    assert othello.to_entry().presumed is None


def test_a_rematch_of_an_unfinished_game_presumes_a_winner() -> None:
    match = Match.new(tengen.game("othello"), (UCT, ANN), TimeControl.parse("1m"), second=TimeControl.parse("5m"))
    match.start()
    match.play("f5")
    again = match.rematch()
    assert again.players == (ANN, UCT)
    assert [str(control) for control in again.clock.controls] == ["5m", "1m"]
    entry = match.to_entry()
    assert (entry.presumed, entry.end, entry.record.result) == (0, "", "")
    assert not match.is_running


def test_a_rematch_is_rated_as_the_first_game_was_meant_to_be(othello: Match) -> None:
    unrated = Match.new(tengen.game("othello"), (ANN, BEA), rated=False)
    assert not reopened(unrated).rematch().to_entry().rated
    othello.unrate()  # by a hint: the next game counts again
    assert reopened(othello).rematch().to_entry().rated


def test_rules_by_which_others_would_have_moved_are_refused() -> None:
    match = Match.new(tengen.game("go", size=9), (ANN, BEA))
    match.start()
    match.play("E5")
    before = match.game
    with pytest.raises(MatchError, match="belong to the other players"):
        match.change(game=tengen.game("go", size=9, handicap=2))
    assert match.game == match.live.game == before


def test_new_rules_change_all_or_nothing() -> None:
    match = Match.new(tengen.game("go", size=5, rules="new-zealand"), (ANN, BEA))
    match.start()
    for move in ("B1", "E5", "A2", "E4"):
        match.play(move)
    view = View(match)
    view.go_to(3)
    view.play("A1")  # suicide, which these rules allow
    match.change(game=tengen.game("go", size=5, rules="chinese"))
    assert match.game == match.live.game == view.position.game
    assert view.position.ply == 3, "the variation cannot be entered any more"


# ---- games from files


def records_with_passes() -> Iterator[Record]:
    """The same Othello game with a forced pass, written out and left out."""
    game = tengen.game("othello", board="XO......" + "." * 48 + "......OX X")
    position = game.start().play("c1")
    assert position.write_moves(position.legal_moves) == ["pass"]
    for with_pass in (False, True):
        record = Record(game)
        node = record.root.add(Node(position.move, 0))
        if with_pass:
            node = node.add(Node(position.legal_moves[0], 1))
        node.add(Node(game.read_move("f8", position), 0))
        yield record


def test_passes_that_a_file_leaves_out_are_played() -> None:
    without, with_pass = (Match.open(GameEntry(record)) for record in records_with_passes())
    assert without.live.moves == with_pass.live.moves
    assert without.live.ply == 3
    assert len(without.clock.moves) == 3


def test_an_illegal_game_is_refused_and_an_illegal_variation_left_out() -> None:
    game = tengen.game("othello")
    start = game.start()
    record = Record(game)
    first = record.root.add(Node(game.read_move("f5", start), 0))
    record.root.add(Node(game.read_move("a1", start), 0))
    match = Match.open(GameEntry(record))
    assert moves_of(match) == "f5"
    assert len(match.record.root.children) == 1
    assert "a1 is illegal" in match.record.notes[0]
    first.add(Node(game.read_move("f5", start), 1))
    with pytest.raises(RecordError, match="move 2: f5 is illegal"):
        Match.open(GameEntry(record))


def test_a_record_can_be_played_on_by_people(othello: Match) -> None:
    record = Record.of(tengen.game("othello").start().play_all(["f5", "d6"]))
    match = Match.open(GameEntry(record))
    with pytest.raises(MatchError, match="a rematch needs two players"):
        match.rematch()
    match.change(players=(ANN, BEA))
    match.start()
    match.play("c3")
    match.take_back(2)
    assert moves_of(match) == "f5"
    match.play("d6")


def test_a_match_is_unsaved_until_a_save_has_succeeded() -> None:
    """Also while it is tried again: who asks meanwhile must not hear that all is saved."""
    seen: list[TengenError | None] = []

    def save(entry: GameEntry) -> None:
        seen.append(match.save_error)
        if len(seen) < 3:
            raise TengenError("the disk is full")

    match = Match.new(tengen.game("othello"), (ANN, BEA))
    match = Match.open(match.to_entry(), save=save)
    match.start()
    match.play("f5")
    while match.save_error is not None:
        match.retry_save()
    assert [error is None for error in seen] == [True, False, False]
