"""Progress display: a bar if standard error is a terminal, otherwise a line at intervals, for log files."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

from tengen.jobs.progress import Progress

if TYPE_CHECKING:
    import rich.progress

PRINT_INTERVAL_S = 30.0


class ProgressBar:
    """Pass it to `run` as `on_progress`, inside a `with` statement:

    with ProgressBar("Valuing the book") as bar:
        for result in run(tasks, on_progress=bar):
            ...
    """

    def __init__(self, label: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._label = label
        self._clock = clock
        self._bar: rich.progress.Progress | None = None
        self._last: Progress | None = None
        self._printed: Progress | None = None
        self._printed_at = clock()

    def __enter__(self) -> ProgressBar:
        if sys.stderr.isatty():
            # Imported here, because rich is slow to import and most programs show no bar.
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn
            from rich.progress import Progress as RichProgress

            console = Console(stderr=True)
            self._bar = RichProgress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                TextColumn("{task.fields[text]}", markup=False),
                console=console,
                transient=True,  # only the plain last line remains, as in a log file
            )
            self._bar.add_task(self._label, total=None, text="")
            self._bar.start()
        return self

    def __call__(self, progress: Progress) -> None:
        self._last = progress
        if self._bar is not None:
            ended = progress.done + progress.failed
            self._bar.update(self._bar.task_ids[0], total=progress.total, completed=ended, text=str(progress))
        elif self._clock() - self._printed_at >= PRINT_INTERVAL_S:
            self._print(progress)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
        if self._last is not None and self._last is not self._printed:
            self._print(self._last)

    def _print(self, progress: Progress) -> None:
        print(f"{self._label}: {progress}", file=sys.stderr, flush=True)
        self._printed = progress
        self._printed_at = self._clock()
