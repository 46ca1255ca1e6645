"""The API application, and the paths to play games. It uses the same sessions and middleware as the pages.

A program that plays sends the key of its seat with each change, as `X-Tengen-Key`; browsers are identified by
their cookie.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from inspect import Parameter, Signature, signature
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.routing import APIRoute

import tengen
from tengen import games
from tengen.app.game_options import options_of
from tengen.app.pictures import PictureOptions
from tengen.core.errors import OptionError, TengenError
from tengen.core.translation import mark
from tengen.play.player_lookup import find_player, person
from tengen.play.time_control import TimeControl
from tengen.players.opponents import opponents
from tengen.players.player import Player
from tengen.players.syntax import is_config
from tengen.web.api import models
from tengen.web.api.analysis import add_analysis
from tengen.web.api.arena import add_arena
from tengen.web.api.books import add_books, add_drills
from tengen.web.api.deck import add_deck
from tengen.web.api.game_events import GameEventStreams
from tengen.web.api.health import add_health
from tengen.web.api.learning import add_learning
from tengen.web.api.library import add_library
from tengen.web.api.parameters import BINARY, GameId, Key, actor_of
from tengen.web.api.puzzles import add_puzzles
from tengen.web.concurrency_limiter import caller_of
from tengen.web.game_files import MAX_HEIGHT, FileWanted, game_file
from tengen.web.game_session import GameSession
from tengen.web.game_sessions import GameSessions
from tengen.web.http_errors import retry_header, status_of
from tengen.web.permissions import NotAllowed, check_players, check_quota

_FILE: dict[int | str, dict[str, Any]] = {200: {"content": BINARY}}
_ABOUT = """Play, analyse and store abstract board games.

There are also two WebSockets whose messages are JSON objects with an `event`. `/api/games/{id}/events` sends the
`state` of a game, now and after each change (events `state`, `moved`, `ended`, `offered`, …), and the `report` of
a searching engine (`thinking`). `/api/analyse` expects the same request as `POST /analyse` and sends the
`analysis` as it develops (`thinking`, finally `done`), or `error` with a `detail`; any further message stops the
search.

Errors have a `detail`. 503 means that the database is not available; if the response also has a `state`, the
change was made but is not saved yet (`saved` is false), and will be saved when the database works again. 429 means
too many concurrent requests, 413 that the request is too large; `Retry-After` says when to try again."""
_ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": models.Error} for status in (404, 403, 409, 413, 422, 429, 503)
}


def build_api(sessions: GameSessions) -> FastAPI:
    """The application mounted at /api."""
    api = FastAPI(
        title="Tengen",
        version=tengen.__version__,
        description=_ABOUT,
        docs_url=None,
        redoc_url=None,
        responses=_ERRORS,
        generate_unique_id_function=_operation_id,
    )

    @api.exception_handler(TengenError)
    async def on_error(_: Request, error: TengenError) -> JSONResponse:
        status = status_of(error)
        return JSONResponse({"detail": str(error)}, status, retry_header(status))

    @api.exception_handler(RequestValidationError)
    async def on_invalid_request(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = " ".join(str(part) for part in first["loc"] if part not in ("body", "query", "path"))
        return JSONResponse({"detail": f"{where}: {first['msg']}".removeprefix(": ")}, 422)

    add_health(api, sessions)
    _add_games(api, sessions)
    add_library(api, sessions)
    add_analysis(api, sessions)
    add_learning(api, sessions)
    add_puzzles(api, sessions)
    add_deck(api, sessions)
    add_books(api, sessions)
    add_drills(api, sessions)
    add_arena(api, sessions)
    return api


def _add_games(api: FastAPI, sessions: GameSessions) -> None:
    streams = GameEventStreams(sessions)

    @api.get("/rules")
    async def rules() -> list[models.Rules]:
        """List the games, their options and built-in opponents."""
        found = []
        for name in games.names():
            kind = games.game_class(name)
            options = {option.name: option.default for option in options_of(name)}
            engines = [player.name for player in opponents(name)]
            found.append(
                models.Rules(name=name, title=kind.title, players=kind.players, options=options, opponents=engines)
            )
        return found

    @api.post("/games", status_code=201)
    async def create(request: Request, wanted: models.NewGame) -> models.Created:
        """Create a game and start its clock; an engine to move starts searching."""
        game = games.game(wanted.game, **wanted.options)
        control = TimeControl.parse(wanted.time)
        one, two = [await sessions.run_in_thread(_player, sessions, name, wanted.game) for name in wanted.players]
        await sessions.run_in_thread(check_players, sessions.store, request.state.visitor, (one, two))
        who = actor_of(request)
        session = await sessions.create(game, (one, two), who, control=control, rated=wanted.rated)
        await sessions.run_for_player(session.start, who)
        return models.Created.from_session(session)

    @api.get("/games/{game_id}")
    async def state(game_id: GameId) -> models.State:
        """The current state of a game."""
        return models.State.from_session(await sessions.get(game_id))

    def action(work: Callable[..., object]) -> None:
        """Add a path for an action of a player, `work(session, who)` or `work(session, who, given)`."""

        async def change(request: Request, game_id: GameId, key: Key = "", **body: Any) -> Any:
            session = await sessions.get(game_id)
            await sessions.run_for_player(work, session, actor_of(request, key), **body)
            return _answer(session)

        common = list(signature(change, eval_str=True).parameters.values())[:-1]
        given = [
            one.replace(kind=Parameter.KEYWORD_ONLY)
            for one in list(signature(work, eval_str=True).parameters.values())[2:]
        ]
        change.__signature__ = Signature([*common, *given])  # type: ignore[attr-defined]
        change.__doc__, change.__name__ = work.__doc__, work.__name__
        path = f"/games/{{game_id}}/{work.__name__.replace('_', '-')}"
        api.post(path, response_model=models.State, responses={503: {"model": models.Unsaved}})(change)

    @api.post("/games/{game_id}/moves", response_model=models.State, responses={503: {"model": models.Unsaved}})
    async def moves(request: Request, game_id: GameId, given: models.Played, key: Key = "") -> Any:
        """Make a move. The clock stops when the server has received it."""
        arrived = getattr(request.state, "arrived", time.monotonic())
        session = await sessions.get(game_id)
        await sessions.play(session, actor_of(request, key), given.move, arrived=arrived)
        return _answer(session)

    @action
    def take_back(session: GameSession, who: str) -> None:
        """Take back to your own last move, or ask the opponent to agree."""
        session.take_back(who)

    @action
    def resign(session: GameSession, who: str) -> None:
        """Resign."""
        session.resign(who)

    @action
    def draw(session: GameSession, who: str) -> None:
        """Offer a draw, or accept one."""
        offer = session.offers.pending
        if offer is not None and offer.kind == "draw" and 1 - offer.side in session.seating.sides(who):
            session.answer_offer(who, True)
        else:
            session.draw(who)

    @action
    def count(session: GameSession, who: str, given: models.Count) -> None:
        """Mark exactly these stones as dead, and agree."""
        diagram = session.match.live.diagram()
        names = {
            f"{column}{row}": (c, r)
            for r, row in enumerate(diagram.rows)
            for c, column in enumerate(diagram.columns)
        }
        wanted = {text.upper() for text in given.dead}
        unknown = wanted - {name.upper() for name in names}
        if unknown:
            raise OptionError(f"there is no point {sorted(unknown)[0]} on this board")
        session.count(who, {point for name, point in names.items() if name.upper() in wanted})

    @action
    def play_on(session: GameSession, who: str) -> None:
        """Play on instead of counting, because you do not agree on the dead stones. Takes back the passes."""
        session.play_on(who)

    @action
    def abort(session: GameSession, who: str) -> None:
        """End the game without a result, before each side has moved."""
        session.abort(who)

    @action
    def pause(session: GameSession, who: str) -> None:
        """Pause the game, or ask the opponent to agree."""
        session.pause(who)

    @action
    def resume(session: GameSession, who: str) -> None:
        """Resume a paused game."""
        if not session.seating.may_change(who):
            raise NotAllowed("only its players can change a game")
        session.start(who)

    @action
    def reply(session: GameSession, who: str, given: models.Reply) -> None:
        """Accept or decline the opponent's offer."""
        session.answer_offer(who, given.accept)

    @action
    def move_now(session: GameSession, who: str) -> None:
        """Let the searching engine play its best move so far."""
        session.move_now(who)

    @api.post("/games/{game_id}/rematch", status_code=201)
    async def rematch(request: Request, game_id: GameId, key: Key = "") -> models.Created:
        """Start a rematch. Only its players receive their keys."""
        session = await sessions.get(game_id)
        who = actor_of(request, key)
        session.check_rematch(who)
        mine = [session.match.players[side] for side in session.seating.sides(who)]
        await sessions.run_in_thread(check_quota, sessions.store, request.state.visitor)
        following = await sessions.rematch(session, who)
        await sessions.run_for_player(following.start, who)
        made = models.Created.from_session(following)
        one, two = (key if following.match.players[side] in mine else None for side, key in enumerate(made.keys))
        return models.Created(state=made.state, keys=(one, two))

    @api.get("/games/{game_id}/record.{form}", response_class=Response, responses=_FILE)
    async def record(
        request: Request,
        game_id: GameId,
        form: models.Word,
        move: Annotated[int | None, Query(ge=0, description="the last move shown in a picture")] = None,
        height: Annotated[int, Query(ge=60, le=MAX_HEIGHT, description="of a picture, in pixels")] = 480,
        seconds: Annotated[float, Query(ge=0.02, le=60, description="for each move of an animation")] = 1.0,
    ) -> Response:
        """The game as a file: a format such as sgf or text; or a picture, svg, png, gif, webp or html."""
        wanted = FileWanted(form, move, PictureOptions(height, seconds))
        data = await game_file(sessions, game_id, wanted, caller_of(request.scope))
        return Response(data, media_type=wanted.media_type)

    @api.websocket("/games/{game_id}/events")
    async def listen(socket: WebSocket, game_id: GameId) -> None:
        await streams.serve(socket, game_id)


def _operation_id(route: APIRoute) -> str:
    """The name of an operation for code generators: `post_games_game_id_take_back`."""
    return "_".join([*sorted(route.methods or ()), *re.findall(r"\w+", route.path)]).lower()


def _answer(session: GameSession) -> models.State | JSONResponse:
    """The state after a change; with status 503 if it is not saved."""
    state, error = models.State.from_session(session), session.match.save_error
    if error is None:
        return state
    status = 409 if status_of(error) == 409 else 503
    found = models.Unsaved(detail=f"not saved: {error}", state=state)
    return JSONResponse(found.model_dump(), status, retry_header(status))


def _player(sessions: GameSessions, name: str, game: str) -> Player:
    """The player with a name, else a new person. Raises `OptionError` for an engine that is not a player."""
    try:
        return find_player(sessions.store, name, game)
    except OptionError:
        if is_config(name):  # it would wait for a person called so
            names = ", ".join(one.name for one in opponents(game))
            text = mark("{name!r} is an engine, not a player: choose a stored player, or one of {names}")
            raise OptionError(text.format(name=name, names=names)) from None
        return person(sessions.store, name)
