"""The end of a game of Go: dead stones, playing on, aborting, and what is stored."""

from __future__ import annotations

import pytest

import tengen
from tengen.core.game import Game
from tengen.games.go.game import RULE_SETS
from tengen.play.game_tree import MatchError
from tengen.play.match import Match
from tengen.play.time_control import TimeControl
from tengen.players.configure import configure
from tengen.players.player import EnginePlayer, Person, Player
from tengen.search.limits import Limits
from tengen.store.store import Store

ANN, BEA = Person("Ann"), Person("Bea")
ROBOT = EnginePlayer("Robot", configure("random", Limits(nodes=1)))
OTHER = EnginePlayer("Other", configure("random", Limits(nodes=2)))


def play(game: Game, players: tuple[Player, Player], *moves: str, store: Store | None = None) -> Match:
    match = Match.new(game, players, save=None if store is None else store.save)
    match.start()
    for move in moves:
        match.play(move)
    return match


@pytest.mark.parametrize("rules", RULE_SETS)
@pytest.mark.parametrize("players", [(ANN, BEA), (ANN, ROBOT), (ROBOT, ANN)], ids=["people", "second", "first"])
def test_people_agree_on_dead_stones_under_all_rules(rules: str, players: tuple[Player, Player]) -> None:
    match = play(tengen.game("go", size=5, rules=rules, komi=0.5), players, "C3", "A1", "pass", "pass")
    assert match.is_counting
    end = match.finish_counting(["A1"])
    assert end.winner == 0
    assert match.dead_stones == ("A1",)
    # Area: 25 points. Territory: 24 points and one prisoner.
    assert end.code == "B+24.5"


def test_engines_end_their_games_by_the_rules_alone() -> None:
    chinese = play(tengen.game("go", size=5), (ROBOT, OTHER), "C3", "A1", "pass", "pass")
    assert chinese.result is not None
    assert chinese.result.code == "W+7.5", "the stone on A1 counts as alive"
    assert play(tengen.game("go", size=5, rules="japanese"), (ROBOT, OTHER), "C3", "pass", "pass").is_counting


def test_dead_stones_are_stored_with_the_game() -> None:
    with Store.in_memory() as store:
        match = play(tengen.game("go", size=5), (ANN, BEA), "C3", "A1", "pass", "pass", store=store)
        assert Match.open(store.load(match.id)).is_counting
        match.finish_counting([match.game.read_move("A1", match.live)])
        again = Match.open(store.load(match.id))
        assert again.dead_stones == ("A1",)
        assert again.result == match.result


def test_playing_on_takes_back_the_passes_and_nothing_else() -> None:
    match = Match.new(tengen.game("go", size=5), (ANN, BEA), TimeControl.parse("10m"))
    match.start()
    for move in ("C3", "A1", "pass", "pass"):
        match.play(move)
    left = match.clock.left
    match.resume_play()
    assert match.live.ply == 2
    assert match.to_move == 0, "the one who passed first moves"
    assert match.is_running
    assert match.is_rated
    assert match.clock.left == left, "the time of the passes stays used"
    for move in ("B1", "pass", "pass"):
        match.play(move)
    assert match.is_counting
    match.finish_counting()
    with pytest.raises(MatchError):
        match.resume_play()


def test_only_counting_can_be_left_by_playing_on() -> None:
    match = play(tengen.game("go", size=5), (ANN, BEA), "C3", "pass")
    with pytest.raises(MatchError, match="not being counted"):
        match.resume_play()


@pytest.mark.parametrize("moves", [(), ("f5",)])
def test_a_game_is_aborted_before_each_side_has_moved(moves: tuple[str, ...]) -> None:
    with Store.in_memory() as store:
        match = play(tengen.game("othello"), (ANN, ROBOT), *moves, store=store)
        match.abort()
        assert match.result is not None
        assert match.result.is_void
        assert match.result.describe(match.game) == "No result: aborted"
        assert not match.is_rated
        assert store.ratings("othello") == []
        again = Match.open(store.load(match.id))
        assert again.result == match.result


def test_a_game_in_which_both_have_moved_cannot_be_aborted() -> None:
    match = play(tengen.game("othello"), (ANN, ROBOT), "f5", "d6")
    assert not match.can_abort
    with pytest.raises(MatchError, match="resign"):
        match.abort()


@pytest.mark.parametrize(("moves", "rated"), [((), 0), (("f5",), 0), (("f5", "d6"), 2)])
def test_a_game_without_a_move_of_each_side_is_no_rated_loss(moves: tuple[str, ...], rated: int) -> None:
    with Store.in_memory() as store:
        play(tengen.game("othello"), (ANN, BEA), *moves, store=store).resign(0)
        assert len(store.ratings("othello")) == rated
