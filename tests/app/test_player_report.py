"""Reports on players and reviews of many games: figures are those of the games, a stop costs nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import tengen
from tengen.app.bulk_review import BulkProgress, BulkReview, is_reviewed
from tengen.app.player_report import player_report, sides_of_player, tables, theme_name
from tengen.app.repertoire import Repertoire
from tengen.app.review import DEEP_SECONDS
from tengen.core.position import Position
from tengen.games.records import Record
from tengen.runtime.host import EngineHost
from tengen.search.report import Candidate, Report, Value
from tengen.store.game_entry import GameEntry
from tengen.store.listing import Filter
from tengen.store.store import Store
from tests.helpers.lost_wins import add_game, thrown_away


@pytest.fixture
def store() -> Iterator[Store]:
    with Store.in_memory() as made:
        yield made


def test_the_report_has_what_the_games_have(store: Store) -> None:
    add_game(store, with_reports=True)
    add_game(store, with_reports=True, date="2026-06-02", seconds=90.0)
    add_game(store, with_reports=False)
    ann = player_report(store, Filter(name="ann"), sides_of_player("", "Ann"))
    assert (ann.total.games, ann.unreviewed) == (2, 1)
    assert ann.total.mistakes == ann.total.proved == 2
    assert ann.phases["opening"].mistakes == 2
    assert list(ann.months) == ["2026-06", "2026-05"]
    assert {name: one.moves for name, one in ann.times.items()} == {"2 to 10 s": 1, "over 1 minute": 1}
    assert sum(ann.themes.values()) == 2
    assert all(theme_name(*theme) for theme in ann.themes)
    assert [title for title, _rows in tables(ann)] == ["Games", "Phases", "Time for the move", "Progress"]
    bob = player_report(store, Filter(name="bob"), sides_of_player("", "Bob"))
    assert bob.total.mistakes == 0
    assert bob.total.accuracy == pytest.approx(100.0, abs=0.01)
    assert ann.total.accuracy is not None
    assert ann.total.accuracy < 100.0
    assert player_report(store, Filter(name="nobody"), sides_of_player("", "nobody")).total.games == 0


def test_a_bulk_review_that_was_stopped_goes_on_where_it_was(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = [add_game(store, with_reports=number == 0, date=f"2026-05-0{number + 1}") for number in range(3)]
    with EngineHost(1) as host:
        reviewed: list[str] = []

        def note(game_id: str, *_more: Any) -> None:
            reviewed.append(game_id)
            review.stop()

        review = BulkReview(store, host, Filter(game="clobber"), on_reviewed=note)
        first = review.run()
        assert len(reviewed) == 1
        assert first.done < first.total == 3
        rest: list[str] = []
        seen: list[BulkProgress] = []
        again = BulkReview(
            store, host, Filter(), on_reviewed=lambda one, *_more: rest.append(one), on_progress=seen.append
        )
        done = again.run()
    assert sorted(reviewed + rest) == sorted(games[1:]), "each once; the first had its reports"
    assert (done.done, done.total, done.failed) == (3, 3, 0)
    assert done.known == 2
    assert seen
    line = thrown_away()[0]
    assert all(is_reviewed(store, one, line) for one in games)


def test_a_game_is_reviewed_once_its_critical_positions_were_searched_longer(store: Store) -> None:
    entry = GameEntry(Record.of(tengen.game("othello").start().play_all(["f5", "d6", "c3"])))
    store.save(entry)
    line = entry.record.positions()

    def save(ply: int, amount: float, nodes: int, seconds: float) -> None:
        value = Value.heuristic(amount, "discs")
        report = Report("alphabeta", "a1", value, (Candidate("a1", value, ("a1",)),), nodes, seconds)
        store.save_report(entry.id, line[ply].write_moves(line[ply].moves), "alphabeta", report)

    for ply, amount in enumerate((0.0, 0.0, 12.0, -12.0)):  # the second move lost 12 discs
        assert not is_reviewed(store, entry.id, line)
        save(ply, amount, 20_000, 0.05)
    assert not is_reviewed(store, entry.id, line)
    for ply in (1, 2):
        save(ply, 0.0 if ply == 1 else 12.0, 400_000, DEEP_SECONDS)
    assert is_reviewed(store, entry.id, line)


def play(*moves: str) -> list[Position]:
    return list(tengen.game("othello").start().play_all(moves).line())


def test_where_games_leave_the_repertoire_also_in_reflected_ones() -> None:
    found = Repertoire()
    for points in (1.0, 1.0, 0.0):
        found.add(play("f5", "d6", "c3", "d3"), 0, points)
    found.add(play("d3", "c5", "f6", "f5"), 0, None)  # the same, turned
    found.add(play("f5", "d6", "c4"), 0, 0.0)
    found.add(play("f5", "f6", "e6"), 0, 1.0)  # the opponent left it
    (departure,) = found.departures()
    assert (departure.usual.text, departure.usual.games, departure.usual.score) == ("c3", 4, 2 / 3)
    assert (departure.played.text, departure.games, departure.played.score) == ("c4", 1, 0.0)
    assert departure.usual.line == ("f5", "d6")
    assert Repertoire().departures() == []
