"""Form for a new game: game, rules, players and clock."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import Screen
from textual.widgets import Button, Footer, Input, Select, Static, Switch

from tengen import games
from tengen.core.errors import OptionError
from tengen.play.match import Match
from tengen.play.player_lookup import candidates
from tengen.play.time_control import TimeControl
from tengen.players.player import Person, Player
from tengen.terminal.app.app_session import AppSession
from tengen.terminal.app.dialogs import TextDialog
from tengen.terminal.app.game_loading import start_game
from tengen.terminal.app.option_fields import OptionFields, Row
from tengen.terminal.app.player_select import player_select

if TYPE_CHECKING:
    from tengen.terminal.app.main import TengenApp

TIME_HELP = "none, 10m, 5m+3s, 10m+3x30s, 10m+25/10m or 30s/move"
_FIRST = (("Player 1", "one"), ("Player 2", "two"), ("by lot", "lot"))


class NewGameScreen(Screen[None]):
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
        Binding("ctrl+s,f5", "start", "Start"),
        Binding("ctrl+n", "person", "New person"),
        Binding("escape", "app.pop_screen", "Back"),
    ]

    def __init__(self, session: AppSession) -> None:
        super().__init__()
        self.session = session
        self._players: list[Player] = []

    @property
    def _app(self) -> TengenApp:
        return cast("TengenApp", self.app)

    def compose(self) -> ComposeResult:
        names = [(games.game_class(name).title, name) for name in games.names()]
        with VerticalScroll():
            yield Static("New game", classes="head")
            yield Row("Game", Select(names, value="othello", allow_blank=False, id="game", compact=True))
            yield Vertical(OptionFields("othello"), id="options")
            yield Static("Players", classes="head")
            yield Vertical(id="seats")
            yield Row("Goes first", Select(_FIRST, value="one", allow_blank=False, id="lot", compact=True))
            yield Row("Time", Input("none", id="time", compact=True), TIME_HELP, id="time-row")
            yield Row("Rated", Switch(True, id="rated"), "only between two different players, without undo")
            yield Row("Ponder", Switch(False, id="ponder"), "the engine thinks in your time, too")
            with Horizontal(id="buttons"):
                yield Button("Start", variant="primary", id="start", compact=True)
                yield Button("New person", id="person", compact=True)
                yield Button("Back", id="back", compact=True)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        self._fill_player_fields("othello")

    @property
    def _game(self) -> str:
        return str(self.query_one("#game", Select).value)

    def _fill_player_fields(self, game: str, person: Player | None = None) -> None:
        """Fill the player fields; a new `person` becomes the first player."""

        def show(players: list[Player]) -> None:
            if person is not None:
                players.insert(0, person)
            self._players = players
            ready = [player for player in players if not isinstance(player, Person)]
            old = [str(field.value) for field in self.query("#seats Select").results(Select)]
            chosen = [player.id for player in (players[0], ready[min(2, len(ready) - 1)])]
            for side, identity in enumerate(old):
                if person is None and any(player.id == identity for player in players):
                    chosen[side] = identity
            seats = self.query_one("#seats", Vertical)
            seats.remove_children()
            seats.mount(
                *(
                    Row(f"Player {side + 1}", player_select(players, identity))
                    for side, identity in enumerate(chosen)
                )
            )

        self._app.run_in_background(lambda: candidates(self.session.store, game), show)

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
        await self.run_action(
            {"start": "start", "person": "person", "back": "app.pop_screen"}[event.button.id or ""]
        )

    def action_person(self) -> None:
        def add(name: str | None) -> None:
            if not name:
                return
            try:
                person = Person(name)
            except OptionError as error:
                self._app.show_error(error)
                return
            self._app.run_in_background(
                lambda: self.session.store.save_player(person), lambda _: self._fill_player_fields(self._game)
            )

        self.app.push_screen(TextDialog("Who? A name:"), add)

    def action_start(self) -> None:
        game, control = self.query_one(OptionFields).check(), self._control()
        chosen = [str(field.value) for field in self.query("#seats Select").results(Select)]
        if game is None or control is None or len(chosen) != 2:
            self._app.show_error("Something is not right yet: see the notes beside the fields")
            return
        known = {player.id: player for player in self._players}
        one, two = known[chosen[0]], known[chosen[1]]
        first = str(self.query_one("#lot", Select).value)
        swap = first == "two" or (first == "lot" and random.random() < 0.5)
        players = (two, one) if swap else (one, two)
        rated, ponder = self.query_one("#rated", Switch).value, self.query_one("#ponder", Switch).value
        save = self.session.store.save
        self.app.pop_screen()
        start_game(
            self._app,
            self.session,
            game,
            lambda: Match.new(game, players, control, rated=rated, save=save),
            ponder=ponder,
        )
