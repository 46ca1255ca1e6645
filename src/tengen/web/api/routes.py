"""The API's paths. They call the same hall as the pages, and are kept to the same rules by the same guard.

A program that plays sends the key of its seat with each change, as `X-Tengen-Key`; a page's browser is known by
its cookie, and may use the API, too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import FastAPI, Header, HTTPException, Query, Request, WebSocket, WebSocketDisconnect
from fastapi.responses import JSONResponse, Response

from tengen import games
from tengen.core.errors import OptionError, TengenError
from tengen.engines import registry
from tengen.games import records
from tengen.play import events
from tengen.play.opponents import opponents
from tengen.play.request import EngineSpec
from tengen.play.request import Request as Position
from tengen.play.rule_options import options_of
from tengen.play.seating import find_player, person
from tengen.play.table import spec_of
from tengen.play.time_control import TimeControl
from tengen.search.limits import Limits
from tengen.store.errors import NotStored
from tengen.store.listing import Filter
from tengen.store.players import EnginePlayer, Player
from tengen.web.api import models
from tengen.web.hall import Hall
from tengen.web.pages.library import bring_in
from tengen.web.room import News, NotYours, Offered, Room

Key = Annotated[str, Header(alias="X-Tengen-Key", description="the key of a seat")]
_SLOWEST_READER = 200  # messages that wait for one program, then it is let go


def build_api(hall: Hall) -> FastAPI:
    """The app below /api."""
    api = FastAPI(
        title="Tengen",
        description="Play, analyse and keep abstract board games.",
        docs_url=None,
        redoc_url=None,
        responses={404: {"model": models.Error}, 403: {"model": models.Error}, 422: {"model": models.Error}},
    )

    @api.exception_handler(TengenError)
    async def complain(_: Request, error: TengenError) -> JSONResponse:
        code = 404 if isinstance(error, NotStored) else 403 if isinstance(error, NotYours) else 422
        return JSONResponse({"detail": str(error)}, code)

    _add_games(api, hall)
    _add_library(api, hall)
    _add_analysis(api, hall)
    return api


def _who(request: Request, key: str) -> str:
    """Who asks: by the key, or as a browser."""
    return key or str(request.state.browser)


def _add_games(api: FastAPI, hall: Hall) -> None:
    @api.get("/rules")
    async def rules() -> list[models.Rules]:
        """The games that can be played."""
        found = []
        for name in games.names():
            kind = games.game_class(name)
            options = {option.name: option.usual for option in options_of(name)}
            engines = [player.name for player in opponents(name)]
            found.append(
                models.Rules(name=name, title=kind.title, players=kind.players, options=options, opponents=engines)
            )
        return found

    @api.post("/games", status_code=201)
    async def create(request: Request, wanted: models.NewGame) -> models.Created:
        """Begin a game. Its clock runs, and an engine that is to move thinks at once."""
        game = games.game(wanted.game, **wanted.options)
        control = TimeControl.parse(wanted.time)
        one, two = [await hall.do(_player, hall, name, wanted.game) for name in wanted.players]
        room = await hall.create(game, (one, two), _who(request, ""), control=control, rated=wanted.rated)
        await hall.do(room.begin, _who(request, ""))
        return models.Created.of(room)

    @api.get("/games/{game_id}")
    async def state(game_id: str) -> models.State:
        """A game as it is now."""
        return models.State.of((await hall.room(game_id)).match)

    def act(path: str, work: Callable[[Room, str, Any], object], body: type[Any] | None = None) -> None:
        """A path at which a player changes a game."""

        async def change(request: Request, game_id: str, key: Key = "", given: Any = None) -> models.State:
            room = await hall.room(game_id)
            await hall.do(work, room, _who(request, key), given)
            return models.State.of(room.match)

        change.__doc__ = work.__doc__
        change.__name__ = path.replace("-", "_")
        if body is None:

            async def plain(request: Request, game_id: str, key: Key = "") -> models.State:
                return await change(request, game_id, key)

            plain.__doc__, plain.__name__ = work.__doc__, change.__name__
            api.post(f"/games/{{game_id}}/{path}")(plain)
        else:
            change.__annotations__["given"] = body
            api.post(f"/games/{{game_id}}/{path}")(change)

    def play(room: Room, who: str, given: models.Played) -> None:
        """Make a move."""
        room.play(who, given.move)

    def take_back(room: Room, who: str, _: object) -> None:
        """Take back to your own last move, or ask the other player for that."""
        room.take_back(who)

    def resign(room: Room, who: str, _: object) -> None:
        """Give up."""
        room.resign(who)

    def draw(room: Room, who: str, _: object) -> None:
        """Offer a draw, or accept one."""
        offer = room.offer
        if offer is not None and offer.kind == "draw" and 1 - offer.side in room.sides(who):
            room.answer(who, True)
        else:
            room.draw(who)

    def count(room: Room, who: str, given: models.Count) -> None:
        """Agree on dead stones, where a game ends with that."""
        diagram = room.match.live.diagram()
        names = {
            f"{column}{row}": (c, r)
            for r, row in enumerate(diagram.rows)
            for c, column in enumerate(diagram.columns)
        }
        wanted = {text.upper() for text in given.dead}
        unknown = wanted - {name.upper() for name in names}
        if unknown:
            raise OptionError(f"there is no point {sorted(unknown)[0]} on this board")
        points = {point for name, point in names.items() if name.upper() in wanted}
        if points != room.dead:
            room.agreed.clear()
            room.dead.clear()
            room.dead |= points
        room.agree(who)

    act("moves", play, models.Played)
    act("take-back", take_back)
    act("resign", resign)
    act("draw", draw)
    act("count", count, models.Count)

    @api.get("/games/{game_id}/record.{form}")
    async def record(game_id: str, form: str) -> Response:
        """The game in a file's format: sgf, json, …"""
        room = await hall.room(game_id)
        entry = await hall.do(room.match.entry)
        written = await hall.do(lambda: records.serialise([entry.record], records.format_named(form)))
        return Response(written.data, media_type="application/octet-stream")

    @api.websocket("/games/{game_id}/events")
    async def listen(socket: WebSocket, game_id: str) -> None:
        await _listen(hall, socket, game_id)


async def _listen(hall: Hall, socket: WebSocket, game_id: str) -> None:
    """Send the state of a game now and after each change, and what its engines think."""
    await socket.accept()
    try:
        room = await hall.room(game_id)
    except TengenError as error:
        await socket.send_json({"event": "error", "detail": str(error)})
        await socket.close()
        return
    waiting: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue(_SLOWEST_READER)

    def tell(news: News) -> None:
        if isinstance(news, events.Thinking):
            report = news.progress.report
            told: dict[str, Any] = {"event": "thinking", "player": news.player, "stage": str(news.progress.stage)}
            told["report"] = None if report is None else models.report_of(report)
        else:
            told = {"event": _event(news), "state": models.State.of(room.match).model_dump()}
        try:
            waiting.put_nowait(told)
        except asyncio.QueueFull:
            leave()

    leave = room.watch(tell)
    reader = asyncio.ensure_future(_until_gone(socket, waiting))
    try:
        await socket.send_json({"event": "state", "state": models.State.of(room.match).model_dump()})
        while (told := await waiting.get()) is not None:
            await socket.send_json(told)
    except (WebSocketDisconnect, RuntimeError):
        pass
    finally:
        leave()
        reader.cancel()


async def _until_gone(socket: WebSocket, waiting: asyncio.Queue[dict[str, Any] | None]) -> None:
    """Wait until the program has gone: what it sends means nothing here."""
    try:
        while True:
            await socket.receive_text()
    except (WebSocketDisconnect, RuntimeError, KeyError):
        await waiting.put(None)


def _event(news: News) -> str:
    if isinstance(news, Offered):
        return "offered"
    return {"TakenBack": "taken-back", "NotSaved": "not-saved"}.get(
        type(news).__name__, type(news).__name__.lower()
    )


def _add_library(api: FastAPI, hall: Hall) -> None:
    @api.get("/games")
    async def listed(
        game: str | None = None,
        name: str | None = None,
        finished: bool | None = None,
        order: str = "changed",
        descending: bool = True,
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
    ) -> list[models.Listed]:
        """The kept games."""
        which = Filter(game=game, name=name, finished=finished)
        page = await hall.do(hall.store.list_games, which, order=order, descending=descending, limit=limit)
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

    @api.post("/records")
    async def take(given: models.Import) -> models.Done:
        """Import games, in any format that is known."""
        done = await hall.do(bring_in, hall, given.text.encode())
        bad = [f"game {number}: {reason}" for number, reason in done.bad[:20]]
        return models.Done(added=done.added, duplicates=done.duplicates, bad=bad)

    @api.get("/players")
    async def players() -> list[models.PlayerInfo]:
        """People and engines that are kept."""
        found = await hall.do(hall.store.players)
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
    async def explore(game: str, moves: str = "", options: str = "", own: bool = False) -> models.Explored:
        """What was played in a position; `moves` are separated by blanks, `options` are as size=9."""
        made = games.game(game, **dict(word.partition("=")[::2] for word in options.split()))
        await hall.ready(made)
        found = await hall.do(lambda: hall.store.explore(made.start().play_all(moves.split()), own=own))
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
        return models.Explored(games=found.games, moves=rows)


def _add_analysis(api: FastAPI, hall: Hall) -> None:
    @api.post("/analyse")
    async def analyse(asked: models.Asked) -> dict[str, Any]:
        """What an engine thinks of a position: a report, as docs/search.md describes it."""
        spec, made = (
            await hall.do(_engine, hall, asked.engine, asked.game),
            games.game(asked.game, **asked.options),
        )
        position = Position(made.name, made.options(), tuple(asked.moves))
        limits = Limits(seconds=asked.seconds, lines=asked.lines)
        handle = hall.host.search(spec, position, limits, game_id="api analysis", background=True)
        try:
            return models.report_of(await handle)
        except asyncio.CancelledError:
            handle.cancel()
            raise HTTPException(503, "the server ends") from None


def _settings(player: Player) -> dict[str, Any] | None:
    """An engine's settings, without the command that starts another program: that is nobody else's business."""
    if not isinstance(player, EnginePlayer):
        return None
    settings = player.genome.to_dict()
    settings.pop("foreign", None)
    return settings


def _engine(hall: Hall, name: str, game: str) -> EngineSpec:
    if name in registry.names():
        return EngineSpec(name)
    player = find_player(hall.store, name, game)
    if not isinstance(player, EnginePlayer):
        raise OptionError(f"{name!r} is a person; engines are {', '.join(registry.names())}, and engine players")
    return spec_of(player.genome)


def _player(hall: Hall, name: str, game: str) -> Player:
    """The player with a name, else a person who gets it."""
    try:
        return find_player(hall.store, name, game)
    except OptionError:
        return person(hall.store, name)
