"""Utilities for worker processes: start, exit, signals.

Ctrl-C in the terminal reaches the whole process group, but only the parent acts on it. A worker never outlives its
parent, even if the parent is killed. The thread that starts workers must end after the last of them, because on
Linux they die with that thread.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from multiprocessing import Pipe, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

KILL_TIMEOUT_S = 10.0  # wait for a killed process to exit


def available_cores() -> int:
    """The number of cores available to this process, which may be fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


# ---- parent side


def shield_children_from_interrupts() -> None:
    """Start the child processes of this thread with SIGINT blocked; they call `ignore_interrupts` later."""
    if hasattr(signal, "pthread_sigmask"):
        # multiprocessing starts the resource tracker with its first child and then unblocks SIGINT.
        resource_tracker.ensure_running()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def kill_process(process: SpawnProcess) -> None:
    """Kill a process and, if it leads a group, all that it started: a half-started one would print a traceback."""
    _kill_group(process.pid)
    process.kill()


def _kill_group(pid: int | None) -> None:
    """Kill the group that a process leads or led, if any of it is left."""
    if pid and hasattr(os, "killpg"):
        with suppress(OSError):  # there is no such group
            os.killpg(pid, signal.SIGKILL)


def join_process(process: SpawnProcess, connection: Connection, timeout_s: float = 5.0) -> str:
    """Wait up to `timeout_s` seconds for a worker to exit, then kill it; return how it ended, for messages."""
    connection.close()
    pid = process.pid
    process.join(timeout_s)
    _kill_group(pid)  # it may have exited by itself, before it could be killed
    if process.is_alive():
        process.kill()
        process.join(KILL_TIMEOUT_S)
        if process.is_alive():  # blocked in the kernel, for example by a device
            return "could not be killed"
    code = process.exitcode
    process.close()
    if code is not None and code < 0:
        return f"was killed by signal {-code} ({signal.strsignal(-code)})"
    return f"ended with exit code {code}"


def memory_mb(pid: int) -> int | None:
    """Resident memory of a process in megabytes; None if it has exited or the system does not report it."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            pages = int(file.read().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") >> 20
    except (OSError, ValueError, IndexError, AttributeError):
        return None


class Wakeup:
    """Wakes a thread that waits for pipes of workers and for `reader`. The owner's lock protects all methods."""

    def __init__(self) -> None:
        self.reader, self._writer = Pipe(duplex=False)
        self._is_set = False

    def set(self) -> None:
        # A single unread message is enough; more could fill the pipe.
        if not self._is_set:
            self._writer.send_bytes(b"")  # first: a Ctrl-C between the two lines then causes one wakeup too many
            self._is_set = True

    def clear(self) -> None:
        self._is_set = False
        self.reader.recv_bytes()

    def close(self) -> None:
        """Close the pipe; later calls of `set` have no effect."""
        self._is_set = True
        self.reader.close()
        self._writer.close()


# ---- child side


def lower_priority() -> None:
    """Lower the priority of this process, so that busy workers do not slow down interactive ones."""
    if hasattr(os, "nice"):
        os.nice(10)


def lead_group() -> None:
    """Make this process the leader of a group, so that `kill_process` also kills the processes it starts."""
    if hasattr(os, "setpgrp"):
        os.setpgrp()


def ignore_interrupts() -> None:
    """Leave Ctrl-C to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        # Workers are started with the signal blocked, so that it cannot arrive before it is ignored.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def die_with_parent() -> None:
    """Make this process exit when its parent does."""
    if sys.platform == "linux":
        # Code that holds the interpreter lock would delay the thread below, but not a signal of the kernel. The
        # signal is sent when the *thread* that started this process ends; that thread outlives all workers.
        import ctypes

        set_death_signal = 1
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)
    parent = parent_process()
    assert parent is not None, "a worker is a child process"
    sentinel = parent.sentinel

    def watch() -> None:
        wait([sentinel])
        os._exit(1)

    # Started after the line above, it also detects a parent that has died before.
    threading.Thread(target=watch, name="parent watch", daemon=True).start()
