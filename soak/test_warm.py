"""After `tengen warm` no game compiles anything: on an empty cache, which takes minutes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tengen import games

SCRIPT = """
import sys
import tengen
from tengen.core.compiled.cache import announcing
from tengen.engines.registry import create, engines_for
from tengen.search.limits import Limits

compiled = []
with announcing(compiled.append):
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
