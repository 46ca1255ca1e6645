"""API paths of the deck."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from fastapi import FastAPI, Query, Request, Response

from tengen.app.deck import Question, answer_question, extra_question, next_question, statistics
from tengen.web.api import models
from tengen.web.api.parameters import GameId, actor_of
from tengen.web.game_sessions import GameSessions


def add_deck(api: FastAPI, sessions: GameSessions) -> None:
    settings_of = sessions.mistake_collector.settings

    @api.get("/deck")
    async def status(request: Request) -> models.DeckStatus:
        """Figures of the caller's deck, who is identified by the server's cookie."""
        who = actor_of(request)
        found = await sessions.run_in_thread(statistics, sessions.store, who, datetime.now(UTC), settings_of(who))
        ratings = await sessions.run_in_thread(sessions.puzzle_ratings.solver_ratings, who)
        return models.DeckStatus.from_statistics(found, ratings)

    @api.get(
        "/deck/next",
        responses={200: {"model": models.DeckQuestion}, 204: {"description": "everything is done for today"}},
        response_model=None,
    )
    async def following(
        request: Request, extra: Annotated[bool, Query(description="a new one beyond those of the day")] = False
    ) -> models.DeckQuestion | Response:
        """The question to answer now; status 204 without content if everything is done for today."""
        who = actor_of(request)

        def find() -> models.DeckQuestion | None:
            now, settings = datetime.now(UTC), settings_of(who)
            ask = extra_question if extra else next_question
            found = ask(sessions.store, who, now, settings)
            return None if found is None else models.DeckQuestion.from_question(found, found.position())

        return await sessions.run_in_thread(find) or Response(status_code=204)

    @api.post("/deck/{puzzle_id}/answer")
    async def answer(request: Request, puzzle_id: GameId, given: models.DeckAnswer) -> models.DeckAnswered:
        """Answer a question; an empty move gives up. `last` is that of the question, so that a repeated request
        counts once.
        """
        who = actor_of(request)
        puzzle = await sessions.run_in_thread(sessions.store.puzzle, puzzle_id)
        asked = Question(puzzle, given.last)
        found = await sessions.run_in_thread(answer_question, sessions.store, asked, who, given.move)
        return models.DeckAnswered(
            right=found.right,
            verdict=found.text,
            moves=list(puzzle.right),
            known=models.Analysis.from_report(puzzle.report),
        )

    @api.delete("/deck/{puzzle_id}", status_code=204)
    async def remove(request: Request, puzzle_id: GameId) -> None:
        """Do not ask a question again."""
        await sessions.run_in_thread(sessions.store.remove_card, actor_of(request), puzzle_id)
