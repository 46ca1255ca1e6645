"""`tengen cluster …`: a Dask cluster for long work, on this machine or many."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from typing import Annotated

import typer
from rich.table import Table

from tengen.cli.console import console, say

app = typer.Typer(
    help="Workers on several machines, for every command that takes --cluster.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Host = Annotated[str, typer.Option(help="the address that others reach it by")]
Trust = Annotated[
    bool, typer.Option("--trust-network", help="let whoever reaches that address run any program here as you")
]
Warm = Annotated[
    list[str] | None, typer.Option(metavar="GAME", help="compile this game's kernels first; can be repeated")
]


@app.command()
def start(
    workers: Annotated[int | None, typer.Option(help="processes; as many as there are cores")] = None,
    port: Annotated[int, typer.Option(help="the scheduler's")] = 8786,
    warm: Warm = None,
) -> None:
    """A scheduler and workers on this machine, until Ctrl-C. A worker that dies is replaced.

    Example: tengen cluster start --workers 4
    """
    from tengen.jobs import available_cores
    from tengen.jobs.cluster_processes import HOST, cluster

    _check(warm)
    count = available_cores() if workers is None else workers
    with cluster(count, HOST, port, partial(_warm, tuple(warm or ()))) as made:
        say(f"{made.address}: {count} worker{'s' if count > 1 else ''}; Ctrl-C ends it all")
        while True:
            time.sleep(0.5)
            if died := made.tend():
                say(f"{died} worker{'s' if died > 1 else ''} died and {'were' if died > 1 else 'was'} replaced")


@app.command()
def scheduler(host: Host = "127.0.0.1", port: int = 8786, trust_network: Trust = False) -> None:
    """A scheduler alone, until Ctrl-C; workers come from elsewhere by `tengen cluster worker`.

    Example: tengen cluster scheduler --host 10.0.0.5 --trust-network
    """
    from tengen.jobs.cluster_processes import check_host, serve_scheduler

    check_host(host, trust_network)
    asyncio.run(serve_scheduler(host, port, lambda address: say(f"{address}: the scheduler; Ctrl-C ends it")))


@app.command()
def worker(
    address: Annotated[str, typer.Argument(metavar="ADDRESS", help="the scheduler's, as tcp://127.0.0.1:8786")],
    host: Host = "127.0.0.1",
    trust_network: Trust = False,
    name: Annotated[str, typer.Option(help="what it is called; its address if left out")] = "",
    warm: Warm = None,
) -> None:
    """One worker, until Ctrl-C or until its scheduler ends. Start one for each core.

    Example: tengen cluster worker tcp://127.0.0.1:8786 --warm othello
    """
    from tengen.jobs.cluster_processes import check_host, serve_worker

    check_host(host, trust_network)
    _check(warm)
    _warm(tuple(warm or ()))
    say(f"looking for {address} …")
    tell = lambda mine: say(f"{mine}: a worker of {address}; Ctrl-C ends it")  # noqa: E731
    asyncio.run(serve_worker(address, host, name or None, tell))


@app.command()
def status(
    address: Annotated[str, typer.Argument(metavar="ADDRESS", help="the scheduler's")] = "tcp://127.0.0.1:8786",
) -> None:
    """Show the workers of a cluster and what they do.

    Example: tengen cluster status tcp://127.0.0.1:8786
    """
    from tengen.jobs.cluster_processes import status as ask

    found = ask(address)
    table = Table("worker", "tasks")
    for one, calls in found.workers:
        table.add_row(one, str(calls))
    console.print(table)
    say(f"{len(found.workers)} workers, {found.waiting} tasks waiting")


def _check(names: list[str] | None) -> None:
    from tengen import games

    for name in names or ():
        games.game_class(name)  # for its error


def _warm(names: tuple[str, ...]) -> None:
    """Compile and load what games need, so that a worker's first task begins at once."""
    from tengen.runtime.warmup import steps

    for _, compile_it in steps(list(names)) if names else ():
        compile_it()
