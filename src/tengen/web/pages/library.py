"""The library: all stored games. Sort, filter, open, import, export, delete with undo."""

from __future__ import annotations

from functools import partial
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import PlainTextResponse, Response
from nicegui import events, ui

from tengen import games
from tengen.core.errors import TengenError
from tengen.core.resource_limits import resource_limits
from tengen.games import records
from tengen.games.records import Record
from tengen.store.listing import Cursor, Filter
from tengen.store.rows import ListedGame
from tengen.web.game_sessions import GameSessions
from tengen.web.http_errors import retry_header, status_of
from tengen.web.pages.layout import PAGE_TIMEOUT_S, Visit, button, card, page, show_error, show_message
from tengen.web.permissions import add_imported_games, check_quota, may_delete

MAX_UPLOAD_BYTES = resource_limits().upload_bytes
_ORDERS = {"changed": "Last change", "date": "Date", "first": "First player", "second": "Second player"}
_ORDERS |= {"size": "Size", "rules": "Rules", "result": "Result", "moves": "Moves"}
_STATES = {"all": "All games", "finished": "Finished", "unfinished": "Unfinished", "deleted": "Deleted"}
_COLUMNS = [
    {"name": name, "label": label, "field": name, "align": align}
    for name, label, align in (
        ("date", "Date", "left"),
        ("game", "Game", "left"),
        ("first", "First", "left"),
        ("second", "Second", "left"),
        ("result", "Result", "left"),
        ("moves", "Moves", "right"),
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

    async def build(self) -> None:
        kinds = {"": "Every game", **{name: games.game_class(name).title for name in games.names()}}
        with card():
            with ui.element("div").classes("tg-row"):
                self._select(kinds, "Game", "_game", "")
                ui.input("Player", on_change=partial(self._set, "_name")).props(
                    "outlined dense debounce=300 clearable"
                ).mark("search")
                self._select(_STATES, "Which", "_state", "all")
                self._select(_ORDERS, "Sorted by", "_order", "changed")
                ui.switch("Newest first", value=True, on_change=partial(self._set, "_descending")).props("dense")
            self._table = ui.table(
                columns=_COLUMNS, rows=[], row_key="id", selection="multiple", column_defaults={"sortable": False}
            ).style("width: 100%")
            self._table.props('flat dense hide-pagination :rows-per-page-options="[0]"')
            self._table.props('no-data-label="No games yet: play or import some"')
            self._table.on("rowClick", self._open, [[], ["id", "finished"], None])
            self._notice = ui.element("div").classes("tg-row")
            with ui.element("div").classes("tg-row"):
                self._more = button("More", self._load_more, "expand_more")
                self._delete = button("Delete", self._delete_chosen, "delete")
                self._restore = button("Restore", self._restore_chosen, "restore_from_trash")
                for form, name in (("text", "text"), ("sgf", "SGF")):
                    button(f"Export as {name}", partial(self._export, form), "download")
        with card("Import"):
            ui.label("SGF, GGF, WTHOR, OBF, transcripts, pente.org, text. The format is detected.").classes(
                "tg-quiet"
            )
            ui.upload(
                on_upload=self._upload,
                on_rejected=lambda: show_error(f"file too large: the limit is {MAX_UPLOAD_BYTES >> 20} MB"),
                max_file_size=MAX_UPLOAD_BYTES,
                auto_upload=True,
                label="Drop a file here, or choose one",
            ).props("flat bordered").style("width: 100%; max-width: 480px")
            self._paste = ui.textarea("Or paste games").props("outlined").mark("paste")
            button("Import", self._take_pasted, "content_paste", main=True)
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
        self._rows, self._after = [], None
        self._table.selected.clear()
        await self._load_more()
        self._delete.set_visibility(self._state != "deleted")
        self._restore.set_visibility(self._state == "deleted")

    async def _load_more(self) -> None:
        try:
            found = await self._sessions.run_in_thread(
                self._sessions.store.list_games,
                self._filter,
                order=self._order,
                descending=self._descending,
                after=self._after,
            )
        except TengenError as error:
            show_error(error)
            return
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
        try:
            chosen = await self._own(self._chosen())
            if not chosen:
                show_error("Select your own games first")
                return
            for identity in chosen:
                await self._sessions.close_session(identity)
            await self._sessions.run_in_thread(self._sessions.store.delete, *chosen)
        except TengenError as error:
            show_error(error)
            return
        await self._load()
        self._notice.clear()
        with self._notice:
            ui.label("One game deleted" if len(chosen) == 1 else f"{len(chosen)} games deleted")
            button("Undo", partial(self._restore_these, chosen), "undo")

    async def _own(self, identities: list[str]) -> list[str]:
        """The games that this visitor may delete: their own, and games without seats."""
        known = await self._sessions.run_in_thread(self._sessions.store.all_seats, identities)
        return [one for one in identities if may_delete(self._visit.visitor, known.get(one))]

    async def _restore_chosen(self) -> None:
        try:
            chosen = await self._own(self._chosen())
        except TengenError as error:
            show_error(error)
            return
        await self._restore_these(chosen)

    async def _restore_these(self, identities: list[str]) -> None:
        self._notice.clear()
        try:
            await self._sessions.run_in_thread(self._sessions.store.restore, *identities)
        except TengenError as error:
            show_error(error)
        await self._load()

    def _export(self, form: str) -> None:
        chosen = ",".join(self._chosen()[:500])
        query = f"ids={chosen}" if chosen else f"game={self._game}&name={self._name}&state={self._state}"
        ui.download.from_url(f"/export.{form}?{query}")

    async def _upload(self, event: events.UploadEventArguments) -> None:
        await self._take(await event.file.read())

    async def _take_pasted(self) -> None:
        await self._take(str(self._paste.value or "").encode())

    async def _take(self, data: bytes) -> None:
        try:
            await self._sessions.run_in_thread(check_quota, self._sessions.store, self._visit.visitor)
            done = await self._sessions.import_export.import_file(data)
            await self._sessions.run_in_thread(
                add_imported_games, self._sessions.store, self._visit.visitor, done.added
            )
        except TengenError as error:
            show_error(error)
            return
        show_message(str(done))
        for number, reason in done.bad[:3]:
            show_error(f"game {number}: {reason}")
        await self._load()


def _row(game: ListedGame) -> dict[str, Any]:
    return {
        "id": game.id,
        "date": game.date,
        "game": f"{games.game_class(game.game).title} {game.board}",
        "first": game.names[0],
        "second": game.names[1],
        "result": game.result or ("" if game.finished else "unfinished"),
        "moves": game.moves,
        "finished": game.finished or game.imported,
    }


def _refused(error: TengenError) -> Response:
    status = status_of(error)
    return PlainTextResponse(str(error), status, retry_header(status))


def serve_records(app: FastAPI, sessions: GameSessions) -> None:
    """Serve downloads of one game or of a list."""

    def download(data: bytes, form: str, name: str) -> Response:
        suffix = records.format_named(form).suffixes[0]
        headers = {"content-disposition": f'attachment; filename="{name}{suffix}"'}
        return Response(data, media_type="application/octet-stream", headers=headers)

    def written(record: Record, form: str) -> bytes:
        return records.serialise([record], records.format_named(form)).data

    @app.get("/record/{game_id}.{form}", include_in_schema=False)
    async def record(game_id: str, form: str) -> Response:
        try:
            session = await sessions.get(game_id)
            entry = await sessions.run_in_thread(session.match.entry)
            data = await sessions.run_in_thread(written, entry.record, form)
            return download(data, form, f"tengen-{game_id[:8]}")
        except TengenError as error:
            return _refused(error)

    @app.get("/export.{form}", include_in_schema=False)
    async def export(form: str, ids: str = "", game: str = "", name: str = "", state: str = "all") -> Response:
        finished = {"finished": True, "unfinished": False}.get(state)
        which = Filter(game=game or None, name=name or None, finished=finished, deleted=state == "deleted")
        try:
            data = await sessions.import_export.export(ids.split(",") if ids else which, form)
            return download(data, form, "tengen-games")
        except TengenError as error:
            return _refused(error)


def register(sessions: GameSessions) -> None:
    @ui.page("/library", response_timeout=PAGE_TIMEOUT_S)
    async def library(request: Request) -> None:
        visit = Visit.from_request(sessions, request)
        with page(visit, "Library", "/library"):
            await Library(visit).build()
