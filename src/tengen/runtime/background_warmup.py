"""Compilation of kernels in helper processes while the program is in use.

Users wait for as little as possible: the kernels that they will most likely need first are compiled first, on all
cores, and no new one is begun while a user's search is running. The processes have the priority of engine workers,
not a lower one, because a worker may have to wait for a kernel that one of them is compiling. The program itself
runs the rules of games as plain Python meanwhile.
"""

from __future__ import annotations

import atexit
import logging
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import ExitStack
from enum import Enum, auto
from functools import partial
from importlib import import_module

from numba import config

from tengen.core.compiled.cache import write_failures
from tengen.core.compiled.kernel import (
    Kernel,
    Signature,
    expect_background_compilation,
    missing_kernel_listener,
)
from tengen.core.errors import TengenError
from tengen.core.resource_limits import resource_limits
from tengen.jobs.helper_pool import HelperPool, HelperStopped
from tengen.jobs.processes import available_cores
from tengen.jobs.task import one_line
from tengen.runtime.kernel_groups import KernelGroup, first_groups, kernel_groups, loadable_games
from tengen.runtime.memory_plan import workers_that_fit

POLL_S = 0.1
_log = logging.getLogger(__name__)


class _Outcome(Enum):
    """What a helper process found in a group."""

    COMPILED = auto()  # one kernel
    WAITING = auto()  # other processes, also of other programs, are compiling the rest
    COMPLETE = auto()


class BackgroundWarmUp:
    """Compiles groups of kernels, one kernel on each core at a time, in order. Thread-safe.

    While it is open, this process does not compile the rules of games: it runs them as plain Python until they
    are ready. With `compiles_on_demand` it compiles no other kernels either: a helper process does. `groups` is
    called in a thread, because listing them loads engines. While `is_busy` returns True, no further kernel is
    begun.
    """

    def __init__(
        self,
        groups: Callable[[], Iterable[KernelGroup]],
        is_busy: Callable[[], bool] = lambda: False,
        *,
        compiles_on_demand: bool = False,
    ) -> None:
        expect_background_compilation()
        self.last_failure = ""
        self._resources = ExitStack()
        if compiles_on_demand:
            pool = HelperPool("kernels on demand")
            self._resources.callback(pool.close)
            self._resources.enter_context(missing_kernel_listener(partial(_compile_in_pool, pool)))
        self._list_groups = groups
        self._is_busy = is_busy
        self._lock = threading.Lock()
        self._pending: list[KernelGroup] = []
        self._preferred: list[str] = []  # names of games, the most important one last
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="kernel warm-up", daemon=True)
        self._thread.start()
        self._resources.callback(atexit.unregister, self.close)
        atexit.register(self.close)

    def prefer(self, game: str) -> None:
        """Compile what this game needs next, its default opponent first."""
        with self._lock:
            self._preferred = [*(other for other in self._preferred if other != game), game]

    def pending(self) -> list[KernelGroup]:
        """The groups that are not finished, in order."""
        with self._lock:
            preferred, self._preferred = self._preferred, []
            for game in preferred:
                known = set(self._pending)
                wanted = [group for group in (*first_groups(game), *kernel_groups([game])) if group in known]
                self._pending = list(dict.fromkeys((*wanted, *self._pending)))
            return list(self._pending)

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def close(self) -> None:
        """Stop. Kernels that are being compiled are abandoned."""
        expect_background_compilation(False)
        self._closed.set()
        self._resources.close()
        self._thread.join()

    def _run(self) -> None:
        try:
            groups = [group for group in dict.fromkeys(self._list_groups()) if not group.is_complete]
            if groups and not self._closed.is_set() and not config.DISABLE_JIT:
                with self._lock:
                    self._pending = groups
                self._compile_pending()
        except TengenError as error:  # for example, no processes can be started
            self._note_failure(error)

    def _compile_pending(self) -> None:
        workers = workers_that_fit(resource_limits(), available_cores())
        pool = HelperPool("kernels", workers=workers)
        running: dict[Future[_Outcome], KernelGroup] = {}
        waiting: set[KernelGroup] = set()
        try:
            while not self._closed.is_set() and (pending := self.pending()):
                group = next((one for one in pending if one not in waiting), None)
                while group is not None and len(running) < workers and not self._is_busy():
                    running[pool.submit(_compile_next, group)] = group
                wait(running, POLL_S, FIRST_COMPLETED)
                if not running:
                    self._closed.wait(POLL_S)
                    waiting.clear()  # only other programs are compiling
                for future in [one for one in running if one.done()]:
                    group = running.pop(future)
                    outcome = self._outcome(future)
                    if outcome is _Outcome.WAITING:
                        waiting.add(group)
                    elif outcome is _Outcome.COMPILED:
                        waiting.discard(group)
                    else:
                        self._finish(group)
        finally:
            pool.close()

    def _finish(self, group: KernelGroup) -> None:
        with self._lock:
            self._pending = [other for other in self._pending if other != group]

    def _outcome(self, future: Future[_Outcome]) -> _Outcome | None:
        try:
            return future.result()
        except Exception as error:  # a process that died, for example: its kernel is compiled when it is needed
            self._note_failure(error)
            return None

    def _note_failure(self, error: Exception) -> None:
        self.last_failure = str(error) if isinstance(error, TengenError) else one_line(error)
        _log.debug("kernels: %s", self.last_failure)


def _compile_in_pool(pool: HelperPool, kernel: Kernel, signature: Signature) -> None:
    function = kernel.py_func
    try:
        pool.submit(_compile, function.__module__, function.__qualname__, signature).result()
    except HelperStopped:
        raise
    except Exception as error:  # a game that only this process knows, for example: the caller compiles the kernel
        _log.debug("%s on demand: %s", function.__qualname__, one_line(error))


def _compile(module: str, name: str, signature: Signature) -> None:
    loadable_games()  # registers their rules, which the kernel may call
    getattr(import_module(module), name).compile(signature)


def _compile_next(group: KernelGroup) -> _Outcome:
    from tengen.runtime.warmup import compile_next, missing_kernels  # load all engines; the parent needs none

    compiled = not write_failures and compile_next(group)
    if write_failures:  # compiling more would help nobody
        raise TengenError(write_failures[-1])
    if compiled:
        return _Outcome.COMPILED
    if missing_kernels(group):
        return _Outcome.WAITING
    group.mark_complete()
    return _Outcome.COMPLETE
