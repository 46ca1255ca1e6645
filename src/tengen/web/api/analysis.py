"""API paths of analysis: single positions, also as a WebSocket, and reviews of games."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress

from fastapi import FastAPI, Request, Response, WebSocket, WebSocketDisconnect
from pydantic import ValidationError

from tengen import games
from tengen.app.event_loop import call_in_loop
from tengen.app.game_reports import GameReports
from tengen.core.errors import OptionError, TengenError
from tengen.core.resource_limits import LimitExceeded, resource_limits
from tengen.engines import registry
from tengen.play.player_lookup import find_player
from tengen.players.config import EngineConfig
from tengen.players.opponents import analysis_player
from tengen.players.player import EnginePlayer
from tengen.runtime.callbacks import OnProgress
from tengen.runtime.host import SearchHandle
from tengen.runtime.messages import Progress
from tengen.runtime.messages import Request as Position
from tengen.search.limits import Limits
from tengen.search.report import Report
from tengen.web.api import models
from tengen.web.api.disconnects import while_connected
from tengen.web.api.parameters import GameId, Key, actor_of
from tengen.web.concurrency_limiter import TRY_AGAIN_LATER, Slots, caller_of
from tengen.web.game_sessions import GameSessions, check_board
from tengen.web.permissions import NotAllowed

MIN_PROGRESS_INTERVAL_S = 0.2
REQUEST_TIMEOUT_S = 60.0  # for the request after a WebSocket was opened


def add_analysis(api: FastAPI, sessions: GameSessions) -> None:
    slots = Slots("analyses")

    @api.websocket("/analyse")
    async def watch(socket: WebSocket) -> None:
        await _watch(sessions, socket, slots)

    @api.post("/games/{game_id}/review", status_code=202)
    async def review(request: Request, game_id: GameId, key: Key = "") -> models.Reviewing:
        """Review every position of a game in the background: an ended game, or the caller's own.

        A game in progress becomes unrated.
        """
        session, who = await sessions.get(game_id), actor_of(request, key)
        if not session.seating.may_use_engine(who):
            raise NotAllowed("the game can be reviewed after it has ended")
        reports, caller = session.game_reports, caller_of(request.scope)
        if not reports.is_reviewing:
            _check_reviews([one.game_reports for one in sessions.open_sessions()], caller)
            if session.match.result is None:
                await sessions.run_for_player(session.match.unrate)
        strongest = analysis_player(session.match.game.name).config
        begun = await sessions.run_in_thread(reports.start_review, strongest, caller)
        return models.Reviewing(done=begun.done, total=begun.total)

    @api.get("/games/{game_id}/values", response_model=list[models.Valued])
    async def values(game_id: GameId) -> Response:
        """The stored engine reports on a game's positions."""
        reports = (await sessions.get(game_id)).game_reports.index
        return Response(await sessions.run_in_thread(_write_values, reports), media_type="application/json")

    @api.post("/analyse")
    async def analyse(request: Request, asked: models.Asked) -> models.Analysis:
        """Search a position. Disconnecting stops the search."""
        caller = caller_of(request.scope)
        with slots.take(caller, resource_limits().analyses_per_visitor) as slot:
            handle = await _search(sessions, asked, f"api {caller} {slot}")
            return models.Analysis.from_report(await while_connected(request, handle))


def _check_reviews(reports: list[GameReports], caller: str) -> None:
    """Raise `LimitExceeded` if the caller already has the maximum number of running reviews."""
    most = resource_limits().analyses_per_visitor
    if sum(one.is_reviewing and one.reviewer == caller for one in reports) >= most:
        raise LimitExceeded(f"You already have {most} reviews running. Wait for one to finish.")


def _write_values(reports: dict[tuple[str, ...], Report]) -> str:
    """A JSON list of `Valued`, made of the JSON of the reports: a long game has thousands."""
    return f"[{', '.join(_write_value(moves, report) for moves, report in list(reports.items()))}]"


def _write_value(moves: tuple[str, ...], report: Report) -> str:
    return f'{{"moves": {json.dumps(moves)}, "analysis": {report.to_json()}}}'


async def _search(
    sessions: GameSessions, asked: models.Asked, name: str, on_progress: OnProgress | None = None
) -> SearchHandle:
    """Start a search; `name` identifies the caller's searches."""
    spec = await sessions.run_in_thread(_engine, sessions, asked.engine, asked.game)
    made = games.game(asked.game, **asked.options)
    check_board(made)
    position = Position(made.name, made.options(), tuple(asked.moves))
    limits = Limits(seconds=asked.seconds, lines=asked.lines)
    return sessions.host.search(spec, position, limits, game_id=name, background=True, on_progress=on_progress)


async def _watch(sessions: GameSessions, socket: WebSocket, slots: Slots) -> None:
    """Analyse with progress: the first message is the request, any further message stops the search."""
    await socket.accept()
    loop = asyncio.get_running_loop()
    latest: asyncio.Queue[Report] = asyncio.Queue(1)

    def note(report: Report) -> None:
        if latest.full():  # a slow reader gets the latest
            latest.get_nowait()
        latest.put_nowait(report)

    def on_progress(progress: Progress) -> None:
        if progress.report is not None:
            call_in_loop(loop, note, progress.report)

    async def send_progress() -> None:
        while True:
            await socket.send_json({"event": "thinking", "analysis": models.report_dict(await latest.get())})
            await asyncio.sleep(MIN_PROGRESS_INTERVAL_S)

    async def stop_on_message(search: SearchHandle) -> None:
        await socket.receive()  # a message, or a disconnect
        search.stop()

    tasks: list[asyncio.Task[None]] = []
    handle: SearchHandle | None = None
    caller = caller_of(socket.scope)
    try:
        message = await asyncio.wait_for(socket.receive(), REQUEST_TIMEOUT_S)
        if message["type"] == "websocket.disconnect":
            return
        asked = models.Asked.model_validate_json(message.get("text") or message.get("bytes") or "")
        with slots.take(caller, resource_limits().analyses_per_visitor) as slot:
            handle = await _search(sessions, asked, f"api {caller} {slot}", on_progress)
            tasks = [asyncio.ensure_future(work) for work in (send_progress(), stop_on_message(handle))]
            report = await handle
            tasks[0].cancel()
            await socket.send_json({"event": "done", "analysis": models.report_dict(report)})
            await socket.close()
    except LimitExceeded as error:
        await _send_error(socket, str(error), TRY_AGAIN_LATER)
    except TengenError as error:
        await _send_error(socket, str(error))
    except ValidationError as error:
        first = error.errors()[0]
        where = " ".join(map(str, first["loc"]))
        await _send_error(socket, f"{where}: {first['msg']}".removeprefix(": "))
    except TimeoutError:
        await _send_error(socket, f"no request received within {REQUEST_TIMEOUT_S:.0f} s")
    except (WebSocketDisconnect, RuntimeError):
        pass
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if handle is not None:
            handle.cancel()


async def _send_error(socket: WebSocket, detail: str, code: int = 1000) -> None:
    with suppress(WebSocketDisconnect, RuntimeError):  # the client has disconnected
        await socket.send_json({"event": "error", "detail": detail})
        await socket.close(code)


def _engine(sessions: GameSessions, name: str, game: str) -> EngineConfig:
    if name in registry.names():
        return EngineConfig(name, book=False)
    player = find_player(sessions.store, name, game)
    if not isinstance(player, EnginePlayer):
        raise OptionError(f"{name!r} is a person; engines are {', '.join(registry.names())}, and engine players")
    return player.config.for_analysis()
