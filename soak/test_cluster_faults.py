"""A tournament on a real Dask cluster while workers are killed and added: the same table as without faults."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import pytest

from tengen.arena.standings import Standings
from tengen.arena.tournament import Tournament
from tengen.jobs import LocalExecutor, open_executor
from tengen.jobs.cluster_processes import cluster
from tengen.store.listing import Filter
from tengen.store.store import Store

pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's own

CUP = """
name = "Faults"
game = "clobber"
games = 50
[options]
size = 24
[players]
"Deep" = "alphabeta:depth=4,table=1"
"Shallow" = "alphabeta:depth=1,table=1"
"Tree" = "uct:nodes=600"
"Bush" = "uct:nodes=100"
"Dice" = "random:nodes=1"
"""
WORKERS = 4
KILL_EVERY = 25  # games
SEED = 20261116


def test_five_hundred_games_while_workers_die_and_come(tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(CUP)
    dice = random.Random(SEED)
    killed = 0
    with Store.open(str(tmp_path / "far.db")) as store, cluster(WORKERS) as made:
        cup = Tournament.read(file, store)
        began = time.monotonic()

        def fault(standings: Standings) -> None:
            """Now and then a worker is killed in the midst of a game, and another one is added."""
            nonlocal killed
            if len(standings.played) % KILL_EVERY == 0 and len(standings.played) < 500:
                alive = [worker for worker in made.workers if worker.is_alive()]
                victim = dice.choice(alive)
                time.sleep(dice.random() / 5)
                os.kill(victim.pid, signal.SIGKILL)
                killed += 1
                made.add_worker()

        with open_executor(cluster=made.address) as executor:
            far = cup.play(store, executor, window=2 * WORKERS, checkpoint=tmp_path / "far.jobs", on_game=fault)
        seconds = time.monotonic() - began
        stored = [game.id for game in store.all_games(Filter())]
    assert len(far.played) == 500 == len(stored) == len(set(stored))
    assert set(stored) == {played.id for played in far.played.values()}
    assert killed >= 15

    with Store.open(str(tmp_path / "near.db")) as store, LocalExecutor(2) as executor:
        near = Tournament.read(file, store).play(store, executor, window=4, checkpoint=tmp_path / "near.jobs")
    assert far.to_csv() == near.to_csv()
    assert {key: one.moves for key, one in far.played.items()} == {
        key: one.moves for key, one in near.played.items()
    }
    print(f"500 games in {seconds:.0f} s, {killed} workers killed and as many added, the same table:")
    print(far.to_csv())
