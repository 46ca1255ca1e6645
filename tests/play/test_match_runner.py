"""Tables: engines move when it is their turn, and stop when it is not."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import tengen
from tengen.play import events
from tengen.play.game_tree import MatchError
from tengen.play.match import Match
from tengen.play.match_runner import MatchRunner
from tengen.play.time_control import TimeControl
from tengen.players.config import EngineConfig
from tengen.players.configure import configure, configure_program, engine_player
from tengen.players.player import EnginePlayer, Person, Player
from tengen.players.program import ExternalProgram
from tengen.runtime.host import EngineHost
from tengen.search.limits import Limits
from tests.helpers.waiting import TIMEOUT_S, wait_until

ANN = Person("Ann")
QUICK = engine_player(configure("flat", Limits(nodes=50)))
RANDOM = engine_player(configure("random", Limits(nodes=1)))
SLOW = engine_player(configure("uct", Limits(seconds=600)))
BROKEN = EnginePlayer("Broken", EngineConfig("tests.helpers.faulty_engines:Broken", Limits(nodes=1)))


@pytest.fixture(scope="module")
def host() -> Iterator[EngineHost]:
    with EngineHost(2) as host:
        yield host


class Witness:
    """Notes every event, and can wait for one."""

    def __init__(self, match: Match, depth: int = 0) -> None:
        self.seen: list[events.Event] = []
        self._news = threading.Condition()
        match.watch(self._note, depth=depth)

    def _note(self, event: events.Event) -> None:
        with self._news:
            self.seen.append(event)
            self._news.notify_all()

    def of(self, kind: type[Any]) -> list[Any]:
        with self._news:
            return [event for event in self.seen if isinstance(event, kind)]

    def wait(self, kind: type[Any], count: int = 1) -> Any:
        with self._news:
            assert self._news.wait_for(lambda: sum(isinstance(e, kind) for e in self.seen) >= count, TIMEOUT_S), (
                f"no {kind.__name__} in {[type(event).__name__ for event in self.seen]}"
            )
            return [event for event in self.seen if isinstance(event, kind)][count - 1]


def seat(
    host: EngineHost, first: Player, second: Player, name: str = "othello", control: str = "none", **options: Any
) -> tuple[Match, MatchRunner, Witness]:
    match = Match.new(tengen.game(name, **(options or {"size": 4})), (first, second), TimeControl.parse(control))
    witness = Witness(match, depth=3)
    runner = MatchRunner(match, host, ponder=options.pop("ponder", False))
    return match, runner, witness


def test_two_engines_play_a_game_to_its_end(host: EngineHost) -> None:
    match, runner, witness = seat(host, QUICK, RANDOM)
    runner.start()
    ended = witness.wait(events.Ended)
    assert match.result == ended.result
    assert match.live.is_over
    assert len(witness.of(events.Moved)) == match.live.ply
    runner.close()


def test_an_engine_answers_a_person(host: EngineHost) -> None:
    match, runner, witness = seat(host, ANN, QUICK)
    runner.start()
    match.play(match.live.legal_moves[0])
    witness.wait(events.Moved, 2)
    assert match.to_move == 0
    assert witness.of(events.Moved)[1].player == 1
    match.take_back_for(0)
    assert match.live.ply == 0
    match.play(match.live.legal_moves[1])
    witness.wait(events.Moved, 4)
    runner.close()
    assert not match.is_running


def test_a_search_ends_when_its_move_is_not_wanted_any_more(host: EngineHost) -> None:
    match, runner, witness = seat(host, ANN, SLOW, size=8)
    runner.start()
    match.play("f5")
    witness.wait(events.SearchProgress)
    match.take_back()
    match.play("d3")  # another search begins
    thinking = len(witness.of(events.SearchProgress))
    witness.wait(events.SearchProgress, thinking + 1)
    match.set_comment(match.tree.root, "quiet")  # edits of the tree disturb no search
    before = len(witness.of(events.SearchProgress))
    witness.wait(events.SearchProgress, before + 1)
    match.resign(0)
    _idle(host, match)
    assert len(witness.of(events.Moved)) == 2
    runner.close()


def test_an_engine_can_be_told_to_move_now(host: EngineHost) -> None:
    _, runner, witness = seat(host, SLOW, ANN, size=8)
    runner.start()
    assert witness.wait(events.SearchProgress).player == 0
    runner.move_now()
    witness.wait(events.Moved)
    runner.close()


def test_leaving_stops_the_search_and_keeps_the_game(host: EngineHost) -> None:
    kept: list[str] = []
    match = Match.new(tengen.game("othello"), (ANN, SLOW), save=lambda entry: kept.append(entry.end))
    runner = MatchRunner(match, host)
    witness = Witness(match)
    runner.start()
    match.play("f5")
    witness.wait(events.SearchProgress)
    count = len(kept)
    runner.close()
    assert len(kept) > count
    assert set(kept) == {""}, "it is unfinished"
    assert not match.is_running
    _idle(host, match)
    again = MatchRunner(match, host)
    again.start()
    witness.wait(events.Started, 2)
    again.close()


def test_the_flag_falls_without_a_move(host: EngineHost) -> None:
    match, runner, witness = seat(host, ANN, QUICK, control="200ms")
    runner.start()
    witness.wait(events.Ended)
    assert match.result is not None
    assert match.result.code == "W+T"
    runner.close()


def test_engines_on_a_clock_do_not_lose_on_time(host: EngineHost) -> None:
    slow = engine_player(configure("uct", Limits(seconds=60)))
    match, runner, witness = seat(host, slow, slow, control="5s+100ms")
    runner.start()
    witness.wait(events.Ended)
    assert match.result is not None
    assert not match.result.code.endswith("T"), match.result
    runner.close()


def test_a_new_clock_is_heeded_by_the_search_in_progress(host: EngineHost) -> None:
    match, runner, witness = seat(host, SLOW, ANN, size=8)
    runner.start()
    witness.wait(events.SearchProgress)
    match.change(control=TimeControl.parse("30s"))  # of which about a second is for this move
    assert witness.wait(events.Moved).player == 0
    assert match.result is None
    runner.close()


def test_an_engine_that_fails_is_reported_and_can_be_replaced(host: EngineHost) -> None:
    match, runner, witness = seat(host, ANN, BROKEN)
    runner.start()
    match.play(match.live.legal_moves[0])
    trouble = witness.wait(events.EngineFailed)
    assert trouble.player == 1
    assert "Broken" in str(trouble.error)
    assert not match.is_running, "nobody loses time by it"
    match.change(players=(ANN, QUICK))
    runner.start()
    witness.wait(events.Moved, 2)
    runner.close()


def test_another_program_sits_at_a_table(host: EngineHost) -> None:
    command = (sys.executable, "-m", "tengen", "gtp", "--engine", "random", "--level", "1 nodes")
    stranger = engine_player(
        configure_program(ExternalProgram("gtp", command, timeout_s=TIMEOUT_S), Limits(nodes=1))
    )
    match, runner, witness = seat(host, ANN, stranger, "go", size=5)
    runner.start()
    match.play("C3")
    assert witness.wait(events.Moved, 2).player == 1
    runner.close()


def test_thinking_ahead_ends_with_the_persons_move(host: EngineHost) -> None:
    match = Match.new(tengen.game("othello"), (ANN, engine_player(configure("uct", Limits(nodes=200)))))
    runner, witness = MatchRunner(match, host, ponder=True), Witness(match)
    runner.start()
    wait_until(lambda: _is_searched(host, match), "no search began")
    match.play("f5")
    witness.wait(events.Moved, 2)
    runner.close()
    _idle(host, match)


def test_a_hint_disturbs_nobody(host: EngineHost) -> None:
    match, runner, witness = seat(host, ANN, SLOW, size=8)
    runner.start()
    match.play("f5")
    witness.wait(events.SearchProgress)
    start = match.tree.root.position
    report = runner.hint(QUICK.config, start).result(TIMEOUT_S)
    assert report.best in start.write_moves(start.legal_moves)
    assert match.live.ply == 1
    runner.close()


def test_draw_offers(host: EngineHost) -> None:
    match, runner, witness = seat(host, ANN, QUICK)
    runner.start()
    assert not runner.offer_draw(0), "it has no opinion yet"
    with pytest.raises(MatchError, match="only engines answer draw offers"):
        runner.offer_draw(1)
    match.play(match.live.legal_moves[0])
    witness.wait(events.Moved, 2)
    ahead = runner._reports[1].value.amount > 0.5
    assert runner.offer_draw(0) == (not ahead)
    assert (match.result is None) == ahead
    runner.close()


def test_twenty_games_at_once(host: EngineHost) -> None:
    seats = [seat(host, QUICK, RANDOM) for _ in range(20)]
    for _, runner, _ in seats:
        runner.start()
    for match, runner, witness in seats:
        witness.wait(events.Ended)
        assert match.result is not None
        runner.close()


def _is_searched(host: EngineHost, match: Match) -> bool:
    return any(worker.searching is not None and worker.searching[0] == match.id for worker in host.status())


def _idle(host: EngineHost, match: Match) -> None:
    """Wait until no worker is at this match."""
    wait_until(lambda: not _is_searched(host, match), "the search goes on")
