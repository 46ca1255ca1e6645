"""The Pente page: live evaluation, a simple player editor, and statistics of the classic player."""

from __future__ import annotations

import asyncio
import math
from typing import Any

from nicegui import context, ui

from tengen.app.pente_player_settings import PentePlayerSettings
from tengen.core.errors import OptionError, TengenError
from tengen.core.locale_format import percent
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, ngettext, translate
from tengen.players.config import WEAKNESS_STEP_PERCENT
from tengen.players.opponents import CAPTURE_PREFERENCES, MAX_SPEED
from tengen.players.player import EnginePlayer
from tengen.web.game_sessions import GameSessions
from tengen.web.pages.layout import PREPARING, Visit, add_page, page
from tengen.web.pages.widgets import button, card, errors_shown, note
from tengen.web.pente_evaluation import MAX_DEPTH, MAX_POSITIONS, OPEN_PLIES, ChoiceStatistics, choice_statistics
from tengen.web.permissions import save_player

_WIDTHS = (3, 5, 7, 9, 12, 15, 20)


class PlayerForm:
    """Speed, vision, openings, width and captures; all other settings have their defaults."""

    def __init__(self, visit: Visit, player: EnginePlayer | None) -> None:
        self._sessions = visit.sessions
        self._visitor = visit.visitor
        self._player = player
        self._now = (
            None if player is None else PentePlayerSettings.from_config(player.config)
        ) or PentePlayerSettings()

    def build(self) -> None:
        now = self._now
        with ui.element("div").classes("tg-fields"):
            self._name = ui.input(_("Name"), value="" if self._player is None else self._player.name).props(
                "outlined dense"
            )
            self._captures = ui.select(
                {name: _(name) for name in CAPTURE_PREFERENCES}, label=_("Capture preference"), value=now.captures
            )
            self._width = ui.select(
                sorted({*_WIDTHS, now.width}), label=_("Moves considered per position"), value=now.width
            )
            self._vision = ui.select(
                {share: percent(share / 100) for share in range(100, 55, -WEAKNESS_STEP_PERCENT)},
                label=_("Vision"),
                value=now.vision,
            )
            for field in (self._captures, self._width, self._vision):
                field.props("outlined dense options-dense")
        with ui.element("div").classes("tg-row"):
            self._speed_words = ui.label("").style("min-width: 15em")
            self._speed = ui.slider(min=1, max=MAX_SPEED, step=1, value=now.speed, on_change=self._show_speed)
            self._speed.props(f'label markers snap aria-label="{_("Speed")}"').style("flex: 1; min-width: 180px")
        self._book = ui.switch(_("Plays openings from the book"), value=now.book)
        with ui.element("div").classes("tg-row"):
            button(_("Save the player"), self._save, "save", main=True)
        self._show_speed()

    def _show_speed(self) -> None:
        depth = MAX_SPEED + 1 - int(self._speed.value)
        self._speed_words.set_text(
            ngettext("Speed {speed}: {count} move deep", "Speed {speed}: {count} moves deep", depth).format(
                speed=int(self._speed.value), count=depth
            )
        )

    async def _save(self) -> None:
        with errors_shown():
            name = str(self._name.value or "").strip()
            if not name:
                raise OptionError(mark("a player needs a name"))
            settings = PentePlayerSettings(
                int(self._speed.value),
                int(self._vision.value),
                bool(self._book.value),
                int(self._width.value),
                str(self._captures.value),
            )
            made = settings.to_player(name)
            if self._player is not None:
                made = EnginePlayer(name, made.config, self._player.id)
            await self._sessions.run_in_thread(save_player, self._sessions.store, self._visitor, made)
            ui.navigate.to(f"/players/{made.id}")


class ChoiceStatisticsCard:
    """Searches positions on request, one request at a time, and shows the ranks of the best moves."""

    def __init__(self, sessions: GameSessions, turn: asyncio.Lock) -> None:
        self._sessions = sessions
        self._turn = turn
        self._client = context.client
        self._fields: dict[str, Any] = {}

    def build(self) -> None:
        ui.label(
            _(
                "The classic player considers few moves, in the order of its priorities. Positions of quick "
                "games are searched with open windows, so that all moves have values: at which rank "
                "was the best move, and which moves would filters have dropped?"
            )
        )
        with ui.element("div").classes("tg-row"):
            for name, value, hint in (
                (_("Size"), 13, _("of the board")),
                (_("Positions"), 10, _("at most {count}").format(count=MAX_POSITIONS)),
                (_("Depth"), 4, _("{low} to {high}").format(low=OPEN_PLIES, high=MAX_DEPTH)),
                (_("Seed"), 1, _("selects the positions")),
            ):
                field = ui.number(name, value=value, precision=0).props(f'outlined dense hint="{hint}"')
                self._fields[name] = field.style("width: 9.5em")
            self._go = button(_("Search and draw"), self._search, "query_stats", main=True)
        self._note = note("").props('role="status"').style("white-space: pre-line")
        self._result = ui.element("div").classes("tg-helper")

    async def _search(self) -> None:
        wanted = [int(field.value or 0) for field in self._fields.values()]
        self._go.disable()
        self._note.set_text(_("Searching … {preparing}").format(preparing=_(PREPARING)))
        try:
            async with self._turn:
                found = await self._sessions.helper_pool.run(choice_statistics, *wanted)
        except TengenError as error:
            found, words = None, translate(str(error))
        if self._client.is_deleted:
            return
        self._go.enable()
        self._result.clear()
        if found is None:
            self._note.set_text(words)
            return
        self._note.set_text("\n".join(map(translate, found.figures)))
        with self._result:
            self._show(found)

    def _show(self, found: ChoiceStatistics) -> None:
        for title, rows, form in (
            (_("Rank of the best move in percent, by depth"), found.best_at, "{:.0f}"),
            (_("Value relative to the best: the mean of EXP_BASE ^ (value - best)"), found.relative, "{:.2f}"),
        ):
            ui.label(title).classes("tg-quiet")
            places = max(sum(not math.isnan(value) for value in row) for row in rows.values())
            head = "".join(f"<th>{place + 1}</th>" for place in range(places))
            body = "".join(
                f"<tr><th>{ply + 1}</th>"
                + "".join(
                    "<td></td>" if math.isnan(value) else f"<td>{form.format(value)}</td>"
                    for value in row[:places]
                )
                + "</tr>"
                for ply, row in rows.items()
            )
            table = f'<table class="tg-why"><tr><th>{_("Depth")}</th>{head}</tr>{body}</table>'
            ui.html(table, sanitize=False).classes("tg-wide")
        with ui.element("div").classes("tg-columns"):
            for picture in found.pictures:
                ui.html(picture, sanitize=False).classes("tg-plot")


def register(sessions: GameSessions) -> None:
    turn = asyncio.Lock()

    @add_page(sessions, "/pente")
    async def pente(visit: Visit, player: str = "") -> None:
        known = None
        if player:
            try:
                found = await sessions.run_in_thread(sessions.store.player, player)
                known = found if isinstance(found, EnginePlayer) else None
            except TengenError:
                known = None  # removed meanwhile: create a new one
        with page(visit, _("Pente"), "/pente"):
            with card(_("Live evaluator")):
                ui.label(_("Place stones to see an evaluation by counts alone, with threats and captures."))
                with ui.element("div").classes("tg-row"):
                    button(
                        _("Open board"), lambda: ui.navigate.to("/board/pente?tab=Counts"), "insights", main=True
                    )
                    button(_("Puzzles"), lambda: ui.navigate.to("/puzzles"), "extension")
            with card(
                _("New player") if known is None else _("Settings of {name}").format(name=known.name)
            ) as section:
                section.props("id=player")
                PlayerForm(visit, known).build()
            with card(_("Statistics of the classic player")):
                ChoiceStatisticsCard(sessions, turn).build()
