"""Helper process that runs an external program and kills everything it leaves behind.

python supervisor.py LIFELINE COMMAND...

It starts the command in its own session. When the command exits, or when the pipe LIFELINE is closed (by us, or by
the system because we were killed), it kills the command's process group and, on Linux, children that left the
group, because the system makes them children of this process. It exits with the command's exit code.

It imports nothing from Tengen, so it starts in a few hundredths of a second.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys

CANNOT_RUN = 127


def main(lifeline: int, command: list[str]) -> int:
    _adopt_orphans()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by our parent, which closes the lifeline
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    # SIGCHLD wakes the select below by a byte in this pipe.
    wake_reader, wake_writer = os.pipe()
    os.set_blocking(wake_writer, False)
    signal.set_wakeup_fd(wake_writer)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    try:
        engine = subprocess.Popen(command, start_new_session=True)
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr)
        return CANNOT_RUN
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)  # only the engine may hold its pipes, so that their ends are seen
    os.dup2(null, 1)
    while engine.poll() is None:
        ready, _, _ = select.select([wake_reader, lifeline], [], [])
        if wake_reader in ready:
            os.read(wake_reader, 4096)
        if lifeline in ready:
            break
    code = engine.poll()
    _kill_group(engine.pid)
    _kill_children()
    engine.wait()
    return 128 + signal.SIGKILL if code is None else code if code >= 0 else 128 - code


def _adopt_orphans() -> None:
    """Become the parent of orphaned descendants."""
    if sys.platform == "linux":
        import ctypes

        set_child_subreaper = 36
        ctypes.CDLL(None).prctl(set_child_subreaper, 1, 0, 0, 0)


def _kill_group(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _kill_children() -> None:
    """Kill children until there are none: those of a killed child become ours."""
    if sys.platform != "linux":
        return
    with contextlib.suppress(ChildProcessError, OSError):
        while True:
            with open(f"/proc/self/task/{os.getpid()}/children") as file:
                children = [int(word) for word in file.read().split()]
            if not children:
                return
            for child in children:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            os.waitpid(-1, 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
