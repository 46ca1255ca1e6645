"""The life of worker processes, of whatever kind: how many, how they begin, how they end.

Rules of life: Ctrl-C in the terminal reaches the whole process group, but only the parent acts on it. A worker
never outlives its parent, not even one that was killed and could not say goodbye. And the thread that starts
workers ends after the last of them, because on Linux they die with that very thread.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from multiprocessing import Pipe, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

KILL_TIMEOUT_S = 10.0  # for the system to end a process that was killed


def available_cores() -> int:
    """The number of cores that this process may use, which is often fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


# The parent's side.


def shield_children_from_interrupts() -> None:
    """Let processes that this thread starts be born with SIGINT blocked; they soon ignore it."""
    if hasattr(signal, "pthread_sigmask"):
        # Starting its first child, multiprocessing starts this process too, and then unblocks SIGINT.
        resource_tracker.ensure_running()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def end(process: SpawnProcess, connection: Connection, patience: float = 5.0) -> str:
    """Wait so many seconds for a worker that has no reason to live on, and tell how it ended."""
    connection.close()
    process.join(patience)
    if process.is_alive():
        process.kill()
        process.join(KILL_TIMEOUT_S)
        if process.is_alive():  # it waits for a device: the system ends it when that answers
            return "could not be killed"
    code = process.exitcode
    process.close()
    if code is not None and code < 0:
        return f"was killed by signal {-code} ({signal.strsignal(-code)})"
    return f"ended with exit code {code}"


def memory_mb(pid: int) -> int | None:
    """Megabytes of memory in use by a process (its resident set); None if it ended, or the system hides it."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            pages = int(file.read().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") >> 20
    except (OSError, ValueError, IndexError, AttributeError):
        return None


class Bell:
    """Wakes a thread that waits for its workers' pipes and for `ear`. All methods need the owner's lock."""

    def __init__(self) -> None:
        self.ear, self._bell = Pipe(duplex=False)
        self._rung = False

    def ring(self) -> None:
        # One unheard message is enough; more could fill the pipe.
        if not self._rung:
            self._bell.send_bytes(b"")  # first: should Ctrl-C come between the lines, it rings once too often
            self._rung = True

    def heard(self) -> None:
        self._rung = False
        self.ear.recv_bytes()

    def close(self) -> None:
        """From now on nobody hears it."""
        self._rung = True
        self.ear.close()
        self._bell.close()


# The child's side.


def give_way() -> None:
    """Let others have a core first: a worker that uses all it gets would make whoever waits for an answer wait."""
    if hasattr(os, "nice"):
        os.nice(10)


def ignore_interrupts() -> None:
    """Leave Ctrl-C to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        # Workers are started with the signal blocked, so that it cannot strike before the line above.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def die_with_parent() -> None:
    """End this process as soon as its parent has ended."""
    if sys.platform == "linux":
        # Compiled code that holds the interpreter lock for an hour would hold up the thread below. The kernel
        # does not ask. It takes the end of the *thread* that started this process for the parent's death,
        # which is right here: that thread lives until the last worker has ended.
        import ctypes

        set_death_signal = 1
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)
    parent = parent_process()
    assert parent is not None, "a worker is a child process"
    sentinel = parent.sentinel

    def watch() -> None:
        wait([sentinel])
        os._exit(1)

    # Started after the line above, it also sees a parent that died before.
    threading.Thread(target=watch, name="parent watch", daemon=True).start()
