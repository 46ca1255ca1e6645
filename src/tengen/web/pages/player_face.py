"""Pictures of players: the avatars of built-in opponents, a robot for other engines, the initial of a person."""

from __future__ import annotations

from nicegui import ui

from tengen.core.translation import gettext as _
from tengen.players.opponents import Opponent, built_in_opponent
from tengen.players.player import Person, Player
from tengen.web.avatars import UNKNOWN, avatar_svg


def build_face(player: Player) -> None:
    """The picture of a player. Its size is that of the style `tg-face`."""
    if isinstance(player, Person):
        with ui.element("span").classes("tg-face").props('aria-hidden="true"'):
            ui.label(player.name[:1].upper())
        return
    opponent = built_in_opponent(player.id)
    build_avatar(UNKNOWN if opponent is None else opponent.avatar)


def build_avatar(name: str) -> None:
    """The picture with a name of `avatars`."""
    with ui.element("span").classes("tg-face"):
        ui.html(avatar_svg(name), sanitize=False)


def rating_text(opponent: Opponent) -> str:
    """`Level 3 · rating 900`, without a rating that is not measured."""
    level = _("Level {level}").format(level=opponent.level)
    if opponent.rating is None:
        return level
    return _("{level} · rating {rating}").format(level=level, rating=opponent.rating)
