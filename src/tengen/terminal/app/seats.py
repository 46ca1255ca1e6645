"""Who can sit down to play a game: people, ready-made opponents, engines of the store."""

from __future__ import annotations

import getpass

from textual.widgets import Select

from tengen.play.opponents import opponents
from tengen.store.players import Person, Player
from tengen.store.store import Store


def candidates(store: Store, game: str) -> list[Player]:
    """All who can play, people first; at the first start there is one person, named as on this computer."""
    people: list[Player] = [*store.people()] or [Person(_own_name())]
    ready = opponents(game)
    known = {player.id for player in ready}
    return [*people, *ready, *(engine for engine in store.engine_players() if engine.id not in known)]


def _own_name() -> str:
    try:
        name = " ".join(getpass.getuser().split()).title()
    except (OSError, KeyError):  # somebody without a name, as in some containers
        name = ""
    return name if name.isprintable() and name else "You"


def seat(players: list[Player], chosen: str) -> Select[str]:
    """A field to choose one of them, by id."""
    return Select(
        [(_label(player), player.id) for player in players], value=chosen, allow_blank=False, compact=True
    )


def _label(player: Player) -> str:
    return f"☺ {player.name}" if isinstance(player, Person) else player.name
