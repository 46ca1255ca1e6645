"""Players as data: configurations, names, ids, the built-in opponents and the textual syntax."""

from __future__ import annotations

import json
import re
import uuid
from importlib.metadata import EntryPoint
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tengen import games
from tengen.core.errors import OptionError
from tengen.engines.registry import create, engine_class, names
from tengen.play.player_lookup import known
from tengen.players.config import EngineConfig
from tengen.players.configure import config_name, configure, engine_player
from tengen.players.opponent_tables import GENERIC_IDS
from tengen.players.opponents import (
    DEFAULT_LEVEL,
    analysis_player,
    built_in_opponent,
    default_opponent,
    former_opponents,
    hint_player,
    levels,
    opponent_with_id,
    opponents,
)
from tengen.players.player import EnginePlayer, Person, identity_key, read_player
from tengen.search.limits import Limits
from tengen.store.errors import StoreError
from tengen.store.store import Store

ONE_SECOND = Limits(seconds=1.0)


def by_json(data: dict[str, Any]) -> Any:
    return json.loads(json.dumps(data, allow_nan=False))


level_configs = st.builds(
    Limits,
    seconds=st.none() | st.floats(0.001, 3600.0),
    nodes=st.integers(1, 10**9),
    depth=st.none() | st.integers(1, 100),
)
configs = st.builds(
    configure,
    st.just("uct"),
    level_configs,
    book=st.booleans(),
    vision=st.integers(12, 20).map(lambda step: 5 * step),
    judgement=st.integers(12, 20).map(lambda step: 5 * step),
    threads=st.integers(1, 64),
    exploration=st.floats(0, 10),
    rave=st.sampled_from([0.0, 0.5, 1000.0]),
    reuse=st.booleans(),
)


# ---- configs


@pytest.mark.parametrize("engine", names())
def test_a_configuration_has_every_tunable(engine: str) -> None:
    config = configure(engine, ONE_SECOND)
    assert dict(config.settings) == {tunable.name: tunable.default for tunable in engine_class(engine).tunables}
    assert create(config.engine, threads=config.threads, **dict(config.settings)).settings == dict(config.settings)


def test_equal_settings_are_equal_configurations() -> None:
    one = configure("uct", ONE_SECOND, rave=500, exploration="0.5")
    two = configure("uct", Limits(seconds=1), exploration=0.5, rave=500.0, reuse="yes")
    assert one == two
    assert hash(one) == hash(two)
    for other in (
        configure("uct", ONE_SECOND, rave=500),
        configure("uct", Limits(seconds=2.0), rave=500, exploration=0.5),
        configure("uct", ONE_SECOND, rave=500, exploration=0.5, book=False),
        configure("uct", ONE_SECOND, rave=500, exploration=0.5, vision=95),
        configure("uct", ONE_SECOND, rave=500, exploration=0.5, judgement=95),
        configure("uct", ONE_SECOND, rave=500, exploration=0.5, threads=2),
    ):
        assert other != one


@pytest.mark.parametrize(
    ("engine", "settings", "words"),
    [
        ("deep", {}, "no engine 'deep'"),
        ("uct", {"table": 3}, "uct has no setting 'table'"),
        ("uct", {"exploration": 11}, "exploration should be a number from 0 to 10"),
        ("uct", {"reuse": "maybe"}, "reuse should be yes or no"),
        ("uct", {"vision": 55}, "vision should be a whole number from 60 to 100"),
        ("uct", {"vision": 62}, "vision should be from 60 to 100 in steps of 5"),
        ("uct", {"judgement": 105}, "judgement should be a whole number from 60 to 100"),
        ("uct", {"judgement": 99}, "judgement should be from 60 to 100 in steps of 5"),
        ("uct", {"threads": 0}, "threads should be a whole number from 1"),
    ],
)
def test_wrong_configurations_are_refused(engine: str, settings: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=words) as error:
        configure(engine, ONE_SECOND, **settings)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("wrong", [{"seconds": 0.0}, {"nodes": -1}, {"depth": 0}, {"nodes": 1.5}])
def test_a_level_ends_every_search(wrong: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        Limits(**wrong)


def test_a_configuration_limits_seconds_nodes_and_depth_only() -> None:
    with pytest.raises(OptionError, match="only"):
        EngineConfig("uct", Limits(seconds=2.0, lines=3))


@settings(deadline=None)
@given(configs)
def test_a_configuration_survives_json(config: EngineConfig) -> None:
    assert EngineConfig.from_dict(by_json(config.to_dict())) == config


def test_a_player_of_version_0_1_is_read() -> None:
    player = engine_player(configure("uct", ONE_SECOND))
    data = player.to_dict()
    data["genome"] = data.pop("config")
    assert read_player(data) == player


def test_a_game_keeps_a_configuration_that_this_version_no_longer_knows() -> None:
    data = by_json(configure("uct", ONE_SECOND).to_dict())
    data["engine"], data["settings"] = "older", {"forgotten": 3}
    config = EngineConfig.from_dict(data)
    assert by_json(config.to_dict()) == data
    assert config_name(config) == "Older 1 s, forgotten 3"


# ---- names


@pytest.mark.parametrize(
    ("config", "name"),
    [
        (configure("uct", ONE_SECOND), "Uct 1 s"),
        (configure("uct", Limits(seconds=0.25), rave=500), "Uct 0.25 s, rave 500"),
        (configure("alphabeta", Limits(depth=4)), "Alphabeta depth 4"),
        (configure("flat", Limits(nodes=200), book=False), "Flat 200 nodes, no book"),
        (configure("random", Limits(nodes=1)), "Random 1 node"),
        (configure("uct", ONE_SECOND, vision=80, judgement=60), "Uct 1 s, vision 80, judgement 60"),
        (configure("uct", ONE_SECOND, reuse=False, threads=2), "Uct 1 s, reuse off, 2 threads"),
    ],
)
def test_generated_names(config: EngineConfig, name: str) -> None:
    assert engine_player(config).name == name


@settings(deadline=None)
@given(configs, configs)
def test_different_configurations_have_different_names(one: EngineConfig, two: EngineConfig) -> None:
    assert (config_name(one) == config_name(two)) == (one == two)
    assert engine_player(one).name == config_name(one)


def test_a_name_of_many_settings_stays_short() -> None:
    many = {"exploration": 0.123456789, "rave": 1234.56789, "bias": 1.23456789, "expand_after": 17, "memory": 333}
    name = engine_player(configure("uct", ONE_SECOND, **many, book=False, vision=80, judgement=75)).name
    assert re.fullmatch(r"Uct 1 s, tuned [0-9a-f]{8}", name)


# ---- players


def test_ids_are_unique_and_outlive_a_new_name() -> None:
    players = [Person("Ann"), Person("Ann"), engine_player(configure("uct", ONE_SECOND))]
    assert len({player.id for player in players}) == 3
    for player in players:
        uuid.UUID(player.id)
        renamed = player.renamed("Bea")
        assert (renamed.id, renamed.name) == (player.id, "Bea")
    engine = players[2]
    assert isinstance(engine, EnginePlayer)
    assert engine.renamed("Deep Thought").config == engine.config


@pytest.mark.parametrize("name", ["", " Ann", "Ann\n", "two\nlines", "\x1b[31m", "x" * 81])
def test_a_name_is_one_line(name: str) -> None:
    with pytest.raises(OptionError, match="a name should"):
        Person(name)
    with pytest.raises(OptionError, match="a name should"):
        Person("Ann").renamed(name)


@pytest.mark.parametrize("player", [Person("Zoë"), engine_player(configure("uct", ONE_SECOND, vision=75))])
def test_players_survive_json(player: Person | EnginePlayer) -> None:
    assert read_player(by_json(player.to_dict())) == player


def test_what_is_not_a_player_is_refused() -> None:
    person, engine = Person("Ann").to_dict(), engine_player(configure("uct", ONE_SECOND)).to_dict()
    config = engine["config"]
    wrong: list[Any] = [{}, [], None, {**person, "kind": "robot"}, {**person, "id": "7"}, {**person, "name": ""}]
    wrong += [{**person, "name": 3}, {**engine, "config": None}, {**engine, "config": {}}]
    for name, value in [
        ("vision", 3), ("vision", None), ("level", {}), ("level", {"seconds": "1"}), ("level", None),
        ("threads", 0), ("settings", [1]), ("settings", {"rave": [1]}), ("settings", {"rave": "1"}), ("more", 1),
    ]:  # fmt: skip
        wrong.append({**engine, "config": {**config, name: value}})
    for data in wrong:
        with pytest.raises(ValueError):  # noqa: PT011
            read_player(data)


def test_no_two_players_with_the_same_name_and_configuration() -> None:
    ann = Person("Ann")
    uct = EnginePlayer("Rex", configure("uct", ONE_SECOND))
    with Store.in_memory() as store:
        for player in (ann, uct, ann, uct, ann.renamed("ANN"), Person("Bea"), Person("Rex")):
            store.save_player(player)
        store.save_player(EnginePlayer("Rex", configure("uct", Limits(seconds=2.0))))
        store.save_player(EnginePlayer("Max", uct.config))
        for twin in (
            Person("ann"),
            EnginePlayer("REX", configure("uct", ONE_SECOND)),
            Person("Bea").renamed("Ann"),
        ):
            with pytest.raises(StoreError, match="already: choose another name"):
                store.save_player(twin)


# ---- built-in opponents


@pytest.mark.parametrize("game", games.names())
def test_built_in_opponents(game: str) -> None:
    found = opponents(game)
    assert len(found) == 10
    assert found == opponents(game.upper()), "the same ids at every start"
    assert [one.level for one in levels(game)] == list(range(1, 11))
    assert default_opponent(game) == levels(game)[DEFAULT_LEVEL - 1].player
    assert all(one.character and one.avatar and one.details for one in levels(game))
    assert opponent_with_id(game, found[4].id) == built_in_opponent(found[4].id) == levels(game)[4]
    assert not any(player.config.book for player in found[:3]), "beginners know no openings"
    assert found[-1].config.book
    assert opponent_with_id(game, found[4].id[:-1]) is None
    assert len({identity_key(player) for player in found}) == len(found)
    for player in found:
        assert read_player(by_json(player.to_dict())) == player
        config = player.config
        weaknesses = {"vision": config.vision, "judgement": config.judgement, "book": config.book}
        assert configure(config.engine, config.limits, **weaknesses, **dict(config.settings)) == config


def test_ratings_rise_with_the_level() -> None:
    for game in games.names():
        measured = [one.rating for one in levels(game) if one.rating is not None]
        assert len(measured) > 5
        assert measured == sorted(set(measured))


def test_levels_do_not_depend_on_the_machine() -> None:
    for game in games.names():
        assert all(player.config.limits.seconds is None for player in opponents(game))


def test_a_name_means_one_opponent() -> None:
    everyone = [player for game in games.names() for player in opponents(game)]
    assert len({player.name for player in everyone}) == len(everyone)
    assert len({player.id for player in everyone}) == len(everyone)


def test_a_former_opponent_is_one_player_in_all_games() -> None:
    everyone = {identity_key(player): player for game in games.names() for player in former_opponents(game)}
    for game in games.names():
        for player in former_opponents(game):
            assert everyone[identity_key(player)] == player


@pytest.mark.parametrize("game", games.names())
def test_hints_and_analyses_are_at_full_strength(game: str) -> None:
    assert hint_player(game).config.limits.seconds == 1
    assert analysis_player(game).config.limits.seconds == 5


def test_opponents_of_a_new_game_and_of_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(games._GAMES, "nim", "tengen_nim.game:Nim")
    assert opponents("nim")
    assert hint_player("nim").config.limits.seconds == 1
    assert analysis_player("nim").config.limits.seconds == 5
    with pytest.raises(OptionError, match="no game 'nothing'"):
        opponents("nothing")


def test_a_game_that_cannot_be_loaded_does_not_affect_players(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = EntryPoint("broken", "no_such_module:Broken", games.PLUGIN_GROUP)
    monkeypatch.setattr(games, "plugins", lambda group: {"broken": broken})
    assert built_in_opponent("no such id") is None
    assert built_in_opponent(GENERIC_IDS[-1]).name == "Uct 5 s"  # type: ignore[union-attr]
    stranger = Person("A stranger")
    with Store.in_memory() as store:
        assert known(store, stranger) == stranger


# Ids of version 0.1: games and ratings are stored under them.
FIRST_AND_LAST_IDS = {
    "clobber": ("577f98da-b15b-5be6-9fe9-40afc3b60331", "129943bf-a3e0-50c4-85c6-5f3b67814707"),
    "go": ("577f98da-b15b-5be6-9fe9-40afc3b60331", "b91c9030-2495-5c8e-9716-ecc7ec33a096"),
    "othello": ("577f98da-b15b-5be6-9fe9-40afc3b60331", "002cbafe-1c31-5613-a1ab-32328de19422"),
    "pente": ("577f98da-b15b-5be6-9fe9-40afc3b60331", "2bf2e98d-cde5-5963-8df2-fb63599aac12"),
}


@pytest.mark.parametrize(("game", "ids"), FIRST_AND_LAST_IDS.items())
def test_former_opponents_keep_their_ids(game: str, ids: tuple[str, str]) -> None:
    found = former_opponents(game)
    assert (found[0].id, found[-1].id) == ids
    assert len({player.id for player in found}) == len(found)


# Ids of version 0.2.
LEVEL_IDS = {
    "clobber": ("4fd673b9-79ca-59d0-a41c-ddedd8912f3d", "c8a41a6d-c0b7-5289-b878-4e7f7629987b"),
    "go": ("91059a67-a040-5d7d-b219-781d89975822", "d16178ee-a20a-5e8d-996f-5189faa3ca56"),
    "othello": ("f6b98489-0acc-54d0-9593-b9a9e0026505", "64121e36-719b-5168-901a-e56830803ead"),
    "pente": ("a373c5ac-a0c3-5301-bba0-216c183496fc", "77fffae7-8330-51ff-9dc5-769c0596ad2e"),
}


@pytest.mark.parametrize(("game", "ids"), LEVEL_IDS.items())
def test_opponents_keep_their_ids(game: str, ids: tuple[str, str]) -> None:
    found = opponents(game)
    assert (found[0].id, found[-1].id) == ids
