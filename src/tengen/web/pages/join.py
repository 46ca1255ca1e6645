"""The page behind an invite link: join a game that another visitor created."""

from __future__ import annotations

from nicegui import ui

from tengen.app.game_options import describe_game
from tengen.core.translation import gettext as _
from tengen.players.player import MAX_NAME_LENGTH, is_guest_name
from tengen.web.game_sessions import GameSessions
from tengen.web.pages.layout import Visit, add_page, await_with_notice, page
from tengen.web.pages.widgets import button, errors_shown
from tengen.web.seating import player_name


def register(sessions: GameSessions) -> None:
    @add_page(sessions, "/join/{game_id}/{key}")
    async def join(visit: Visit, game_id: str, key: str) -> None:
        session = await await_with_notice(sessions.get(game_id))

        async def take_seat() -> None:
            with errors_shown():
                await sessions.run_in_thread(session.join, key, visit.browser, str(name.value or ""))
                ui.navigate.to(f"/game/{game_id}")

        # Opening the link does not join yet: programs that preview links would take the seat.
        match = session.match
        hosts = [player_name(match, side) for side in (0, 1) if not _is_guest(match.players[side])]
        with page(visit, _("You are invited to a game")):
            ui.label(_("{game} against {name}").format(game=describe_game(match.game), name=" – ".join(hosts)))
            name = ui.input(_("Your name"), value=visit.preferences.name or visit.visitor.name)
            name.props(f"outlined dense maxlength={MAX_NAME_LENGTH}").style("max-width: 320px")
            name.on("keydown.enter", take_seat)
            button(_("Join game"), take_seat, "event_seat", main=True)


def _is_guest(player: object) -> bool:
    return is_guest_name(getattr(player, "name", ""))
