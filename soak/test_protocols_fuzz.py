"""A hundred thousand random and malformed lines for each protocol: always an answer of the right form, and steady
memory; and how soon any input ends an analysis. Two minutes.
"""

from __future__ import annotations

import gc
import os
import random
import statistics
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.helpers.protocol_client import Pipes, resident_bytes, seconds_to_stop
from tests.helpers.protocol_fuzz import (
    check_gomocup,
    check_gtp,
    check_nboard,
    fuzz,
    gomocup_talk,
    gtp_talk,
    nboard_talk,
)

import tengen
from tengen.players.config import EngineConfig
from tengen.protocols.gtp.server import Gtp
from tengen.protocols.nboard import NBoard

LINES = 100_000
ROUNDS = 10
STOPS = 100
MEGABYTE = 1 << 20


@pytest.mark.parametrize("protocol", ["gtp", "nboard", "gomocup"])
def test_a_hundred_thousand_lines(
    protocol: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    seed = random.SystemRandom().randrange(1 << 32)
    talk, lines = {"gtp": gtp_talk, "nboard": nboard_talk, "gomocup": gomocup_talk}[protocol]()
    check = {"gtp": check_gtp, "nboard": check_nboard, "gomocup": check_gomocup}[protocol]
    began = time.monotonic()
    memory = []
    for number in range(ROUNDS):
        fuzz(talk, lines, check, LINES // ROUNDS, f"{seed}/{number}")
        gc.collect()
        memory.append(resident_bytes())
    growth = (memory[-1] - memory[1]) / MEGABYTE
    with capsys.disabled():
        print(
            f"\n{protocol}: {LINES:,} random and malformed lines in {time.monotonic() - began:.0f} s, seed "
            f"{seed}: each answered in the right form; memory grew by {growth:.1f} MB from the second tenth on"
        )
    assert os.listdir(tmp_path) == []
    assert growth < 30


def test_any_input_ends_an_analysis(capsys: pytest.CaptureFixture[str]) -> None:
    cases = {
        "lz-analyze, Go 19x19": (
            lambda inbox, write: Gtp(inbox, write, tengen.game("go"), EngineConfig("uct")),
            ("lz-analyze 10\n", "info", "5 name\n", "=5 Tengen"),
        ),
        "kata-analyze with ownership, Go 19x19": (
            lambda inbox, write: Gtp(inbox, write, tengen.game("go"), EngineConfig("uct")),
            ("kata-analyze 10 ownership true\n", "info", "5 name\n", "=5 Tengen"),
        ),
        "hint, Othello": (
            lambda inbox, write: NBoard(inbox, write, EngineConfig("alphabeta")),
            ("set depth 60\nhint 3\n", "search", "ping 5\n", "pong 5"),
        ),
    }
    for name, (factory, (begin, shown, then, ended)) in cases.items():
        pipes = Pipes(factory)
        seconds = [
            seconds_to_stop(pipes, begin, lambda line, shown=shown: line.startswith(shown), then, ended)
            for _ in range(STOPS)
        ]
        pipes.hang_up()
        with capsys.disabled():
            print(
                f"\n{name}: {STOPS} analyses ended by a line, median {1000 * statistics.median(seconds):.0f} ms "
                f"until that line was answered, at worst {1000 * max(seconds):.0f} ms"
            )
        assert statistics.median(seconds) < 0.05
