"""Reading in the tree: moves that catch or save strings may get credit, and playouts know answers."""

from __future__ import annotations

import pytest

import tengen
from tengen.core.position import Position
from tengen.engines.go.engine import GoEngine
from tengen.engines.go.kernels.selection import shown
from tengen.engines.go.tuning import TUNABLES
from tengen.engines.go.worker import READ_AFTER, READ_EVERY, Workers
from tengen.search.kernels import mcts
from tengen.search.limits import Limits, StopFlag
from tengen.search.tree import Tree

DEFAULTS = {tunable.name: tunable.default for tunable in TUNABLES}
# A net: the stone on C5 runs out of both ladders to its friends on F2, but not out of D4.
NET = "......./..XX.../.XO..../.X...../......./.....O./......."


def _board(rows: str, **options: object) -> Position:
    return tengen.game("go", board=rows, **{"komi": 0, **options}).start()


def _credit(position: Position, move: str, **settings: object) -> tuple[int, float]:
    """(games on credit, share of them won) of a move at the root."""
    engine = GoEngine(seed=1, **settings)
    engine.search(position, Limits(nodes=1))
    assert engine.tree is not None
    for child in engine.tree.children(0):
        if position.game.write_move(int(engine.tree.nodes[child, mcts.MOVE])) == move:
            prior = int(engine.tree.nodes[child, mcts.PRIOR])
            return prior >> 16, (prior & 0xFFFF) / (2 * (prior >> 16))
    raise AssertionError(move)


@pytest.mark.parametrize(("side", "move"), [("X", "D4"), ("O", "D5")])
def test_who_moves_first_decides_and_the_moves_that_do_get_games_won(side: str, move: str) -> None:
    position = _board(f"{NET} {side}")
    before, after = _credit(position, move, reading=0), _credit(position, move, reading=60)
    assert after[0] > before[0]
    assert after[1] > before[1]


def test_what_is_lost_either_way_gets_none() -> None:
    position = _board(NET[:27] + "X" + NET[28:] + " O")  # the net is there
    assert _credit(position, "D5", reading=0) == _credit(position, "D5", reading=60)


def test_an_urgent_move_is_shown_however_unlikely_it_looks() -> None:
    position = _board(f"{NET} X")
    engine = GoEngine(seed=1, width=1, reading=60)
    engine.search(position, Limits(nodes=1))
    tree = engine.tree
    assert tree is not None
    visible = range(tree.children(0).start, tree.children(0).start + int(shown.py_func(tree.nodes, 0, 1.0)))
    moves = [position.game.write_move(int(tree.nodes[child, mcts.MOVE])) for child in visible]
    assert "D4" in moves
    every = [int(tree.nodes[child, mcts.MOVE]) for child in tree.children(0)]
    assert len(set(every)) == len(every)  # they changed places, and nothing was lost


def test_playouts_answer_what_would_get_away() -> None:
    position = _board(NET[:27] + "X" + NET[28:] + " O")
    tree = Tree(position, 200)
    workers = Workers(position, tree, DEFAULTS, 1, 0, StopFlag())
    workers.plant(position.legal_moves)
    workers.run(1)
    write = position.game.write_move
    answers = {
        write(int(workers.geometry.outward[point])): write(int(workers.geometry.outward[answer]))
        for point, answer in enumerate(workers._shared.answers[1])
        if answer
    }
    assert {"C4", "D5"} <= set(answers)
    for run, answer in answers.items():
        position.play(run).play(answer)  # legal, and on another point


def test_nodes_below_are_read_once_they_are_visited_often_and_the_clock_does_not_matter() -> None:
    position = _board(f"{NET} X", komi=0.5)
    reports = []
    for pieces in ((700,), (100, 250, 350), (1,) * 700):
        tree = Tree(position, 20_000)
        workers = Workers(position, tree, DEFAULTS | {"reading": 40.0}, 1, 5, StopFlag())
        workers.plant(tuple(move for move in position.legal_moves))
        for piece in pieces:
            left = piece
            while left:
                done = workers.run(left)
                assert 0 < done <= READ_EVERY
                left -= done
        reports.append(tree.nodes[: tree.used[0]].tolist())
    assert reports[0] == reports[1] == reports[2]
    noted = [row for row in reports[0][1:] if row[mcts.NOTE]]
    assert noted
    assert all(row[mcts.VISITS] >= READ_AFTER for row in noted)


def test_without_credit_only_the_root_is_read() -> None:
    position = _board(f"{NET} X")
    engine = GoEngine(seed=1)
    engine.search(position, Limits(nodes=600))
    assert engine.tree is not None
    assert engine.tree.nodes[:, mcts.NOTE].nonzero()[0].tolist() == [0]


def test_without_reading_nothing_is_read() -> None:
    position = _board(f"{NET} X")
    engine = GoEngine(seed=1, answers=0)
    engine.search(position, Limits(nodes=600))
    assert engine.tree is not None
    assert not engine.tree.nodes[:, mcts.NOTE].any()
