"""Runs of jobs in a process that is killed, and what their checkpoint must hold afterwards."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from tengen.jobs import Checkpoint
from tests.helpers.waiting import TIMEOUT_S, wait_until


def contents(checkpoint: Checkpoint) -> dict[str, object]:
    with checkpoint.open() as file:
        return {task_id: file.load(task_id) for task_id in file.ids()}


VICTIM = '''
"""Runs tasks until it is finished or killed, and logs each result."""
import re, sys, time
from concurrent.futures import ThreadPoolExecutor
from tengen.jobs import Checkpoint, LocalExecutor, Task, run

def work(number, seconds):
    if seconds < 0:
        re.match("(a+)+$", "a" * 50 + "b")  # takes years and holds the interpreter lock
    time.sleep(seconds)
    return number, bytes(number * 37 % 500)

if __name__ == "__main__":
    path, log, kind, count, seconds, long = sys.argv[1:]
    tasks = [Task(str(n), work, (n, float(seconds))) for n in range(int(count))]
    tasks += [Task("long", work, (0, float(long)))] if float(long) else []
    pool = LocalExecutor(2) if kind == "local" else ThreadPoolExecutor(4)
    with open(log, "ab", buffering=0) as file, pool:
        for result in run(tasks, executor=pool, checkpoint=Checkpoint(path, "victim")):
            if not result.resumed:
                file.write(f"{result.id}\\n".encode())
'''


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


class Victim:
    """A process in its own session, so that its descendants can be found after its end."""

    def __init__(self, folder: Path, kind: str, tasks: int, seconds: float, long: float = 0) -> None:
        self.checkpoint = Checkpoint(folder / "checkpoint", "victim")
        self.log = folder / "log"
        script = folder / "victim.py"
        script.write_text(VICTIM)
        arguments = [self.checkpoint.path, self.log, kind, str(tasks), str(seconds), str(long)]
        self.process = subprocess.Popen(
            [sys.executable, script, *arguments],
            env=environment(),
            start_new_session=True,
            stderr=subprocess.PIPE,
            text=True,
        )

    def acknowledged(self) -> list[str]:
        return self.log.read_text().split() if self.log.exists() else []

    def end(self, how: signal.Signals | None = None, *, group: bool = False) -> str:
        """Send a signal, if any, and wait for the exit; returns the standard error output."""
        if how is not None:
            (os.killpg if group else os.kill)(self.process.pid, how)
        return self.process.communicate(timeout=TIMEOUT_S)[1]

    def family(self) -> list[int]:
        """The running processes of its session."""
        members = []
        for entry in Path("/proc").iterdir():
            try:
                state, _, _, session = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
            except (OSError, ValueError):
                continue
            if entry.name.isdigit() and int(session) == self.process.pid and state != "Z":
                members.append(int(entry.name))
        return members

    def check(self) -> dict[str, object]:
        """Check the invariants after any kind of exit; returns the stored results."""
        stored = contents(self.checkpoint)
        acknowledged = self.acknowledged()
        assert len(set(acknowledged)) == len(acknowledged), "a stored result was computed again"
        assert set(acknowledged) <= set(stored), "an acknowledged result is not stored"
        for task_id, value in stored.items():
            number = int(task_id)
            assert value == (number, bytes(number * 37 % 500))
        return stored


def kill_at_random(folder: Path, rng: random.Random, kind: str, tasks: int) -> tuple[int, int]:
    """Run, kill at a random moment and check; returns the number of results before and after."""
    before = len(contents(Checkpoint(folder / "checkpoint", "victim")))
    victim = Victim(folder, kind, tasks, 0.005)
    if rng.random() < 0.7:  # while it works; otherwise at any time after its start
        known = len(victim.acknowledged())
        wait_until(lambda: len(victim.acknowledged()) > known or victim.process.poll() is not None)
    time.sleep(rng.uniform(0.0, 0.3))
    victim.end(signal.SIGKILL)
    wait_until(lambda: not victim.family())
    return before, len(victim.check())
