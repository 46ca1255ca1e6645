"""Child side of a worker process: one pipe, one call at a time.

Every message is bytes. The first message from the child is the outcome of the initializer. Then each pickled
`(function, args, kwargs)` is answered by any number of progress messages and one outcome. The worker exits when
the pipe is closed.
"""

from __future__ import annotations

import os
import pickle
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection

from tengen.core.errors import TengenError
from tengen.jobs.processes import die_with_parent, ignore_interrupts


@dataclass(frozen=True, slots=True)
class Outcome:
    """The return value of a call, or its exception with the worker's traceback as text."""

    value: object = None
    error: BaseException | None = None
    trace: str = ""


@dataclass(frozen=True, slots=True)
class ProgressMessage:
    """Progress of a call that has not returned yet."""

    value: object


class RemoteError(Exception):
    """A worker's traceback as text; the `__cause__` of the error, so that Python prints both."""

    def __str__(self) -> str:
        return f"\n\n{self.args[0]}"


# ---- the worker process

_connection: Connection | None = None
_send_lock = threading.Lock()  # several threads of a call may report progress


def serve(connection: Connection, initializer: Callable[..., object] | None, initargs: tuple[object, ...]) -> None:
    """Main function of a worker process."""
    global _connection
    ignore_interrupts()
    die_with_parent()
    _connection = connection

    def initialize() -> None:
        if initializer is not None:
            initializer(*initargs)

    _send(answer(initialize))
    while True:
        try:
            message = connection.recv_bytes()
        except (EOFError, OSError):
            return
        _send(answer(run_message, message))


def report_progress(value: object) -> None:
    """Send progress to the caller of the current call. Does nothing outside a worker process."""
    if _connection is not None:
        _send(pack(ProgressMessage(value)))


def _send(message: bytes) -> None:
    assert _connection is not None
    with _send_lock:
        try:
            _connection.send_bytes(message)
        except OSError:  # the parent has gone
            os._exit(1)


# ---- messages


def answer(function: Callable[..., object], *args: object) -> bytes:
    """The packed outcome of a call."""
    try:
        return pack(Outcome(function(*args)))
    except BaseException as error:  # including SystemExit: a task that calls sys.exit must not end the worker
        return _pack_error(error)


def run_message(message: bytes) -> object:
    """The return value of a pickled call."""
    function, args, kwargs = pickle.loads(message)
    return function(*args, **kwargs)


def pack(message: object) -> bytes:
    return pickle.dumps(message, pickle.HIGHEST_PROTOCOL)


def pack_call(function: Callable[..., object], *args: object, **kwargs: object) -> bytes:
    return pack((function, args, kwargs))


def unpack(message: bytes) -> Outcome | ProgressMessage:
    """Decode a message of a worker. A message that cannot be unpickled becomes an error."""
    try:
        found: Outcome | ProgressMessage = pickle.loads(message)
    except Exception as error:
        return Outcome(error=error)
    if isinstance(found, Outcome) and found.error is not None:
        found.error.__cause__ = RemoteError(found.trace)
    return found


def _pack_error(error: BaseException) -> bytes:
    trace = "".join(traceback.format_exception(error))
    try:
        message = pack(Outcome(error=error, trace=trace))
        # Exceptions whose __init__ needs more than their args can be pickled, but not unpickled.
        pickle.loads(message)
    except Exception:
        kind = TengenError if isinstance(error, TengenError) else RuntimeError
        message = pack(Outcome(error=kind(f"{type(error).__name__}: {error}"), trace=trace))
    return message
