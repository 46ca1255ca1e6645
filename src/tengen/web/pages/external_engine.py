"""Adding an external engine in the browser: only its owner, on a server started with --allow-programs."""

from __future__ import annotations

from functools import partial
from typing import Any

from nicegui import context, ui

from tengen import games
from tengen.app.external_engines import known_engines, try_player
from tengen.core.errors import TengenError
from tengen.core.translation import gettext as _
from tengen.core.translation import translate
from tengen.players.player import EnginePlayer
from tengen.players.profiles import Profile
from tengen.web.game_sessions import GameSessions
from tengen.web.pages.choices import problem_label, show_problem
from tengen.web.pages.layout import Visit, add_page, page
from tengen.web.pages.widgets import button, card, named_dialog, note
from tengen.web.permissions import check_programs_allowed, save_player


class Form:
    """The engines that were found, and a field for any command. An engine is tried before it is stored."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        self._sessions = visit.sessions
        self._client = context.client
        self._tried: EnginePlayer | None = None

    async def build(self) -> None:
        found = await self._sessions.run_in_thread(known_engines)
        with card(_("Known engines")), ui.element("div").classes("tg-list"):
            for one in found:
                with ui.element("div").classes("tg-item"):
                    with ui.element("div").classes("tg-grow"):
                        ui.label(f"{one.profile.title} ({_(games.game_class(one.profile.game).title)})")
                        with ui.element("small"):
                            missing = "; ".join(map(translate, one.missing))
                            ui.label(missing or f"{one.path} · {_(one.profile.reports)}")
                    if one.missing:
                        button(_("Path …"), partial(self._ask_path, one.profile), "folder_open")
                    else:
                        button(_("Try"), partial(self._try, one.profile.name), "play_arrow")
        with card(_("Another program")):
            with ui.element("div").classes("tg-fields"):
                self._command = ui.input(_("Command")).mark("command")
                hint = _("with its protocol: gtp:gnugo --mode gtp; katago:, nboard: or gomocup:")
                self._command.props(f'outlined dense hint="{hint}"')
                titles = {"": _("by the protocol")} | {
                    name: _(games.game_class(name).title) for name in games.names()
                }
                self._game = ui.select(titles, value="", label=_("Game")).props("outlined dense options-dense")
                self._name = ui.input(_("Name")).props("outlined dense")
                self._seconds = ui.number(_("Seconds"), value=1, min=0).props("outlined dense")
            button(_("Try"), self._try_command, "play_arrow", main=True)
        self._problem = problem_label()
        with card(_("What it reports")) as self._result:
            self._report = ui.label().style("white-space: pre-wrap; font-family: monospace").mark("trial")
            self._add = button(_("Add this engine"), self._save, "add", main=True)
        self._result.set_visibility(False)

    async def _try_command(self) -> None:
        await self._try(str(self._command.value or ""))

    async def _ask_path(self, profile: Profile) -> None:
        """Ask where a known engine is, and try it."""
        with named_dialog(profile.title) as dialog, ui.card():
            ui.label(profile.title).style("font-weight: 600")
            path = ui.input(_("Path of the program")).props("outlined dense autofocus").style("width: 100%")
            path.on("keydown.enter", lambda: dialog.submit(path.value))
            with ui.row():
                button(_("Try"), lambda: dialog.submit(path.value), "play_arrow", main=True)
                button(_("Cancel"), dialog.close)
        chosen = str(await dialog or "").strip()
        if chosen:
            await self._try(profile.name, chosen)

    async def _try(self, text: str, path: str = "") -> None:
        """Try an engine in a helper process, so that one that misbehaves disturbs nobody."""
        show_problem(self._problem, None)
        self._result.set_visibility(False)
        waiting = ui.notification(_("Starting the program…"), spinner=True, timeout=None)
        try:
            check_programs_allowed(self._visit.visitor, self._sessions.arena.allow_programs)
            seconds: Any = self._seconds.value
            self._tried, lines = await self._sessions.helper_pool.run(
                try_player, text, str(self._name.value or "").strip(), self._game.value, float(seconds or 1), path
            )
        except TengenError as error:
            if not self._client.is_deleted:
                show_problem(self._problem, translate(str(error)))
            return
        finally:
            waiting.dismiss()
        self._report.set_text("\n".join(lines))
        self._result.set_visibility(True)

    async def _save(self) -> None:
        assert self._tried is not None
        try:
            check_programs_allowed(self._visit.visitor, self._sessions.arena.allow_programs)
            await self._sessions.run_in_thread(save_player, self._sessions.store, self._visit.visitor, self._tried)
        except TengenError as error:
            show_problem(self._problem, translate(str(error)))
            return
        ui.navigate.to("/players")


def register(sessions: GameSessions) -> None:
    @add_page(sessions, "/players/program")
    async def program(visit: Visit) -> None:
        check_programs_allowed(visit.visitor, sessions.arena.allow_programs)
        with page(visit, _("Add an external engine"), "/players"), ui.element("div").classes("tg-one-column"):
            note(_("The program runs as you, on this machine. It can analyse, review and teach, and be played."))
            await Form(visit).build()
