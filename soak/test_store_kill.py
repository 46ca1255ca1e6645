"""The kill test of tests/store/test_store_safety.py at 200 moments, on SQLite and PostgreSQL, in five minutes."""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.helpers.platforms import linux_only
from tests.helpers.postgres_server import new_database, running
from tests.helpers.store_crashes import Launcher, acknowledged, kill_at_random

KILLS = 200
SECONDS = 300.0
EACH = 10  # kills of one store


@linux_only
def test_two_hundred_kills_lose_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    rng = random.Random(seed)
    began = time.monotonic()
    kills = within = facts = 0
    launcher = Launcher()
    with running(tmp_path / "postgres") as port:
        while kills < KILLS and time.monotonic() - began < SECONDS:
            log = tmp_path / f"log-{kills}"
            kind = ("sqlite", "postgresql")[kills // EACH % 2]
            url = str(tmp_path / f"{kills}.db") if kind == "sqlite" else new_database(port)
            for _ in range(EACH):
                working, _ = kill_at_random(launcher, rng, url, log)
                kills += 1
                within += working
            facts += len(acknowledged(log))
    launcher.close()
    with capsys.disabled():
        print(
            f"\nstore: {kills} kills ({within} of them in the midst of work), half on PostgreSQL, in "
            f"{time.monotonic() - began:.0f} s, seed {seed}: {facts} saves kept, nothing half there"
        )
    assert within >= KILLS // 4, "too few kills in the time to say anything; those that were made lost nothing"
