"""API paths of the library: games, imports, players, opening explorer."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request

from tengen import games
from tengen.books.explorer import explore_books
from tengen.players.player import EnginePlayer, Player
from tengen.store.listing import Filter
from tengen.web.api import models
from tengen.web.api.parameters import BINARY, GameId, Key, MoveWords, OptionWords, Word
from tengen.web.game_sessions import GameSessions, check_board
from tengen.web.permissions import NotAllowed, add_imported_games, check_quota, may_delete
from tengen.web.visitor import Visitor

_RAW_BODY = {"requestBody": {"required": True, "content": BINARY}}


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
        """List stored games."""
        which = Filter(game=game, name=name, finished=finished)
        page = await sessions.run_in_thread(
            sessions.store.list_games, which, order=order, descending=descending, limit=limit
        )
        return [models.Listed.model_validate(one, from_attributes=True) for one in page.games]

    async def check_own(visitor: Visitor, key: str, game_id: str) -> None:
        seats = await sessions.seats(game_id)
        holds_key = bool(key) and seats is not None and seats.side_of(key) is not None
        if not holds_key and not may_delete(visitor, seats):
            raise NotAllowed("only its players can delete or restore a game")

    @api.delete("/games/{game_id}", status_code=204)
    async def delete(request: Request, game_id: GameId, key: Key = "") -> None:
        """Delete a game of the caller, or one without seats; `restore` undoes it."""
        await check_own(request.state.visitor, key, game_id)
        await sessions.close_session(game_id)
        await sessions.run_in_thread(sessions.store.delete, game_id)

    @api.post("/games/{game_id}/restore", status_code=204)
    async def restore(request: Request, game_id: GameId, key: Key = "") -> None:
        """Restore a deleted game."""
        await check_own(request.state.visitor, key, game_id)
        await sessions.run_in_thread(sessions.store.restore, game_id)

    @api.post("/records")
    async def take(request: Request, given: models.Import) -> models.Done:
        """Import games in any supported format."""
        return await import_games(request, given.text.encode())

    @api.post("/records/file", openapi_extra=_RAW_BODY)
    async def take_file(request: Request) -> models.Done:
        """Import the games of a file in any supported format. The body is the file."""
        return await import_games(request, await request.body())

    async def import_games(request: Request, data: bytes) -> models.Done:
        visitor: Visitor = request.state.visitor
        await sessions.run_in_thread(check_quota, sessions.store, visitor)
        done = await sessions.import_export.import_file(data)
        await sessions.run_in_thread(add_imported_games, sessions.store, visitor, done.added)
        bad = [f"game {number}: {reason}" for number, reason in done.bad[:20]]
        return models.Done(added=done.added, duplicates=done.duplicates, bad=bad)

    @api.post("/drafts", status_code=201, openapi_extra=_RAW_BODY)
    async def paste(request: Request) -> models.Draft:
        """Open the first game of a file for analysis. The body is the file; the draft belongs to the caller."""
        visitor: Visitor = request.state.visitor
        if visitor.is_guest:
            raise NotAllowed("guests can only play the game they were invited to")
        record = await sessions.import_export.first_game(await request.body())
        session = await sessions.open_board(record.game, visitor.id, record)
        return models.Draft(id=session.id, page=f"/analysis/{session.id}")

    @api.get("/players")
    async def players() -> list[models.PlayerInfo]:
        """List people and engine players."""
        found = await sessions.run_in_thread(sessions.store.players)
        return [
            models.PlayerInfo(id=one.id, name=one.name, kind=models.player_kind(one), settings=_settings(one))
            for one in found
        ]

    @api.get("/explore")
    async def explore(
        game: Word, moves: MoveWords = "", options: OptionWords = "", own: bool = False
    ) -> models.Explored:
        """The moves played in a position. `moves` are separated by spaces, `options` are like size=9."""
        made = games.game(game, **dict(word.partition("=")[::2] for word in options.split()))
        check_board(made)
        position = await sessions.run_in_thread(lambda: made.start().play_all(moves.split()))
        found = await sessions.run_in_thread(sessions.store.explore, position, played_here=own)
        known = await sessions.run_in_thread(explore_books, position)
        counts = ("games", "first_wins", "second_wins", "draws")
        rows = [{"move": one.text, **{name: getattr(one, name) for name in counts}} for one in found.moves]
        books = {name: [asdict(option) for option in options] for name, options in known.items()}
        name = await sessions.run_in_thread(made.opening_name, position)
        return models.Explored(games=found.games, moves=rows, books=books, opening=name)


def _settings(player: Player) -> dict[str, Any] | None:
    """An engine's settings, without the private command line of an external program."""
    if not isinstance(player, EnginePlayer):
        return None
    settings = player.config.to_dict()
    settings.pop("foreign", None)
    return settings
