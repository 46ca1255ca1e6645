"""Counting in a session, without a browser: what an engine accepts, what people are asked, what is stored."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any, cast

import pytest

import tengen
from tengen.app.dead_stones import DeadStones, Judgement
from tengen.jobs.helper_pool import HelperPool
from tengen.play.game_tree import MatchError
from tengen.play.match import Match
from tengen.players.configure import configure
from tengen.players.player import EnginePlayer, Person, Player
from tengen.runtime.host import EngineHost
from tengen.search.limits import Limits
from tengen.store.store import Store
from tengen.web.board_data import board_data
from tengen.web.game_session import GameSession
from tengen.web.permissions import NotAllowed
from tengen.web.visitor_cache import Seats, VisitorCache

# Black lives on the left, White on the right, and the white stone on A5 is dead.
SETTLED = "O.XO./XXXO./..XOO/XXXO./..XO. X"
ROBOT = EnginePlayer("Robot", configure("random", Limits(nodes=1)))
RULES = ["chinese", "japanese", "aga", "new-zealand", "tromp-taylor"]
WHITE_RIGHT = (3, 0)


class Pool:
    """Judges at once, in this process."""

    def __init__(self) -> None:
        self.judged: list[Judgement] | None = None  # instead of asking the engine

    def submit(self, work: Callable[..., Any], *args: Any) -> Future[Any]:
        made: Future[Any] = Future()
        made.set_result(work(*args) if self.judged is None else self.judged)
        return made


class Sessions:
    def __init__(self) -> None:
        self.store, self.host, self.pool = Store.in_memory(), EngineHost(1), Pool()
        self.loop = asyncio.new_event_loop()
        self._open: list[GameSession] = []

    def begin(self, second: Player, rules: str = "chinese", *, waits: bool = True) -> GameSession:
        """A game of Ann's after two passes; "bea" plays the second side if it is a person's."""
        game = tengen.game("go", board=SETTLED, rules=rules, komi=0.5)
        match = Match.new(game, (Person("Ann"), second), save=self.store.save)
        seats = Seats("ann")
        for side, who in enumerate(("ann", "bea")):
            seats.assign(side, who)
        self.store.set_seats(match.id, seats)
        session = self.open(match)
        match.start()
        for _ in range(2):
            match.play("pass")
        if waits:
            wait_until(lambda: not session.dead_stones.is_engine_marking)
        return session

    def open(self, match: Match) -> GameSession:
        pool = cast(HelperPool, self.pool)
        session = GameSession(match, self.store, self.host, pool, VisitorCache(None), self.loop)
        self._open.append(session)
        return session

    def close(self) -> None:
        for session in self._open:
            session.close()
        self.host.close()
        self.store.close()
        self.loop.close()


def wait_until(condition: Callable[[], bool]) -> None:
    for _ in range(3000):
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError("it never happened")


@pytest.fixture
def sessions() -> Iterator[Sessions]:
    made = Sessions()
    yield made
    made.close()


@pytest.mark.parametrize("rules", RULES)
def test_against_an_engine_its_marks_are_proposed_under_all_rules(sessions: Sessions, rules: str) -> None:
    session = sessions.begin(ROBOT, rules)
    assert session.dead_stones.points() == [(0, 0)]
    assert session.dead_stones.unsure() == []
    session.agree("ann", session.dead_stones.points())
    result = session.match.result
    assert result is not None
    # Area: 15 points against 10. Territory: 6 points and a prisoner against 4.
    assert result.code == ("B+2.5" if rules == "japanese" else "B+4.5")
    again = sessions.open(Match.open(sessions.store.load(session.id)))
    assert again.dead_stones.is_shown, "a stored game shows how it was counted"
    assert again.dead_stones.points() == [(0, 0)]


def test_an_engine_gives_away_nothing_that_it_is_sure_of(sessions: Sessions) -> None:
    session = sessions.begin(ROBOT)
    session.mark("ann", WHITE_RIGHT)
    with pytest.raises(MatchError, match="does not agree about D5"):
        session.agree("ann")
    with pytest.raises(MatchError, match="does not agree"):
        session.count("ann", [(0, 0), WHITE_RIGHT])
    assert session.match.is_counting
    session.reset_marks("ann")
    assert session.dead_stones.points() == [(0, 0)]
    session.mark("ann", (0, 0))  # to leave a dead stone of the engine alive only helps the engine
    session.agree("ann")
    assert session.match.result is not None


def test_a_dispute_with_an_engine_is_decided_by_playing_on(sessions: Sessions) -> None:
    session = sessions.begin(ROBOT)
    with pytest.raises(NotAllowed):
        session.play_on("eve")
    session.play_on("ann")
    assert not session.match.is_counting
    assert session.match.live.ply == 0
    assert session.dead_stones.points() == []
    assert not session.dead_stones.is_shown


def test_nobody_agrees_with_an_engine_before_it_has_looked(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DeadStones, "start_marking", lambda self: None)
    session = sessions.begin(ROBOT, waits=False)
    with pytest.raises(MatchError, match="still looking"):
        session.agree("ann")
    assert session.match.is_counting


def test_people_are_asked_about_what_nobody_is_sure_of(sessions: Sessions) -> None:
    sessions.pool.judged = [
        Judgement((0, 0), 1, is_dead=True, is_sure=False),
        Judgement(WHITE_RIGHT, 1, is_dead=False, is_sure=False),
    ]
    session = sessions.begin(ROBOT)
    assert session.dead_stones.points() == [(0, 0)]
    assert session.dead_stones.unsure() == [(0, 0), (3, 0), (3, 1), (3, 2), (3, 3), (3, 4), (4, 2)]
    session.mark("ann", WHITE_RIGHT)
    session.agree("ann")
    assert session.match.result is not None
    assert session.match.result.code == "B+24.5"


def test_two_people_may_agree_on_anything(sessions: Sessions) -> None:
    session = sessions.begin(Person("Bea"))
    session.mark("ann", WHITE_RIGHT)
    session.agree("ann")
    assert session.match.result is None
    session.agree("bea")
    assert session.match.result is not None
    assert session.match.result.code == "B+24.5"


def test_marks_are_made_again_when_a_game_is_reopened_while_it_is_counted(sessions: Sessions) -> None:
    session = sessions.begin(ROBOT)
    again = sessions.open(Match.open(sessions.store.load(session.id)))
    wait_until(lambda: not again.dead_stones.is_engine_marking)
    assert again.dead_stones.points() == [(0, 0)]


def test_who_asked_is_told_that_it_was_declined(sessions: Sessions) -> None:
    session = sessions.begin(Person("Bea"))
    session.play_on("ann")
    session.play("ann", "B5")
    session.take_back("ann")
    session.answer_offer("bea", False)
    assert session.offers.declined is not None
    assert (session.offers.declined.kind, session.offers.declined.side) == ("take back", 0)
    session.play("bea", "pass")
    assert session.offers.declined is None


def test_a_board_knows_its_winning_row_and_what_the_last_move_changed() -> None:
    pente = tengen.game("pente", size=9, board="XXXX.OO.." + "/........." * 8 + " X")
    assert board_data(pente.start().play("E9"), playable=False)["winning"] == [
        [0, 0],
        [1, 0],
        [2, 0],
        [3, 0],
        [4, 0],
    ]
    capture = tengen.game("pente", size=9, board="XOO......" + "/........." * 8 + " X").start().play("D9")
    shown = board_data(capture, playable=False)
    assert (shown["winning"], shown["changed"]) == ([], [[1, 0], [2, 0]])
    assert [tally.counts for tally in capture.game.tallies(capture)] == [(2, 0)]
    othello = board_data(tengen.game("othello").start().play("f5"), playable=False)
    assert othello["changed"] == [[4, 4]]
    assert board_data(tengen.game("othello").start(), playable=False)["changed"] == []


@pytest.mark.parametrize(
    ("board", "expected"),
    [
        ("X" * 20 + "O" * 44, [("Discs", (20, 44))]),
        (
            "X" * 40 + "-" * 24,
            [("Discs", (40, 0)), ("Empty squares, for the winner", (24, 0)), ("Total", (64, 0))],
        ),
    ],
)
def test_the_score_of_othello_adds_up(board: str, expected: list[tuple[str, tuple[int, int]]]) -> None:
    position = tengen.game("othello", board=f"{board} X").start()
    found = [(tally.name, tally.counts) for tally in position.game.score_sheet(position)]
    assert found == expected
    assert position.outcome is not None
    assert found[-1][1][0] - found[-1][1][1] == position.outcome.score


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("dead", [[], ["A5"], ["A5", "D5"]])
def test_the_score_of_go_adds_up(rules: str, dead: list[str]) -> None:
    position = tengen.game("go", board=SETTLED, rules=rules, komi=0.5).start().play_all(["pass", "pass"])
    *_, total = position.game.score_sheet(position, dead)
    assert total.counts[0] - total.counts[1] == position.game.count(position, dead).score
