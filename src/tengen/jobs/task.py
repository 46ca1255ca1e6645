"""Tasks, results and errors of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from tengen.core.errors import TengenError

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Task(Generic[T_co]):
    """One call `function(*args)`, identified by its id.

    The id names the result in the checkpoint, so it must denote the same call in every run with the same
    fingerprint. The call must be idempotent: it is repeated after its worker died, even if the first attempt had
    finished. For processes, the function must be importable (top level of a module) and the arguments picklable.
    """

    id: str
    function: Callable[..., T_co]
    args: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True)
class Result(Generic[T_co]):
    """The return value of a task. `resumed` means that it was read from the checkpoint."""

    id: str
    value: T_co
    resumed: bool


class TaskError(TengenError):
    """A failed task. `__cause__` is its exception, or the reason why its worker died."""

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
        return cls._from(task_id, "returned a result that cannot be pickled", error)

    @classmethod
    def _from(cls, task_id: str, reason: str, error: BaseException) -> TaskError:
        failure = cls(task_id, f"{reason} ({one_line(error)})")
        failure.__cause__ = error
        return failure


class JobError(TengenError):
    """A run that ended or stopped without all results.

    `failures` lists the failed tasks. All other results were yielded, and stored if there is a checkpoint; a new
    run with the same checkpoint runs only the missing tasks. `results` contains the results collected by
    `collect`; `run` leaves it empty, because it has yielded them.
    """

    def __init__(self, message: str, failures: Sequence[TaskError]) -> None:
        super().__init__(message)
        self.failures = tuple(failures)
        self.results: dict[str, object] = {}


def one_line(error: BaseException) -> str:
    """The type and first line of an error, shortened for use in another message."""
    lines = str(error).strip().splitlines()
    text = type(error).__name__ + (f": {lines[0]}" if lines else "")
    return text if len(text) <= 200 else text[:199] + "…"
