"""Reading for the Monte-Carlo player: playouts know answers, likelihoods know ladders, and a switch for both."""

from __future__ import annotations

import tengen
from tengen.core.position import Position
from tengen.engines.go.engine import GoEngine
from tengen.engines.go.tuning import TUNABLES
from tengen.engines.go.worker import Workers
from tengen.search.kernels import mcts
from tengen.search.limits import Limits, StopFlag
from tengen.search.tree import Tree

DEFAULTS = {tunable.name: tunable.default for tunable in TUNABLES}
# A net: the stone on C5 runs out of both ladders to its friends on F2, but not out of D4.
NET = "......./..XX.../.XO..../.X...../......./.....O./......."
# The stone on C5 can run, and is caught at the edge.
LADDER = "......./..XX.../.XO..../..X..../......./......./......."


def _board(rows: str, **options: object) -> Position:
    return tengen.game("go", board=rows, **{"komi": 0, **options}).start()


def _answers(position: Position, colour: int, **settings: object) -> dict[str, str]:
    """The answers to moves of a colour that playouts know."""
    workers = Workers(position, Tree(position, 200), DEFAULTS | settings, 1, 0, StopFlag())
    write, outward = position.game.write_move, workers.geometry.outward
    found = enumerate(workers._shared.answers[colour])
    return {write(int(outward[point])): write(int(outward[answer])) for point, answer in found if answer}


def test_playouts_answer_what_would_get_away() -> None:
    position = _board(NET[:27] + "X" + NET[28:] + " O")  # the net is there
    answers = _answers(position, 1)
    assert {"C4", "D5"} <= set(answers)
    for run, answer in answers.items():
        position.play(run).play(answer)  # legal, and on another point


def test_playouts_answer_the_move_that_would_catch() -> None:
    assert "D4" in _answers(_board(f"{NET} X"), 0)


def test_without_reading_playouts_know_nothing() -> None:
    position = _board(f"{NET} X")
    assert _answers(position, 0, reading=False) == _answers(position, 0, answers=0.0) == {}


def test_without_reading_a_run_into_a_ladder_looks_better() -> None:
    position = _board(f"{LADDER} O")
    credit = []
    for reading in (True, False):
        engine = GoEngine(seed=1, reading=reading)
        engine.search(position, Limits(nodes=1))
        assert engine.tree is not None
        children, write = engine.tree.children(0), position.game.write_move
        (run,) = (at for at in children if write(int(engine.tree.nodes[at, mcts.MOVE])) == "D5")
        prior = int(engine.tree.nodes[run, mcts.PRIOR])
        credit.append((prior & 0xFFFF) / (prior >> 16))
    assert credit[0] < credit[1]
