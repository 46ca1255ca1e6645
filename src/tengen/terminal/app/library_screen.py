"""Library screen: the games of the store, filtered, sorted and paged.

Each page starts from the cursor where the previous one ended, so late pages are as fast as the first. The total is
counted in the background and shown when known.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, cast

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import DataTable, Footer, Input, Select, Static

from tengen import games
from tengen.store.listing import Cursor, Filter, Page
from tengen.store.rows import ListedGame
from tengen.store.schema import ORDERS
from tengen.terminal.app import import_export as transfer
from tengen.terminal.app.app_session import AppSession
from tengen.terminal.app.dialogs import ChoiceDialog, TextDialog
from tengen.terminal.app.game_loading import open_game

if TYPE_CHECKING:
    from tengen.terminal.app.main import TengenApp

# (heading, sort order selected by a click on it)
_COLUMNS = (
    ("", ""),
    ("Date", "date"),
    ("Game", ""),
    ("First", "first"),
    ("Second", "second"),
    ("Size", "size"),
    ("Rules", "rules"),
    ("Result", "result"),
    ("Moves", "moves"),
    ("Changed", "changed"),
)
_STATES = (("all games", "all"), ("unfinished", "unfinished"), ("finished", "finished"), ("deleted", "deleted"))
_PAUSE = 0.25  # seconds between the last change of a filter and the query


class LibraryScreen(Screen[None]):
    """The list of games."""

    CSS = """
    LibraryScreen #filters { height: 1; }
    LibraryScreen #filters Select { width: 16; margin-right: 1; }
    LibraryScreen #filters Input { width: 1fr; }
    LibraryScreen DataTable { height: 1fr; }
    LibraryScreen #state { height: 1; color: $text-muted; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open", show=False),
        Binding("right_square_bracket,n", "page(1)", "Next", key_display="]"),
        Binding("left_square_bracket,p", "page(-1)", "Previous", key_display="["),
        Binding("o", "order", "Order"),
        Binding("r", "reverse", "Reverse"),
        Binding("space", "mark", "Mark"),
        Binding("d,delete", "delete", "Delete"),
        Binding("u", "undo", "Undo"),
        Binding("i", "import", "Import"),
        Binding("e", "export", "Export"),
        Binding("w", "player", "Player", show=False),
        Binding("slash", "search", "Name", key_display="/"),
        Binding("escape", "back", "Back"),
    ]

    def __init__(self, session: AppSession) -> None:
        super().__init__()
        self.session = session
        self.filter = Filter()
        self.order, self.descending = "changed", True
        self._starts: list[Cursor | None] = [None]  # start cursors of the pages up to the current one
        self._page = Page((), None)
        self._marked: dict[str, ListedGame] = {}
        self._deleted: tuple[str, ...] = ()
        self._count: int | None = None
        self._asked = 0
        self._timer: Timer | None = None
        self._player = ""  # the name of the player whose games are shown

    @property
    def _app(self) -> TengenApp:
        return cast("TengenApp", self.app)

    @property
    def table(self) -> DataTable[Text | str]:
        return cast("DataTable[Text | str]", self.query_one(DataTable))

    def compose(self) -> ComposeResult:
        names = [("every game", ""), *((games.game_class(name).title, name) for name in games.names())]
        with Horizontal(id="filters"):
            yield Select(names, value="", allow_blank=False, id="game", compact=True)
            yield Select(_STATES, value="all", allow_blank=False, id="status", compact=True)
            yield Input(placeholder="a name begins with …", id="name", compact=True)
        yield DataTable(cursor_type="row", zebra_stripes=True)
        yield Static("", id="state", markup=False)
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        self.table.focus()
        self.reload()

    def on_screen_resume(self) -> None:
        if self.table.columns:
            self.load()

    # ---- the list

    def reload(self) -> None:
        """Show the first page and count again, after a change of filter or order."""
        self._starts = [None]
        self._count = None
        which = self.filter
        self._asked += 1
        asked = self._asked

        def counted(count: int) -> None:
            if asked == self._asked:
                self._count = count
                self._show_state()

        self.load()
        self._app.run_in_background(lambda: self.session.store.count_games(which), counted)

    def load(self) -> None:
        """Fetch the current page."""
        which, order, descending, after = self.filter, self.order, self.descending, self._starts[-1]
        self._app.run_in_background(
            lambda: self.session.store.list_games(which, order=order, descending=descending, after=after),
            self._show,
        )

    def _show(self, page: Page) -> None:
        self._page = page
        table = self.table
        row = table.cursor_row
        table.clear(columns=True)
        for heading, order in _COLUMNS:
            arrow = (" ↓" if self.descending else " ↑") if order and order == self.order else ""
            table.add_column(heading + arrow, key=order or heading or "mark")
        for game in page.games:
            table.add_row(*self._cells(game), key=game.id)
        table.move_cursor(row=max(0, min(row, len(page.games) - 1)))
        self._show_state()

    def _cells(self, game: ListedGame) -> list[str]:
        first, second = (name if len(name) <= 22 else f"{name[:21]}…" for name in game.names)
        result = game.result if game.finished else "unfinished"
        mark = "✓" if game.id in self._marked else ""
        changed = game.changed.astimezone().strftime("%Y-%m-%d %H:%M")
        rules = game.rules if len(game.rules) <= 18 else f"{game.rules[:17]}…"
        return [mark, game.date, game.game, first, second, game.board, rules, result, str(game.moves), changed]

    def _show_state(self) -> None:
        count = "" if self._count is None else f" of {self._count:,}"
        before = (len(self._starts) - 1) * 50
        shown = f"{before + 1}-{before + len(self._page.games)}{count}" if self._page.games else "No games"
        marked = f", {len(self._marked)} marked" if self._marked else ""
        who = f", with {self._player}" if self._player else ""
        more = ", ] for more" if self._page.after is not None else ""
        self.query_one("#state", Static).update(f"{shown}{marked}{who}{more}")

    def _game(self) -> ListedGame | None:
        """The game under the cursor."""
        row = self.table.cursor_row
        return self._page.games[row] if 0 <= row < len(self._page.games) else None

    # ---- orders and filters

    def action_page(self, step: int) -> None:
        if step > 0 and self._page.after is not None:
            self._starts.append(self._page.after)
        elif step < 0 and len(self._starts) > 1:
            self._starts.pop()
        else:
            return
        self.table.move_cursor(row=0)
        self.load()

    @on(DataTable.HeaderSelected)
    def sort(self, event: DataTable.HeaderSelected) -> None:
        key = event.column_key.value
        if key in ORDERS:
            self.sort_by(key)

    def sort_by(self, order: str) -> None:
        """Sort by a column; reverse the order if it is the current one."""
        self.descending = not self.descending if order == self.order else order in ("date", "changed", "moves")
        self.order = order
        self.reload()

    def action_order(self) -> None:
        orders = [order for _, order in _COLUMNS if order]
        self.sort_by(orders[(orders.index(self.order) + 1) % len(orders)])

    def action_reverse(self) -> None:
        self.sort_by(self.order)

    @on(Select.Changed)
    @on(Input.Changed, "#name")
    def change_filter(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(_PAUSE, self._apply)

    def _apply(self) -> None:
        status = str(self.query_one("#status", Select).value)
        finished = {"finished": True, "unfinished": False}.get(status)
        chosen = Filter(
            game=str(self.query_one("#game", Select).value) or None,
            name=self.query_one("#name", Input).value.strip() or None,
            finished=finished,
            deleted=status == "deleted",
            player=self.filter.player,
        )
        if chosen != self.filter:
            self.filter = chosen
            self.reload()

    def action_player(self) -> None:
        """Show only the games of one player, or all games if that filter is already set."""
        if self.filter.player is not None:
            self.filter, self._player = replace(self.filter, player=None), ""
            self.reload()
            return
        game = self._game()
        known = [side for side in (0, 1) if game is not None and game.players[side] is not None]
        if game is None or not known:
            self._app.show_error("This game names no player of the store: look for the name with /")
            return

        def narrow(choice: int | None) -> None:
            if choice is not None:
                side = known[choice]
                self.filter, self._player = replace(self.filter, player=game.players[side]), game.names[side]
                self.reload()

        self.app.push_screen(ChoiceDialog("All games of:", [game.names[side] for side in known]), narrow)

    def action_search(self) -> None:
        self.query_one("#name", Input).focus()

    @on(Input.Submitted, "#name")
    def searched(self) -> None:
        self.table.focus()

    def action_back(self) -> None:
        if self.focused is not self.table:
            self.table.focus()
        else:
            self.app.pop_screen()

    # ---- games

    @on(DataTable.RowSelected)
    def action_open(self) -> None:
        game = self._game()
        if game is not None and game.deleted is not None:
            self._app.show_error("The game is deleted: bring it back with U first")
        elif game is not None:
            open_game(self._app, self.session, game.id)

    def action_mark(self) -> None:
        game = self._game()
        if game is None:
            return
        if self._marked.pop(game.id, None) is None:
            self._marked[game.id] = game
        self.table.update_cell(game.id, "mark", "✓" if game.id in self._marked else "")
        self.table.action_cursor_down()
        self._show_state()

    def _selected(self) -> tuple[str, ...]:
        game = self._game()
        return tuple(self._marked) or ((game.id,) if game is not None else ())

    def action_delete(self) -> None:
        chosen = self._selected()
        if not chosen or self.filter.deleted:
            return

        def done(_: None) -> None:
            self._deleted = chosen
            self._marked.clear()
            self.notify(
                f"{len(chosen)} deleted; U brings {'it' if len(chosen) == 1 else 'them'} back", markup=False
            )
            self.reload()

        self._app.run_in_background(lambda: self.session.store.delete(*chosen), done)

    def action_undo(self) -> None:
        chosen = self._selected() if self.filter.deleted else self._deleted
        if not chosen:
            self._app.show_error("Nothing was deleted here; choose `deleted` above to see what was before")
            return

        def done(_: None) -> None:
            self._deleted = ()
            self._marked.clear()
            self.notify(f"{len(chosen)} brought back", markup=False)
            self.reload()

        self._app.run_in_background(lambda: self.session.store.restore(*chosen), done)

    def action_import(self) -> None:
        def begin(path: str | None) -> None:
            if path:
                transfer.import_games(self._app, self.session.store, path, self.reload)

        self.app.push_screen(TextDialog("Import games from a file:", placeholder="~/games.sgf"), begin)

    def action_export(self) -> None:
        marked = tuple(self._marked)
        what = f"{len(marked)} marked games" if marked else "all games of this list"

        def begin(path: str | None) -> None:
            if path:
                transfer.export_games(self._app, self.session.store, path, marked or self.filter)

        self.app.push_screen(TextDialog(f"Export {what} to a file:", placeholder="~/games.sgf"), begin)
