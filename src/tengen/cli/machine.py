"""The commands `tengen warm` and `tengen doctor`."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from tengen.cli.console import console, errors
from tengen.core.errors import TengenError


def warm(
    names: Annotated[list[str] | None, typer.Argument(metavar="[GAME]...", help="only these games")] = None,
) -> None:
    """Compile all kernels now, so that later starts are fast.

    Example: tengen warm othello go
    """
    import time
    from contextlib import closing

    from numba import config
    from rich.progress import BarColumn, Progress, TextColumn

    from tengen.runtime.background_warmup import BackgroundWarmUp
    from tengen.runtime.kernel_groups import kernel_groups
    from tengen.runtime.warmup import seconds_left

    if config.DISABLE_JIT:
        raise TengenError("the compiler is off: unset NUMBA_DISABLE_JIT")
    groups = kernel_groups(names)
    with (
        closing(BackgroundWarmUp(lambda: groups)) as warm_up,
        Progress(TextColumn("{task.description}"), BarColumn(), console=errors) as progress,
    ):
        task = progress.add_task("Preparing", total=None)
        total = 0.0
        while warm_up.is_running:
            left = seconds_left(groups)
            total = total or left
            progress.update(task, description=f"Preparing, {left:.0f} s left", total=total, completed=total - left)
            time.sleep(0.5)
    missing = [f"{group.title}: {group.part}" for group in groups if not group.is_complete]
    if missing:
        reason = f" ({warm_up.last_failure})" if warm_up.last_failure else ""
        raise TengenError(f"not all kernels could be compiled{reason}: {', '.join(missing)}")
    console.print("All kernels are compiled.", highlight=False)


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
