"""The kernels of search: loaded by a new process, and as plain Python, always with the same results.

`python -m tests.search.test_search_kernels` prints the results of the small cases as JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from tengen.core.compiled.rng import make_rng
from tengen.core.folders import cache_folder
from tengen.games import game
from tengen.search.kernels import flat, perft, playout
from tests.helpers.fork_server import Server
from tests.helpers.paths import ROOT
from tests.helpers.search_kernels import SOURCES, STARTS, kernels, perft_scratch, results
from tests.reference import go as reference

compiled_only = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="there is no compiled form to look at")


# ---- a small case of each kernel


# ---- loaded and plain


@compiled_only
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_every_kernel_is_loaded_by_a_new_process_with_the_same_results(tmp_path: Path) -> None:
    """What a cold cache gives is soaked."""
    here = json.loads(json.dumps(results("clobber")))  # compiled here, if by nobody yet
    body = "from tests.helpers.search_kernels import kernels, results\n"
    body += "def work(): return results('clobber'), kernels(used=True)"
    server = Server(tmp_path)
    try:
        run = server.run(body, [SOURCES, ROOT], cache_folder())
    finally:
        server.close()
    assert run.compiled == run.failures == []
    assert run.result == [here, kernels()]


@compiled_only
def test_plain_python_gives_the_same_results() -> None:
    plain = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.helpers.search_kernels"],
        cwd=ROOT,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join([str(SOURCES), str(ROOT)])},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert plain.returncode == 0, plain.stderr
    assert plain.stderr == ""
    expected = json.loads(json.dumps({rules: results(rules) for rules in STARTS}))
    assert json.loads(plain.stdout) == expected


# ---- the small kernels, one by one


def test_perft_counts_lines_and_stops() -> None:
    for position, counts in (
        (game("othello").start(), [1, 4, 12, 56, 244, 1396]),
        (game("clobber", board="XOXO").start(), [1, 3, 3, 3]),
        (
            game("go", size=2, ko="positional").start(),
            [1, *reference.Play.start(2, 2, "positional").count_lines(5)],
        ),
    ):
        for depth, count in enumerate(counts):
            stack, moves, keys = perft_scratch(position, depth)
            past = len(position.repeat_keys)
            assert perft.count_lines(stack, moves, keys, past, depth, np.zeros(1, np.int64)) == count
    position = game("othello").start()
    stack, moves, keys = perft_scratch(position, 30)
    assert perft.count_lines(stack, moves, keys, 1, 30, np.ones(1, np.int64)) == -1


def test_random_games_stop_and_count() -> None:
    position = game("clobber", board="XO").start()  # one move, and the first player has won
    states = np.array([position.state, position.state])
    go, stop = np.zeros(1, np.int64), np.ones(1, np.int64)
    for uniform in (True, False):
        assert playout.random_games(states, 10, 100, uniform, make_rng(1), go) == (10, 20)
        assert playout.random_games(states, 10, 100, uniform, make_rng(1), stop) == (0, 0)
        cut_off = playout.random_games(states, 10, 0, uniform, make_rng(1), go)
        assert cut_off[0] == 0, "a game that is cut off at once has no moves"


def test_flat_sampling_visits_all_moves_equally_and_wins_for_the_mover() -> None:
    for first in "XO":
        # Two moves: onto the middle from the left wins at once, from the right too; and 4-5 leaves an answer.
        position = game("clobber", board="XO.XO" if first == "X" else "OX.OX", first=first).start()
        moves = np.array(position.legal_moves, np.int32)
        visits, wins = np.zeros(len(moves), np.int64), np.zeros(len(moves), np.int64)
        states = np.array([position.state, position.state])
        done = flat.sample(states, moves, visits, wins, 101, 50, make_rng(1), np.zeros(1, np.int64))
        assert done == visits.sum() == 101
        assert visits.max() - visits.min() <= 1
        assert not wins.any(), "the other side always makes the last move here"
