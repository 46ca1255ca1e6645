"""A real Dask cluster of processes on this machine: calls, errors, deaths, a tournament, the commands."""

from __future__ import annotations

import math
import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import tengen
from tengen import cli
from tengen.arena.tournament import Tournament
from tengen.arena.tuning.space import Space
from tengen.arena.tuning.tuning_run import TuningRun
from tengen.books.book import ValuedBook
from tengen.books.book_file import dump
from tengen.books.evaluation import evaluate_book
from tengen.core.errors import OptionError
from tengen.engines.book_evaluator import BookEvaluator
from tengen.engines.clobber.database import make_database
from tengen.jobs import Checkpoint, ClusterExecutor, JobError, Task, collect, open_executor, run
from tengen.jobs.cluster_processes import Cluster, check_host, cluster, status
from tengen.players.configure import configure
from tengen.search.limits import Limits
from tengen.store.store import Store
from tests.helpers.thread_executor import ThreadExecutor
from tests.helpers.tournaments import CUP, results

pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's own


@pytest.fixture(scope="module")
def made() -> Iterator[Cluster]:
    with cluster(2) as found:
        yield found


def die_once(folder: str) -> int:
    """Kills its worker, the first time."""
    mark = Path(folder) / "dead"
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return os.getpid()


def fail() -> None:
    raise OptionError("no luck")


def note(folder: str, name: str) -> None:
    with (Path(folder) / f"{name} {os.getpid()}").open("a") as file:
        file.write("x")


def slow(number: int) -> int:
    time.sleep(0.05)
    return number


def test_calls_run_in_workers_and_errors_come_back(made: Cluster, tmp_path: Path) -> None:
    with ClusterExecutor(made.address, initializer=note, initargs=(str(tmp_path), "begun")) as executor:
        assert executor.workers == 2
        tasks = [Task(f"{n}!", math.factorial, (n,)) for n in range(20)]
        assert collect(run(tasks, executor=executor)) == {f"{n}!": math.factorial(n) for n in range(20)}
        with pytest.raises(JobError, match="no luck") as stop_flag:
            collect(run([*tasks, Task("bad", fail)], executor=executor))
        assert isinstance(stop_flag.value.failures[0].__cause__, OptionError)
        # What cannot be pickled is the call's own fault.
        with pytest.raises(JobError, match="failed"):
            collect(run([Task("lambda", lambda: 1)], executor=executor))
    begun = list(tmp_path.glob("begun *"))
    assert 1 <= len(begun) <= 2
    assert all(file.read_text() == "x" for file in begun)  # once in each worker


def test_a_worker_that_dies_loses_nothing_but_time(made: Cluster, tmp_path: Path) -> None:
    with open_executor(cluster=made.address) as executor:
        tasks = [Task(str(n), slow, (n,)) for n in range(30)]
        tasks.insert(3, Task("dies", die_once, (str(tmp_path),)))
        checkpoint = Checkpoint(tmp_path / "work.jobs", "slow")
        found = [result.id for result in run(tasks, executor=executor, checkpoint=checkpoint)]
        assert sorted(found) == sorted(task.id for task in tasks)
        assert len([worker for worker in made.workers if worker.is_alive()]) == 1
        assert made.tend() == 1
        assert executor.workers == 2
        again = list(run(tasks, executor=executor, checkpoint=checkpoint))
        assert all(result.resumed for result in again)


def test_a_tournament_on_a_cluster_ends_as_on_one_machine(made: Cluster, tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(CUP.format(kind="round robin", rounds=0))
    with Store.in_memory() as store, Store.in_memory() as other:
        cup = Tournament.read(file, store)
        with open_executor(cluster=made.address) as executor:
            far = cup.play(store, executor, window=4, checkpoint=tmp_path / "far.jobs")
        with ThreadPoolExecutor(1) as threads:
            near = cup.play(other, threads, window=1, checkpoint=tmp_path / "near.jobs")
        assert results(far) == results(near)
        assert store.count_games() == other.count_games() == 6


def test_other_jobs_on_a_cluster_end_as_on_one_machine(made: Cluster, tmp_path: Path) -> None:
    """A tuning, Clobber's tables and the values of a book, while a worker is killed."""
    small = tengen.game("clobber", size=8)
    config = configure("uct", Limits(nodes=5), book=False)
    found = []
    with open_executor(cluster=made.address) as far, ThreadExecutor() as near:
        for where, executor in (("far", far), ("near", near)):
            folder = tmp_path / where
            folder.mkdir()
            tuning_run = TuningRun(
                small, Space.from_config(config, ["exploration=0..3"]), "spsa", steps=2, games=2, plies=2
            )
            tuned = tuning_run.run(executor, window=2, checkpoint=folder / "tuning.jobs")
            if where == "far":
                made.workers[-1].kill()
            values = folder / "strips.values"
            make_database(values, longest=5, alternating=6, width=4, executor=executor)
            book = ValuedBook(tengen.game("othello", size=4))
            book.add(book.game.start().play_all(["b1", "a1", "a2"]).line())
            evaluate_book(book, BookEvaluator.for_game(book.game, book.value_unit, depth=2), executor=executor)
            found.append((tuned.course, values.read_bytes(), dump(book)))
    assert found[0] == found[1]
    assert made.tend() == 1
    assert made.tend() == 0
    assert len(made.workers) == 2


def test_commands_work_on_a_cluster(made: Cluster, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    values = tmp_path / "strips.values"
    words = ["clobber", "database", str(values), "--longest", "5", "--alternating", "6", "--width", "4"]
    assert cli.run([*words, "--cluster", made.address]) == 0
    assert values.exists()
    assert cli.run(["cluster", "status", made.address]) == 0
    assert "2 workers" in capfd.readouterr().out
    assert status(made.address).waiting == 0


def test_what_cannot_be_is_told(made: Cluster) -> None:
    with pytest.raises(OptionError, match="could run programs as you"):
        check_host("0.0.0.0", False)
    check_host("127.0.0.1", False)
    check_host("10.0.0.5", True)
    with pytest.raises(OptionError, match="cannot be set for a cluster"):
        open_executor(2, made.address)
    with pytest.raises(OptionError, match="no cluster"):
        open_executor(cluster="nonsense://x")
