"""The library: all stored games. Sort, filter, open, import, export, delete with undo."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from functools import partial
from html import escape
from typing import Any
from urllib.parse import urlencode

from fastapi import FastAPI, Request
from fastapi.responses import PlainTextResponse, Response
from nicegui import events, ui

from tengen import games
from tengen.core.board_svg import board_svg
from tengen.core.errors import TengenError
from tengen.core.locale_format import day
from tengen.core.resource_limits import resource_limits
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, ngettext, translate, use_language
from tengen.games import records
from tengen.play.match import Match
from tengen.store.import_export import ImportResult
from tengen.store.listing import Cursor, Filter
from tengen.store.rows import ListedGame
from tengen.web.concurrency_limiter import caller_of
from tengen.web.elements import PasteField
from tengen.web.game_files import PICTURES, FileWanted, game_file
from tengen.web.game_sessions import GameSessions
from tengen.web.http_errors import retry_header, status_of
from tengen.web.pages.game_status import result_headline
from tengen.web.pages.layout import Visit, add_page, page
from tengen.web.pages.widgets import (
    button,
    card,
    errors_shown,
    note,
    paste_texts,
    show_error,
    show_message,
)
from tengen.web.permissions import may_delete
from tengen.web.preferences import Preferences
from tengen.web.seating import player_name
from tengen.web.visitor_language import visitor_language

MAX_UPLOAD_BYTES = resource_limits().upload_bytes
_ORDERS = {
    "changed": mark("Last change"),
    "date": mark("Date"),
    "first": mark("First player"),
    "second": mark("Second player"),
}
_ORDERS |= {"size": mark("Size"), "rules": mark("Rules"), "result": mark("Result"), "moves": mark("Moves")}
_STATES = {
    "all": mark("All games"),
    "finished": mark("Finished"),
    "unfinished": mark("Unfinished"),
    "deleted": mark("Deleted"),
}
# On a phone, each row is a card: static/styles/80-library.css places the cells by these classes.
_COLUMNS = [
    {"name": name, "label": label, "field": name, "align": align, "classes": f"tg-library-{name}"}
    for name, label, align in (
        ("date", mark("Date"), "left"),
        ("game", mark("Game"), "left"),
        ("first", mark("First"), "left"),
        ("second", mark("Second"), "left"),
        ("result", mark("Result"), "left"),
        ("moves", mark("Moves"), "right"),
    )
]


class Library:
    """The page with its filters and selection."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        self._sessions = visit.sessions
        self._game = ""
        self._name = ""
        self._state = "all"
        self._order = "changed"
        self._descending = True
        self._after: Cursor | None = None
        self._rows: list[dict[str, Any]] = []
        self._loads = 0  # the number of times that the list was loaded anew

    async def build(self) -> None:
        kinds = {"": _("Every game"), **{name: _(games.game_class(name).title) for name in games.names()}}
        with card():
            with ui.element("div").classes("tg-row"):
                self._select(kinds, _("Game"), "_game", "")
                ui.input(_("Player"), on_change=partial(self._set, "_name")).props(
                    "outlined dense debounce=300 clearable"
                ).mark("search")
                self._select({name: _(text) for name, text in _STATES.items()}, _("Which"), "_state", "all")
                self._select(
                    {name: _(text) for name, text in _ORDERS.items()}, _("Sorted by"), "_order", "changed"
                )
                ui.switch(_("Newest first"), value=True, on_change=partial(self._set, "_descending")).props(
                    "dense"
                )
            self._table = ui.table(
                columns=[{**column, "label": _(column["label"])} for column in _COLUMNS],
                rows=[],
                row_key="id",
                selection="multiple",
                column_defaults={"sortable": False},
            ).classes("tg-library")
            self._table.props('flat dense hide-pagination :rows-per-page-options="[0]"')
            empty = _("No games here yet. Play one, or import games below.")
            self._table.add_slot("no-data", f'<div class="tg-empty tg-wide">{escape(empty)}</div>')
            self._table.add_slot("header-selection", _selection_box(_("Select all games"), has_label=True))
            self._table.add_slot("body-selection", _selection_box(_("Select the game")))
            self._table.add_slot("body-cell-moves", _MOVES_CELL)
            self._table.on("rowClick", self._open, [[], ["id", "finished"], None])
            self._notice = ui.element("div").classes("tg-row")
            with ui.element("div").classes("tg-row"):
                self._more = button(_("Show more"), self._load_more, "expand_more")
                self._delete = button(_("Delete"), self._delete_chosen, "delete")
                self._restore = button(_("Restore"), self._restore_chosen, "restore_from_trash")
                for form, name in (("text", _("text")), ("sgf", "SGF")):
                    button(_("Export as {name}").format(name=name), partial(self._export, form), "download")
        with card(_("Import")):
            note(_("SGF, GGF, WTHOR, OBF, transcripts, pente.org, text. The format is detected."))
            PasteField(
                {
                    **paste_texts(),
                    "label": _("Paste games"),
                    "open": _("Import"),
                    "busy": _("Importing…"),
                },
                MAX_UPLOAD_BYTES,
                "/api/records/file",
                done=self._show_imported,
            ).mark("paste")
        await self._load()

    def _select(self, options: dict[str, str], label: str, name: str, value: str) -> None:
        ui.select(options, label=label, value=value, on_change=partial(self._set, name)).props(
            "outlined dense options-dense"
        ).style("min-width: 130px")

    async def _set(self, name: str, event: events.ValueChangeEventArguments[Any]) -> None:
        setattr(self, name, event.value if event.value is not None else "")
        await self._load()

    @property
    def _filter(self) -> Filter:
        finished = {"finished": True, "unfinished": False}.get(self._state)
        return Filter(
            game=self._game or None,
            name=self._name.strip() or None,
            finished=finished,
            deleted=self._state == "deleted",
        )

    async def _load(self) -> None:
        """Load the list anew. What an earlier filter finds later is ignored."""
        self._loads += 1
        self._after = None
        self._delete.set_visibility(self._state != "deleted")
        self._restore.set_visibility(self._state == "deleted")
        await self._load_more(anew=True)

    async def _load_more(self, *, anew: bool = False) -> None:
        load, after = self._loads, self._after
        with errors_shown():
            found = await self._sessions.run_in_thread(
                self._sessions.store.list_games,
                self._filter,
                order=self._order,
                descending=self._descending,
                after=after,
            )
            if load != self._loads or after != self._after:
                return  # the filter was changed meanwhile, or the button was pressed twice
            if anew:
                self._rows = []
                self._table.selected.clear()
            self._rows += [_row(game) for game in found.games]
            self._after = found.after
            self._table.rows = self._rows
            self._table.update()
            self._more.set_visibility(self._after is not None)

    def _open(self, event: events.GenericEventArguments) -> None:
        row = event.args[1]
        ui.navigate.to(f"/analysis/{row['id']}" if row["finished"] else f"/game/{row['id']}")

    def _chosen(self) -> list[str]:
        return [row["id"] for row in self._table.selected]

    async def _delete_chosen(self) -> None:
        with errors_shown():
            selected = self._chosen()
            chosen = await self._own(selected)
            self._explain_refusal(len(selected), len(selected) - len(chosen))
            if not chosen:
                return
            for identity in chosen:
                await self._sessions.close_session(identity)
            await self._sessions.run_in_thread(self._sessions.store.delete, *chosen)
            await self._load()
            self._notice.clear()
            with self._notice:
                text = ngettext("{count} game deleted", "{count} games deleted", len(chosen))
                ui.label(text.format(count=len(chosen)))
                button(_("Undo"), partial(self._restore_these, chosen), "undo")

    def _explain_refusal(self, selected: int, refused: int) -> None:
        """Say why nothing happens, or not to all games."""
        if not selected:
            show_error(_("Select games first: tick the boxes at the left"))
        elif refused:
            text = ngettext(
                "{count} selected game belongs to somebody else: only its players and the owner of this server "
                "can delete or restore it",
                "{count} selected games belong to others: only their players and the owner of this server "
                "can delete or restore them",
                refused,
            )
            show_error(text.format(count=refused))

    async def _own(self, identities: list[str]) -> list[str]:
        """The games among these that the visitor may delete or restore."""
        known = await self._sessions.run_in_thread(self._sessions.store.all_seats, identities)
        return [one for one in identities if may_delete(self._visit.visitor, known.get(one))]

    async def _restore_chosen(self) -> None:
        with errors_shown():
            selected = self._chosen()
            chosen = await self._own(selected)
            self._explain_refusal(len(selected), len(selected) - len(chosen))
            if chosen:
                await self._restore_these(chosen)

    async def _restore_these(self, identities: list[str]) -> None:
        self._notice.clear()
        with errors_shown():
            await self._sessions.run_in_thread(self._sessions.store.restore, *identities)
        await self._load()

    def _export(self, form: str) -> None:
        chosen = ",".join(self._chosen()[:500])
        which = {"game": self._game, "name": self._name.strip(), "state": self._state}
        ui.download.from_url(f"/export.{form}?{urlencode({'ids': chosen} if chosen else which)}")

    async def _show_imported(self, answer: dict[str, Any]) -> None:
        done = ImportResult(answer["added"], answer["duplicates"], list(enumerate(answer["bad"])))
        show_message(translate(str(done)))
        for _number, problem in done.bad[:3]:
            show_error(problem)
        await self._load()


def _selection_box(name: str, *, has_label: bool = False) -> str:
    """A checkbox with a name, which those of the table lack. With a label, it is visible where rows are cards."""
    label = f'label="{escape(name)}" ' if has_label else ""
    return f'<q-checkbox v-model="props.selected" dense {label}aria-label="{escape(name)}" />'


_MOVES_CELL = (
    '<q-td :props="props"><span class="tg-in-row">{{ props.value }}</span>'
    '<span class="tg-in-card">{{ props.row.move_count }}</span></q-td>'
)


def _row(game: ListedGame) -> dict[str, Any]:
    return {
        "id": game.id,
        "date": _date(game.date),
        "game": f"{_(games.game_class(game.game).title)} {game.board}",
        "first": game.names[0],
        "second": game.names[1],
        "result": game.result or ("" if game.finished else _("unfinished")),
        "moves": game.moves,
        "move_count": ngettext("{count} move", "{count} moves", game.moves).format(count=game.moves),
        "finished": game.finished or game.imported,
    }


def _date(text: str) -> str:
    """A date of a record in the current language; records may also have other texts."""
    try:
        return day(date.fromisoformat(text))
    except ValueError:
        return text


def refused(error: TengenError) -> Response:
    status = status_of(error)
    return PlainTextResponse(translate(str(error)), status, retry_header(status))


def download(data: bytes, form: str, name: str) -> Response:
    suffix = f".{form}" if form in PICTURES else records.format_named(form).suffixes[0]
    headers = {"content-disposition": f'attachment; filename="{name}{suffix}"'}
    return Response(data, media_type="application/octet-stream", headers=headers)


def serve_records(app: FastAPI, sessions: GameSessions) -> None:
    """Serve downloads of one game or of a list."""

    @app.get("/record/{game_id}.svg", include_in_schema=False)
    async def picture(game_id: str) -> Response:
        try:
            session = await sessions.get(game_id)
            drawn = await sessions.run_in_thread(_draw, session.match)
            return Response(drawn, media_type="image/svg+xml")
        except TengenError as error:
            return refused(error)

    @app.get("/record/{game_id}.{form}", include_in_schema=False)
    async def record(request: Request, game_id: str, form: str) -> Response:
        wanted = FileWanted(form)
        language = visitor_language(Preferences.load(sessions.visitors, request.state.visitor.id), request.headers)
        try:
            with use_language(language):
                data = await game_file(sessions, game_id, wanted, caller_of(request.scope))
        except TengenError as error:
            return refused(error)
        if form == "html":  # to print
            return Response(data, media_type=wanted.media_type)
        return download(data, form, f"tengen-{game_id[:8]}")

    @app.get("/export.{form}", include_in_schema=False)
    async def export(form: str, ids: str = "", game: str = "", name: str = "", state: str = "all") -> Response:
        finished = {"finished": True, "unfinished": False}.get(state)
        which = Filter(game=game or None, name=name or None, finished=finished, deleted=state == "deleted")
        try:
            data = await sessions.import_export.export(ids.split(",") if ids else which, form)
            return download(data, form, "tengen-games")
        except TengenError as error:
            return refused(error)


def _draw(match: Match) -> str:
    """The current position with the players and the result, as SVG."""
    captions = [" – ".join(player_name(match, side) for side in (0, 1))]
    if match.result is not None:
        captions.append(result_headline(match, ()))
    return board_svg(replace(match.live.diagram(), captions=tuple(captions)))


def register(sessions: GameSessions) -> None:
    @add_page(sessions, "/library")
    async def library(visit: Visit) -> None:
        with page(visit, _("Library"), "/library"):
            await Library(visit).build()
