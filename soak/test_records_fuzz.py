"""A hundred thousand damaged records: a clear error or a game, never a crash or a hang. Four minutes at most."""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.helpers.damaged_records import damaged, outcome, samples
from tests.helpers.sample_records import GO_SERVERS

FILES = 100_000
SECONDS = 235.0


def test_a_hundred_thousand_damaged_records(capsys: pytest.CaptureFixture[str]) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    originals = samples()
    for sample in originals:
        outcome(sample)  # compiles
    began = time.monotonic()
    results: Counter[str] = Counter()
    slowest = 0.0
    while results.total() < FILES and time.monotonic() - began < SECONDS:
        number = results.total()
        data = damaged(random.Random(f"{seed}/{number}"), originals)
        started = time.monotonic()
        try:
            results[outcome(data)] += 1
        except Exception as error:
            pytest.fail(f"seed {seed}/{number}: {type(error).__name__}: {error}; the file is {data!r}")
        slowest = max(slowest, time.monotonic() - started)
    with capsys.disabled():
        print(
            f"\nrecords: {results.total():,} damaged files in {time.monotonic() - began:.0f} s, seed {seed}: "
            f"{results['error']:,} refused in one line, {results['games']:,} read as games that are the same "
            f"after write and read; the slowest took {slowest:.2f} s"
        )
    assert set(results) == {"games", "error"}
    assert slowest < 10
    assert results.total() >= FILES // 2, "too few in the time to say anything; those that were tried were sound"


@pytest.mark.parametrize("form", GO_SERVERS)
def test_twenty_thousand_damaged_files_of_a_go_server(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    results: Counter[str] = Counter()
    began, slowest = time.monotonic(), 0.0  # CPU seconds: other programs may be running
    for number in range(20_000):
        data = damaged(random.Random(f"{seed}/{number}"), GO_SERVERS[form])
        started = time.process_time()
        try:
            results[outcome(data)] += 1
        except Exception as error:
            pytest.fail(f"seed {seed}/{number}: {type(error).__name__}: {error}; the file is {data!r}")
        slowest = max(slowest, time.process_time() - started)
    with capsys.disabled():
        took = f"{time.monotonic() - began:.0f} s, slowest {slowest:.2f} s of CPU"
        print(f"\n{form}: {dict(results)} in {took}, seed {seed}")
    assert set(results) == {"games", "error"}
    assert slowest < 10
