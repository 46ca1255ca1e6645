"""The main menu. It appears before anything heavy is loaded; other screens are imported when opened."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import Screen
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option

if TYPE_CHECKING:
    from tengen.store.rows import ListedGame
    from tengen.terminal.app.app_session import AppSession
    from tengen.terminal.app.main import TengenApp

_LOGO = """\
┌─┬─┬─┬─┬─┐
├─┼─●─┼─┼─┤   T E N G E N
├─○─╋─●─┼─┤
├─┼─○─┼─┼─┤   Clobber · Go · Othello · Pente
└─┴─┴─┴─┴─┘"""

_ITEMS = (
    ("continue", "c", "Continue the last game"),
    ("new", "n", "New game"),
    ("library", "l", "Library"),
    ("players", "p", "Players"),
    ("demo", "d", "Demonstration"),
    ("quit", "q", "Quit"),
)


class MenuScreen(Screen[None]):
    """The main menu. A demonstration has a separate menu with an in-memory store."""

    CSS = """
    MenuScreen { align: center middle; }
    #menu { width: 60; max-width: 100%; height: auto; }
    #logo { width: auto; color: $accent; margin: 0 2 1 2; }
    #where { color: $text-muted; height: auto; margin: 1 2 0 2; }
    #items { height: auto; border: round $primary; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(key, name, text.split()[0], show=name != "quit") for name, key, text in _ITEMS),
        Binding("escape", "back", "Back", show=False),
    ]

    def __init__(self, session: AppSession | None = None) -> None:
        super().__init__()
        self.session = session
        self._last: ListedGame | None = None

    @property
    def _app(self) -> TengenApp:
        return cast("TengenApp", self.app)

    def compose(self) -> ComposeResult:
        with Vertical(id="menu"):
            yield Static(_LOGO, id="logo", markup=False)
            yield OptionList(
                *(Option(self._label(name, key, text), id=name) for name, key, text in _ITEMS),
                id="items",
                markup=False,
            )
            yield Static("Opening the store …", id="where", markup=False)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        self.query_one(OptionList).disable_option("continue")
        if self.session is not None:
            self.begin(self.session)

    def on_screen_resume(self) -> None:
        self._look_for_last()

    def begin(self, session: AppSession) -> None:
        """Enable the menu once the session is open."""
        self.session = session
        where = (
            "A demonstration: nothing of it is kept."
            if session.is_demo
            else f"Games are kept in {session.store.name}"
        )
        self.query_one("#where", Static).update(where)
        self._look_for_last()

    def _look_for_last(self) -> None:
        if self.session is not None:
            self._app.run_in_background(self.session.last_unfinished, self._offer)

    def _offer(self, last: ListedGame | None) -> None:
        self._last = last
        items = self.query_one(OptionList)
        if last is None:
            items.disable_option("continue")
            return
        what = f"Continue: {last.game.capitalize()}, {last.names[0]} – {last.names[1]}, {last.moves} moves"
        items.replace_option_prompt("continue", self._label("continue", "c", what))
        items.enable_option("continue")

    @staticmethod
    def _label(name: str, key: str, text: str) -> str:
        return f"{key}  {text}"

    @on(OptionList.OptionSelected)
    async def choose(self, event: OptionList.OptionSelected) -> None:
        await self.run_action(event.option_id or "")

    def action_continue(self) -> None:
        if self.session is None or self._last is None:
            return
        from tengen.terminal.app.game_loading import open_game

        open_game(self._app, self.session, self._last.id)

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

        start_demo(self._app, session)

    def action_back(self) -> None:
        """Leave a demonstration started from another menu, and close its store."""
        if isinstance(self.app.screen_stack[-2], MenuScreen):
            assert self.session is not None
            self.app.pop_screen()
            self._app.run_in_background(self.session.store.close)

    def action_quit(self) -> None:
        if len(self.app.screen_stack) > 1 and isinstance(self.app.screen_stack[-2], MenuScreen):
            self.action_back()
        else:
            self.app.exit()
