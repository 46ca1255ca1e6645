"""API paths of learning: problems of Go, and reports on players."""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, Query, Request

from tengen import games
from tengen.app.player_report import player_report, sides_of_player
from tengen.app.problems import read_problem
from tengen.core.resource_limits import resource_limits
from tengen.runtime.messages import Request as Position
from tengen.store.listing import Filter
from tengen.web.api import models
from tengen.web.api.disconnects import while_connected
from tengen.web.concurrency_limiter import Slots, caller_of
from tengen.web.game_sessions import GameSessions, check_board


def add_learning(api: FastAPI, sessions: GameSessions) -> None:
    slots = Slots("problems")

    @api.post("/problem")
    async def problem(request: Request, asked: models.ProblemAsked) -> models.ProblemRead:
        """Whether a string of Go is alive, dead, unsettled or a ko, and what each move leads to."""
        game = games.game("go", **asked.options)
        check_board(game)
        position = Position("go", game.options(), tuple(asked.moves))
        target = game.points(game.read_move(asked.string, game.start()))
        with slots.take(caller_of(request.scope), resource_limits().analyses_per_visitor):
            reading = sessions.helper_pool.run(read_problem, position, target[0] if target else (-1, -1))
            found, results = await while_connected(request, reading)
        return models.ProblemRead.from_reading(found, results)

    @api.get("/report")
    async def report(
        name: Annotated[str, Query(max_length=100, description="the first letters of a player's name")],
        game: Annotated[str, Query(max_length=40)] = "",
    ) -> models.PlayerFigures:
        """The figures of a player's reviewed games."""
        if game:
            games.game_class(game)
        which = Filter(game=game or None, name=name)
        found = await sessions.run_in_thread(player_report, sessions.store, which, sides_of_player("", name))
        return models.PlayerFigures.from_report(found)
