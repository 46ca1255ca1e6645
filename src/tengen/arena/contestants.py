"""Who plays a match, as people write it: a player's name, or an engine or a program in one word.

- `Uct 1 s`: a player of the library, or a ready-made opponent
- `uct:nodes=500,rave=100`: an engine with its level and settings; with `book=off` it thinks from the first move
- `gtp:gnugo --mode gtp --level 10`: another program, by its protocol; without a level it thinks as its options say
- `gtp,seconds=2,patience=5:gnugo --mode gtp`: the same with its level, and how long it is waited for
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tengen.core.errors import OptionError
from tengen.core.game import Game
from tengen.core.key_values import pairs
from tengen.engines import registry
from tengen.play.player_lookup import find_player, known
from tengen.players.player import EngineConfig, EnginePlayer, Level
from tengen.players.program import PROTOCOLS, ExternalProgram
from tengen.store.store import Store

_LEVEL = {"seconds": float, "nodes": int, "depth": int}
_GENOME = {"vision": int, "judgement": int, "threads": int}
_USUAL = Level(seconds=1.0)


def contestant(store: Store, text: str, game: str) -> EnginePlayer:
    """The player that a word on the command line means. Raises `OptionError` if it means none."""
    head, _, rest = text.partition(":")
    kind, _, before = head.partition(",")
    if kind in PROTOCOLS:
        player = EnginePlayer.of(_program(kind, before, rest))
    elif head in registry.names():
        player = EnginePlayer.of(_engine(head, rest))
    else:
        found = find_player(store, text, game)
        if not isinstance(found, EnginePlayer):
            raise OptionError(f"{found.name} is a person: a match is played by engines")
        return found
    stored = known(store, player)
    assert isinstance(stored, EnginePlayer)
    return stored


def enlist(store: Store, players: Iterable[EnginePlayer]) -> None:
    """Keep players before their first game ends, so that another run with the same ones finds them."""
    stored = {player.id for player in store.players()}
    for player in players:
        if player.id not in stored:
            store.save_player(player)


def check(config: EngineConfig, game: Game) -> None:
    """Raise `OptionError` if a config cannot play this game, before hours of play."""
    if config.program is None:
        registry.check(config.engine, game)
        config.check_level()  # a player of the library may have been made before levels were checked


def _engine(engine: str, text: str) -> EngineConfig:
    settings = pairs(text.split(",") if text else ())
    level = _level(settings) or _USUAL
    traits: dict[str, Any] = {
        name: _number(settings.pop(name), kind, name) for name, kind in _GENOME.items() if name in settings
    }
    book = settings.pop("book", "on")
    if book not in ("on", "off"):
        raise OptionError(f"book should be on or off, not {book!r}")
    return EngineConfig.create(engine, level, book=book == "on", **traits, **settings)


def _program(protocol: str, text: str, command: str) -> EngineConfig:
    settings = pairs(text.split(",") if text else ())
    level = _level(settings)
    patience = {"patience": _number(settings.pop("patience"), float, "patience")} if "patience" in settings else {}
    if settings:
        raise OptionError(f"a program takes seconds, nodes, depth and patience, not {', '.join(settings)}")
    return EngineConfig.of_program(ExternalProgram.parse(protocol, command, **patience), level)


def _level(settings: dict[str, Any]) -> Level | None:
    """Taken out of the settings; None if they tell none."""
    given = {name: _number(settings.pop(name), kind, name) for name, kind in _LEVEL.items() if name in settings}
    return Level(**given) if given else None


def _number(text: str, kind: type, name: str) -> Any:
    try:
        return kind(text)
    except ValueError:
        what = "a whole number" if kind is int else "a number"
        raise OptionError(f"{name} should be {what}, not {text!r}") from None
