"""The kill test of tests/jobs/test_jobs.py at 200 random moments, with threads and processes, in three minutes."""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.helpers.job_crashes import Victim, kill_at_random
from tests.helpers.platforms import linux_only

KILLS = 200
SECONDS = 170.0
TASKS = 2000


@linux_only
def test_two_hundred_kills_lose_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    rng = random.Random(seed)
    began = time.monotonic()
    kills = within = results = files = 0
    while kills < KILLS and time.monotonic() - began < SECONDS:
        kind = rng.choice(["threads", "local"])
        folder = tmp_path / str(files)
        folder.mkdir()
        files += 1
        # One file is killed again and again, until its work is done or it has been through ten kills.
        for _ in range(min(10, KILLS - kills)):
            before, after = kill_at_random(folder, rng, kind, TASKS)
            assert before <= after, f"results were lost (seed {seed})"
            kills += 1
            within += before < after < TASKS
            if after == TASKS or time.monotonic() - began > SECONDS:
                break
        survivor = Victim(folder, kind, TASKS, 0)
        assert survivor.end() == "", f"the last run failed (seed {seed})"
        stored = survivor.check()
        assert set(stored) == {str(n) for n in range(TASKS)}, f"tasks were lost (seed {seed})"
        results += len(stored)
    with capsys.disabled():
        print(
            f"\njobs: {kills} kills ({within} of them in the midst of work) of runs on {files} checkpoints in "
            f"{time.monotonic() - began:.0f} s, seed {seed}: {results} results, none lost, none done twice, "
            "no process left"
        )
    assert within >= KILLS // 4, "too few kills in the time to say anything; those that were made lost nothing"
