"""What goes into a run and what comes out of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from tengen.core.errors import TengenError

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Task(Generic[T_co]):
    """One call, known by its id: `function(*args)`.

    The id names the result in the checkpoint, so it must mean the same call in every run with the same
    fingerprint. The call must be idempotent: after a worker's death it is made again, although the first
    attempt may have come to its end. For processes, the function must be importable (top level of a module)
    and the arguments picklable.
    """

    id: str
    function: Callable[..., T_co]
    args: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True)
class Result(Generic[T_co]):
    """What a task returned. `resumed` tells that it was read from the checkpoint, not computed now."""

    id: str
    value: T_co
    resumed: bool


class TaskError(TengenError):
    """One task that has no result. `__cause__` is what it raised, or what became of its worker."""

    def __init__(self, task_id: str, reason: str) -> None:
        super().__init__(f"task {task_id!r} {reason}")
        self.task_id = task_id

    @classmethod
    def raised(cls, task_id: str, error: BaseException) -> TaskError:
        return cls._from(task_id, "failed", error)

    @classmethod
    def killed(cls, task_id: str, deaths: int, error: BaseException) -> TaskError:
        times = "once" if deaths == 1 else f"{deaths} times"
        return cls._from(task_id, f"was given up: its worker died {times}", error)

    @classmethod
    def unstorable(cls, task_id: str, error: BaseException) -> TaskError:
        return cls._from(task_id, "gave a result that cannot be pickled", error)

    @classmethod
    def _from(cls, task_id: str, reason: str, error: BaseException) -> TaskError:
        failure = cls(task_id, f"{reason} ({one_line(error)})")
        failure.__cause__ = error
        return failure


class JobError(TengenError):
    """A run that came to its end, or had to stop, without all of its results.

    `failures` says which tasks failed and why. All other results were yielded, and stored if there is a
    checkpoint; a new run with the same checkpoint does only what is missing. `results` is what `collect` had
    gathered, for a caller without a checkpoint; `run` leaves it empty, since it has yielded everything.
    """

    def __init__(self, message: str, failures: Sequence[TaskError]) -> None:
        super().__init__(message)
        self.failures = tuple(failures)
        self.results: dict[str, object] = {}


def one_line(error: BaseException) -> str:
    """An error's type and the first line of its text, short enough to stand within another message."""
    lines = str(error).strip().splitlines()
    text = type(error).__name__ + (f": {lines[0]}" if lines else "")
    return text if len(text) <= 200 else text[:199] + "…"
