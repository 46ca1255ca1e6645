"""The command that starts the web app."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def web(
    host: Annotated[str, typer.Option(help="the address to listen on; others than this machine need a token")] = (
        "127.0.0.1"
    ),
    port: Annotated[int | None, typer.Option(help="the port; 8564, or a free one, if left out")] = None,
    name: Annotated[
        list[str] | None, typer.Option(help="a name that the server goes by, if others reach it by one")
    ] = None,
    token: Annotated[
        str | None, typer.Option(help="what visitors must know; made up if others can reach the server")
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="open the start page")] = True,
    music: Annotated[Path | None, typer.Option(help="a folder with music to play by")] = None,
    workers: Annotated[
        int | None, typer.Option(help="processes for engines; as many as cores if left out")
    ] = None,
    cluster: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="run engines on the Dask cluster at tcp://…; see docs/scaling.md"),
    ] = "",
) -> None:
    """Play, analyse and keep games in the browser.

    Example: tengen web --port 8000
    """
    from rich.console import Console

    from tengen.web.server import Settings, serve

    console = Console()

    def tell(text: str) -> None:
        console.print(text, highlight=False, markup=False, soft_wrap=True)

    settings = Settings(host, port, tuple(name or ()), token, music=music, workers=workers, cluster=cluster)
    serve(settings, tell, open_browser=browser)
