"""What the game page says about the end of a game, and how it changed ratings."""

from __future__ import annotations

import pytest

import tengen
from tengen.play.match import Match
from tengen.play.match_result import MatchResult
from tengen.players.player import GUEST_NAME, Person
from tengen.store.glicko import INITIAL_RATING
from tengen.store.store import Store
from tengen.web.pages.game_status import result_headline, result_reason
from tengen.web.pages.result_panel import rating_step
from tengen.web.seating import player_name

ANN, BEA = Person("Ann"), Person("Bea")


def finished(game: str, result: MatchResult) -> Match:
    match = Match.new(tengen.game(game), (ANN, BEA))
    match.adjudicate(result)
    return match


@pytest.mark.parametrize(
    ("game", "code", "winner", "mine", "expected"),
    [
        ("go", "W+10.5", 1, {0}, "You lost by 10.5 points"),
        ("go", "W+10.5", 1, {1}, "You won by 10.5 points"),
        ("go", "B+1", 0, {0, 1}, "Ann won by 1 point"),
        ("go", "B+1", 0, set(), "Ann won by 1 point"),
        ("othello", "W+2", 1, {0}, "You lost by 2 discs"),
        ("pente", "B+", 0, {0}, "You won"),
        ("go", "B+R", 0, {1}, "You lost"),
        ("othello", "0", None, {1}, "Draw"),
        ("othello", "Void", None, {1}, "The game was aborted"),
    ],
)
def test_the_result_in_a_few_words(
    game: str, code: str, winner: int | None, mine: set[int], expected: str
) -> None:
    assert result_headline(finished(game, MatchResult(winner, code, "a reason")), mine) == expected


def test_the_reason_names_the_player() -> None:
    go = tengen.game("go")
    assert result_reason(finished("go", MatchResult.resigned(go, 0))) == "Ann resigned"
    assert result_reason(finished("go", MatchResult.on_time(go, 1))) == "Bea ran out of time"
    assert result_reason(finished("pente", MatchResult(0, "B+", "five in a row"))) == "Five in a row"


def test_the_rating_before_and_after_a_game() -> None:
    with Store.in_memory() as store:
        ids = []
        for _ in range(2):
            match = Match.new(tengen.game("othello"), (ANN, BEA), save=store.save)
            match.start()
            match.play("f5")
            match.play("d6")
            match.resign(1)
            ids.append(match.id)
        first, second = (rating_step(store, ANN.id, "othello", identity) for identity in ids)
        assert first is not None
        assert second is not None
        assert INITIAL_RATING == first.before < first.after == second.before < second.after
        assert rating_step(store, ANN.id, "othello", "another game") is None


def test_only_guests_have_a_name_for_one_game() -> None:
    with Store.in_memory() as store:
        match = Match.new(tengen.game("othello"), (ANN, Person(GUEST_NAME)), save=store.save)
        match.set_name(1, "Zoe")
        assert player_name(match, 1) == "Zoe"
        assert [game.names for game in store.list_games().games] == [("Ann", "Zoe")]
        again = Match.open(store.load(match.id))
        assert player_name(again, 1) == "Zoe"
        again.set_name(0, "Mallory")
        assert player_name(again, 0) == "Ann"
