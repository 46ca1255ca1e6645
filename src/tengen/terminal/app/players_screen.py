"""Players screen: people and engines, with their ratings and rating history for each game."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import DataTable, Footer, Select, Static

from tengen import games
from tengen.core.errors import OptionError
from tengen.players.player import EnginePlayer, Person, Player
from tengen.store.ratings import Rating, RatingChange
from tengen.terminal.app.app_session import AppSession
from tengen.terminal.app.dialogs import ChoiceDialog, TextDialog

if TYPE_CHECKING:
    from tengen.terminal.app.main import TengenApp

_BARS = "▁▂▃▄▅▆▇█"
_SHOWN = 60  # games shown in the rating history


class PlayersScreen(Screen[None]):
    """The list of players."""

    CSS = """
    PlayersScreen #filters { height: 1; }
    PlayersScreen #filters Select { width: 18; }
    PlayersScreen #filters Static { width: 1fr; padding-left: 2; color: $text-muted; }
    PlayersScreen DataTable { height: 1fr; }
    PlayersScreen #history { height: 3; padding: 0 1; border-top: solid $primary; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "person", "New person"),
        Binding("g", "engine", "New engine"),
        Binding("enter", "edit", "Edit", show=False),
        Binding("r", "rename", "Rename"),
        Binding("d,delete", "remove", "Remove"),
        Binding("escape", "app.pop_screen", "Back"),
    ]

    def __init__(self, session: AppSession) -> None:
        super().__init__()
        self.session = session
        self._players: list[Player] = []
        self._ratings: dict[str, Rating] = {}

    @property
    def _app(self) -> TengenApp:
        return cast("TengenApp", self.app)

    @property
    def table(self) -> DataTable[str]:
        return cast("DataTable[str]", self.query_one(DataTable))

    @property
    def game(self) -> str:
        return str(self.query_one("#game", Select).value)

    def compose(self) -> ComposeResult:
        names = [(games.game_class(name).title, name) for name in games.names()]
        with Horizontal(id="filters"):
            yield Select(names, value="othello", allow_blank=False, id="game", compact=True)
            yield Static("ratings at this game; ± is how sure they are. Enter edits an engine")
        yield DataTable(cursor_type="row", zebra_stripes=True)
        yield Static("", id="history", markup=False)
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        self.table.focus()
        self.load()

    def on_screen_resume(self) -> None:
        self.load()

    @on(Select.Changed, "#game")
    def load(self) -> None:
        """Reload players and ratings."""
        game, store = self.game, self.session.store
        self._app.run_in_background(
            lambda: (store.players(), store.ratings(game)), lambda found: self._show(*found)
        )

    def _show(self, players: list[Player], ratings: list[Rating]) -> None:
        self._ratings = {rating.player: rating for rating in ratings}
        order = {rating.player: number for number, rating in enumerate(ratings)}
        self._players = sorted(players, key=lambda player: order.get(player.id, len(order)))
        table, row = self.table, self.table.cursor_row
        table.clear(columns=True)
        for heading in ("Name", "Kind", "Rating", "±", "Won", "Drawn", "Lost"):
            table.add_column(heading)
        for player in self._players:
            kind = "person" if isinstance(player, Person) else player.config.engine
            rating = self._ratings.get(player.id)
            figures = ["", "", "", "", ""]
            if rating is not None:
                skill = rating.skill
                numbers = (skill.rating, 2 * skill.deviation, rating.wins, rating.draws, rating.losses)
                figures = [f"{number:.0f}" for number in numbers]
            table.add_row(player.name, kind, *figures, key=player.id)
        if not self._players:
            self.query_one("#history", Static).update("Nobody yet: N adds a person, G an engine")
        table.move_cursor(row=max(0, min(row, len(self._players) - 1)))

    def _player(self) -> Player | None:
        row = self.table.cursor_row
        return self._players[row] if 0 <= row < len(self._players) else None

    @on(DataTable.RowHighlighted)
    def look(self) -> None:
        player, game = self._player(), self.game
        if player is not None:
            who, name = player.id, player.name
            self._app.run_in_background(
                lambda: self.session.store.rating_history(who, game), lambda past: self._show_history(name, past)
            )

    def _show_history(self, name: str, past: list[RatingChange]) -> None:
        text = f"{name} has no rated games of {self.game}"
        if past:
            last = [change.skill.rating for change in past[-_SHOWN:]]
            low, high = min(last), max(last)
            bars = "".join(_BARS[round((rating - low) / max(1.0, high - low) * 7)] for rating in last)
            text = f"{name}, {len(past)} rated games: {low:.0f} to {high:.0f}\n{bars} {last[-1]:.0f}"
        self.query_one("#history", Static).update(text)

    # ---- editing

    def _save(self, player: Player) -> None:
        self._app.run_in_background(lambda: self.session.store.save_player(player), lambda _: self.load())

    def action_person(self) -> None:
        def add(name: str | None) -> None:
            if name:
                try:
                    self._save(Person(name))
                except OptionError as error:
                    self._app.show_error(error)

        self.app.push_screen(TextDialog("A new person's name:"), add)

    def action_engine(self) -> None:
        from tengen.terminal.app.player_editor import PlayerEditor

        self.app.push_screen(PlayerEditor(self.session))

    @on(DataTable.RowSelected)
    def action_edit(self) -> None:
        from tengen.terminal.app.player_editor import PlayerEditor

        player = self._player()
        if isinstance(player, EnginePlayer):
            self.app.push_screen(PlayerEditor(self.session, player))
        elif player is not None:
            self.action_rename()

    def action_rename(self) -> None:
        player = self._player()
        if player is None:
            return

        def rename(name: str | None) -> None:
            if name:
                try:
                    self._save(player.renamed(name))
                except OptionError as error:
                    self._app.show_error(error)

        self.app.push_screen(TextDialog(f"Another name for {player.name}:", player.name), rename)

    def action_remove(self) -> None:
        player = self._player()
        if player is None:
            return

        def remove(choice: int | None) -> None:
            if choice == 0:
                self._app.run_in_background(
                    lambda: self.session.store.remove_player(player.id), lambda _: self.load()
                )

        self.app.push_screen(ChoiceDialog(f"Remove {player.name}?", ("Remove", "Keep")), remove)
