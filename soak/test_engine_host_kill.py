"""The kill test of tests/runtime/test_engine_host.py with 100 kills, in three minutes."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.helpers.engine_host import play_under_fire
from tests.helpers.platforms import linux_only

KILLS = 100
SECONDS = 170.0


@linux_only
def test_a_hundred_kills_change_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    result = play_under_fire(random.Random(seed), KILLS, SECONDS, tables=12)
    with capsys.disabled():
        print(
            f"\nengine host: {result.kills} workers killed, {result.retries} of them in mid-search, in "
            f"{result.seconds:.0f} s, seed {seed}: {result.moves} reports, all right; no process, no "
            "shared memory and no open file left"
        )
    assert result.retries >= KILLS // 4, (
        "too few kills in the time to say anything; those that were made were harmless"
    )
