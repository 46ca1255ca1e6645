"""The engine host on a Dask cluster of processes on this machine: all that holds for a local one, and faults."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter

import pytest

from tengen.core.errors import OptionError
from tengen.jobs.cluster_processes import Cluster
from tengen.players.config import EngineConfig
from tengen.players.configure import configure_program
from tengen.players.program import ExternalProgram
from tengen.runtime.cluster import link as cluster_link
from tengen.runtime.cluster.host import ClusterHost
from tengen.runtime.cluster.link import ClusterUnreachable
from tengen.runtime.messages import EngineCrashed, Request, Stage
from tengen.search.limits import Limits
from tests.helpers.dask_clusters import tended_cluster
from tests.helpers.engine_host import DIARY, DYING, GO, SHORT, ProgressLog, pid_of, searches_of
from tests.helpers.paths import ROOT
from tests.helpers.waiting import TIMEOUT_S, wait_until

pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's own


@pytest.fixture
def quick_outages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_link, "OUTAGE_TIMEOUT_S", 1.0)
    monkeypatch.setattr(cluster_link, "RECONNECT_S", 0.2)


def test_searches_run_in_the_clusters_workers_and_engines_stay_there(
    two_workers: Cluster, cluster_host: ClusterHost
) -> None:
    def play(game_id: str) -> tuple[int, int]:
        report = cluster_host.search(
            EngineConfig(DIARY, book=False), SHORT, Limits(nodes=1), game_id=game_id
        ).result(TIMEOUT_S)
        return pid_of(report), searches_of(report)

    assert cluster_host.workers == 2
    first = [play("one") for _ in range(3)]
    second = [play("two") for _ in range(3)]
    assert [number for _, number in first + second] == [1, 2, 3, 1, 2, 3]
    assert {pid for pid, _ in first} | {pid for pid, _ in second} == {worker.pid for worker in two_workers.workers}


def test_two_games_are_searched_at_the_same_time(cluster_host: ClusterHost) -> None:
    endless = [
        cluster_host.search(EngineConfig(DIARY, book=False), SHORT, Limits(), game_id=name)
        for name in ("left", "right")
    ]
    wait_until(
        lambda: sum(one.searching is not None for one in cluster_host.status()) == 2, "not at the same time"
    )
    for handle in endless:
        handle.stop()
    assert len({pid_of(handle.result(TIMEOUT_S)) for handle in endless}) == 2


def test_a_worker_killed_in_mid_search_costs_one_retry(cluster_host: ClusterHost) -> None:
    notes = ProgressLog()
    began = time.monotonic()
    handle = cluster_host.search(
        EngineConfig(DIARY, book=False), SHORT, Limits(seconds=3), game_id="k", on_progress=notes
    )
    wait_until(lambda: any(one.searching is not None for one in cluster_host.status()), "not started")
    victim = next(one.pid for one in cluster_host.status() if one.searching is not None)
    time.sleep(0.5)
    os.kill(victim, signal.SIGKILL)
    report = handle.result(TIMEOUT_S)
    assert pid_of(report) != victim
    assert 0 < report.value.amount < 2.8, "the dead worker's time was given back"
    print(f"a search of 3 s took {time.monotonic() - began:.2f} s with a worker killed after 0.5 s")
    assert Counter(progress.stage for progress in notes.all) == {Stage.STARTED: 2, Stage.RETRYING: 1}
    wait_until(lambda: len(cluster_host.status()) == 2, "the new worker is not used")


def test_an_engine_that_kills_its_workers_is_given_up(cluster_host: ClusterHost) -> None:
    with pytest.raises(EngineCrashed, match="Dying crashed: its worker died 3 times"):
        cluster_host.search(EngineConfig(DYING, book=False), SHORT, Limits(), game_id="bad").result(TIMEOUT_S)
    assert (
        cluster_host.search(EngineConfig("random", book=False), SHORT, Limits(), game_id="good")
        .result(TIMEOUT_S)
        .best
    )


def test_other_programs_run_on_this_machine(cluster_host: ClusterHost) -> None:
    command = (sys.executable, "-m", "tengen", "gtp", "--engine", "random", "--level", "1 nodes")
    config = configure_program(ExternalProgram("gtp", command, timeout_s=TIMEOUT_S), Limits(nodes=1))
    ponder = cluster_host.ponder(EngineConfig("uct", book=False), GO, game_id="mixed")
    report = cluster_host.search(config, Request("go", {"size": 5}), Limits(nodes=1), game_id="mixed")
    assert report.result(TIMEOUT_S).best
    assert len(cluster_host.local_host.status()) == 1
    wait_until(ponder.done, "pondering goes on")


def test_a_server_that_dies_leaves_no_search_behind(one_worker: Cluster, lone_cluster_host: ClusterHost) -> None:
    script = (
        "import time, tengen\n"
        "from tengen.runtime.cluster.host import ClusterHost\n"
        "from tengen.players.config import EngineConfig\n"
        "from tengen.players.config import EngineConfig\n"
        "from tengen.runtime.messages import Request\n"
        "if __name__ == '__main__':\n"
        f"    host = ClusterHost({one_worker.address!r})\n"
        "    host.ponder(EngineConfig('uct'), Request('go', {'size': 9}), game_id='g', on_progress=print)\n"
        "    time.sleep(1000)\n"
    )
    words = [sys.executable, "-u", "-c", script]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=ROOT) as server:
        assert server.stdout is not None
        assert any("thinking" in line for line in server.stdout)
        server.kill()
    began = time.monotonic()
    assert (
        lone_cluster_host.search(EngineConfig("random", book=False), SHORT, Limits(), game_id="next")
        .result(TIMEOUT_S)
        .best
    )
    print(f"the worker was free again after {time.monotonic() - began:.2f} s")


def test_a_cluster_that_is_not_there_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_link, "CONNECT_SECONDS", 0.5)
    with pytest.raises(OptionError, match=r"The cluster at tcp://127.0.0.1:9 cannot be reached\."):
        ClusterHost("tcp://127.0.0.1:9")
    with pytest.raises(OptionError, match="nonsense"):
        ClusterHost("nonsense://x")


def test_searches_fail_while_the_scheduler_is_away_and_work_when_it_is_back(quick_outages: None) -> None:
    with tended_cluster(1) as first:
        address = first.address
        host = ClusterHost(address)
        running = host.search(EngineConfig(DIARY, book=False), SHORT, Limits(), game_id="a")
        wait_until(lambda: any(one.searching is not None for one in host.status()), "not started")
        first._scheduler.kill()
        with pytest.raises(ClusterUnreachable, match=f"The cluster at {address} cannot be reached."):
            running.result(TIMEOUT_S)
        with pytest.raises(ClusterUnreachable):
            host.search(EngineConfig(DIARY, book=False), SHORT, Limits(), game_id="a").result(TIMEOUT_S)
    with tended_cluster(1, int(address.rpartition(":")[2])), host:
        wait_until(lambda: len(host.status()) == 1, "it does not reconnect")
        assert host.search(EngineConfig("random", book=False), SHORT, Limits(), game_id="a").result(TIMEOUT_S).best


def test_a_cluster_without_workers_or_of_another_version_is_explained(
    quick_outages: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Cluster()
    try:
        with ClusterHost(made.address) as host:
            search = host.search(EngineConfig("random", book=False), SHORT, Limits(), game_id="a")
            with pytest.raises(ClusterUnreachable, match="has no workers"):
                search.result(TIMEOUT_S)
            monkeypatch.setattr(cluster_link.cluster_worker, "tengen_version", lambda: "0.0")
            made.add_worker()
            wait_until(lambda: "not 0.0" in str(_failure(host)), "the version was not checked")
    finally:
        made.close()


def _failure(host: ClusterHost) -> BaseException | None:
    return host.search(EngineConfig("random", book=False), SHORT, Limits(), game_id="a").future.exception(
        TIMEOUT_S
    )


def test_closing_leaves_no_thread_and_no_open_file(two_workers: Cluster) -> None:
    def count() -> tuple[int, int]:
        names = [thread.name for thread in threading.enumerate()]
        ours = sum(name in ("engine host", "cluster connection", "engine host callbacks") for name in names)
        return ours, len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else 0

    def use() -> None:
        with ClusterHost(two_workers.address) as host:
            host.search(EngineConfig("random", book=False), SHORT, Limits(), game_id="a").result(TIMEOUT_S)

    use()
    before = count()
    for _ in range(3):
        use()
    wait_until(lambda: all(now <= then for now, then in zip(count(), before, strict=True)), f"more than {before}")
