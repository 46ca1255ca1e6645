"""Looks up players by name or configuration, so that no player is created twice."""

from __future__ import annotations

import getpass
from collections.abc import Iterable

from tengen.core.errors import OptionError
from tengen.core.translation import mark
from tengen.engines import registry
from tengen.players.configure import configured, engine_player
from tengen.players.opponents import built_in_players, former_opponents, opponents, teacher
from tengen.players.player import MAX_NAME_LENGTH, EnginePlayer, Person, Player, identity_key
from tengen.players.syntax import is_config, parse_config
from tengen.store.store import Store


def known(store: Store, player: Player) -> Player:
    """The stored or built-in player with the same name and configuration; otherwise the given one."""
    wanted = identity_key(player)
    everyone = (*store.players(), *built_in_players())
    return next((other for other in everyone if identity_key(other) == wanted), player)


def person(store: Store, name: str = "") -> Person:
    """The person with this name, by default that of the computer's user."""
    found = known(store, Person(name or user_name()))
    assert isinstance(found, Person)
    return found


def user_name() -> str:
    """The name of the computer's user."""
    try:
        name = getpass.getuser().strip()
    except (OSError, KeyError):  # a user without a name, as in some containers
        name = ""
    return name[:1].upper() + name[1:MAX_NAME_LENGTH] if name.isprintable() and name else "Player"


def find_player(store: Store, text: str, game: str = "") -> Player:
    """A stored player, or a built-in opponent of a game, by name (case-insensitive) or the start of its id.

    Raises `OptionError` if there is none or more than one.
    """
    built_in = (*opponents(game), *former_opponents(game)) if game else ()
    players = {identity_key(player): player for player in (*built_in, *store.players())}
    named = [player for player in players.values() if player.name.casefold() == text.casefold()]
    found = named or [
        player for player in players.values() if len(text) >= 4 and player.id.startswith(text.lower())
    ]
    if not found:
        names = ", ".join(sorted((player.name for player in players.values()), key=str.casefold)[:20])
        raise OptionError(f"there is no player {text!r}; there are: {names or 'none yet'}")
    if len(found) > 1:
        choices = ", ".join(player.id[:8] for player in found)
        raise OptionError(
            mark("there are {count} players {text!r}: choose by id, one of {choices}").format(
                count=len(found), text=text, choices=choices
            )
        )
    return found[0]


def find_engine_player(store: Store, text: str, game: str) -> EnginePlayer:
    """An engine by its configuration (`uct:nodes=500`, `gtp:gnugo --mode gtp`) or by a player's name.

    A configuration means the stored player that has it, if there is one. Raises `OptionError` if there is none.
    """
    if not is_config(text):
        found = find_player(store, text, game)
        if not isinstance(found, EnginePlayer):
            raise OptionError(mark("{name} is a person: a match is played by engines").format(name=found.name))
        return found
    config = parse_config(text)
    if config.program is None:
        config = configured(config)
    stored = known(store, engine_player(config))
    assert isinstance(stored, EnginePlayer)
    return stored


def save_new_players(store: Store, players: Iterable[EnginePlayer]) -> None:
    """Store players before their first game ends, so that another run with the same ones finds them."""
    stored = {player.id for player in store.players()}
    for player in players:
        if player.id not in stored:
            store.save_player(player)


def candidates(store: Store, game: str) -> list[Player]:
    """All players of a game, people first. If no person is stored, the computer's user is offered."""
    stored = store.players()
    people: list[Player] = [player for player in stored if isinstance(player, Person)]
    ready = (*opponents(game), teacher(game))
    known = {player.id for player in ready}
    engines = [
        player
        for player in stored
        if isinstance(player, EnginePlayer) and player.id not in known and _plays(player, game)
    ]
    return [*(people or [Person(user_name())]), *ready, *engines]


def _plays(player: EnginePlayer, game: str) -> bool:
    """Whether an engine plays this game."""
    made_for = registry.games_of(player.config.engine)
    return not made_for or game in made_for
