"""`GET /api/health`: the state of each part of the server, for monitoring, load balancers and `tengen doctor`.

Requests from this machine need no login. It reveals nothing about games or people. Status 503: a part is failing.
"""

from __future__ import annotations

import asyncio
import shutil
import time
from typing import Literal

from fastapi import FastAPI, Response
from pydantic import BaseModel

import tengen
from tengen.app.book_manager import BookJobsHealth
from tengen.core.errors import TengenError
from tengen.core.folders import data_folder
from tengen.jobs.executor import ExecutorHealth
from tengen.jobs.helper_pool import helper_health
from tengen.runtime.health import HostHealth
from tengen.web.game_sessions import GameSessions

STORE_TIMEOUT_S = 3.0
MIN_FREE_DISK_MB = 100


class Part(BaseModel):
    """One part of the server, and its state in one line."""

    ok: bool
    detail: str


class Health(BaseModel):
    status: Literal["ok", "degraded"]
    version: str
    uptime_s: int
    open_games: int
    parts: dict[str, Part]


def add_health(api: FastAPI, sessions: GameSessions) -> None:
    started = time.monotonic()

    @api.get("/health", responses={503: {"model": Health}})
    async def health(response: Response) -> Health:
        """The state of the server's parts: database, disk, engines, helper processes, books."""
        parts = {
            "database": await _store(sessions),
            "disk": await asyncio.to_thread(_disk),
            "engines": _engines(await asyncio.to_thread(sessions.host.health)),
            "helpers": _helpers(await asyncio.to_thread(helper_health)),
            "books": _books(sessions.book_manager.health()),
        }
        healthy = all(part.ok for part in parts.values())
        if not healthy:
            response.status_code = 503
        return Health(
            status="ok" if healthy else "degraded",
            version=tengen.__version__,
            uptime_s=int(time.monotonic() - started),
            open_games=len(sessions.open_sessions()),
            parts=parts,
        )


async def _store(sessions: GameSessions) -> Part:
    began = time.monotonic()
    try:
        await asyncio.wait_for(asyncio.to_thread(sessions.store.ping), STORE_TIMEOUT_S)
    except TimeoutError:
        return Part(ok=False, detail=f"no answer within {STORE_TIMEOUT_S:.0f} s")
    except TengenError as error:
        return Part(ok=False, detail=str(error))
    return Part(ok=True, detail=f"answers after {1000 * (time.monotonic() - began):.0f} ms")


def _disk() -> Part:
    """Free space in the data folder, which has the books and, without PostgreSQL, the games."""
    try:
        free_mb = shutil.disk_usage(data_folder()).free // 2**20
    except OSError as error:
        return Part(ok=False, detail=error.strerror or str(error))
    return Part(ok=free_mb >= MIN_FREE_DISK_MB, detail=f"{free_mb:,} MB free")


def _engines(found: HostHealth) -> Part:
    memory = "" if found.memory_mb is None else f", {found.memory_mb:,} of {found.memory_budget_mb:,} MB"
    detail = (
        f"{found.workers_alive} of {found.workers_wanted} workers started, {found.searches_running} searches "
        f"running, {found.searches_queued} waiting{memory}, {found.restarts} restarts"
    )
    return Part(ok=found.is_running, detail=detail + _last_failure(found.last_failure))


def _helpers(pools: list[ExecutorHealth]) -> Part:
    """Pools start processes on demand and restart them after a crash, so they are never down."""
    detail = ", ".join(f"{one.name} {one.workers_alive}/{one.workers_wanted}" for one in pools) or "none started"
    restarts = sum(one.restarts for one in pools)
    failures = [one.last_failure for one in pools if one.last_failure]
    return Part(ok=True, detail=f"{detail}, {restarts} restarts{_last_failure(*failures[-1:])}")


def _books(found: BookJobsHealth) -> Part:
    detail = f"growing: {found.growing or 'no'}, {found.learning} games to learn, {found.restarts} restarts"
    return Part(ok=True, detail=detail + _last_failure(found.last_failure))


def _last_failure(reason: str = "") -> str:
    return f"; last failure: {reason}" if reason else ""
