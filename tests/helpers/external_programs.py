"""External programs that misbehave, and waiting until their processes are gone."""

from __future__ import annotations

import sys
from pathlib import Path

import tengen
from tengen.core.position import Position
from tengen.protocols.external import ExternalEngine, ExternalProgram
from tengen.runtime.external import create_external_engine
from tengen.search.limits import Limits
from tests.helpers.paths import HELPERS
from tests.helpers.waiting import wait_until

FAKE = HELPERS / "faulty_program.py"
STARTS = {"gtp": ("go", {"size": 5}), "nboard": ("othello", {}), "gomocup": ("pente", {"variant": "gomoku"})}
QUICK = Limits(seconds=0.1)


def start(protocol: str) -> Position:
    name, options = STARTS[protocol]
    return tengen.game(name, **options).start()


def fake(protocol: str, mode: str, folder: Path, timeout_s: float = 20.0) -> ExternalEngine:
    command = (sys.executable, "-I", "-S", str(FAKE), protocol, mode, str(folder))
    return create_external_engine(ExternalProgram(protocol, command, timeout_s=timeout_s))


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until_gone(folder: Path) -> int:
    """Wait until every process that was noted in `folder` has ended; returns how many there were."""
    pids = [int(file.name.rpartition("-")[2]) for file in folder.glob("*-*")]
    wait_until(lambda: not any(map(is_alive, pids)), "a process is still running")
    return len(pids)
