"""The command `tengen web`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from tengen.cli.console import console
from tengen.cli.option_groups import grouped


@dataclass(frozen=True)
class AccessOptions:
    """Where the server listens, and who may use it."""

    host: Annotated[
        str, typer.Option(help="address to listen on; if other machines can reach it, users sign in with accounts")
    ] = "127.0.0.1"
    port: Annotated[int | None, typer.Option(help="port; default: 8564 or a free one")] = None
    name: Annotated[
        list[str] | None, typer.Option(help="host name under which others reach the server; repeatable")
    ] = None
    token: Annotated[str | None, typer.Option(help="one token shared by all users, instead of accounts")] = None
    accounts: Annotated[bool, typer.Option("--accounts", help="require accounts also on the local address")] = (
        False
    )
    proxy: Annotated[
        list[str] | None,
        typer.Option(help="address or network of a reverse proxy whose X-Forwarded-* headers are trusted"),
    ] = None


@grouped
def web(
    access: AccessOptions,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="open the start page in a browser")
    ] = True,
    music: Annotated[Path | None, typer.Option(help="folder with background music")] = None,
    workers: Annotated[int | None, typer.Option(help="number of engine processes; default: one per core")] = None,
    cluster: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS", help="run engines on the Dask cluster at tcp://…; see docs/guide/cluster.md"
        ),
    ] = "",
    allow_programs: Annotated[
        bool,
        typer.Option(
            "--allow-programs",
            help="let the owner enter commands of external engines in the browser, which run as you",
        ),
    ] = False,
    log_level: Annotated[
        str, typer.Option(help="debug, info (every request), warning or error; one line per event, to stderr")
    ] = "warning",
) -> None:
    """Start the web app, to play, analyse and store games in the browser. `tengen` alone does the same.

    Example: tengen web --port 8000
    """
    from tengen.web.server import Settings, serve

    settings = Settings(
        access.host,
        access.port,
        tuple(access.name or ()),
        access.token,
        access.accounts,
        tuple(access.proxy or ()),
        music=music,
        workers=workers,
        cluster=cluster,
        allow_programs=allow_programs,
        log_level=log_level,
    )
    serve(settings, console.print, open_browser=browser)
