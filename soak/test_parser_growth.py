"""Every parser from 1 KB to 6 MB, with input that is hard for it: time per byte stays the same. Twenty minutes.

Then random mixtures of tokens, each with a bound on its time.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.helpers.parser_cases import PARSERS, RUNS, TINY_S, cases, made, seconds

SIZES = (1_000, 30_000, 1_000_000, 6_000_000)
SECONDS = 900.0  # for all parsers together
FUZZ_SECONDS = 240.0
SLOWEST_S_PER_BYTE = 100e-6  # millions of tiny games: each costs as much as a hundred bytes of others
GROWTH = 4.0  # of the time per byte from one size to the next: quadratic growth is 30


def test_time_per_byte_from_1_kb_to_6_mb(capsys: pytest.CaptureFixture[str]) -> None:
    began = time.monotonic()
    rows = []
    for number, (name, parser) in enumerate(PARSERS.items(), 1):
        until = began + SECONDS * number / len(PARSERS)
        every = list(cases(parser))
        random.Random(3).shuffle(every)
        slowest = dict.fromkeys(SIZES, 0.0)
        tried = 0
        for case in every:
            if time.monotonic() > until and tried:
                break
            tried += 1
            before = 0.0
            for size in SIZES:
                data = made(*case, size)
                spent = min(seconds(parser, data), seconds(parser, data)) if size < 1e6 else seconds(parser, data)
                slowest[size] = max(slowest[size], spent)
                per_byte = spent / len(data)
                if before and spent > TINY_S:
                    assert per_byte < max(GROWTH * before, 1e-6), (
                        f"{name}: {case!r}, {len(data):,} bytes: {spent:.1f} s"
                    )
                assert spent < TINY_S + SLOWEST_S_PER_BYTE * len(data), f"{name}: {case!r}"
                before = per_byte
        rows.append(f"{name:18}{tried:6}/{len(every):<6}" + "".join(f"{slowest[size]:10.3f}" for size in SIZES))
    with capsys.disabled():
        print("\nslowest case in seconds" + " " * 7 + "".join(f"{size // 1000:>7,} KB" for size in SIZES))
        print("\n".join(rows))


def test_random_mixtures_of_tokens(capsys: pytest.CaptureFixture[str]) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    rng = random.Random(seed)
    began, tried, slowest = time.monotonic(), 0, 0.0
    while time.monotonic() - began < FUZZ_SECONDS:
        name = rng.choice(list(PARSERS))
        parser = PARSERS[name]
        tokens = (*parser.tokens, *RUNS)
        data = rng.choice(parser.beginnings)
        while len(data) < 20_000:
            unit = b"".join(rng.choices(tokens, k=rng.randrange(1, 5)))
            data += unit * rng.choice((1, 2, 10, 100, 1_000))
        data = data[:40_000] + rng.choice(parser.ends)
        spent = seconds(parser, data)
        assert spent < 10, f"seed {seed}, {name}: {spent:.1f} s for {data[:200]!r} …"
        tried, slowest = tried + 1, max(slowest, spent)
    with capsys.disabled():
        print(f"\nparsers: {tried:,} random mixtures of tokens, seed {seed}; the slowest took {slowest:.2f} s")
