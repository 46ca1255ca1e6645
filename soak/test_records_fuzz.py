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
from tests.helpers.sample_records import GO_SERVERS, PENTE

from tengen.core.errors import PositionError
from tengen.engines.clobber.batch import read_batch
from tengen.engines.clobber.mcgs_tests import is_mcgs

FILES = 100_000
SECONDS = 235.0
NEW_FORMATS = {**GO_SERVERS, **{name: PENTE[name] for name in ("psq", "renlib")}}
MCGS = [
    b"{version 1.5}\n/*_ several\n   lines */\n[clobber_1xn]\nXO {B win, W win}\n/* a sum */ XO (XO) "
    b"{B loss, W loss}\nxxo {B}\n(XXO) {B win} XO {W}\n"
    b"[impartial clobber_1xn] XO {N 1}\n[clobber] XO|OX {B win}\n",
    b"{version 1.3}[nogo_1xn] X..O [clobber_1xn] XO {B win}\n[clobber_1xn] XO "
    b"{winning moves B 1-2} XO.XO {B loss}\n",
]


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


@pytest.mark.parametrize("form", NEW_FORMATS)
def test_twenty_thousand_damaged_files_of_a_format(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    results: Counter[str] = Counter()
    began, slowest = time.monotonic(), 0.0  # CPU seconds: other programs may be running
    for number in range(20_000):
        data = damaged(random.Random(f"{seed}/{number}"), NEW_FORMATS[form])
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


def test_twenty_thousand_damaged_test_files_of_mcgs(capsys: pytest.CaptureFixture[str]) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    results: Counter[str] = Counter()
    slowest = 0.0
    for number in range(20_000):
        text = damaged(random.Random(f"{seed}/{number}"), MCGS).decode("utf-8", "replace")
        started = time.process_time()
        try:
            results["lines" if read_batch(text) else "nothing"] += 1
        except PositionError as error:
            message = str(error)
            assert message.isprintable(), f"seed {seed}/{number}: {message!r}"
            # A file in which no position is left has no line to name.
            assert "line " in message or not is_mcgs(text) or "no sum" in message, (
                f"seed {seed}/{number}: {message}"
            )
            results["error"] += 1
        except Exception as error:
            pytest.fail(f"seed {seed}/{number}: {type(error).__name__}: {error}; the file is {text!r}")
        slowest = max(slowest, time.process_time() - started)
    with capsys.disabled():
        print(f"\nmcgs: {dict(results)}, slowest {slowest:.2f} s of CPU, seed {seed}")
    assert {"lines", "error"} <= set(results)
    assert slowest < 10
