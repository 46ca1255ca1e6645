"""Select field for a player."""

from __future__ import annotations

from textual.widgets import Select

from tengen.players.player import Person, Player


def player_select(players: list[Player], chosen: str) -> Select[str]:
    """A select field of players; its values are player ids."""
    return Select(
        [(_label(player), player.id) for player in players], value=chosen, allow_blank=False, compact=True
    )


def _label(player: Player) -> str:
    return f"☺ {player.name}" if isinstance(player, Person) else player.name
