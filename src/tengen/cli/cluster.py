"""`tengen cluster …`: a Dask cluster for long jobs, on one machine or several."""

from __future__ import annotations

import time
from functools import partial
from typing import Annotated

import typer
from rich.table import Table

from tengen.cli.console import console
from tengen.cli.inputs import check_game
from tengen.cli.option_groups import command_group

app = command_group("Worker processes on several machines, for all commands with --cluster.")

Host = Annotated[str, typer.Option(help="address to listen on")]
Trust = Annotated[
    bool,
    typer.Option("--trust-network", help="confirm that everybody who can reach this address may run code as you"),
]
Warm = Annotated[
    list[str] | None, typer.Option(metavar="GAME", help="compile the kernels of this game first; repeatable")
]


@app.command()
def start(
    workers: Annotated[int | None, typer.Option(help="number of processes; default: one per core")] = None,
    port: Annotated[int, typer.Option(help="port of the scheduler")] = 8786,
    warm: Warm = None,
) -> None:
    """Run a scheduler and workers on this machine until Ctrl-C. Crashed workers are restarted.

    Example: tengen cluster start --workers 4
    """
    from tengen.jobs import available_cores
    from tengen.jobs.cluster_processes import HOST, cluster

    _check(warm)
    count = available_cores() if workers is None else workers
    with cluster(count, HOST, port, partial(_warm, tuple(warm or ()))) as made:
        console.print(f"{made.address}: {count} worker{'s' if count > 1 else ''}; Ctrl-C stops them")
        while True:
            time.sleep(0.5)
            if crashed := made.tend():
                console.print(f"{crashed} worker{'s' if crashed > 1 else ''} crashed and restarted")


@app.command()
def scheduler(host: Host = "127.0.0.1", port: int = 8786, trust_network: Trust = False) -> None:
    """Run only a scheduler until Ctrl-C. Workers connect with `tengen cluster worker`.

    Example: tengen cluster scheduler --host 10.0.0.5 --trust-network
    """
    import asyncio

    from tengen.jobs.cluster_processes import check_host, serve_scheduler

    check_host(host, trust_network)
    asyncio.run(
        serve_scheduler(host, port, lambda address: console.print(f"scheduler at {address}; Ctrl-C stops it"))
    )


@app.command()
def worker(
    address: Annotated[
        str, typer.Argument(metavar="ADDRESS", help="scheduler address, such as tcp://127.0.0.1:8786")
    ],
    host: Host = "127.0.0.1",
    trust_network: Trust = False,
    name: Annotated[str, typer.Option(help="worker name; default: its address")] = "",
    warm: Warm = None,
) -> None:
    """Run one worker until Ctrl-C or until the scheduler stops. Start one per core.

    Example: tengen cluster worker tcp://127.0.0.1:8786 --warm othello
    """
    import asyncio

    from tengen.jobs.cluster_processes import check_host, serve_worker

    check_host(host, trust_network)
    _check(warm)
    _warm(tuple(warm or ()))
    console.print(f"connecting to {address} …")
    started = lambda own: console.print(f"worker {own} connected to {address}; Ctrl-C stops it")  # noqa: E731
    asyncio.run(serve_worker(address, host, name or None, started))


@app.command()
def status(
    address: Annotated[str, typer.Argument(metavar="ADDRESS", help="scheduler address")] = "tcp://127.0.0.1:8786",
) -> None:
    """Show the workers of a cluster and their tasks.

    Example: tengen cluster status tcp://127.0.0.1:8786
    """
    from tengen.jobs.cluster_processes import status as ask

    found = ask(address)
    table = Table("worker", "tasks")
    for one, calls in found.workers:
        table.add_row(one, str(calls))
    console.print(table)
    console.print(f"{len(found.workers)} workers, {found.waiting} tasks waiting")


def _check(names: list[str] | None) -> None:
    for name in names or ():
        check_game(name)


def _warm(names: tuple[str, ...]) -> None:
    """Compile the kernels of games, so that a worker's first task need not."""
    from tengen.runtime.kernel_groups import kernel_groups
    from tengen.runtime.warmup import compile_group

    for group in kernel_groups(list(names)) if names else ():
        compile_group(group)
