"""Settings of a game in progress: players and time control. A running search continues meanwhile."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, Select

from tengen.core.errors import OptionError
from tengen.core.translation import gettext as _
from tengen.core.translation import mark
from tengen.play.match import Match
from tengen.play.player_lookup import candidates
from tengen.play.time_control import TimeControl
from tengen.players.player import Player
from tengen.terminal.app.app_screen import AppScreen
from tengen.terminal.app.app_session import AppSession
from tengen.terminal.app.new_game_screen import TIME_HELP
from tengen.terminal.app.option_fields import Row
from tengen.terminal.app.player_select import player_select


class SettingsScreen(AppScreen, ModalScreen[None]):
    """Settings dialog. Changes take effect on Apply; the same game then continues unrated."""

    CSS = """
    SettingsScreen { align: center middle; background: $background 60%; }
    SettingsScreen > Vertical {
        width: 76; max-width: 98%; height: auto; padding: 1 2; background: $panel; border: round $primary;
    }
    SettingsScreen Row > Select { width: 44; }
    SettingsScreen > Vertical > Label { width: 100%; }
    SettingsScreen #seats { height: auto; margin: 1 0; }
    SettingsScreen #buttons { height: auto; margin-top: 1; }
    SettingsScreen Button { margin-right: 2; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", mark("Cancel"))]

    def __init__(self, session: AppSession, match: Match) -> None:
        super().__init__()
        self.session = session
        self.match = match
        self._players: list[Player] = []
        self._control = match.clock.controls[0]

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Label(_("A changed game is not rated. A running search continues meanwhile."))
            yield Vertical(id="seats")
            yield Row(
                _("Time for both"), Input(str(self._control), id="time", compact=True), _(TIME_HELP), id="time-row"
            )
            with Horizontal(id="buttons"):
                yield Button(_("Apply"), variant="primary", id="apply", compact=True)
                yield Button(_("Cancel"), id="cancel", compact=True)

    def on_mount(self) -> None:
        self.tengen.run_in_background(lambda: candidates(self.session.store, self.match.game.name), self._show)

    def _show(self, players: list[Player]) -> None:
        """Show the current players; engines keep the settings of this game, not those in the store."""
        now = [player for player in self.match.players if player is not None]
        self._players = [*now, *(player for player in players if player.id not in {one.id for one in now})]
        colours = self.match.game.players
        self.query_one("#seats", Vertical).mount(
            *(Row(_(colours[side]), player_select(self._players, player.id)) for side, player in enumerate(now))
        )

    @on(Button.Pressed, "#cancel")
    def cancel(self) -> None:
        self.dismiss()

    @on(Button.Pressed, "#apply")
    @on(Input.Submitted)
    def apply(self) -> None:
        try:
            control = TimeControl.parse(self.query_one("#time", Input).value)
        except OptionError as error:
            self.query_one("#time-row", Row).show_error(str(error))
            return
        known = {player.id: player for player in self._players}
        chosen = [known[str(field.value)] for field in self.query("#seats Select").results(Select)]
        pair = (chosen[0], chosen[1])
        other = control if control != self._control else None
        self.tengen.run_in_background(lambda: self.match.change(players=pair, control=other))
        self.dismiss()
