"""API paths of the arena: runs between engines, their results, and the queue."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import FastAPI, Path, Query, Request
from pydantic import BaseModel, Field

from tengen.app import arena_document
from tengen.app.arena_plans import MatchPlan, Plan, TournamentPlan, TuningPlan, VariantsPlan
from tengen.app.arena_queue import QueuedRun, RunView
from tengen.web.game_sessions import GameSessions
from tengen.web.permissions import check_arena

Kind = Annotated[str, Path(pattern="^(matches|variants|tournaments|tunings)$")]
RunId = Annotated[str, Path(pattern="^[0-9a-f]{24}$")]
Concurrency = Annotated[int | None, Query(ge=1, description="games at a time; by default one core is left free")]


class Run(BaseModel):
    """A run: what it is, its state, and how far it is. `result` depends on the kind."""

    kind: str
    id: str
    name: str
    about: str
    game: str
    state: str = Field(description="waiting, running, stopped, failed or finished")
    note: str = ""
    caption: str = ""
    done: int = 0
    total: int | None = None
    figures: list[tuple[str, str]] = []
    workers: list[dict[str, Any]] = []
    result: dict[str, Any] = {}
    plan: dict[str, Any] | None = Field(
        default=None, description="what was started, if it was started on this server"
    )

    @classmethod
    def from_view(cls, view: RunView, *, whole: bool = True) -> Run:
        status = view.status
        found = cls(
            kind=status.kind,
            id=status.id,
            name=status.name,
            about=status.about,
            game=status.game,
            state=view.state,
            note=view.note,
            caption=status.caption,
            done=status.done,
            total=status.total,
            figures=[(name, value) for name, value in status.figures],
        )
        if whole:
            found.workers, found.result = status.workers, status.result
            found.plan = None if view.queued is None else view.queued.plan
        return found

    @classmethod
    def from_queue(cls, run: QueuedRun) -> Run:
        names = ("kind", "id", "name", "about", "state", "note", "plan")
        return cls(game=str(run.plan.get("game", "")), **{name: getattr(run, name) for name in names})


class RunGames(BaseModel):
    """Games of a run, the first to end first. `points` are those of the first of the `contestants`."""

    total: int
    games: list[dict[str, Any]]


class Link(BaseModel):
    """The path of a page that everybody who knows it can read."""

    path: str


def add_arena(api: FastAPI, sessions: GameSessions) -> None:
    queue = sessions.arena

    async def start(request: Request, plan: Plan, concurrency: int | None) -> Run:
        check_arena(request.state.visitor)
        return Run.from_queue(await queue.add(plan, concurrency))

    @api.get("/arena")
    async def runs() -> list[Run]:
        """List all runs, active ones first, without their details."""
        return [Run.from_view(view, whole=False) for view in await queue.views()]

    @api.post("/arena/matches", status_code=202)
    async def match(request: Request, plan: MatchPlan, concurrency: Concurrency = None) -> Run:
        """Queue a match or, with `sprt`, a sequential test. Players are named as for `tengen match`."""
        return await start(request, plan, concurrency)

    @api.post("/arena/variants", status_code=202)
    async def variants(request: Request, plan: VariantsPlan, concurrency: Concurrency = None) -> Run:
        """Queue a test of several variants against a base, with a common error rate."""
        return await start(request, plan, concurrency)

    @api.post("/arena/tournaments", status_code=202)
    async def tournament(request: Request, plan: TournamentPlan, concurrency: Concurrency = None) -> Run:
        """Queue a tournament."""
        return await start(request, plan, concurrency)

    @api.post("/arena/tunings", status_code=202)
    async def tuning(request: Request, plan: TuningPlan, concurrency: Concurrency = None) -> Run:
        """Queue a tuning run."""
        return await start(request, plan, concurrency)

    @api.get("/arena/{kind}/{run_id}")
    async def run(kind: Kind, run_id: RunId) -> Run:
        """A run with its result so far and its workers."""
        return Run.from_view(await queue.view(kind, run_id))

    @api.get("/arena/{kind}/{run_id}/games")
    async def games(
        kind: Kind,
        run_id: RunId,
        offset: Annotated[int, Query(ge=0, le=10**9)] = 0,
        limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    ) -> RunGames:
        """The games of a run. Their `id` is that of the stored game."""
        await queue.view(kind, run_id)
        found = await queue.games(kind, run_id)
        return RunGames(total=len(found), games=found[offset : offset + limit])

    @api.post("/arena/{kind}/{run_id}/stop")
    async def stop(request: Request, kind: Kind, run_id: RunId) -> Run:
        """Stop a run. Finished games are kept."""
        check_arena(request.state.visitor)
        return Run.from_queue(await queue.stop(kind, run_id))

    @api.post("/arena/{kind}/{run_id}/resume", status_code=202)
    async def resume(request: Request, kind: Kind, run_id: RunId) -> Run:
        """Queue a stopped or failed run again."""
        check_arena(request.state.visitor)
        return Run.from_queue(await queue.resume(kind, run_id))

    @api.delete("/arena/{kind}/{run_id}", status_code=204)
    async def remove(request: Request, kind: Kind, run_id: RunId) -> None:
        """Forget a run that is over. Its games stay in the library."""
        check_arena(request.state.visitor)
        await queue.remove(kind, run_id)

    @api.post("/arena/{kind}/{run_id}/share")
    async def share(request: Request, kind: Kind, run_id: RunId) -> Link:
        """Make a link to the result, which works without signing in."""
        check_arena(request.state.visitor)
        await queue.view(kind, run_id)
        return Link(path=f"/shared/{await sessions.run_in_thread(arena_document.share, kind, run_id)}")

    @api.delete("/arena/{kind}/{run_id}/share", status_code=204)
    async def unshare(request: Request, kind: Kind, run_id: RunId) -> None:
        """Make the link to the result invalid."""
        check_arena(request.state.visitor)
        await sessions.run_in_thread(arena_document.unshare, kind, run_id)
