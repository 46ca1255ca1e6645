"""Searches on a Dask cluster under faults, and whole games through `tengen web --cluster`."""

from __future__ import annotations

import os
import random
import signal
import statistics
import sys
import time
from collections import Counter
from pathlib import Path

import httpx
import pytest

import tengen
from tengen.app.bulk_review import BulkReview
from tengen.core.position import Position
from tengen.engines.registry import create
from tengen.games.records import Record
from tengen.players.config import EngineConfig
from tengen.runtime.cluster.host import ClusterHost
from tengen.runtime.host import EngineHost
from tengen.runtime.messages import Progress, Request, Stage
from tengen.search.limits import Limits
from tengen.search.report import Report
from tengen.store.game_entry import GameEntry
from tengen.store.listing import Filter
from tengen.store.store import Store

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.helpers.dask_clusters import tended_cluster
from tests.helpers.engine_host import HANGING, SHORT, ProgressLog
from tests.helpers.waiting import TIMEOUT_S, wait_until
from tests.helpers.web_site import STRAW, serving

from tengen.players.opponents import analysis_player

pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's own

KILLS, TABLES, SECONDS = 25, 6, 600.0


def test_reports_stay_the_same_while_workers_are_killed() -> None:
    """Six games search positions whose reports are known; workers are killed in mid-search and replaced."""
    seed = random.SystemRandom().randrange(1 << 32)
    rng = random.Random(seed)
    specs = [
        EngineConfig("flat", seed=1, book=False),
        EngineConfig("uct", seed=2, settings={"reuse": False, "memory": 16}, book=False),
    ]
    limits = Limits(nodes=20_000)
    position = tengen.game("othello", size=6).start()
    positions: list[Position] = []
    for _ in range(4):
        position = position.play(rng.choice(position.legal_moves))
        positions.append(position)
    expected: dict[tuple[EngineConfig, tuple[int, ...]], Report] = {
        (spec, each.moves): create(spec.name, seed=spec.seed, **spec.settings).search(each, limits)
        for spec in specs
        for each in positions
    }
    kills = moves = 0
    retries: list[Progress] = []
    delays: list[float] = []

    def note(progress: Progress) -> None:
        if progress.stage is Stage.RETRYING:
            retries.append(progress)

    began = time.monotonic()
    with tended_cluster(2) as made, ClusterHost(made.address) as host:
        while kills < KILLS and time.monotonic() - began < SECONDS:
            asked = []
            for number in range(TABLES):
                spec, each = specs[number % 2], rng.choice(positions)
                handle = host.search(spec, each, limits, game_id=str(number), on_progress=note)
                asked.append((expected[spec, each.moves], handle))
            hits: Counter[object] = Counter()
            while not all(handle.done() for _, handle in asked):
                time.sleep(rng.uniform(0, 0.2))
                at_work = [w for w in host.status() if w.searching is not None and hits[w.searching] < 1]
                if at_work and kills < KILLS:
                    victim = rng.choice(at_work)
                    hits[victim.searching] += 1
                    seen, killed_at = len(retries), time.monotonic()
                    os.kill(victim.pid, signal.SIGKILL)
                    kills += 1
                    until = time.monotonic() + 2
                    while len(retries) == seen and time.monotonic() < until:  # it may have just ended
                        time.sleep(0.001)
                    if len(retries) > seen:
                        delays.append(time.monotonic() - killed_at)
            for report, handle in asked:
                assert handle.result(TIMEOUT_S).candidates == report.candidates
                moves += 1
    print(
        f"{kills} kills, {len(retries)} retries, {moves} reports, all right, in {time.monotonic() - began:.0f} s; "
        f"a death is noticed after {1000 * statistics.median(delays):.0f} ms (median; seed {seed})"
    )
    assert len(retries) <= kills


def test_a_search_that_hangs_costs_its_worker_and_one_retry(tmp_path: Path) -> None:
    notes = ProgressLog()
    spec = EngineConfig(HANGING, settings={"log": str(tmp_path / "log"), "times": 1})
    with tended_cluster(1) as made, ClusterHost(made.address, grace_s=15.0) as hasty:
        assert (
            hasty.search(spec, SHORT, Limits(seconds=0.1), game_id="h", on_progress=notes).result(TIMEOUT_S).best
        )
    retries = [progress.note for progress in notes.all if progress.stage is Stage.RETRYING]
    assert retries == ["a worker did not answer in time and was killed"]


def test_what_a_cluster_costs_per_search_and_how_soon_a_stop_takes_effect() -> None:
    """Printed, not asserted: a local host beside a cluster on the same machine."""
    go = Request("go", {"size": 9})

    def measure(host: EngineHost) -> None:
        host.search(EngineConfig("uct", book=False), go, Limits(nodes=10), game_id="m").result(TIMEOUT_S)
        searches, stops = [], []
        for _ in range(100):
            began = time.perf_counter()
            host.search(EngineConfig("random", book=False), go, Limits(nodes=1), game_id="m").result(TIMEOUT_S)
            searches.append(time.perf_counter() - began)
        for _ in range(30):
            seen: list[Progress] = []
            handle = host.search(
                EngineConfig("uct", book=False), go, Limits(), game_id="m", on_progress=seen.append
            )
            wait_until(lambda seen=seen: any(one.stage is Stage.SEARCHING for one in seen), "no progress")  # type: ignore[misc]
            began = time.perf_counter()
            handle.stop()
            handle.result(TIMEOUT_S)
            stops.append(time.perf_counter() - began)
        for name, times in (("one search", sorted(searches)), ("a stop", sorted(stops))):
            middle, late = times[len(times) // 2], times[int(0.95 * len(times))]
            print(f"{type(host).__name__}: {name} {1000 * middle:.1f} ms (median), {1000 * late:.1f} ms (p95)")

    with EngineHost(2) as local:
        measure(local)
    with tended_cluster(2) as made, ClusterHost(made.address) as host:
        measure(host)


def test_whole_games_through_the_web_server(tmp_path: Path) -> None:
    """A person plays an engine that searches on the cluster, while workers die; then analysis and review."""
    rng = random.Random(20261118)
    with (
        tended_cluster(2) as made,
        serving(tmp_path, "--cluster", made.address) as (address, _),
        httpx.Client(base_url=f"{address}/api", timeout=TIMEOUT_S) as http,
    ):
        # The straw man's games are played whole; those of a slow engine for a few moves, each with a death.
        for engine, moves, kills in ((STRAW, 200, 1), (analysis_player("othello").name, 3, 3)):
            body = {"game": "othello", "options": {"size": 6}, "players": ["Ann", engine], "rated": False}
            created = http.post("/games", json=body)
            assert created.status_code == 201, created.text
            game, key = created.json()["state"]["id"], created.json()["keys"][0]
            played = 0
            state = created.json()["state"]
            while state["result"] is None and played < moves:
                if state["to_move"] != 0:
                    time.sleep(0.05)
                    state = http.get(f"/games/{game}").json()
                    continue
                move = {"move": rng.choice(state["legal"])}
                done = http.post(f"/games/{game}/moves", json=move, headers={"X-Tengen-Key": key})
                assert done.status_code == 200, done.text
                state = done.json()
                played += 1
                if kills:
                    kills -= 1
                    time.sleep(0.3)
                    alive = [worker for worker in made.workers if worker.is_alive()]
                    os.kill(rng.choice(alive).pid or 0, signal.SIGKILL)
            assert played == moves or state["result"] is not None
            print(f"{played} moves against {engine}: {state['result']}")
            if state["result"] is None:
                http.post(f"/games/{game}/resign", headers={"X-Tengen-Key": key})
        question = {"game": "othello", "options": {"size": 6}, "moves": [], "seconds": 1}
        analysis = http.post("/analyse", json=question)
        assert analysis.status_code == 200, analysis.text
        review = http.post(f"/games/{game}/review", headers={"X-Tengen-Key": key})
        assert review.status_code == 202, review.text
        wait_until(lambda: len(http.get(f"/games/{game}/values").json()) > 3, "the review finds nothing")
    log = (tmp_path / "server.log").read_text()
    assert "Traceback" not in log, log


def test_a_library_is_reviewed_on_a_cluster() -> None:
    """Several games at once; then nothing is left to do."""
    with tended_cluster(2) as made, ClusterHost(made.address) as host, Store.in_memory() as store:
        for seed in range(4):
            rng = random.Random(seed)
            position = tengen.game("clobber", size=12).start()
            while not position.is_over:
                position = position.play(rng.choice(list(position.legal_moves)))
            store.save(GameEntry(Record.of(position), end="no moves left"))
        done = BulkReview(store, host, Filter(), at_once=host.workers).run()
        assert (done.done, done.total, done.known, done.failed) == (4, 4, 0, 0)
        again = BulkReview(store, host, Filter(), at_once=host.workers).run()
        assert (again.done, again.known) == (4, 4)
