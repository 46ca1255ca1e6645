"""Analysis of kept games: asked for once, and used again."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import cast

import pytest

import tengen
from tengen.app.analysis import Analyst, Review
from tengen.app.game_reports import GameReports
from tengen.core.position import Position
from tengen.play.match import Match
from tengen.players.config import EngineConfig
from tengen.players.configure import configure
from tengen.players.player import Person
from tengen.runtime.host import EngineHost
from tengen.search.limits import Limits
from tengen.search.report import Report
from tengen.store.store import Store
from tests.helpers.waiting import TIMEOUT_S

FLAT = configure("flat", Limits(nodes=60))
LONGER = configure("flat", Limits(nodes=200))


@pytest.fixture(scope="module")
def host() -> Iterator[EngineHost]:
    with EngineHost(1) as host:
        yield host


@pytest.fixture
def store() -> Iterator[Store]:
    with Store.in_memory() as store:
        yield store


@pytest.fixture
def match(store: Store) -> Match:
    match = Match.new(tengen.game("othello", size=4), (Person("Ann"), Person("Bea")), save=store.save)
    match.start()
    for _ in range(4):
        match.play(match.live.legal_moves[0])
    return match


def test_what_is_known_is_not_searched_again(
    host: EngineHost, store: Store, match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    analyst = Analyst(store, host)
    report = analyst.analyse(match.id, match.live, FLAT).result(TIMEOUT_S)
    monkeypatch.setattr(host, "search", None)
    assert analyst.analyse(match.id, match.live, FLAT).result(0) == report
    assert analyst.known(match.id, match.live, LONGER) is None, "a longer search would know more"
    other = configure("uct", Limits(nodes=60))
    assert analyst.known(match.id, match.live, other) is None
    assert match.live.parent is not None
    assert analyst.known(match.id, match.live.parent, FLAT) is None


def test_a_longer_search_serves_shorter_ones(host: EngineHost, store: Store, match: Match) -> None:
    analyst = Analyst(store, host)
    analyst.analyse(match.id, match.live, FLAT).result(TIMEOUT_S)
    longer = analyst.analyse(match.id, match.live, LONGER).result(TIMEOUT_S)
    assert analyst.known(match.id, match.live, FLAT) == longer
    assert len(store.reports(match.id)) == 1


def test_a_review_covers_the_line_from_its_end(host: EngineHost, store: Store, match: Match) -> None:
    seen: list[tuple[int, Report]] = []

    def note(position: Position, report: Report) -> None:
        seen.append((position.ply, report))

    review = Analyst(store, host).review(match.id, list(match.live.line()), FLAT, note)
    assert review.finished.wait(TIMEOUT_S)
    assert [ply for ply, _ in seen] == [4, 3, 2, 1, 0]
    assert review.done == review.total == 5
    again: list[tuple[int, Report]] = []
    Analyst(store, host).review(
        match.id, list(match.live.line()), FLAT, lambda at, report: again.append((at.ply, report))
    )
    assert again == seen, "all of it was known"


def test_a_long_game_that_is_known_is_reviewed_to_its_end(
    host: EngineHost, store: Store, match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    analyst = Analyst(store, host)
    report = analyst.analyse(match.id, match.live, FLAT).result(TIMEOUT_S)
    monkeypatch.setattr(analyst, "known", lambda game_id, position, config: report)
    seen: list[int] = []
    review = analyst.review(match.id, [match.live] * 2000, FLAT, lambda at, report: seen.append(at.ply))
    assert review.finished.is_set()
    assert len(seen) == 2000


def test_a_review_can_be_stopped_and_survives_its_game(host: EngineHost, store: Store, match: Match) -> None:
    slow = configure("uct", Limits(seconds=600))
    review = Analyst(store, host).review(match.id, list(match.live.line()), slow, lambda at, report: None)
    review.stop()
    assert review.finished.is_set()
    broken = EngineConfig("tests.helpers.faulty_engines:Broken", Limits(nodes=1))
    failed = Analyst(store, host).review(match.id, list(match.live.line()), broken, lambda at, report: None)
    assert failed.finished.wait(TIMEOUT_S)
    assert "Broken" in str(failed.error)


def test_two_pages_that_start_a_review_at_once_share_it(host: EngineHost, store: Store, match: Match) -> None:
    reports = GameReports(match, store, host, lambda moves: None)
    begun = []

    def review_in_passes(*_args: object) -> Review:
        begun.append(threading.current_thread())
        if len(begun) == 1:
            second.start()
            second.join(0.2)  # without a lock, it would begin another review now
        return cast(Review, SimpleNamespace(finished=threading.Event()))

    second = threading.Thread(target=reports.start_review, args=(FLAT,))
    reports._analyst = cast(Analyst, SimpleNamespace(review_in_passes=review_in_passes))
    first = reports.start_review(FLAT)
    second.join(TIMEOUT_S)
    assert (reports.review, len(begun)) == (first, 1)
