"""Reading for the Monte-Carlo player: playouts know answers, the tree what decides, and a switch for both."""

from __future__ import annotations

import pytest

import tengen
from tengen.core.position import Position
from tengen.engines.go.mcts.engine import GoEngine
from tengen.engines.go.mcts.tree_search import Workers
from tengen.engines.go.mcts.tunables import TUNABLES
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
    assert _answers(position, 0, reading=False) == {}


def _credit(position: Position, *, reading: bool) -> dict[str, float]:
    """The share of games on credit that each first move has won before the first simulation."""
    engine = GoEngine(seed=1, reading=reading)
    engine.search(position, Limits(nodes=1))
    assert engine.tree is not None
    nodes, write = engine.tree.nodes, position.game.write_move
    priors = {write(int(nodes[at, mcts.MOVE])): int(nodes[at, mcts.PRIOR]) for at in engine.tree.children(0)}
    return {move: (prior & 0xFFFF) / (prior >> 16) for move, prior in priors.items()}


def _gains(position: Position) -> dict[str, float]:
    """What reading adds to that."""
    without = _credit(position, reading=False)
    return {move: share - without[move] for move, share in _credit(position, reading=True).items()}


def test_without_reading_a_run_into_a_ladder_looks_better() -> None:
    assert _gains(_board(f"{LADDER} O"))["D5"] < 0


@pytest.mark.parametrize(("player", "moves"), [("X", {"D4"}), ("O", {"D5", "C4"})])
def test_reading_makes_the_moves_likelier_that_decide_over_a_string(player: str, moves: set[str]) -> None:
    gains = _gains(_board(f"{NET} {player}"))
    others = [gain for move, gain in gains.items() if move not in moves]
    assert min(gains[move] for move in moves) > max(0, *others)


def test_reading_makes_moves_less_likely_that_run_with_a_lost_string() -> None:
    gains = _gains(_board(NET[:27] + "X" + NET[28:] + " O"))
    assert gains["D5"] < 0
    assert gains["C4"] < 0


def test_after_an_attack_the_answer_is_likelier() -> None:
    """The root is read before the attack; what answers it is expected in the tree."""
    position = _board(f"{NET} X")
    answer = _answers(position, 0)["D4"]
    shares = []
    for reading in (True, False):
        engine = GoEngine(seed=1, reading=reading)
        engine.search(position, Limits(nodes=20, moves=("D4",)))
        assert engine.tree is not None
        prior = int(engine.tree.nodes[_child(engine.tree, _child(engine.tree, 0, "D4"), answer), mcts.PRIOR])
        shares.append((prior & 0xFFFF) / (prior >> 16))
    assert shares[0] > shares[1]


def _child(tree: Tree, node: int, move: str) -> int:
    write = tree.position.game.write_move
    return next(child for child in tree.children(node) if write(int(tree.nodes[child, mcts.MOVE])) == move)
