"""Library screen: the games of the store, filtered, sorted and paged.

Each page starts from the cursor where the previous one ended, so late pages are as fast as the first. The total is
counted in the background and shown when known.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, cast

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.timer import Timer
from textual.widgets import DataTable, Footer, Input, Select, Static

from tengen import games
from tengen.core.locale_format import day_and_time, number
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, ngettext
from tengen.store.listing import Cursor, Filter, Page
from tengen.store.rows import ListedGame
from tengen.store.schema import ORDERS
from tengen.terminal.app import import_export as transfer
from tengen.terminal.app.app_screen import AppScreen
from tengen.terminal.app.app_session import AppSession
from tengen.terminal.app.dialogs import ChoiceDialog, TextDialog
from tengen.terminal.app.game_loading import open_game

# (heading, sort order selected by a click on it)
_COLUMNS = (
    ("", ""),
    (mark("Date"), "date"),
    (mark("Game"), ""),
    (mark("First"), "first"),
    (mark("Second"), "second"),
    (mark("Size"), "size"),
    (mark("Rules"), "rules"),
    (mark("Result"), "result"),
    (mark("Moves"), "moves"),
    (mark("Changed"), "changed"),
)
_STATES = (
    (mark("all games"), "all"),
    (mark("unfinished"), "unfinished"),
    (mark("finished"), "finished"),
    (mark("deleted"), "deleted"),
)
_PAUSE = 0.25  # seconds between the last change of a filter and the query


class LibraryScreen(AppScreen):
    """The list of games."""

    CSS = """
    LibraryScreen #filters { height: 1; }
    LibraryScreen #filters Select { width: 16; margin-right: 1; }
    LibraryScreen #filters Input { width: 1fr; }
    LibraryScreen DataTable { height: 1fr; }
    LibraryScreen #state { height: 1; color: $text-muted; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", mark("Open"), show=False),
        Binding("right_square_bracket,n", "page(1)", mark("Next"), key_display="]"),
        Binding("left_square_bracket,p", "page(-1)", mark("Previous"), key_display="["),
        Binding("o", "order", mark("Order")),
        Binding("r", "reverse", mark("Reverse")),
        Binding("space", "mark", mark("Mark")),
        Binding("d,delete", "delete", mark("Delete")),
        Binding("u", "undo", mark("Undo")),
        Binding("i", "import", mark("Import")),
        Binding("e", "export", mark("Export")),
        Binding("w", "player", mark("Player"), show=False),
        Binding("slash", "search", mark("Name"), key_display="/"),
        Binding("escape", "back", mark("Back")),
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
    def table(self) -> DataTable[Text | str]:
        return cast("DataTable[Text | str]", self.query_one(DataTable))

    def compose(self) -> ComposeResult:
        names = [(_("every game"), ""), *((_(games.game_class(name).title), name) for name in games.names())]
        with Horizontal(id="filters"):
            yield Select(names, value="", allow_blank=False, id="game", compact=True)
            yield Select(
                [(_(text), name) for text, name in _STATES],
                value="all",
                allow_blank=False,
                id="status",
                compact=True,
            )
            yield Input(placeholder=_("name starts with …"), id="name", compact=True)
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
        self.tengen.run_in_background(lambda: self.session.store.count_games(which), counted)

    def load(self) -> None:
        """Fetch the current page."""
        which, order, descending, after = self.filter, self.order, self.descending, self._starts[-1]
        self.tengen.run_in_background(
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
            table.add_column(_(heading) + arrow if heading else arrow, key=order or heading or "mark")
        for game in page.games:
            table.add_row(*self._cells(game), key=game.id)
        table.move_cursor(row=max(0, min(row, len(page.games) - 1)))
        self._show_state()

    def _cells(self, game: ListedGame) -> list[str]:
        first, second = (name if len(name) <= 22 else f"{name[:21]}…" for name in game.names)
        result = game.result if game.finished else _("unfinished")
        mark = "✓" if game.id in self._marked else ""
        changed = day_and_time(game.changed.astimezone())
        rules = _(game.rules)
        rules = rules if len(rules) <= 18 else f"{rules[:17]}…"
        return [
            mark,
            game.date,
            _(game.game.capitalize()),
            first,
            second,
            game.board,
            rules,
            result,
            str(game.moves),
            changed,
        ]

    def _show_state(self) -> None:
        before = (len(self._starts) - 1) * 50
        shown = f"{before + 1}-{before + len(self._page.games)}" if self._page.games else _("No games")
        if self._page.games and self._count is not None:
            shown = _("{shown} of {total}").format(shown=shown, total=number(self._count))
        parts = [shown]
        if self._marked:
            parts.append(_("{count} marked").format(count=len(self._marked)))
        if self._player:
            parts.append(_("with {name}").format(name=self._player))
        if self._page.after is not None:
            parts.append(_("] for more"))
        self.query_one("#state", Static).update(", ".join(parts))

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
            self.tengen.show_error(_("This game has no stored player: search by name with /"))
            return

        def narrow(choice: int) -> None:
            side = known[choice]
            self.filter, self._player = replace(self.filter, player=game.players[side]), game.names[side]
            self.reload()

        self.tengen.ask(ChoiceDialog(_("All games of:"), [game.names[side] for side in known]), narrow)

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
            self.tengen.show_error(_("The game is deleted: restore it with U first"))
        elif game is not None:
            open_game(self.tengen, self.session, game.id)

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

        def done(_result: None) -> None:
            self._deleted = chosen
            self._marked.clear()
            text = ngettext("{count} deleted; U restores it", "{count} deleted; U restores them", len(chosen))
            self.notify(text.format(count=len(chosen)), markup=False)
            self.reload()

        self.tengen.run_in_background(lambda: self.session.store.delete(*chosen), done)

    def action_undo(self) -> None:
        chosen = self._selected() if self.filter.deleted else self._deleted
        if not chosen:
            self.tengen.show_error(_("Nothing was deleted here. Choose `deleted` above to see earlier deletions."))
            return

        def done(_result: None) -> None:
            self._deleted = ()
            self._marked.clear()
            self.notify(_("{count} restored").format(count=len(chosen)), markup=False)
            self.reload()

        self.tengen.run_in_background(lambda: self.session.store.restore(*chosen), done)

    def action_import(self) -> None:
        self.tengen.ask(
            TextDialog(_("Import games from a file:"), placeholder="~/games.sgf"),
            lambda path: transfer.import_games(self.tengen, self.session.store, path, self.reload),
        )

    def action_export(self) -> None:
        marked = tuple(self._marked)
        question = ngettext(
            "Export the marked game to a file:", "Export {count} marked games to a file:", len(marked)
        )
        text = question.format(count=len(marked)) if marked else _("Export all games of this list to a file:")
        self.tengen.ask(
            TextDialog(text, placeholder="~/games.sgf"),
            lambda path: transfer.export_games(self.tengen, self.session.store, path, marked or self.filter),
        )
