"""An empty cache, which takes minutes to fill: what comes is right, and after `tengen warm` nothing is missing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.helpers.fork_server import Server
from tests.helpers.paths import ROOT
from tests.helpers.search_kernels import SOURCES, kernels, results

from tengen import games

SCRIPT = """
import sys
import tengen
from tengen.core.compiled.cache import compile_listener
from tengen.engines.registry import create, engines_for
from tengen.search.limits import Limits

compiled = []
with compile_listener(compiled.append):
    start = tengen.game(sys.argv[1]).start()
    for engine in engines_for(start.game):
        player, position = create(engine), start
        while not position.is_over and position.ply < 80:
            position = position.play(player.search(position, Limits(nodes=300)).best)
print(compiled)
"""


@pytest.mark.parametrize("game", games.names())
def test_what_was_warmed_is_not_compiled_in_a_game(game: str, tmp_path: Path) -> None:
    environment = {**os.environ, "TENGEN_CACHE": str(tmp_path)}
    warm = [sys.executable, "-m", "tengen", "warm", game]
    subprocess.run(warm, env=environment, check=True, capture_output=True)
    played = subprocess.run(
        [sys.executable, "-c", SCRIPT, game], env=environment, check=True, capture_output=True, text=True
    )
    assert played.stdout == "[]\n"


def test_every_kernel_of_search_gives_the_same_results_cold_and_then_warm_in_a_new_process(tmp_path: Path) -> None:
    work = "from tests.helpers.search_kernels import results\ndef work(): return results('clobber')"
    server = Server(tmp_path)
    try:
        cold, warm = (server.run(work, [SOURCES, ROOT], tmp_path / "cache") for _ in range(2))
    finally:
        server.close()
    assert set(kernels()) <= set(cold.compiled)
    assert len(cold.compiled) == len(set(cold.compiled))
    assert warm.compiled == []
    assert cold.failures == warm.failures == []
    assert cold.result == warm.result == json.loads(json.dumps(results("clobber")))
