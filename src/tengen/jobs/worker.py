"""Child side of the local executor: one process, one pipe, one call at a time.

Every message is bytes. The first message from the child is the outcome of the initializer. Then each pickled
`(function, args, kwargs)` is answered by one outcome. The worker exits when the pipe is closed.
"""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection

from tengen.jobs.processes import die_with_parent, ignore_interrupts


@dataclass(frozen=True, slots=True)
class Outcome:
    """The return value of a call, or its exception with the worker's traceback as text."""

    value: object = None
    error: BaseException | None = None
    trace: str = ""


class RemoteError(Exception):
    """A worker's traceback as text; the `__cause__` of the error, so that Python prints both."""

    def __str__(self) -> str:
        return f"\n\n{self.args[0]}"


def serve(connection: Connection, initializer: Callable[..., object] | None, initargs: tuple[object, ...]) -> None:
    """Main function of a worker process."""
    ignore_interrupts()
    die_with_parent()
    try:
        if initializer is not None:
            initializer(*initargs)
    except BaseException as error:
        connection.send_bytes(_pack_error(error))
        return
    connection.send_bytes(_pack(Outcome()))
    while True:
        try:
            message = connection.recv_bytes()
        except (EOFError, OSError):
            return
        connection.send_bytes(_answer(message))


def unpack(message: bytes) -> Outcome:
    """Decode a message of a worker. A message that cannot be unpickled becomes an error."""
    try:
        outcome: Outcome = pickle.loads(message)
    except Exception as error:
        return Outcome(error=error)
    if outcome.error is not None:
        outcome.error.__cause__ = RemoteError(outcome.trace)
    return outcome


def _answer(message: bytes) -> bytes:
    try:
        function, args, kwargs = pickle.loads(message)
        return _pack(Outcome(function(*args, **kwargs)))
    except BaseException as error:  # including SystemExit: a task that calls sys.exit must not end the worker
        return _pack_error(error)


def _pack(outcome: Outcome) -> bytes:
    return pickle.dumps(outcome, pickle.HIGHEST_PROTOCOL)


def _pack_error(error: BaseException) -> bytes:
    trace = "".join(traceback.format_exception(error))
    try:
        message = _pack(Outcome(error=error, trace=trace))
        # Exceptions whose __init__ needs more than their args can be pickled, but not unpickled.
        pickle.loads(message)
    except Exception:
        message = _pack(Outcome(error=RuntimeError(f"{type(error).__name__}: {error}"), trace=trace))
    return message
