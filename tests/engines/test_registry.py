"""The registry of engines: which there are for a game, which is its default, and what is said of the others."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

import tengen
from tengen.arena.engine_match import EngineMatch
from tengen.cli.doctor import examine
from tengen.core.errors import OptionError
from tengen.engines import registry
from tengen.play.player_lookup import find_engine_player
from tengen.players.config import EngineConfig
from tengen.players.configure import config_name, configure, engine_player
from tengen.protocols.gtp.server import Gtp
from tengen.runtime.host import EngineHost
from tengen.runtime.kernel_groups import kernel_groups
from tengen.runtime.turn import create_engine
from tengen.search.engine import Engine
from tengen.search.limits import Limits
from tengen.store.store import Store
from tengen.terminal.play_command import PlayCommand, PlayOptions
from tests.helpers.corner_engine import PLACE, Corner
from tests.helpers.protocol_client import Talk

SMALL, LARGER = tengen.game("othello", size=4), tengen.game("othello", size=6)
GENERIC = ["alphabeta", "uct", "flat", "random"]


@pytest.fixture
def corner(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line in front of the others: the default where it plays, whatever else the game has."""
    entry = registry.Entry(PLACE, ("othello",))
    monkeypatch.setattr(registry, "_ENGINES", {"corner": entry, **registry._ENGINES})


@pytest.mark.parametrize("name", registry.names())
def test_every_engine_is_where_the_registry_says(name: str) -> None:
    kind = registry.engine_class(name)
    assert kind.name == name
    assert kind.summary
    assert all(tengen.game(game) for game in registry.games_of(name))


@pytest.mark.usefixtures("corner")
def test_a_game_has_its_own_engine_where_that_serves_its_options() -> None:
    assert registry.default_engine(SMALL) == "corner"
    assert registry.engines_for(SMALL)[0] == "corner"
    assert set(GENERIC) < set(registry.engines_for(SMALL))
    for other in (LARGER, tengen.game("go", size=9), tengen.game("pente", size=9), tengen.game("clobber", size=4)):
        assert registry.default_engine(other) != "corner"
        assert "corner" not in registry.engines_for(other)
        assert registry.default_engine(other) in registry.engines_for(other)
    assert isinstance(registry.create("corner", SMALL, zeal=5), Corner)


@pytest.mark.usefixtures("corner")
@pytest.mark.parametrize("engine", ["corner", PLACE])
def test_an_engine_says_in_one_line_that_it_does_not_play_a_game(engine: str) -> None:
    with pytest.raises(OptionError, match=r"does not play othello size=6; engines that do: .*alphabeta") as error:
        registry.create(engine, LARGER)
    assert "\n" not in str(error.value)
    console = Console(file=StringIO())
    with Store.in_memory() as store:
        room = PlayCommand(
            console, console, store, PlayOptions(EngineConfig(engine, Limits(nodes=1)), side="none")
        )
        with pytest.raises(OptionError, match="does not play othello size=6"):
            room.new(LARGER, (), None)
        assert room.new(SMALL, (), None).players[0].config.engine == engine  # type: ignore[union-attr]
    player = engine_player(configure(engine, Limits(nodes=1)))
    with pytest.raises(OptionError, match="does not play othello size=6"):
        EngineMatch(LARGER, (player, player), 2)
    with pytest.raises(OptionError, match="does not play othello size=6"):
        create_engine(EngineConfig(engine), LARGER)


def test_a_worker_refuses_a_game_that_the_engine_does_not_play() -> None:
    with EngineHost(1) as host:
        spec, limits = EngineConfig(PLACE, book=False), Limits(nodes=1)
        assert host.search(spec, SMALL.start(), limits, game_id="a").result(60).engine == "corner"
        with pytest.raises(OptionError, match="does not play othello size=6"):
            host.search(spec, LARGER.start(), limits, game_id="b").result(60)


@pytest.mark.usefixtures("corner")
def test_a_protocol_changes_the_engine_with_the_board() -> None:
    talk = Talk(lambda inbox, write: Gtp(inbox, write, SMALL, EngineConfig(limits=Limits(nodes=20))))
    versions = []
    for command in ("clear_board", "boardsize 6", "boardsize 4"):
        talk.say(command)
        versions.append(talk.say("version").split("(")[1].rstrip(")\n"))
        assert talk.say("genmove black").startswith("=")
    assert versions == ["corner", registry.default_engine(LARGER), "corner"]


@pytest.mark.usefixtures("corner")
def test_configurations_players_warming_and_the_doctor_know_a_new_engine() -> None:
    config = configure("corner", Limits(nodes=7), zeal=4)
    assert config_name(config) == "Corner 7 nodes, zeal 4"
    assert configure(PLACE, Limits(nodes=7)).settings == (("zeal", 3),)
    with Store.in_memory() as store:
        assert find_engine_player(store, "corner:nodes=7,zeal=4", "othello").config == config
    parts = {group.part for group in kernel_groups(["othello"])}
    assert "corner" not in parts, "the usual board is not one of its own"
    assert any("corner" in finding.state for finding in examine() if finding.what == "engines")


def test_what_is_no_engine_is_refused() -> None:
    for name, words in (
        ("deep", "there is no engine 'deep'; there are: "),
        ("tests.nowhere:Engine", "there is no engine at"),
        ("tests.helpers.corner_engine:PLACE", "is not an engine"),
    ):
        with pytest.raises(OptionError, match=words):
            registry.engine_class(name)
    assert issubclass(registry.engine_class("random"), Engine)
