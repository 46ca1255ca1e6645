"""Rematches: who goes first, and who is presumed to have won what was left."""

from __future__ import annotations

import pytest

from tengen.play.match_result import MatchResult
from tengen.play.rematch import Presumed, presumed, rematch
from tengen.players.configure import configure, engine_player
from tengen.players.player import EnginePlayer, Person
from tengen.search.limits import Limits

ANN, BEA = Person("Ann"), Person("Bea")
UCT = engine_player(configure("uct", Limits(seconds=1.0)))
FLAT = engine_player(configure("flat", Limits(seconds=1.0)))
FIRST_WINS, SECOND_WINS, DRAW = (
    MatchResult(0, "B+R", "resigned"),
    MatchResult(1, "W+T", "time"),
    MatchResult(None, "0", "full"),
)
PAIRS = [(ANN, BEA), (ANN, UCT), (UCT, ANN), (UCT, FLAT)]


@pytest.mark.parametrize("players", PAIRS)
def test_the_loser_goes_first(players: tuple[Person, EnginePlayer]) -> None:
    assert rematch(players, FIRST_WINS) == (players[1], players[0])
    assert rematch(players, SECOND_WINS) == players


@pytest.mark.parametrize("players", PAIRS)
def test_after_a_draw_they_swap(players: tuple[Person, EnginePlayer]) -> None:
    assert rematch(players, DRAW) == (players[1], players[0])


def test_unfinished_against_the_computer_the_person_goes_first() -> None:
    assert rematch((ANN, UCT), None) == (ANN, UCT)
    assert rematch((UCT, ANN), None) == (ANN, UCT)


@pytest.mark.parametrize("players", [(ANN, BEA), (UCT, FLAT), (UCT, UCT)])
def test_unfinished_between_equals_they_swap(players: tuple[Person, Person]) -> None:
    assert rematch(players, None) == (players[1], players[0])


@pytest.mark.parametrize("to_move", [0, 1])
def test_the_presumed_winner(to_move: int) -> None:
    against_engine = presumed((ANN, UCT), to_move)
    assert isinstance(against_engine, Presumed)
    assert against_engine.winner == 1
    other_way = presumed((UCT, ANN), to_move)
    assert other_way is not None
    assert other_way.winner == 0
    between_people = presumed((ANN, BEA), to_move)
    assert between_people is not None
    assert between_people.winner == to_move
    assert presumed((UCT, FLAT), to_move) is None


def test_a_presumed_result_is_no_end() -> None:
    assert not isinstance(presumed((ANN, UCT), 0), MatchResult)
