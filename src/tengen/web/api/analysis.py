"""The API's paths for what is kept and for what engines say: library, players, explorer, analysis, puzzles."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import FastAPI, Header, HTTPException, Path, Query, Request, Response, WebSocket, WebSocketDisconnect
from pydantic import ValidationError

from tengen import games
from tengen.app.event_loop import call_in_loop
from tengen.app.game_reports import GameReports, with_review_level
from tengen.app.puzzles import puzzle_kinds
from tengen.books.explorer import explore_books
from tengen.core.errors import OptionError, TengenError
from tengen.core.resource_limits import LimitExceeded, resource_limits
from tengen.engines import registry
from tengen.play.player_lookup import find_player
from tengen.players.config import EngineConfig
from tengen.players.opponents import opponents
from tengen.players.player import EnginePlayer, Player
from tengen.runtime.callbacks import OnProgress
from tengen.runtime.host import SearchHandle
from tengen.runtime.messages import Progress
from tengen.runtime.messages import Request as Position
from tengen.search.limits import Limits
from tengen.search.report import Report
from tengen.store.errors import NotStored
from tengen.store.listing import Filter
from tengen.web.api import models
from tengen.web.api.disconnects import while_connected
from tengen.web.concurrency_limiter import TRY_AGAIN_LATER, Slots, caller_of
from tengen.web.game_sessions import GameSessions, check_board
from tengen.web.permissions import NotAllowed, add_imported_games, check_quota, may_delete
from tengen.web.visitor import Visitor

LEAST_PAUSE_S = 0.2  # between two messages about a search
PUZZLE_TIMEOUT_S = 20.0  # for a puzzle that has to be made first
QUESTION_TIMEOUT_S = 60.0  # for the question of a WebSocket that was opened

Key = Annotated[str, Header(alias="X-Tengen-Key", description="the key of a seat", max_length=100)]
GameId = Annotated[str, Path(max_length=100)]
Word = Annotated[str, Query(max_length=100)]
OptionWords = Annotated[str, Query(max_length=4 * resource_limits().board_points)]
MoveWords = Annotated[str, Query(max_length=12 * resource_limits().record_moves)]


def who_asks(request: Request, key: str = "") -> str:
    """Who asks: by the key, or as a browser."""
    return key or str(request.state.browser)


def add_library(api: FastAPI, sessions: GameSessions) -> None:
    @api.get("/games")
    async def listed(
        game: Word | None = None,
        name: Word | None = None,
        finished: bool | None = None,
        order: Word = "changed",
        descending: bool = True,
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
    ) -> list[models.Listed]:
        """The kept games."""
        which = Filter(game=game, name=name, finished=finished)
        page = await sessions.run_in_thread(
            sessions.store.list_games, which, order=order, descending=descending, limit=limit
        )
        return [
            models.Listed(
                id=one.id,
                game=one.game,
                board=one.board,
                players=one.names,
                date=one.date,
                result=one.result,
                moves=one.moves,
                finished=one.finished,
            )
            for one in page.games
        ]

    async def check_own(visitor: Visitor, key: str, game_id: str) -> None:
        seats = await sessions.seats(game_id)
        holds_key = bool(key) and seats is not None and seats.side_of(key) is not None
        if not holds_key and not may_delete(visitor, seats):
            raise NotAllowed("only its players can delete or restore a game")

    @api.delete("/games/{game_id}", status_code=204)
    async def delete(request: Request, game_id: GameId, key: Key = "") -> None:
        """Delete a game of one's own, or one that nobody plays; `restore` brings it back."""
        await check_own(request.state.visitor, key, game_id)
        await sessions.close_session(game_id)
        await sessions.run_in_thread(sessions.store.delete, game_id)

    @api.post("/games/{game_id}/restore", status_code=204)
    async def restore(request: Request, game_id: GameId, key: Key = "") -> None:
        """Bring a deleted game back."""
        await check_own(request.state.visitor, key, game_id)
        await sessions.run_in_thread(sessions.store.restore, game_id)

    @api.post("/records")
    async def take(request: Request, given: models.Import) -> models.Done:
        """Import games, in any format that is known."""
        visitor: Visitor = request.state.visitor
        await sessions.run_in_thread(check_quota, sessions.store, visitor)
        done = await sessions.import_export.import_file(given.text.encode())
        await sessions.run_in_thread(add_imported_games, sessions.store, visitor, done.added)
        bad = [f"game {number}: {reason}" for number, reason in done.bad[:20]]
        return models.Done(added=done.added, duplicates=done.duplicates, bad=bad)

    @api.get("/players")
    async def players() -> list[models.PlayerInfo]:
        """People and engines that are kept."""
        found = await sessions.run_in_thread(sessions.store.players)
        return [
            models.PlayerInfo(
                id=one.id,
                name=one.name,
                kind=models.kind_of(one),
                settings=_settings(one),
            )
            for one in found
        ]

    @api.get("/explore")
    async def explore(
        game: Word, moves: MoveWords = "", options: OptionWords = "", own: bool = False
    ) -> models.Explored:
        """What was played in a position; `moves` are separated by blanks, `options` are as size=9."""
        made = games.game(game, **dict(word.partition("=")[::2] for word in options.split()))
        check_board(made)
        await sessions.prepare(made)
        position = await sessions.run_in_thread(lambda: made.start().play_all(moves.split()))
        found = await sessions.run_in_thread(sessions.store.explore, position, played_here=own)
        known = await sessions.run_in_thread(explore_books, position)
        rows: list[dict[str, int | str]] = [
            {
                "move": one.text,
                "games": one.games,
                "first_wins": one.first_wins,
                "second_wins": one.second_wins,
                "draws": one.draws,
            }
            for one in found.moves
        ]
        books = {name: [asdict(option) for option in options] for name, options in known.items()}
        return models.Explored(games=found.games, moves=rows, books=books)


def add_analysis(api: FastAPI, sessions: GameSessions) -> None:
    slots = Slots("analyses")

    @api.websocket("/analyse")
    async def watch(socket: WebSocket) -> None:
        await _watch(sessions, socket, slots)

    @api.post("/games/{game_id}/review", status_code=202)
    async def review(request: Request, game_id: GameId, key: Key = "") -> models.Reviewing:
        """Have every position of a game valued in the background: of one that has ended, or of one's own.

        One's own that goes on is not rated any more.
        """
        session, who = await sessions.get(game_id), who_asks(request, key)
        if not session.may_be_helped(who):
            raise NotAllowed("the game goes on: it can be reviewed when it has ended")
        findings, caller = session.game_reports, caller_of(request.scope)
        if not findings.is_reviewing:
            _check_reviews([one.game_reports for one in sessions.open_sessions()], caller)
            if session.match.result is None:
                await sessions.run_for_player(session.match.unrate)
        strongest = opponents(session.match.game.name)[-1].config
        begun = await sessions.run_in_thread(findings.start_review, with_review_level(strongest), caller)
        return models.Reviewing(done=begun.done, total=begun.total)

    @api.get("/games/{game_id}/values", response_model=list[models.Valued])
    async def values(game_id: GameId) -> Response:
        """What engines found of a game's positions, as far as that is kept."""
        kept = (await sessions.get(game_id)).game_reports.index
        return Response(await sessions.run_in_thread(_write_values, kept), media_type="application/json")

    @api.post("/analyse")
    async def analyse(request: Request, asked: models.Asked) -> models.Analysis:
        """What an engine thinks of a position. Who disconnects ends the search."""
        caller = caller_of(request.scope)
        with slots.take(caller, resource_limits().analyses_per_visitor) as slot:
            handle = await _search(sessions, asked, f"api {caller} {slot}")
            return models.Analysis.of(await while_connected(request, handle))


def _check_reviews(findings: list[GameReports], caller: str) -> None:
    """Raise `LimitExceeded` if somebody has as many games reviewed now as one may."""
    most = resource_limits().analyses_per_visitor
    if sum(one.is_reviewing and one.reviewer == caller for one in findings) >= most:
        raise LimitExceeded(f"{most} of your reviews are running, which is the most: wait for one of them")


def _write_values(kept: dict[tuple[str, ...], Report]) -> str:
    """As `Valued` has it. ReportIndex are JSON already: a long game has thousands."""
    return f"[{', '.join(_write_value(moves, report) for moves, report in list(kept.items()))}]"


def _write_value(moves: tuple[str, ...], report: Report) -> str:
    return f'{{"moves": {json.dumps(moves)}, "analysis": {report.to_json()}}}'


async def _search(
    sessions: GameSessions, asked: models.Asked, name: str, on_progress: OnProgress | None = None
) -> SearchHandle:
    """Begin a search; `name` tells the searches of one caller from those of others."""
    spec = await sessions.run_in_thread(_engine, sessions, asked.engine, asked.game)
    made = games.game(asked.game, **asked.options)
    check_board(made)
    position = Position(made.name, made.options(), tuple(asked.moves))
    limits = Limits(seconds=asked.seconds, lines=asked.lines)
    return sessions.host.search(spec, position, limits, game_id=name, background=True, on_progress=on_progress)


async def _watch(sessions: GameSessions, socket: WebSocket, slots: Slots) -> None:
    """An analysis that tells what it has so far: the question comes first; whatever follows it ends the search."""
    await socket.accept()
    loop = asyncio.get_running_loop()
    newest: asyncio.Queue[Report] = asyncio.Queue(1)

    def note(report: Report) -> None:
        if newest.full():  # a slow reader gets the newest
            newest.get_nowait()
        newest.put_nowait(report)

    def hear(progress: Progress) -> None:
        if progress.report is not None:
            call_in_loop(loop, note, progress.report)

    async def tell() -> None:
        while True:
            await socket.send_json({"event": "thinking", "analysis": models.report_of(await newest.get())})
            await asyncio.sleep(LEAST_PAUSE_S)

    async def heed(search: SearchHandle) -> None:
        await socket.receive()  # a word, or that nobody is there any more
        search.stop()

    helpers: list[asyncio.Task[None]] = []
    handle: SearchHandle | None = None
    caller = caller_of(socket.scope)
    try:
        question = await asyncio.wait_for(socket.receive(), QUESTION_TIMEOUT_S)
        if question["type"] == "websocket.disconnect":
            return
        asked = models.Asked.model_validate_json(question.get("text") or question.get("bytes") or "")
        with slots.take(caller, resource_limits().analyses_per_visitor) as slot:
            handle = await _search(sessions, asked, f"api {caller} {slot}", hear)
            helpers = [asyncio.ensure_future(work) for work in (tell(), heed(handle))]
            report = await handle
            helpers[0].cancel()
            await socket.send_json({"event": "done", "analysis": models.report_of(report)})
            await socket.close()
    except LimitExceeded as error:
        await _complain(socket, str(error), TRY_AGAIN_LATER)
    except TengenError as error:
        await _complain(socket, str(error))
    except ValidationError as error:
        first = error.errors()[0]
        where = " ".join(map(str, first["loc"]))
        await _complain(socket, f"{where}: {first['msg']}".removeprefix(": "))
    except TimeoutError:
        await _complain(socket, f"no question came within {QUESTION_TIMEOUT_S:.0f} s")
    except (WebSocketDisconnect, RuntimeError):
        pass
    finally:
        for helper in helpers:
            helper.cancel()
        await asyncio.gather(*helpers, return_exceptions=True)
        if handle is not None:
            handle.cancel()


async def _complain(socket: WebSocket, detail: str, code: int = 1000) -> None:
    with suppress(WebSocketDisconnect, RuntimeError):  # nobody hears it
        await socket.send_json({"event": "error", "detail": detail})
        await socket.close(code)


def add_puzzles(api: FastAPI, sessions: GameSessions) -> None:
    @api.get("/puzzles")
    async def kinds(request: Request) -> list[models.PuzzleKind]:
        """The kinds of puzzles. Who solves them is known by the cookie that the server sets."""
        found = []
        for kind in puzzle_kinds():
            score = await sessions.run_in_thread(sessions.store.puzzle_score, kind.name, who_asks(request))
            found.append(
                models.PuzzleKind(
                    name=kind.name, title=kind.title, game=kind.game, about=kind.about, **asdict(score)
                )
            )
        return found

    @api.get("/puzzles/{kind}/next")
    async def following(request: Request, kind: GameId, missed: bool = False) -> models.PuzzleAsked:
        """The next puzzle; if one has to be made first, that is waited for, up to 20 seconds."""
        try:
            async with asyncio.timeout(PUZZLE_TIMEOUT_S):
                puzzle = await while_connected(
                    request, sessions.puzzle_stock.next(kind, who_asks(request), missed=missed)
                )
        except TimeoutError:
            raise HTTPException(503, "a puzzle is being prepared: ask again", {"Retry-After": "5"}) from None
        if puzzle is None:
            raise NotStored("there is nothing that was missed")
        game = games.game(puzzle.game, **dict(puzzle.options))
        await sessions.prepare(game)
        return await sessions.run_in_thread(
            lambda: models.PuzzleAsked.of(puzzle, game.start().play_all(puzzle.moves))
        )

    @api.post("/puzzles/{puzzle_id}/answer")
    async def answer(request: Request, puzzle_id: GameId, given: models.Played) -> models.PuzzleAnswered:
        """Answer a puzzle. Every answer counts."""
        puzzle = await sessions.run_in_thread(sessions.store.puzzle, puzzle_id)
        right = await sessions.run_in_thread(
            sessions.store.answer_puzzle, puzzle_id, who_asks(request), given.move
        )
        return models.PuzzleAnswered(
            right=right, moves=list(puzzle.right), proof=models.Analysis.of(puzzle.report)
        )


def _settings(player: Player) -> dict[str, Any] | None:
    """An engine's settings, without the command that starts another program: that is nobody else's business."""
    if not isinstance(player, EnginePlayer):
        return None
    settings = player.config.to_dict()
    settings.pop("foreign", None)
    return settings


def _engine(sessions: GameSessions, name: str, game: str) -> EngineConfig:
    if name in registry.names():
        return EngineConfig(name, book=False)
    player = find_player(sessions.store, name, game)
    if not isinstance(player, EnginePlayer):
        raise OptionError(f"{name!r} is a person; engines are {', '.join(registry.names())}, and engine players")
    return player.config.for_analysis()
