"""The command that starts the web app."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tengen.cli.console import say


def web(
    host: Annotated[
        str, typer.Option(help="the address to listen on; if others can reach it, they sign in with an account")
    ] = "127.0.0.1",
    port: Annotated[int | None, typer.Option(help="the port; 8564, or a free one, if left out")] = None,
    name: Annotated[
        list[str] | None, typer.Option(help="a name that the server goes by, if others reach it by one")
    ] = None,
    token: Annotated[str | None, typer.Option(help="a token that all visitors share, instead of accounts")] = None,
    accounts: Annotated[
        bool, typer.Option("--accounts", help="ask for accounts on this machine's own address, too")
    ] = False,
    proxy: Annotated[
        list[str] | None,
        typer.Option(help="address or network of a reverse proxy whose X-Forwarded-* headers are believed"),
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="open the start page")] = True,
    music: Annotated[Path | None, typer.Option(help="a folder with music to play by")] = None,
    workers: Annotated[
        int | None, typer.Option(help="processes for engines; as many as cores if left out")
    ] = None,
    cluster: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS", help="run engines on the Dask cluster at tcp://…; see docs/guide/cluster.md"
        ),
    ] = "",
    log_level: Annotated[
        str, typer.Option(help="debug, info (every request), warning or error; one line per event, to stderr")
    ] = "warning",
) -> None:
    """Play, analyse and keep games in the browser.

    Example: tengen web --port 8000
    """
    from tengen.web.server import Settings, serve

    settings = Settings(
        host,
        port,
        tuple(name or ()),
        token,
        accounts,
        tuple(proxy or ()),
        music=music,
        workers=workers,
        cluster=cluster,
        log_level=log_level,
    )
    serve(settings, say, open_browser=browser)
