"""The Textual app: shows the menu at once, loads the rest in the background, and runs slow work in order."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import ModalScreen

from tengen.core.errors import TengenError
from tengen.core.translation import mark, translate, use_environment_language
from tengen.terminal.app.dialogs import Cancelled, ChoiceDialog, ProgressDialog

if TYPE_CHECKING:
    from tengen.terminal.app.app_session import AppSession

Result = TypeVar("Result")


class Finished(Message):
    """Work in another thread has finished; `then` runs in the app's thread."""

    def __init__(self, then: Callable[[], object]) -> None:
        super().__init__()
        self.then = then


class TengenApp(App[None]):
    """Screens for playing, reviewing games and editing players."""

    TITLE = "Tengen"
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (72, "-normal"), (110, "-wide")]  # noqa: RUF012
    CSS = """
    .-wide SidePanel { width: 44; }
    .-narrow #logo, .-narrow Graph, .-narrow MoveList, .-narrow SidePanel #title { display: none; }
    .-narrow #body { layout: vertical; }
    .-narrow #left { width: 100%; height: 1fr; }
    .-narrow SidePanel { width: 100%; height: auto; max-height: 8; border-left: none; }
    .-narrow SidePanel #turn, .-narrow SidePanel #thought, .-narrow SidePanel #remark { margin: 0; max-height: 3; }
    .-narrow Row > Label { width: 11; }
    .-narrow Row > Input, .-narrow Row > Select { width: 22; }
    """  # responsive layout; it is here because a widget's own CSS does not match the screen's breakpoint class
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c,ctrl+q", "quit", mark("Quit"), show=False, priority=True)
    ]

    def __init__(self, *, demo: bool = False, url: str | None = None) -> None:
        super().__init__()
        # Started now because it inherits stderr, which is not a real file while the app runs.
        resource_tracker.ensure_running()
        self._demo = demo
        self._url = url
        self.session: AppSession | None = None
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="terminal")

    def on_mount(self) -> None:
        from tengen.terminal.app.menu_screen import MenuScreen

        menu = MenuScreen()
        self.push_screen(menu)
        self.run_in_background(self._open, lambda session: self._opened(menu, session))
        for name in ("SIGHUP", "SIGTERM"):  # if the terminal is closed, exit cleanly: this adjourns the game
            number = getattr(signal, name, None)
            with suppress(NotImplementedError, RuntimeError, ValueError):  # Windows, or not the main thread
                if number is not None:
                    asyncio.get_running_loop().add_signal_handler(number, self.exit)

    def _open(self) -> AppSession:
        from tengen.terminal.app.app_session import AppSession

        return AppSession.demo() if self._demo else AppSession.open(self._url)

    def _opened(self, menu: Any, session: AppSession) -> None:
        self.session = session
        menu.begin(session)
        if self._demo:
            menu.watch_demo(session)

    def run_in_background(
        self,
        work: Callable[[], Result],
        then: Callable[[Result], object] | None = None,
        otherwise: Callable[[TengenError], object] | None = None,
    ) -> None:
        """Run `work` in the background thread, then call `then` with its result in the app's thread.

        Calls run in order. Moves, saves and queries use this so that the screen never waits for the disk. A
        `TengenError` is passed to `otherwise`, or shown if that is not given.
        """
        self._executor.submit(self._work, work, then, otherwise)

    def run_with_dialog(
        self, title: str, work: Callable[[Callable[[str], None]], Result], then: Callable[[Result], object]
    ) -> None:
        """Run slow work under a progress dialog. `work` gets a function to show text; Escape cancels."""
        notice = ProgressDialog(title)
        self.push_screen(notice)

        def done(result: Result) -> None:
            notice.close()
            then(result)

        def failed(error: TengenError) -> None:
            notice.close()
            if not isinstance(error, Cancelled):
                self.show_error(error)

        def run() -> None:
            self._work(lambda: work(notice.say), done, failed)

        threading.Thread(target=run, name="waiting", daemon=True).start()

    def ask(self, dialog: ModalScreen[Result | None], then: Callable[[Result], object]) -> None:
        """Show a dialog and call `then` with the answer, unless it is cancelled. A `TengenError` is shown."""

        def answered(answer: Result | None) -> None:
            try:
                if answer is not None:
                    then(answer)
            except TengenError as error:
                self.show_error(error)

        self.push_screen(dialog, answered)

    def confirm(self, question: str, choices: tuple[str, str], act: Callable[[], object]) -> None:
        """Ask a question and call `act` if the first choice is the answer."""
        self.ask(ChoiceDialog(question, choices), lambda choice: act() if choice == 0 else None)

    def show_error(self, error: TengenError | str) -> None:
        """Show an error as a notification."""
        self.notify(translate(str(error)), severity="error", timeout=8, markup=False)

    def on_finished(self, message: Finished) -> None:
        message.then()

    def _work(
        self,
        work: Callable[[], Result],
        then: Callable[[Result], object] | None,
        otherwise: Callable[[TengenError], object] | None,
    ) -> None:
        try:
            result = work()
        except TengenError as error:
            trouble = error
            self.post_message(Finished(lambda: (otherwise or self.show_error)(trouble)))
        except Exception as error:  # a bug: re-raise it in the app's thread, where Textual reports it
            fault = error
            self.post_message(Finished(lambda: _raise(fault)))
        else:
            if then is not None:
                self.post_message(Finished(lambda: then(result)))

    def close(self) -> None:
        """Finish background work and close the session. Call after `run`."""
        self._executor.shutdown(wait=True)
        if self.session is not None:
            self.session.close()


def _raise(error: BaseException) -> None:
    raise error


def run(*, demo: bool = False, url: str | None = None) -> int:
    """Run the app until the user quits; returns the exit code."""
    use_environment_language()
    app = TengenApp(demo=demo, url=url)
    try:
        app.run()
    finally:
        app.close()
    return app.return_code or 0
