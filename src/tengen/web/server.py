"""The server: the pages, the API and the guard in front of them, on one address."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import signal
import socket
import sys
import webbrowser
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles

from tengen.core.errors import OptionError
from tengen.core.folders import data_folder
from tengen.play.host import EngineHost
from tengen.play.live_books import live_books
from tengen.store.store import Store
from tengen.web import clobber
from tengen.web.guard import Guard, is_loopback
from tengen.web.hall import Hall
from tengen.web.memory import Memory

PORT = 8564


@dataclass(frozen=True)
class Settings:
    """How a server is started. `names` are those that it goes by besides its address; `token` is asked for."""

    address: str = "127.0.0.1"
    port: int | None = None
    names: tuple[str, ...] = ()
    token: str | None = None
    url: str | None = None
    music: Path | None = None
    workers: int | None = None
    cluster: str = ""  # the address of a Dask scheduler whose workers run the searches


def build(hall: Hall, settings: Settings) -> Guard:
    """The app, guarded. NiceGUI has one app in a process, and so there is one of these."""
    from nicegui import ui

    from tengen.web import pages
    from tengen.web.api.routes import build_api
    from tengen.web.pages import frame, library, music

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await hall.bookkeeper.resume()
        yield
        await hall.close()

    app = FastAPI(title="Tengen", lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    app.mount("/static", StaticFiles(directory=frame.STATIC), name="static")
    music.find_music(settings.music)
    music.serve_music(app)
    library.serve_records(app, hall)
    pages.register(hall)
    app.mount("/api", build_api(hall))
    ui.run_with(
        app,
        title="Tengen",
        favicon=frame.STATIC / "icon.svg",
        dark=None,
        tailwind=False,  # no class of it is used, and its script styles the whole page anew at every change
        binding_refresh_interval=None,
        reconnect_timeout=12.0,
        show_welcome_message=False,
    )
    secret = None if settings.token is None else hall.memory.secret
    return Guard(app, address=settings.address, names=settings.names, token=settings.token, secret=secret)


def secured(settings: Settings) -> Settings:
    """The settings with a token, if others than this machine can reach the address."""
    if is_loopback(settings.address) or settings.token is not None:
        return settings
    return replace(settings, token=secrets.token_urlsafe(18))


def listen(address: str, port: int | None) -> socket.socket:
    """A socket at the port, or at any free one if the usual one is taken and none was asked for."""
    try:
        family = socket.getaddrinfo(address, 0, type=socket.SOCK_STREAM)[0][0]
    except socket.gaierror as error:
        raise OptionError(f"there is no address {address!r}: {error.strerror}") from None
    for wanted in (PORT, 0) if port is None else (port,):
        made = socket.socket(family, socket.SOCK_STREAM)
        if sys.platform != "win32":
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind((address, wanted))
            made.listen(128)
        except (OSError, OverflowError) as error:
            made.close()
            if wanted == PORT and port is None:
                continue
            raise OptionError(f"{address}, port {wanted}, cannot be used: {error}") from None
        return made
    raise AssertionError("a free port was asked for last")


def address_of(settings: Settings, bound: socket.socket) -> str:
    """Where the pages are."""
    host, port = bound.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = next(iter(settings.names), socket.gethostname())
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def serve(settings: Settings, tell: Callable[[str], None], *, open_browser: bool = True) -> None:
    """Serve until Ctrl-C. `tell` is called with lines for whoever started it."""
    settings = secured(settings)
    if settings.music is not None and not settings.music.is_dir():
        raise OptionError(f"{settings.music} is not a folder")
    bound = listen(settings.address, settings.port)
    where = address_of(settings, bound)
    with (
        bound,
        Store.open(settings.url) as store,
        _engine_host(settings) as host,
        clobber.solving(),
        live_books(store),
    ):
        hall = Hall(store, host, Memory(data_folder() / "web.json"))
        server = _Server(
            uvicorn.Config(
                build(hall, settings),
                log_level="warning",
                ws_max_size=1 << 20,
                timeout_graceful_shutdown=1,
                lifespan="on",
                server_header=False,
            )
        )
        asyncio.run(_run(server, bound, lambda: _welcome(settings, where, tell, open_browser)))


def _engine_host(settings: Settings) -> EngineHost:
    if not settings.cluster:
        return EngineHost(settings.workers)
    from tengen.play.cluster_host import ClusterHost

    return ClusterHost(settings.cluster, local_workers=settings.workers)


def has_screen() -> bool:
    """Whether a browser could be shown here. Without a screen, one for terminals would be started, or none."""
    if not sys.platform.startswith("linux"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))


class _Server(uvicorn.Server):
    """One that ends in order at a signal: uvicorn would raise it again at the end, before anything is closed."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


async def _run(server: uvicorn.Server, bound: socket.socket, ready: Callable[[], None]) -> None:
    running = asyncio.ensure_future(server.serve(sockets=[bound]))
    while not server.started and not running.done():
        await asyncio.sleep(0.02)
    if server.started:
        await asyncio.get_running_loop().run_in_executor(None, ready)
    with suppress(KeyboardInterrupt, asyncio.CancelledError):
        await running


def _welcome(settings: Settings, where: str, tell: Callable[[str], None], open_browser: bool) -> None:
    secret = "" if settings.token is None else f"?token={settings.token}"
    if not is_loopback(settings.address):
        tell(f"Others can reach this server, so it asks for a token: {settings.token}")
    opened = False
    if open_browser and has_screen():
        logging.getLogger("webbrowser").setLevel(logging.ERROR)
        with suppress(webbrowser.Error, OSError):
            opened = webbrowser.open(where + secret)
    tell(f"Tengen is at {where}{secret}" + ("" if opened or not open_browser else ". Open this in a browser."))
    tell("Ctrl-C ends it; games are kept as they are.")
