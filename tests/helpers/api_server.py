"""The API on a local port in this process, so that a test can access its sessions and make its store fail."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI

from tengen.players.configure import configure
from tengen.players.player import EnginePlayer
from tengen.runtime.host import EngineHost
from tengen.search.limits import Limits
from tengen.store.store import Store
from tengen.web.api.routes import build_api
from tengen.web.authentication import BROWSER_COOKIE
from tengen.web.game_sessions import GameSessions
from tengen.web.pages.library import serve_records
from tengen.web.security import SecurityMiddleware
from tengen.web.visitor_cache import VisitorCache
from tests.helpers.waiting import TIMEOUT_S

STRAW = "Straw man"


class ApiServer:
    """A running server. Call methods of `sessions` in its event loop, through `run`."""

    def __init__(self, sessions: GameSessions, loop: asyncio.AbstractEventLoop, address: str) -> None:
        self.sessions = sessions
        self.address = address
        self._loop = loop

    def visitor(self, name: str = "a") -> httpx.Client:
        """A client with its own cookie."""
        cookie = {BROWSER_COOKIE: (name * 32)[:32]}
        return httpx.Client(base_url=f"{self.address}/api", timeout=TIMEOUT_S, cookies=cookie)

    def run(self, work: Callable[[], Any]) -> Any:
        """Call a coroutine function in the server's event loop and wait for the result."""
        return asyncio.run_coroutine_threadsafe(work(), self._loop).result(TIMEOUT_S)

    def begin(self, visitor: httpx.Client, game: str = "othello", **wanted: Any) -> dict[str, Any]:
        """Start a game, by default against an engine that moves at random."""
        wanted = {"players": ["Ann", STRAW], **wanted}
        made = visitor.post("/games", json={"game": game, **wanted})
        assert made.status_code == 201, made.text
        found: dict[str, Any] = made.json()
        return found


@contextmanager
def api_server(folder: Path) -> Iterator[ApiServer]:
    """A server that stores its games in `folder`."""
    with Store.open(str(folder / "tengen.db")) as store, EngineHost(1) as host:
        if not store.players():
            store.save_player(EnginePlayer(STRAW, configure("random", Limits(nodes=1))))
        sessions = GameSessions(store, host, VisitorCache(store))
        app = FastAPI()
        serve_records(app, sessions)
        app.mount("/api", build_api(sessions))
        try:
            from tengen.web.concurrency_limiter import ConcurrencyLimiter
        except ImportError:  # of a version without
            guarded = SecurityMiddleware(app)
        else:
            guarded = SecurityMiddleware(ConcurrencyLimiter(app))
        server = uvicorn.Server(uvicorn.Config(guarded, log_level="warning", lifespan="off"))
        loops: list[asyncio.AbstractEventLoop] = []

        async def serve(bound: socket.socket) -> None:
            loops.append(asyncio.get_running_loop())
            await server.serve(sockets=[bound])
            await sessions.close()

        with socket.create_server(("127.0.0.1", 0)) as bound:
            thread = threading.Thread(target=lambda: asyncio.run(serve(bound)), daemon=True)
            thread.start()
            while not server.started:
                assert thread.is_alive()
                time.sleep(0.01)
            try:
                yield ApiServer(sessions, loops[0], f"http://127.0.0.1:{bound.getsockname()[1]}")
            finally:
                server.should_exit = True
                thread.join(60)
