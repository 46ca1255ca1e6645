"""API paths of opening books and drills."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from random import Random
from typing import Annotated

from fastapi import FastAPI, Query, Request

from tengen import games
from tengen.app.book_jobs import BookSummary, Growth
from tengen.app.book_manager import is_in_statistics
from tengen.app.drills import BOOKS, LOSS, NO_QUESTIONS, Drill, drill_progress, next_question, parse_drill, verdict
from tengen.core.errors import OptionError
from tengen.runtime.book_updates import count_games
from tengen.store.errors import NotStored
from tengen.web.api import models
from tengen.web.api.parameters import GameId, Key, MoveWords, OptionWords, Word, actor_of
from tengen.web.game_session import GameSession
from tengen.web.game_sessions import GameSessions
from tengen.web.permissions import NotAllowed


def add_books(api: FastAPI, sessions: GameSessions) -> None:
    manager = sessions.book_manager

    def check_owner(request: Request) -> None:
        if not request.state.visitor.is_owner:
            raise NotAllowed("only the owner of this server can change books")

    async def ended(request: Request, game_id: str, key: str) -> GameSession:
        check_owner(request)
        session, who = await sessions.get(game_id), actor_of(request, key)
        if not session.seating.may_change(who) or (
            session.seating.seats is not None and session.seating.seats.is_guest(who)
        ):
            raise NotAllowed("only its players can add a game to a book")
        if session.match.result is None:
            raise NotAllowed("the game can be added after it has ended")
        return session

    @api.get("/books")
    async def books() -> list[BookSummary]:
        """List the books with their verified levels."""
        return await manager.inspect()

    @api.post("/games/{game_id}/book")
    async def add_to_book(request: Request, game_id: GameId, key: Key = "") -> models.BookSize:
        """Add an ended game of the caller, or one without seats, to the opening statistics."""
        session = await ended(request, game_id, key)
        if is_in_statistics(session.match):
            raise OptionError("this game was already added when it ended")
        _, size = await sessions.run_in_thread(count_games, [session.match.record])
        return models.BookSize(positions=size)

    @api.post("/games/{game_id}/learn", status_code=202)
    async def learn(request: Request, game_id: GameId, key: Key = "") -> models.BookWork:
        """Add such a game to the valued book: its positions are searched in the background."""
        session = await ended(request, game_id, key)
        return models.BookWork.from_job(manager.learn(session.match))

    @api.get("/games/{game_id}/learn")
    async def learning(game_id: GameId) -> models.BookWork:
        """Progress of learning a game."""
        work = manager.learning(game_id)
        if work is None:
            raise NotStored("this game is not being learned")
        return models.BookWork.from_job(work)

    @api.get("/books/growth")
    async def growth() -> models.BookGrowth:
        """The current growth."""
        return models.BookGrowth.from_job(manager.growing)

    @api.post("/books/growth", status_code=202)
    async def grow(request: Request, wanted: models.Grow) -> models.BookGrowth:
        """Grow a valued book in the background, one at a time. It continues after a restart of the server."""
        check_owner(request)
        options = games.game(wanted.game, **wanted.options).options()
        plan = Growth(**{**wanted.model_dump(), "options": options})
        return models.BookGrowth.from_job(await manager.grow(plan))

    @api.post("/books/growth/stop")
    async def stop(request: Request) -> models.BookGrowth:
        """Stop the growth. Results are stored."""
        check_owner(request)
        await manager.stop()
        return models.BookGrowth.from_job(manager.growing)

    @api.post("/books/growth/resume", status_code=202)
    async def go_on(request: Request) -> models.BookGrowth:
        """Resume a stopped growth."""
        check_owner(request)
        return models.BookGrowth.from_job(await manager.resume())

    @api.delete("/books/growth", status_code=204)
    async def give_up(request: Request) -> None:
        """Discard a finished or stopped growth."""
        check_owner(request)
        await manager.discard()


def add_drills(api: FastAPI, sessions: GameSessions) -> None:
    @api.get("/drills")
    async def drills(request: Request) -> list[models.DrillInfo]:
        """List the drills. The user is identified by the server's cookie."""
        found = []
        who, now = actor_of(request), datetime.now(UTC)
        for book in await sessions.book_manager.inspect():
            for side in (0, 1) if not book.error else ():
                drill = Drill(games.game(book.game, **book.options), side, BOOKS[book.kind])
                score = await sessions.run_in_thread(sessions.store.puzzle_score, drill.kind, who)
                reached = await sessions.run_in_thread(drill_progress, sessions.store, drill, who, now)
                numbers = {**asdict(score), **asdict(reached)}
                about = {"game": book.game, "options": book.options, "side": side, "book": drill.book}
                found.append(models.DrillInfo.model_validate({**numbers, **about}))
        return found

    @api.get("/drills/next")
    async def following(
        request: Request,
        game: Word,
        side: Annotated[int, Query(ge=0, le=1)],
        book: Word = BOOKS["valued"],
        options: OptionWords = "",
        loss: Annotated[float, Query(ge=0, le=1e6)] = LOSS,
        after: MoveWords = "",
    ) -> models.PuzzleAsked:
        """The next question, missed ones first. `options` are like size=9; a line continues `after` its moves."""
        drill = parse_drill(game, options, side, book, loss)
        await sessions.check_drill(drill)
        who = actor_of(request)

        def find() -> models.PuzzleAsked | None:
            start = drill.game.start()
            line = start.play_all(after.split()) if after else None
            asked = next_question(sessions.store, drill, who, Random(), datetime.now(UTC), line)
            return None if asked is None else models.PuzzleAsked.from_puzzle(asked, start.play_all(asked.moves))

        found = await sessions.run_in_thread(find)
        if found is None:
            raise NotStored(NO_QUESTIONS)
        return found

    @api.post("/drills/{question_id}/answer")
    async def answer(request: Request, question_id: GameId, given: models.Played) -> models.DrillAnswered:
        """Answer a question. Every answer that the book can judge counts."""
        asked = await sessions.run_in_thread(sessions.store.puzzle, question_id)
        right: bool | None = None
        if given.move not in asked.unrated_moves:
            right = await sessions.run_in_thread(
                sessions.store.answer_puzzle, question_id, actor_of(request), given.move
            )
        return models.DrillAnswered(
            right=right,
            verdict=verdict(asked, given.move),
            moves=list(asked.right),
            known=models.Analysis.from_report(asked.report),
        )
