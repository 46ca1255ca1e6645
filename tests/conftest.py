"""Environment and shared fixtures of all tests."""

import atexit
import contextlib
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from tests.helpers.fake_clock import FakeClock
from tests.helpers.paths import PLUGIN
from tests.helpers.postgres_server import new_database, running, shared_file
from tests.helpers.thread_executor import ThreadExecutor

# A test runner started in the background ignores SIGINT, and the programs it starts would inherit that.
with contextlib.suppress(ValueError):  # not in the main thread
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)

sys.path.append(str(PLUGIN))  # its game is used by many tests

# Test processes share the cores; BLAS threads would only compete.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Programs in a terminal talk English, whatever the language of this machine.
os.environ["TENGEN_LANGUAGE"] = "en"

# Animations of the terminal app cost time and test nothing.
os.environ["TEXTUAL_ANIMATIONS"] = "none"

# Without cached bytecode, hundreds of programs started by the tests would each compile Tengen's sources.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Engines search from the first move; tests of books install their own.
os.environ["TENGEN_BOOKS"] = os.devnull

# Keep away from the user's data. Programs started by the tests inherit this.
os.environ.pop("TENGEN_DATABASE", None)
os.environ["TENGEN_DATA"] = tempfile.mkdtemp(prefix="tengen-tests-")
atexit.register(shutil.rmtree, os.environ["TENGEN_DATA"], ignore_errors=True)

# No test depends on how long something takes: the machine may be busy.
hypothesis.settings.register_profile("tengen", deadline=None)
hypothesis.settings.load_profile("tengen")

# The tests of a file run in one process (`--dist loadfile`) and share servers, browsers and compiled kernels. The
# longest files come first, so that all processes finish at about the same time. Files that need the same kernels
# do not start together: on an empty cache, both processes would compile them.
_LONG = (
    "test_pages",
    "test_clobber_solver",
    "test_engine_host",
    "test_docs",
    "test_study_pages",  # when the first file has compiled the kernels that it needs
    "test_supervision",
    "test_terminal_app",
    "test_external_programs",
    "test_newcomers",
    "test_book_pages",
    "test_jobs",
    "test_hardening",
    "test_worker_supervision",
    "test_cluster_host",
    "test_host_contract",
    "test_arena_match",
    "test_accounts_site",
    "test_store",
    "test_cli",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    def rank(item: pytest.Item) -> int:
        name = item.path.stem
        return _LONG.index(name) if name in _LONG else len(_LONG)

    items.sort(key=rank)


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a PostgreSQL server that all processes of a test run share."""
    with running(shared_file(tmp_path_factory.getbasetemp())) as port:
        yield port


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty store, in each kind of database."""
    if request.param == "sqlite":
        return str(tmp_path / "store" / "games.db")
    return new_database(request.getfixturevalue("postgres"))


@pytest.fixture
def jobs_in_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run jobs in a thread of this process instead of in worker processes."""
    monkeypatch.setattr("tengen.jobs.open_executor", ThreadExecutor)
    monkeypatch.setattr("tengen.arena.engine_match.open_executor", ThreadExecutor)


@pytest.fixture
def fake_clock(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    """Replace the clock that searches read."""
    clock = FakeClock()
    monkeypatch.setattr(time, "perf_counter", clock)
    return clock
