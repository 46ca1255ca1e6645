"""Players screen: people and engines, with their ratings and rating history for each game."""

from __future__ import annotations

from typing import ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import DataTable, Footer, Select, Static

from tengen import games
from tengen.core.locale_format import number
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, ngettext
from tengen.players.player import EnginePlayer, Person, Player
from tengen.store.ratings import Rating, RatingChange
from tengen.terminal.app.app_screen import AppScreen
from tengen.terminal.app.app_session import AppSession
from tengen.terminal.app.dialogs import TextDialog

_BARS = "▁▂▃▄▅▆▇█"
_SHOWN = 60  # games shown in the rating history


class PlayersScreen(AppScreen):
    """The list of players."""

    CSS = """
    PlayersScreen #filters { height: 1; }
    PlayersScreen #filters Select { width: 18; }
    PlayersScreen #filters Static { width: 1fr; padding-left: 2; color: $text-muted; }
    PlayersScreen DataTable { height: 1fr; }
    PlayersScreen #history { height: 3; padding: 0 1; border-top: solid $primary; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "person", mark("New person")),
        Binding("g", "engine", mark("New engine")),
        Binding("enter", "edit", mark("Edit"), show=False),
        Binding("r", "rename", mark("Rename")),
        Binding("d,delete", "remove", mark("Remove")),
        Binding("escape", "app.pop_screen", mark("Back")),
    ]

    def __init__(self, session: AppSession) -> None:
        super().__init__()
        self.session = session
        self._players: list[Player] = []
        self._ratings: dict[str, Rating] = {}

    @property
    def table(self) -> DataTable[str]:
        return cast("DataTable[str]", self.query_one(DataTable))

    @property
    def game(self) -> str:
        return str(self.query_one("#game", Select).value)

    def compose(self) -> ComposeResult:
        names = [(_(games.game_class(name).title), name) for name in games.all_names()]
        with Horizontal(id="filters"):
            yield Select(names, value="othello", allow_blank=False, id="game", compact=True)
            yield Static(_("Ratings in this game; ± is the error bar. Enter edits an engine"))
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
        self.tengen.run_in_background(
            lambda: (store.players(), store.ratings(game)), lambda found: self._show(*found)
        )

    def _show(self, players: list[Player], ratings: list[Rating]) -> None:
        self._ratings = {rating.player: rating for rating in ratings}
        order = {rating.player: rank for rank, rating in enumerate(ratings)}
        self._players = sorted(players, key=lambda player: order.get(player.id, len(order)))
        table, row = self.table, self.table.cursor_row
        table.clear(columns=True)
        for heading in (_("Name"), _("Kind"), _("Rating"), "±", _("Won"), _("Drawn"), _("Lost")):
            table.add_column(heading)
        for player in self._players:
            kind = _("person") if isinstance(player, Person) else player.config.engine
            rating = self._ratings.get(player.id)
            figures = ["", "", "", "", ""]
            if rating is not None:
                skill = rating.skill
                numbers = (skill.rating, 2 * skill.deviation, rating.wins, rating.draws, rating.losses)
                figures = [number(figure) for figure in numbers]
            table.add_row(player.name, kind, *figures, key=player.id)
        if not self._players:
            self.query_one("#history", Static).update(_("No players yet: N adds a person, G an engine"))
        table.move_cursor(row=max(0, min(row, len(self._players) - 1)))

    def _player(self) -> Player | None:
        row = self.table.cursor_row
        return self._players[row] if 0 <= row < len(self._players) else None

    @on(DataTable.RowHighlighted)
    def load_history(self) -> None:
        player, game = self._player(), self.game
        if player is not None:
            who, name = player.id, player.name
            self.tengen.run_in_background(
                lambda: self.session.store.rating_history(who, game), lambda past: self._show_history(name, past)
            )

    def _show_history(self, name: str, past: list[RatingChange]) -> None:
        text = _("{name} has no rated games of {game}").format(
            name=name, game=_(games.game_class(self.game).title)
        )
        if past:
            last = [change.skill.rating for change in past[-_SHOWN:]]
            low, high = min(last), max(last)
            bars = "".join(_BARS[round((rating - low) / max(1.0, high - low) * 7)] for rating in last)
            text = ngettext(
                "{name}, {count} rated game: {low} to {high}\n{bars} {last}",
                "{name}, {count} rated games: {low} to {high}\n{bars} {last}",
                len(past),
            ).format(
                name=name, count=len(past), low=number(low), high=number(high), bars=bars, last=number(last[-1])
            )
        self.query_one("#history", Static).update(text)

    # ---- editing

    def _save(self, player: Player) -> None:
        self.tengen.run_in_background(lambda: self.session.store.save_player(player), lambda _: self.load())

    def action_person(self) -> None:
        self.tengen.ask(TextDialog(_("Name of the new person:")), lambda name: self._save(Person(name)))

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

        dialog = TextDialog(_("New name of {name}:").format(name=player.name), player.name)
        self.tengen.ask(dialog, lambda name: self._save(player.renamed(name)))

    def action_remove(self) -> None:
        player = self._player()
        if player is None:
            return

        def remove() -> None:
            store = self.session.store
            self.tengen.run_in_background(lambda: store.remove_player(player.id), lambda _: self.load())

        self.tengen.confirm(_("Remove {name}?").format(name=player.name), (_("Remove"), _("Cancel")), remove)
