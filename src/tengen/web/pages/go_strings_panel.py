"""The Strings panel for Go: urgent and big moves with values and reasons, the life of strings and groups."""

from __future__ import annotations

from typing import Any

from nicegui import context, ui

from tengen.app.background_search import BackgroundSearcher
from tengen.core.locale_format import number
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, translate
from tengen.players.configure import configure
from tengen.runtime.messages import Request
from tengen.search.limits import Limits
from tengen.search.report import Report
from tengen.web.board_data import line_preview, overlay_data
from tengen.web.elements import Lines
from tengen.web.go_strings import (
    BoardReading,
    GroupLine,
    StringLine,
    describe_line,
    read_group_lines,
    read_strings,
)
from tengen.web.pages.board_input import parse_line
from tengen.web.pages.page_updates import PositionLoader
from tengen.web.pages.widgets import note
from tengen.web.panels import PanelContext, ShownPosition, ShowPosition, register_panel

SEARCH_SECONDS = 30.0  # on a busy machine; otherwise it ends after its playouts, within seconds
MAX_MOVES = 12
MAX_LINES = 24


def move_value_rows(position: Position, report: Report) -> list[dict[str, Any]]:
    """The candidates of the strings engine with their values in points; passes are left out."""
    game = position.game
    worth = {
        (c, r): worth for overlay in report.overlays if overlay.name == "worth" for c, r, worth in overlay.points
    }
    rows = []
    for one in report.candidates:
        points = game.points(game.read_move(one.move, position))
        if points and points[0] in worth:
            value = float(worth[points[0]])
            rows.append(
                {
                    "value": number(value, 1),
                    "kind": "heuristic",
                    "words": _("worth about {points} points (estimate)").format(points=number(value, 1)),
                    "line": list(one.line[:10]) or [one.move],
                    "why": translate(one.reason.rpartition(", worth")[0] or one.reason),
                }
            )
    return rows[:MAX_MOVES]


class StringsPanel:
    """The panel; nothing is read until it is switched on."""

    def __init__(self, panel_context: PanelContext) -> None:
        self._panel = panel_context
        self._client = context.client
        self._position: Position | None = None
        self._is_on = False
        self._choose = ""  # the overlay to select when the strings are read
        self._lines: list[StringLine] = []
        self._group_lines: list[GroupLine] = []
        self._report: Report | None = None
        self._config = configure("strings", Limits(seconds=SEARCH_SECONDS))
        self._searcher = BackgroundSearcher(
            panel_context.sessions.host,
            f"strings {id(self)} {self._client.id}",
            self._on_search_change,
            lambda *_args: None,
        )
        self._client.on_delete(self._searcher.stop)

    def build(self) -> ShowPosition:
        ui.switch(_("Read the strings"), on_change=self._turn).props("dense").mark("strings")
        self._note = note("")
        self._group_loader = PositionLoader(self._load_groups, self._fill_groups, self._note_groups)
        self._loader = PositionLoader(self._read, self._fill, self._note.set_text)
        with ui.element("div").classes("tg-helper") as self._content:
            note(_("Urgent and big moves, value in points (attempts)"))
            self._moves = Lines("", hover=self._preview_move, leave=self._end_preview, follow=self._follow_move)
            self._moves.classes("tg-brief")
            note(_("Lines that capture or save a string"))
            self._string_lines = Lines(
                "", hover=self._preview_line, leave=self._end_preview, follow=self._follow_line
            )
            self._string_lines.classes("tg-brief")
            self._groups_button = ui.button(_("Read the life of groups"), on_click=self._read_groups)
            self._groups_button.props("flat dense no-caps").mark("groups")
            self._groups = Lines("", hover=self._preview_group, leave=self._end_preview, follow=self._follow_group)
            self._groups.classes("tg-brief")
        self._content.set_visibility(False)
        return self._show

    def _show(self, seen: ShownPosition) -> None:
        if seen.position is not self._position:
            self._position = seen.position
            self._begin()

    def _turn(self, event: Any) -> None:
        self._is_on = bool(event.value)
        self._content.set_visibility(self._is_on)
        self._begin(choose="strings")
        if not self._is_on:
            self._panel.add_overlays({"strings": {}}, "none")

    def _begin(self, choose: str = "") -> None:
        self._searcher.stop()
        self._lines, self._report, self._choose = [], None, choose
        self._string_lines.show([], _("Reading …"))
        self._moves.show([], _("Searching …"))
        self._group_lines = []
        self._groups.show([], "")
        self._groups_button.enable()
        self._group_loader.position = None
        self._group_loader.reload()  # drops a result that is still to come
        self._note.set_text("")
        if self._is_on and self._position is not None and not self._position.is_over:
            self._searcher.search(self._position, self._config, Limits(seconds=SEARCH_SECONDS))
        self._loader.position = self._position if self._is_on else None
        self._loader.reload()

    async def _read(self, position: Position) -> tuple[Position, BoardReading]:
        pool = self._panel.sessions.helper_pool
        return position, await pool.run(read_strings, Request.from_position(position))

    def _fill(self, found: tuple[Position, BoardReading]) -> None:
        position, reading = found
        players = position.game.players
        rows: list[dict[str, Any]] = []
        for string in reading.strings:
            for line in (string.capture, string.save):
                if line is None or len(rows) >= MAX_LINES:
                    continue
                self._lines.append(line)
                rows.append(
                    {
                        "value": f"{string.sign} {_(string.kind)}",
                        "kind": "exact" if string.proved else "heuristic",
                        "words": translate(string.words),
                        "line": list(line.moves[:10]),
                        "why": f"{translate(string.name)}: {describe_line(string, line, players)}",
                    }
                )
        self._string_lines.show(rows, _("No move captures or saves a string."))
        self._note.set_text(translate(reading.score))
        drawn = {overlay.name: overlay_data(overlay, players) for overlay in reading.influence}
        self._panel.add_overlays({"strings": reading.overlay(position.to_move, players), **drawn}, self._choose)

    def _on_search_change(self) -> None:
        report, position = self._searcher.report, self._position
        if self._client.is_deleted:
            return
        with self._client:  # whose language the texts have
            if report is not self._report and report is not None and position is not None:
                self._report = report
                quiet = _("No valuable moves here.") if report.nodes else _("Not searched")
                self._moves.show(move_value_rows(position, report), quiet)
            elif self._searcher.note:
                self._moves.show([], translate(self._searcher.note))

    # ---- the life of groups, on demand: it takes seconds on a large board

    def _read_groups(self) -> None:
        if self._is_on and self._position is not None:
            self._groups.show([], _("Reading …"))
            self._groups_button.disable()
            self._group_loader.position = self._position
            self._group_loader.reload()

    async def _load_groups(self, position: Position) -> tuple[Position, list[GroupLine]]:
        pool = self._panel.sessions.helper_pool
        try:
            return position, await pool.run(read_group_lines, Request.from_position(position))
        finally:
            if self._group_loader.position is position and not self._client.is_deleted:
                self._groups_button.enable()

    def _fill_groups(self, found: tuple[Position, list[GroupLine]]) -> None:
        position, self._group_lines = found
        rows = [
            {
                "value": f"{line.sign} {_(line.kind)}",
                "kind": "exact" if line.group.proved else "heuristic",
                "words": translate(line.group.words),
                "line": [] if line.move is None else [line.move.move],
                "why": line.describe(position.game.players),
            }
            for line in self._group_lines[:MAX_LINES]
        ]
        self._groups.show(rows, _("There are no groups yet."))

    def _note_groups(self, text: str) -> None:
        self._groups.show([], text)

    def _preview_group(self, given: dict[str, Any]) -> None:
        line = _at(self._group_lines, given.get("row"))
        if line is not None and line.ahead is not None:
            self._panel.preview(line.ahead)

    async def _follow_group(self, given: dict[str, Any]) -> None:
        line = _at(self._group_lines, given.get("row"))
        move = None if line is None else line.move
        if move is not None and self._position is not None and move.player == self._position.to_move:
            await self._panel.play(move.move)

    # ---- previews and moves

    def _end_preview(self, _: Any) -> None:
        self._panel.preview(None)

    def _preview_line(self, given: dict[str, Any]) -> None:
        line = _at(self._lines, given.get("row"))
        if line is not None:
            self._panel.preview(line.ahead)

    async def _follow_line(self, given: dict[str, Any]) -> None:
        line = _at(self._lines, given.get("row"))
        if line is not None and self._position is not None and line.player == self._position.to_move:
            await self._panel.play(line.moves[0])

    def _preview_move(self, given: dict[str, Any]) -> None:
        moves = parse_line(given)
        if moves and self._position is not None:
            self._panel.preview(line_preview(self._position, moves))

    async def _follow_move(self, given: dict[str, Any]) -> None:
        moves = parse_line(given)
        if moves:
            await self._panel.play(moves[0])


def _at(rows: list[Any], index: object) -> Any:
    return rows[index] if isinstance(index, int) and 0 <= index < len(rows) else None


register_panel(mark("Strings"), lambda panel: StringsPanel(panel).build(), games=("go",), playing=True)
