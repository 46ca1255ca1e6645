"""A PostgreSQL server that is frozen, as by a failing disk or a paused virtual machine."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path


def server_processes(port: int) -> list[int]:
    """The process ids of the server at a local port and of its children. To be called before it is frozen."""
    import psycopg

    with psycopg.connect(f"postgresql://tengen@127.0.0.1:{port}/postgres", autocommit=True) as connection:
        row = connection.execute("SHOW data_directory").fetchone()
        assert row is not None
    main = int((Path(row[0]) / "postmaster.pid").read_text().split()[0])
    children = Path(f"/proc/{main}/task/{main}/children").read_text().split()
    return [main, *map(int, children)]


@contextlib.contextmanager
def frozen(port: int) -> Iterator[None]:
    """Freeze the server within a `with` block; its connections stay open."""
    processes = server_processes(port)
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGCONT)
