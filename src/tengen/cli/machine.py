"""The commands `tengen warm` and `tengen doctor`."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from tengen.cli.console import console, errors


def warm(
    names: Annotated[list[str] | None, typer.Argument(metavar="[GAME]...", help="only these games")] = None,
) -> None:
    """Compile all kernels now, so that later starts are fast.

    Example: tengen warm othello go
    """
    from rich.progress import Progress

    from tengen.runtime.warmup import steps

    work = list(steps(names))
    with Progress(console=errors) as progress:
        task = progress.add_task("compiling", total=len(work))
        for label, step in work:
            progress.update(task, description=label)
            step()
            progress.advance(task)
    console.print(f"{len(work)} steps done; all kernels are compiled.", highlight=False)


def doctor() -> None:
    """Check the installation: versions, folders, kernels, limits, the server; with advice for problems.

    Example: tengen doctor
    """
    from tengen.cli.doctor import examine

    table = Table("what", "state", "advice")
    healthy = True
    for finding in examine():
        healthy = healthy and finding.good
        row = (Text(finding.what), Text(finding.state), Text(finding.advice))
        table.add_row(*row, style=None if finding.good else "red")
    console.print(table)
    if not healthy:
        raise typer.Exit(1)
