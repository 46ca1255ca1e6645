"""Select field for a player."""

from __future__ import annotations

from textual.widgets import Select

from tengen.core.translation import gettext as _
from tengen.players.opponents import built_in_opponent
from tengen.players.player import Person, Player


def player_select(players: list[Player], chosen: str) -> Select[str]:
    """A select field of players; its values are player ids."""
    return Select(
        [(_label(player), player.id) for player in players], value=chosen, allow_blank=False, compact=True
    )


def _label(player: Player) -> str:
    if isinstance(player, Person):
        return f"☺ {player.name}"
    opponent = built_in_opponent(player.id)
    if opponent is None:
        return player.name
    return _("Level {level}: {name}").format(level=opponent.level, name=player.name)
