"""Downloads of a review: a page to print or share, and the annotated record."""

from __future__ import annotations

from fastapi import FastAPI, Request, Response

from tengen.app.move_reasons import move_reasons
from tengen.app.review_document import ReviewDocument
from tengen.core.errors import TengenError
from tengen.core.translation import mark, use_language
from tengen.games import records
from tengen.play.game_tree import MatchError
from tengen.web.game_session import GameSession
from tengen.web.game_sessions import GameSessions
from tengen.web.pages.library import download, refused
from tengen.web.preferences import Preferences
from tengen.web.visitor_language import visitor_language


def serve_reviews(app: FastAPI, sessions: GameSessions) -> None:
    """Serve the review of a game as a page and as a record."""

    async def document(request: Request, game_id: str) -> tuple[GameSession, ReviewDocument]:
        session = await sessions.get(game_id)
        if not session.seating.may_use_engine(request.state.visitor.id):
            raise MatchError(mark("no engine help while the game is in progress"))
        return session, await sessions.run_in_thread(_document, session)

    @app.get("/review/{game_id}.{form}", include_in_schema=False)
    async def record(request: Request, game_id: str, form: str) -> Response:
        try:
            _session, made = await document(request, game_id)
            data = await sessions.run_in_thread(
                lambda: records.serialise([made.annotated()], records.format_named(form)).data
            )
            return download(data, form, f"tengen-review-{game_id[:8]}")
        except TengenError as error:
            return refused(error)

    @app.get("/review/{game_id}", include_in_schema=False)
    async def page(request: Request, game_id: str) -> Response:
        who = request.state.visitor.id
        language = visitor_language(Preferences.load(sessions.visitors, who), request.headers)
        with use_language(language):
            try:
                session, made = await document(request, game_id)
                address = f"{str(request.base_url).rstrip('/')}/analysis/{session.id}"
                return Response(made.html(address), media_type="text/html; charset=utf-8")
            except TengenError as error:
                return refused(error)


def _document(session: GameSession) -> ReviewDocument:
    line = list(session.match.live.line())
    reports = session.game_reports.index.for_line(line)
    return ReviewDocument(session.match.to_entry().record, line, reports, move_reasons)
