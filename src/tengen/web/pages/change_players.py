"""The dialog that changes players or clock of a game in progress."""

from __future__ import annotations

from nicegui import ui

from tengen.core.errors import TengenError
from tengen.core.translation import gettext as _
from tengen.core.translation import mark
from tengen.play.player_lookup import candidates
from tengen.play.time_control import TimeControl
from tengen.players.player import Person, Player
from tengen.web.game_session import GameSession
from tengen.web.game_sessions import GameSessions
from tengen.web.pages.widgets import button, errors_shown, named_dialog, note
from tengen.web.permissions import check_players
from tengen.web.visitor import Visitor


async def change_players(sessions: GameSessions, session: GameSession, visitor: Visitor) -> None:
    """Show the dialog and apply the changes. The game keeps its moves and becomes unrated."""
    match = session.match
    found = await sessions.run_in_thread(candidates, sessions.store, match.game.name)
    known: dict[str, Player] = {player.id: player for player in (*match.players, *found) if player is not None}
    labels = {
        identity: f"{'☺ ' if isinstance(player, Person) else ''}{player.name}"
        for identity, player in known.items()
    }
    now = [player.id if player is not None else None for player in match.players]
    control = str(match.clock.controls[0])
    with named_dialog(_("Change players or clock")) as dialog, ui.card().style("min-width: 300px"):
        seats = [
            ui.select(labels, label=_(match.game.players[side]), value=now[side]).props(
                "outlined dense options-dense"
            )
            for side in (0, 1)
        ]
        clock = ui.input(_("Time"), value=control).props("outlined dense")
        note(_("The game keeps its moves and becomes unrated."))
        with ui.row():
            button(_("Change"), lambda: dialog.submit(True), main=True)
            button(_("Cancel"), lambda: dialog.submit(False))
    if not await dialog:
        return
    with errors_shown():
        players = [known.get(str(seat.value)) for seat in seats]
        one, two = players
        if one is None or two is None:
            raise TengenError(mark("choose two players"))
        time = str(clock.value or "").strip()
        wanted = TimeControl.parse(time) if time != control else None
        new = [player for player in (one, two) if player not in match.players]
        await sessions.run_in_thread(check_players, sessions.store, visitor, new)
        await sessions.run_in_thread(session.change, visitor.id, (one, two), wanted)
