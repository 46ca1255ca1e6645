"""The dialog *Play on from here*: a game against an opponent that begins with the position shown."""

from __future__ import annotations

from nicegui import ui

from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.players.player import Player
from tengen.web.pages.game_start import Players
from tengen.web.pages.layout import Visit
from tengen.web.pages.widgets import button, errors_shown, named_dialog, note
from tengen.web.permissions import check_players


async def ask_and_play_on(visit: Visit, position: Position) -> None:
    """Ask for the opponent and the colour, then start the game and open its page."""
    game, sessions = position.game, visit.sessions
    found = await Players.find(visit, game.name)
    labels = {
        one.id: _("Level {level} · {name}").format(level=one.level, name=_(one.name)) for one in found.levels
    }
    labels |= {one.id: one.name for one in found.other_engines}
    with named_dialog(_("Play on from here")) as dialog, ui.card().classes("tg-play-on"):
        with ui.element("h2"):
            ui.label(_("Play on from here"))
        opponent = ui.select(labels, value=found.suggestion.opponent.id, label=_("Opponent"))
        opponent.props("outlined options-dense").style("min-width: 240px")
        note(_("You play"))
        side = ui.toggle({0: _(game.players[0]), 1: _(game.players[1])}, value=position.to_move)
        side.props(f'no-caps unelevated aria-label="{_("You play")}"')
        note(_("The game is not rated."))
        with ui.element("div").classes("tg-row"):
            button(_("Start"), lambda: dialog.submit(True), main=True)
            button(_("Cancel"), lambda: dialog.submit(False))
    if not await dialog:
        return
    with errors_shown():
        engine = found.engine(str(opponent.value))
        players: tuple[Player, Player] = (found.me, engine) if side.value == 0 else (engine, found.me)
        await sessions.run_in_thread(check_players, sessions.store, visit.visitor, players)
        session = await sessions.play_on(position, players, visit.browser)
        ui.navigate.to(f"/game/{session.id}")
