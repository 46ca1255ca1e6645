"""Engine configurations as text."""

from __future__ import annotations

import math

import pytest

import tengen
from tengen.core.errors import OptionError
from tengen.players.config import DEFAULT_LIMITS, EngineConfig
from tengen.players.configure import check_plays, configured, for_game
from tengen.players.program import ExternalProgram
from tengen.players.syntax import config_from_options, is_config, parse_config, parse_limits, write_config
from tengen.search.limits import Limits

GO = tengen.game("go", size=9)


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("1s", Limits(seconds=1.0)),
        ("0.25s", Limits(seconds=0.25)),
        ("500nodes", Limits(nodes=500)),
        ("1 node", Limits(nodes=1)),
        ("depth4", Limits(depth=4)),
        ("Depth 4, 2 s", Limits(seconds=2.0, depth=4)),
        ("2s,500nodes", Limits(seconds=2.0, nodes=500)),
        ("seconds=2,nodes=500", Limits(seconds=2.0, nodes=500)),
    ],
)
def test_levels(text: str, level: Limits) -> None:
    assert parse_limits(text) == level


@pytest.mark.parametrize("text", ["", "fast", "1", "1s,2s", "-1s", "nodes", "1s,", "rave=3", "1s,book=off", "0s"])
def test_wrong_levels_are_refused(text: str) -> None:
    with pytest.raises(OptionError):
        parse_limits(text)


@pytest.mark.parametrize(
    ("text", "config"),
    [
        ("", EngineConfig()),
        ("uct", EngineConfig("uct")),
        ("uct:500nodes", EngineConfig("uct", Limits(nodes=500))),
        ("uct:nodes=500", EngineConfig("uct", Limits(nodes=500))),
        ("uct:1s,rave=100,book=off", EngineConfig("uct", Limits(seconds=1.0), {"rave": "100"}, book=False)),
        ("classic:depth2,vision=80,seed=7", EngineConfig("classic", Limits(depth=2), vision=80, seed=7)),
        ("my.module:Engine:1s", EngineConfig("my.module:Engine", Limits(seconds=1.0))),
    ],
)
def test_engines(text: str, config: EngineConfig) -> None:
    assert parse_config(text) == config


def test_programs() -> None:
    config = parse_config("gtp,2s,timeout=5:gnugo --mode gtp --level 10")
    program = ExternalProgram("gtp", ("gnugo", "--mode", "gtp", "--level", "10"), timeout_s=5.0)
    assert config == EngineConfig("gtp", Limits(seconds=2.0), program=program)
    assert parse_config("gtp,patience=5:gnugo").program == ExternalProgram("gtp", ("gnugo",), timeout_s=5.0)
    assert not parse_config("gtp:gnugo").limits, "GTP programs have a level of their own"
    assert parse_config("nboard:edax").limits == DEFAULT_LIMITS


@pytest.mark.parametrize(
    "text",
    [
        "uct", "uct:500nodes", "uct:1s,rave=100",
        "uct:0.25s,500nodes,book=off,threads=2,exploration=0.125,reuse=off",
        "classic:depth2,vision=80,seed=7", "gtp,2s,timeout=5:gnugo --mode gtp --level 10", "nboard,1s:edax",
    ],
)  # fmt: skip
def test_configurations_are_written_as_they_are_read(text: str) -> None:
    config = parse_config(text)
    assert write_config(config) == text
    if config.program is None:
        settled = configured(config)
        assert configured(parse_config(write_config(settled))) == settled


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("uct:fast", "an item is written as"),
        ("uct:1s,2s", "seconds is given twice"),
        ("uct:book=maybe", "book should be on or off"),
        ("uct:threads=two", "threads should be a whole number"),
        ("gtp,rave=3:gnugo", "a program takes a level and a timeout, not rave"),
        ("gtp:", "needs a command"),
    ],
)
def test_wrong_configurations_are_refused(text: str, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        parse_config(text)


def test_names_of_players_are_not_configurations() -> None:
    assert is_config("uct")
    assert is_config("go:1s")
    assert is_config("gtp,2s:gnugo")
    assert not is_config("Uct 1 s")
    assert not is_config("Anna: the great")


def test_settings_are_checked_for_the_game() -> None:
    assert for_game(EngineConfig(), GO).engine == "go"
    assert for_game(parse_config("uct:rave=100"), GO).settings == configured(parse_config("uct:rave=100")).settings
    for text, words in (
        ("uct:zeal=3", "no setting 'zeal'"),
        ("othello", "othello does not play"),
        ("deep", "no engine"),
    ):
        with pytest.raises(OptionError, match=words):
            for_game(parse_config(text), GO)


def test_options_override_items() -> None:
    config = config_from_options("uct:1s,rave=100", "50nodes", threads=2, book=False, settings={"rave": "200"})
    assert config == EngineConfig("uct", Limits(nodes=50), {"rave": "200"}, threads=2, book=False)
    assert config_from_options("uct:1s,book=off") == EngineConfig("uct", Limits(seconds=1.0), book=False)
    with pytest.raises(OptionError, match="uct ignores depth"):
        check_plays(config_from_options("uct", "depth3"), GO)


def test_limits_of_a_configuration_without_a_level() -> None:
    assert EngineConfig("uct").search_limits() == DEFAULT_LIMITS
    assert EngineConfig("uct").search_limits(has_clock=True).seconds is None
    assert EngineConfig("uct", Limits(nodes=5)).search_limits(has_clock=True).nodes == 5


def test_an_analyst_neither_resigns_nor_errs_nor_plays_from_a_book() -> None:
    config = EngineConfig("go", Limits(nodes=1), {"error": 0.1, "resign": 0.05, "likely": 1.0})
    assert config.for_analysis() == EngineConfig("go", Limits(nodes=1), {"likely": 1.0}, book=False)


def test_limits_as_text() -> None:
    assert str(Limits(seconds=0.5, nodes=1)) == "0.5 s 1 node"
    assert str(Limits(seconds=math.inf)) == "inf s"
