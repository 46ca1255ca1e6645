"""File with process id and address of the web server of this data folder, for other commands."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from tengen.core.folders import data_folder

FILE = "server.json"


@dataclass(frozen=True)
class RunningServer:
    """Process id of a server, and the address of its start page."""

    pid: int
    address: str


@contextmanager
def announced(address: str) -> Iterator[None]:
    """Within this block, publish this process as the server at `address`."""
    path = data_folder() / FILE
    mine = RunningServer(os.getpid(), address)
    with suppress(OSError):  # for example a full disk
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(mine)), "utf-8")
    try:
        yield
    finally:
        if _read(path) == mine:  # keep the file of a server that was started later
            with suppress(OSError):
                path.unlink()


def running_server() -> RunningServer | None:
    """The server of this data folder, if its process is alive."""
    found = _read(data_folder() / FILE)
    return found if found is not None and _is_alive(found.pid) else None


def _read(path: Path) -> RunningServer | None:
    try:
        data = json.loads(path.read_text("utf-8"))
        return RunningServer(int(data["pid"]), str(data["address"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _is_alive(pid: int) -> bool:
    if os.name == "nt":  # signal 0 would terminate the process
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
