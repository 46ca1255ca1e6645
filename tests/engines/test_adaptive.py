"""The opponent that keeps games close."""

from __future__ import annotations

import tengen
from tengen.engines.adaptive import closest
from tengen.play.match_setup import new_entry
from tengen.players.config import EngineConfig
from tengen.players.opponents import teacher, with_opening
from tengen.players.player import Person
from tengen.players.syntax import parse_config, write_config
from tengen.runtime.opening_line import opening_report
from tengen.runtime.turn import create_engine, take_turn
from tengen.search.limits import Limits
from tengen.search.report import Candidate, Value


def discs(**values: float) -> tuple[Candidate, ...]:
    return tuple(Candidate(move, Value.heuristic(value, "discs")) for move, value in values.items())


def test_it_gives_back_when_ahead_and_plays_its_best_when_behind() -> None:
    assert closest(discs(a=8, b=5, c=1, d=-3), give=1.0, lead=0.0).move == "c"
    assert closest(discs(a=8, b=5, c=1), give=0.25, lead=0.0).move == "b", "not more than a quarter at once"
    assert closest(discs(a=-1, b=-2), give=1.0, lead=0.0).move == "a"
    assert closest(discs(a=-1, b=-9), give=1.0, lead=-0.5).move == "a", "never below what it wants"
    rates = tuple(
        Candidate(move, Value.heuristic(value, "win rate"), (), visits)
        for move, value, visits in (("a", 0.9, 900), ("b", 0.6, 100), ("c", 0.52, 3))
    )
    assert closest(rates, give=1.0, lead=0.0).move == "b", "c was hardly searched"


def test_it_plays_every_game_and_is_not_rated() -> None:
    for name in ("clobber", "othello"):
        player = teacher(name)
        game = tengen.game(name)
        engine = create_engine(player.config, game)
        report = take_turn(engine, player.config, game.start(), Limits(nodes=300))
        assert report.best in game.start().write_moves(game.start().legal_moves)
        assert report.candidates[0].move == report.best
        entry = new_entry(game, (Person("Ann"), player), rated=True, opening=(), draft=False)
        assert not entry.rated


def test_an_opponent_plays_its_chosen_opening_as_long_as_the_game_follows_also_reflected() -> None:
    game, limits = tengen.game("othello"), Limits(nodes=10)
    config = parse_config("othello:depth1,opening=f5 d6 c3 d3,book=off")
    assert config == parse_config(write_config(config))
    assert EngineConfig.from_dict(config.to_dict()) == config
    assert "opening" not in EngineConfig("othello").to_dict()
    engine = create_engine(config, game)
    start = game.start()
    assert take_turn(engine, config, start, limits).engine == "opening"
    answer = opening_report(start.play("f5"), config.opening, limits)
    assert answer is not None
    assert answer.best == "d6"
    turned = opening_report(start.play("d3"), config.opening, limits)
    assert turned is not None
    assert turned.best == "c5"
    assert opening_report(start.play("f5").play("f4"), config.opening, limits) is None
    assert opening_report(tengen.game("othello", size=6).start(), config.opening, limits) is None
    player = with_opening(teacher("othello"), "f5 d6")
    assert player.config.opening == "f5 d6"
    assert player.id != teacher("othello").id
