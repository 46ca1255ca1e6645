"""What every test process needs."""

import atexit
import contextlib
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from tests.helpers.postgres_server import new_database, running, shared_file
from tests.helpers.thread_executor import ThreadExecutor

# A test runner started in the background ignores Ctrl-C, and so would every program that the tests start.
with contextlib.suppress(ValueError):  # not in the main thread
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)

# Test processes share the cores: threads of linear algebra would only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# The terminal app moves nothing to and fro: that is drawn as often as it can be, and says nothing.
os.environ["TEXTUAL_ANIMATIONS"] = "none"

# Whoever keeps no bytecode would have hundreds of programs that the tests start read all of Tengen's sources anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Engines think from the first move, as everywhere before there were books; tests of books name their own.
os.environ["TENGEN_BOOKS"] = os.devnull

# Nobody's library is touched. Programs that the tests start inherit this.
os.environ.pop("TENGEN_DATABASE", None)
os.environ["TENGEN_DATA"] = tempfile.mkdtemp(prefix="tengen-tests-")
atexit.register(shutil.rmtree, os.environ["TENGEN_DATA"], ignore_errors=True)

# No test asserts a time: the machine may be busy.
hypothesis.settings.register_profile("tengen", deadline=None)
hypothesis.settings.load_profile("tengen")

# The tests of a file run in one process, so that servers, browsers and compiled code are shared. Files that take
# longest begin, so that no process is left with one at the end; those that need the same kernels not at the same
# time, so that on an empty cache no kernel is compiled twice.
_LONG = (
    "test_pages",
    "test_clobber_solver",
    "test_engine_host",
    "test_docs",
    "test_study_pages",  # once the kernels that the first one needs are there
    "test_terminal_app",
    "test_external_programs",
    "test_store",
    "test_book_pages",
    "test_cli",
    "test_arena_match",
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
