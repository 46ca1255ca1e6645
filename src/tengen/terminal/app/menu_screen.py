"""The main menu. It appears before anything heavy is loaded; other screens are imported when opened."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option

from tengen.core.translation import gettext as _
from tengen.core.translation import mark, ngettext
from tengen.terminal.app.app_screen import AppScreen

if TYPE_CHECKING:
    from tengen.store.rows import ListedGame
    from tengen.terminal.app.app_session import AppSession

_LOGO = """\
┌─┬─┬─┬─┬─┐
├─┼─●─┼─┼─┤   T E N G E N
├─○─╋─●─┼─┤
├─┼─○─┼─┼─┤   Clobber · Go · Othello · Pente
└─┴─┴─┴─┴─┘"""

# action, key, text in the menu, text of the key
_ITEMS = (
    ("continue", "c", mark("Continue the last game"), mark("Continue")),
    ("new", "n", mark("New game"), mark("New")),
    ("library", "l", mark("Library"), mark("Library")),
    ("players", "p", mark("Players"), mark("Players")),
    ("demo", "d", mark("Demonstration"), mark("Demonstration")),
    ("quit", "q", mark("Quit"), mark("Quit")),
)


class MenuScreen(AppScreen):
    """The main menu. A demonstration has a separate menu with an in-memory store."""

    CSS = """
    MenuScreen { align: center middle; }
    #menu { width: 60; max-width: 100%; height: auto; }
    #logo { width: auto; color: $accent; margin: 0 2 1 2; }
    #where { color: $text-muted; height: auto; margin: 1 2 0 2; }
    #items { height: auto; border: round $primary; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(key, name, short, show=name != "quit") for name, key, _text, short in _ITEMS),
        Binding("escape", "back", mark("Back"), show=False),
    ]

    def __init__(self, session: AppSession | None = None) -> None:
        super().__init__()
        self.session = session
        self._last: ListedGame | None = None

    def compose(self) -> ComposeResult:
        with Vertical(id="menu"):
            yield Static(_LOGO, id="logo", markup=False)
            yield OptionList(
                *(Option(f"{key}  {_(text)}", id=name) for name, key, text, _short in _ITEMS),
                id="items",
                markup=False,
            )
            yield Static(_("Opening the database …"), id="where", markup=False)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        self.query_one(OptionList).disable_option("continue")
        if self.session is not None:
            self.begin(self.session)

    def on_screen_resume(self) -> None:
        self._find_last()

    def begin(self, session: AppSession) -> None:
        """Enable the menu once the session is open."""
        self.session = session
        where = _("Games are saved in {name}").format(name=session.store.name)
        self.query_one("#where", Static).update(_("Demonstration: nothing is saved") if session.is_demo else where)
        self._find_last()

    def _find_last(self) -> None:
        if self.session is not None:
            self.tengen.run_in_background(self.session.last_unfinished, self._show_last)

    def _show_last(self, last: ListedGame | None) -> None:
        self._last = last
        items = self.query_one(OptionList)
        if last is None:
            items.disable_option("continue")
            return
        what = ngettext(
            "Continue: {game}, {first} – {second}, {count} move",
            "Continue: {game}, {first} – {second}, {count} moves",
            last.moves,
        ).format(game=_(last.game.capitalize()), first=last.names[0], second=last.names[1], count=last.moves)
        items.replace_option_prompt("continue", f"c  {what}")
        items.enable_option("continue")

    @on(OptionList.OptionSelected)
    async def choose(self, event: OptionList.OptionSelected) -> None:
        await self.run_action(event.option_id or "")

    def action_continue(self) -> None:
        if self.session is None or self._last is None:
            return
        from tengen.terminal.app.game_loading import open_game

        open_game(self.tengen, self.session, self._last.id)

    def action_new(self) -> None:
        if self.session is not None:
            from tengen.terminal.app.new_game_screen import NewGameScreen

            self.app.push_screen(NewGameScreen(self.session))

    def action_library(self) -> None:
        if self.session is not None:
            from tengen.terminal.app.library_screen import LibraryScreen

            self.app.push_screen(LibraryScreen(self.session))

    def action_players(self) -> None:
        if self.session is not None:
            from tengen.terminal.app.players_screen import PlayersScreen

            self.app.push_screen(PlayersScreen(self.session))

    def action_demo(self) -> None:
        if self.session is None:
            return
        if self.session.is_demo:
            self.watch_demo(self.session)
            return
        menu = MenuScreen(self.session.open_demo())
        self.app.push_screen(menu)
        assert menu.session is not None
        self.watch_demo(menu.session)

    def watch_demo(self, session: AppSession) -> None:
        """Show a game between two engines; leaving it returns to this menu."""
        from tengen.terminal.app.game_loading import start_demo

        start_demo(self.tengen, session)

    def action_back(self) -> None:
        """Leave a demonstration started from another menu, and close its store."""
        if isinstance(self.app.screen_stack[-2], MenuScreen):
            assert self.session is not None
            self.app.pop_screen()
            self.tengen.run_in_background(self.session.store.close)

    def action_quit(self) -> None:
        if len(self.app.screen_stack) > 1 and isinstance(self.app.screen_stack[-2], MenuScreen):
            self.action_back()
        else:
            self.app.exit()
