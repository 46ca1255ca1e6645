"""Form for a new game: game, rules, players and clock."""

from __future__ import annotations

import random
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Button, Footer, Input, Select, Static, Switch

from tengen import games
from tengen.core.errors import OptionError
from tengen.core.translation import gettext as _
from tengen.core.translation import mark
from tengen.play.match import Match
from tengen.play.player_lookup import candidates
from tengen.play.time_control import TimeControl
from tengen.players.opponents import default_opponent
from tengen.players.player import Person, Player
from tengen.terminal.app.app_screen import AppScreen
from tengen.terminal.app.app_session import AppSession
from tengen.terminal.app.dialogs import TextDialog
from tengen.terminal.app.game_loading import start_game
from tengen.terminal.app.option_fields import OptionFields, Row
from tengen.terminal.app.player_select import player_select

TIME_HELP = mark("none, 10m, 5m+3s, 10m+3x30s, 10m+25/10m or 30s/move")
_FIRST = ((mark("Player 1"), "one"), (mark("Player 2"), "two"), (mark("Random"), "random"))


class NewGameScreen(AppScreen):
    """The form for a new game."""

    CSS = """
    NewGameScreen VerticalScroll { padding: 0 2; }
    NewGameScreen #options, NewGameScreen #seats { height: auto; }
    NewGameScreen #buttons { height: auto; margin: 1 0; }
    NewGameScreen Button { margin-right: 2; }
    NewGameScreen .head { color: $accent; text-style: bold; margin-top: 1; }
    NewGameScreen #seats Row > Select { width: 40; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s,f5", "start", mark("Start")),
        Binding("ctrl+n", "person", mark("New person")),
        Binding("escape", "app.pop_screen", mark("Back")),
    ]

    def __init__(self, session: AppSession) -> None:
        super().__init__()
        self.session = session
        self._players: list[Player] = []

    def compose(self) -> ComposeResult:
        names = [(_(games.game_class(name).title), name) for name in games.all_names()]
        with VerticalScroll():
            yield Static(_("New game"), classes="head")
            yield Row(_("Game"), Select(names, value="othello", allow_blank=False, id="game", compact=True))
            yield Vertical(OptionFields("othello"), id="options")
            yield Static(_("Players"), classes="head")
            yield Vertical(id="seats")
            yield Row(
                _("First move"),
                Select(
                    [(_(text), name) for text, name in _FIRST],
                    value="one",
                    allow_blank=False,
                    id="first",
                    compact=True,
                ),
            )
            yield Row(_("Time"), Input("none", id="time", compact=True), _(TIME_HELP), id="time-row")
            yield Row(_("Rated"), Switch(True, id="rated"), _("only between two different players, without undo"))
            yield Row(_("Ponder"), Switch(False, id="ponder"), _("opponent thinks during your turn"))
            with Horizontal(id="buttons"):
                yield Button(_("Start"), variant="primary", id="start", compact=True)
                yield Button(_("New person"), id="person", compact=True)
                yield Button(_("Back"), id="back", compact=True)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        self._fill_player_fields("othello")

    @property
    def _game(self) -> str:
        return str(self.query_one("#game", Select).value)

    def _fill_player_fields(self, game: str) -> None:
        def show(players: list[Player]) -> None:
            self._players = players
            old = [str(field.value) for field in self.query("#seats Select").results(Select)]
            chosen = [player.id for player in (players[0], default_opponent(game))]
            for side, identity in enumerate(old):
                if any(player.id == identity for player in players):
                    chosen[side] = identity
            seats = self.query_one("#seats", Vertical)
            seats.remove_children()
            seats.mount(
                *(
                    Row(_("Player 2") if side else _("Player 1"), player_select(players, identity))
                    for side, identity in enumerate(chosen)
                )
            )

        self.tengen.run_in_background(lambda: candidates(self.session.store, game), show)

    @on(Select.Changed, "#game")
    async def change_game(self) -> None:
        place = self.query_one("#options", Vertical)
        if place.query_one(OptionFields).game_name != self._game:
            await place.remove_children()
            await place.mount(OptionFields(self._game))
            self._fill_player_fields(self._game)

    @on(Input.Changed)
    @on(Select.Changed, "#options Select")
    @on(Switch.Changed, "#options Switch")
    def check(self) -> None:
        """Validate the form and show errors beside the fields."""
        self._control()
        for fields in self.query(OptionFields):
            fields.check()

    def _control(self) -> TimeControl | None:
        line = self.query_one("#time-row", Row)
        try:
            control = TimeControl.parse(self.query_one("#time", Input).value)
        except OptionError as error:
            line.show_error(str(error))
            return None
        line.show_error(None)
        return control

    @on(Button.Pressed)
    async def pressed(self, event: Button.Pressed) -> None:
        await self.run_action("app.pop_screen" if event.button.id == "back" else event.button.id or "")

    def action_person(self) -> None:
        def add(name: str) -> None:
            person = Person(name)
            self.tengen.run_in_background(
                lambda: self.session.store.save_player(person), lambda _: self._fill_player_fields(self._game)
            )

        self.tengen.ask(TextDialog(_("Name of the new person:")), add)

    def action_start(self) -> None:
        game, control = self.query_one(OptionFields).check(), self._control()
        chosen = [str(field.value) for field in self.query("#seats Select").results(Select)]
        if game is None or control is None or len(chosen) != 2:
            self.tengen.show_error(_("Please fix the marked fields"))
            return
        known = {player.id: player for player in self._players}
        one, two = known[chosen[0]], known[chosen[1]]
        first = str(self.query_one("#first", Select).value)
        swap = first == "two" or (first == "random" and random.random() < 0.5)
        players = (two, one) if swap else (one, two)
        rated, ponder = self.query_one("#rated", Switch).value, self.query_one("#ponder", Switch).value
        save = self.session.store.save
        self.app.pop_screen()
        start_game(
            self.tengen,
            self.session,
            game,
            lambda: Match.new(game, players, control, rated=rated, save=save),
            ponder=ponder,
        )
