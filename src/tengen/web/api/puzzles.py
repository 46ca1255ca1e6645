"""API paths of puzzles."""

from __future__ import annotations

import asyncio
from dataclasses import asdict

from fastapi import FastAPI, HTTPException, Request

from tengen import games
from tengen.app.puzzles import puzzle_kinds
from tengen.store.errors import NotStored
from tengen.web.api import models
from tengen.web.api.disconnects import while_connected
from tengen.web.api.parameters import GameId, actor_of
from tengen.web.game_sessions import GameSessions

PUZZLE_TIMEOUT_S = 20.0  # for composing a puzzle if none is in stock


def add_puzzles(api: FastAPI, sessions: GameSessions) -> None:
    @api.get("/puzzles")
    async def kinds(request: Request) -> list[models.PuzzleKind]:
        """List the kinds of puzzles. The solver is identified by the server's cookie."""
        found = []
        for kind in puzzle_kinds():
            score = await sessions.run_in_thread(sessions.store.puzzle_score, kind.name, actor_of(request))
            about = {name: getattr(kind, name) for name in ("name", "title", "game", "about")}
            found.append(models.PuzzleKind.model_validate({**about, **asdict(score)}))
        return found

    @api.get("/puzzles/{kind}/next")
    async def following(request: Request, kind: GameId, missed: bool = False) -> models.PuzzleAsked:
        """The next puzzle; waits up to 20 seconds if one has to be composed first."""
        try:
            async with asyncio.timeout(PUZZLE_TIMEOUT_S):
                puzzle = await while_connected(
                    request, sessions.puzzle_stock.next(kind, actor_of(request), missed=missed)
                )
        except TimeoutError:
            raise HTTPException(503, "a puzzle is being prepared: try again", {"Retry-After": "5"}) from None
        if puzzle is None:
            raise NotStored("there are no missed puzzles")
        game = games.game(puzzle.game, **dict(puzzle.options))
        return await sessions.run_in_thread(
            lambda: models.PuzzleAsked.from_puzzle(puzzle, game.start().play_all(puzzle.moves))
        )

    @api.post("/puzzles/{puzzle_id}/answer")
    async def answer(request: Request, puzzle_id: GameId, given: models.Played) -> models.PuzzleAnswered:
        """Answer a puzzle. Every answer counts."""
        puzzle = await sessions.run_in_thread(sessions.store.puzzle, puzzle_id)
        right = await sessions.run_in_thread(
            sessions.store.answer_puzzle, puzzle_id, actor_of(request), given.move
        )
        return models.PuzzleAnswered(
            right=right, moves=list(puzzle.right), proof=models.Analysis.from_report(puzzle.report)
        )
