"""`GET /api/health`: whether each part of the server works, for monitoring, load balancers and `tengen doctor`.

On this machine it needs no login. It tells nothing about games or people. Status 503: some part does not work.
"""

from __future__ import annotations

import asyncio
import shutil
import time
from typing import Literal

from fastapi import FastAPI, Response
from pydantic import BaseModel

import tengen
from tengen.core.errors import TengenError
from tengen.core.folders import data_folder
from tengen.play.health import HostHealth
from tengen.web.hall import Hall

STORE_TIMEOUT_S = 3.0
LEAST_FREE_DISK_MB = 100


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


def add_health(api: FastAPI, hall: Hall) -> None:
    started = time.monotonic()

    @api.get("/health", responses={503: {"model": Health}})
    async def health(response: Response) -> Health:
        """The state of the server's parts: database, disk, engines, helper processes, books."""
        parts = {
            "database": await _store(hall),
            "disk": await asyncio.to_thread(_disk),
            "engines": _engines(await asyncio.to_thread(hall.host.health)),
        }
        sound = all(part.ok for part in parts.values())
        if not sound:
            response.status_code = 503
        return Health(
            status="ok" if sound else "degraded",
            version=tengen.__version__,
            uptime_s=int(time.monotonic() - started),
            open_games=len(hall.open_rooms()),
            parts=parts,
        )


async def _store(hall: Hall) -> Part:
    began = time.monotonic()
    try:
        await asyncio.wait_for(asyncio.to_thread(hall.store.ping), STORE_TIMEOUT_S)
    except TimeoutError:
        return Part(ok=False, detail=f"no answer within {STORE_TIMEOUT_S:.0f} s")
    except TengenError as error:
        return Part(ok=False, detail=str(error))
    return Part(ok=True, detail=f"answers after {1000 * (time.monotonic() - began):.0f} ms")


def _disk() -> Part:
    """Room in the data folder: books grow there, and games unless they are in PostgreSQL."""
    try:
        free_mb = shutil.disk_usage(data_folder()).free // 2**20
    except OSError as error:
        return Part(ok=False, detail=error.strerror or str(error))
    return Part(ok=free_mb >= LEAST_FREE_DISK_MB, detail=f"{free_mb:,} MB free")


def _engines(found: HostHealth) -> Part:
    memory = "" if found.memory_mb is None else f", {found.memory_mb:,} of {found.memory_budget_mb:,} MB"
    detail = (
        f"{found.workers_alive} of {found.workers_wanted} workers started, {found.searches_running} searches "
        f"running, {found.searches_queued} waiting{memory}, {found.restarts} restarts"
    )
    if found.last_failure:
        detail += f"; last failure: {found.last_failure}"
    return Part(ok=found.is_running, detail=detail)
