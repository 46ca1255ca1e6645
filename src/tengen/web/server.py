"""The web server: assembles pages, API and middleware, and runs them on one address."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
import webbrowser
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

import uvicorn
from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles

from tengen.app import clobber_analysis
from tengen.app.live_books import live_books
from tengen.core.errors import OptionError
from tengen.core.folders import data_folder
from tengen.core.running_server import announced
from tengen.players.opponents import DEFAULT_GAME
from tengen.runtime.host import EngineHost
from tengen.store.store import Store
from tengen.web.account_authentication import AccountAuthenticator
from tengen.web.accounts import AccountService
from tengen.web.authentication import Authenticator, OpenAuthenticator
from tengen.web.component_script import serve_components
from tengen.web.concurrency_limiter import ConcurrencyLimiter
from tengen.web.forwarding import TrustedProxies, is_loopback
from tengen.web.game_sessions import GameSessions
from tengen.web.head import STATIC, serve_head_files
from tengen.web.logs import LEVELS, RequestLog, configure_logging
from tengen.web.security import SecurityMiddleware
from tengen.web.token_authentication import TokenAuthenticator
from tengen.web.visitor import invite_url
from tengen.web.visitor_cache import VisitorCache
from tengen.web.visitor_language import LanguageMiddleware

PORT = 8564


@dataclass(frozen=True)
class Settings:
    """Settings of a server.

    `names` are accepted host names besides the address. All visitors share the `token`, or sign in if `accounts`
    is set; with neither, everybody who can reach the server is accepted. `proxies` are addresses or networks of
    reverse proxies whose `X-Forwarded-*` headers are trusted.
    """

    address: str = "127.0.0.1"
    port: int | None = None
    names: tuple[str, ...] = ()
    token: str | None = None
    accounts: bool = False
    proxies: tuple[str, ...] = ()
    url: str | None = None
    music: Path | None = None
    workers: int | None = None
    log_level: str = "warning"
    cluster: str = ""  # address of a Dask scheduler whose workers run the searches
    allow_programs: bool = False  # the owner may enter commands of external programs in the browser


def build(sessions: GameSessions, settings: Settings) -> SecurityMiddleware:
    """Build the application with its middleware. Call it once per process: NiceGUI has one global app."""
    from nicegui import ui

    from tengen.web import pages
    from tengen.web.api.routes import build_api
    from tengen.web.pages import accounts as accounts_page
    from tengen.web.pages import arena_run, background_music, library, review_document
    from tengen.web.pages.page_language import install_language_source

    accounts = AccountService(sessions.store) if settings.accounts else None

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await sessions.book_manager.restore()
        await sessions.arena.restore()
        yield
        await sessions.close()
        if accounts is not None:
            accounts.close()

    app = FastAPI(title="Tengen", lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    serve_head_files(app)
    serve_components(app)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    background_music.find_music(settings.music)
    background_music.serve_music(app)
    library.serve_records(app, sessions)
    review_document.serve_reviews(app, sessions)
    arena_run.serve_documents(app, sessions)
    pages.register(sessions)
    if accounts is not None:
        accounts_page.register(sessions, accounts)
    app.mount("/api", build_api(sessions))
    ui.run_with(
        app,
        title="Tengen",
        favicon=STATIC / "icon.svg",
        dark=None,
        tailwind=False,  # unused, and its script restyles the whole page at every change
        binding_refresh_interval=None,
        reconnect_timeout=12.0,
        show_welcome_message=False,
    )
    install_language_source()
    return SecurityMiddleware(
        ConcurrencyLimiter(app),
        address=settings.address,
        names=settings.names,
        proxies=settings.proxies,
        authenticator=_build_authenticator(sessions, settings, accounts),
    )


def _build_authenticator(
    sessions: GameSessions, settings: Settings, accounts: AccountService | None
) -> Authenticator:
    visitors = sessions.visitors
    if settings.token is not None:
        return TokenAuthenticator(settings.token, secret=visitors.secret, is_guest=visitors.is_guest)
    if accounts is None:
        return OpenAuthenticator(visitors.is_guest)

    async def is_seat_key(game_id: str, key: str) -> bool:
        seats = await sessions.seats(game_id)
        return seats is not None and seats.side_of(key) is not None

    async def holds_seat(game_id: str, browser: str) -> bool:
        seats = await sessions.seats(game_id)
        return seats is not None and bool(seats.sides(browser))

    return AccountAuthenticator(accounts, secret=visitors.secret, is_seat_key=is_seat_key, holds_seat=holds_seat)


def secured(settings: Settings) -> Settings:
    """Enable accounts if others can reach the server, also through a proxy, and there is no token."""
    if settings.token is not None:
        if settings.accounts:
            raise OptionError("use accounts or a token, not both")
        if not settings.token:
            raise OptionError("the token is empty")
        return settings
    if is_loopback(settings.address) and not settings.proxies:
        return settings
    return replace(settings, accounts=True)


def listen(address: str, port: int | None) -> socket.socket:
    """A socket bound to `port`; without one, to the default port or, if that is taken, to any free port."""
    try:
        family = socket.getaddrinfo(address, 0, type=socket.SOCK_STREAM)[0][0]
    except socket.gaierror as error:
        raise OptionError(f"cannot resolve {address!r}: {error.strerror}") from None
    for wanted in (PORT, 0) if port is None else (port,):
        # With the protocol given, asyncio sets TCP_NODELAY; without it responses wait 40 ms for the client's ACK.
        made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        if sys.platform != "win32":
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind((address, wanted))
            made.listen(128)
        except (OSError, OverflowError) as error:
            made.close()
            if wanted == PORT and port is None:
                continue
            raise OptionError(f"cannot listen on {address}, port {wanted}: {error}") from None
        return made
    raise AssertionError("unreachable: port 0 is always free")


def address_of(settings: Settings, bound: socket.socket) -> str:
    """The URL of the pages."""
    host, port = bound.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = next(iter(settings.names), socket.gethostname())
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def _local_address(bound: socket.socket) -> str:
    """The URL for programs on this machine."""
    host, port = bound.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def serve(settings: Settings, say: Callable[[str], None], *, open_browser: bool = True) -> None:
    """Serve until Ctrl-C. `say` prints lines for the user who started the server."""
    settings = secured(settings)
    if settings.log_level not in LEVELS:
        raise OptionError(f"the log level should be one of {', '.join(LEVELS)}, not {settings.log_level!r}")
    if settings.music is not None and not settings.music.is_dir():
        raise OptionError(f"{settings.music} is not a folder")
    TrustedProxies(settings.proxies)  # validates them
    configure_logging(settings.log_level)
    bound = listen(settings.address, settings.port)
    where = address_of(settings, bound)
    settings = replace(settings, names=(*settings.names, urlsplit(where).hostname or ""))
    with (
        bound,
        Store.open(settings.url) as store,
        _engine_host(settings) as host,
        clobber_analysis.sum_solver(),
        live_books(store),
    ):
        sessions = GameSessions(
            store,
            host,
            VisitorCache(store, data_folder() / "web.json"),
            cluster=settings.cluster,
            allow_programs=settings.allow_programs,
        )
        server = _Server(
            uvicorn.Config(
                RequestLog(LanguageMiddleware(build(sessions, settings))),
                log_config=None,  # see `configure_logging`
                ws_max_size=1 << 20,
                timeout_graceful_shutdown=1,
                lifespan="on",
                server_header=False,
                proxy_headers=False,  # handled by `SecurityMiddleware`
                forwarded_allow_ips=[],
            )
        )
        first = store.invite_owner() if settings.accounts else None
        with announced(_local_address(bound)):
            asyncio.run(_run(server, bound, lambda: _welcome(settings, where, say, open_browser, first)))


def _engine_host(settings: Settings) -> EngineHost:
    if not settings.cluster:
        return EngineHost(settings.workers, warm_up_first=DEFAULT_GAME)
    from tengen.runtime.cluster.host import ClusterHost

    return ClusterHost(settings.cluster, local_workers=settings.workers, warm_up_first=DEFAULT_GAME)


def has_screen() -> bool:
    """Whether a graphical browser can be opened: without a display, `webbrowser` may start one in the terminal."""
    if not sys.platform.startswith("linux"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))


class _Server(uvicorn.Server):
    """Shuts down in order at a signal: uvicorn would re-raise the signal before everything is closed."""

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


def _welcome(
    settings: Settings, where: str, say: Callable[[str], None], open_browser: bool, first: str | None
) -> None:
    """Print the URL. `first` is the token of the link for the first account, if there is none yet."""
    start = where if settings.token is None else f"{where}?token={settings.token}"
    if settings.token is not None and not is_loopback(settings.address):
        say(f"Visitors need this token: {settings.token}")
    if first is not None:
        behind_proxy = settings.proxies and settings.names[:-1]
        start = invite_url(f"https://{settings.names[0]}/" if behind_proxy else where, first)
        say(f"There is no account yet. Create the owner's account with this one-time link: {start}")
    opened = False
    if open_browser and has_screen():
        logging.getLogger("webbrowser").setLevel(logging.ERROR)
        with suppress(webbrowser.Error, OSError):
            opened = webbrowser.open(start)
    shown = where if first is not None else start
    say(f"Tengen is running at {shown}" + ("" if opened or not open_browser else " (open it in a browser)"))
    say("Press Ctrl-C to stop. Games are saved.")
