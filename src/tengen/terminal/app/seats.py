"""Who can sit down to play a game: people, ready-made opponents, engines of the store."""

from __future__ import annotations

from textual.widgets import Select

from tengen.play.opponents import opponents
from tengen.play.seating import user_name
from tengen.store.players import EnginePlayer, Person, Player
from tengen.store.store import Store


def candidates(store: Store, game: str) -> list[Player]:
    """All who can play, people first; at the first start there is one person, named as on this computer."""
    kept = store.players()
    people: list[Player] = [player for player in kept if isinstance(player, Person)]
    ready = opponents(game)
    known = {player.id for player in ready}
    engines = [player for player in kept if isinstance(player, EnginePlayer) and player.id not in known]
    return [*(people or [Person(user_name())]), *ready, *engines]


def seat(players: list[Player], chosen: str) -> Select[str]:
    """A field to choose one of them, by id."""
    return Select(
        [(_label(player), player.id) for player in players], value=chosen, allow_blank=False, compact=True
    )


def _label(player: Player) -> str:
    return f"☺ {player.name}" if isinstance(player, Person) else player.name
