"""Reading at the root of the tree search: replies in playouts, priors in the tree, and the setting for both."""

from __future__ import annotations

import pytest

import tengen
from tengen.core.position import Position
from tengen.engines.go.mcts.engine import GoEngine
from tengen.engines.go.mcts.tree_search import GoTreeSearch, needs_reading
from tengen.engines.go.mcts.tunables import DEFAULT_SETTINGS
from tengen.search.limits import Limits
from tengen.search.tree import Tree
from tengen.search.tree_search import Resources

# A net: both ladders on C5 are broken by F2, but D4 captures it.
NET = "......./..XX.../.XO..../.X...../......./.....O./......."
# The stone on C5 can extend, and is captured at the edge.
LADDER = "......./..XX.../.XO..../..X..../......./......./......."


def _board(rows: str, **options: object) -> Position:
    return tengen.game("go", board=rows, **{"komi": 0, **options}).start()


def _replies(position: Position, colour: int, **settings: object) -> dict[str, str]:
    """Replies of playouts to moves of a colour."""
    search = GoTreeSearch(Tree(position, 200), (), DEFAULT_SETTINGS | settings, Resources())
    write, to_rules = position.game.write_move, search.geometry.to_rules
    found = enumerate(search.replies[colour])
    return {write(int(to_rules[point])): write(int(to_rules[reply])) for point, reply in found if reply}


def test_playouts_reply_to_escape_attempts() -> None:
    position = _board(NET[:27] + "X" + NET[28:] + " O")  # the net is there
    replies = _replies(position, 1)
    assert {"C4", "D5"} <= set(replies)
    for run, reply in replies.items():
        position.play(run).play(reply)  # legal, and on another point


def test_playouts_reply_to_an_attack() -> None:
    assert "D4" in _replies(_board(f"{NET} X"), 0)


def test_only_strings_that_might_be_captured_are_read() -> None:
    assert needs_reading(_board(f"{NET} X"))
    assert not needs_reading(_board("......./......./..X.O../......./...O.../......./....... X"))


def test_without_reading_playouts_have_no_replies() -> None:
    position = _board(f"{NET} X")
    assert _replies(position, 0, reading=False) == {}


def _prior_win_rates(position: Position, *, reading: bool) -> dict[str, float]:
    """Prior win rate of each move at the root."""
    engine = GoEngine(seed=1, reading=reading)
    engine.search(position, Limits(nodes=1))
    assert engine.tree is not None
    nodes, write = engine.tree.nodes, position.game.write_move
    priors = {write(int(nodes[at].move)): int(nodes[at].prior) for at in engine.tree.children(0)}
    return {move: (prior & 0xFFFF) / (prior >> 16) for move, prior in priors.items()}


def _gains(position: Position) -> dict[str, float]:
    """Change of the prior win rates by reading."""
    without = _prior_win_rates(position, reading=False)
    return {move: share - without[move] for move, share in _prior_win_rates(position, reading=True).items()}


def test_reading_lowers_the_prior_of_an_extension_into_a_ladder() -> None:
    assert _gains(_board(f"{LADDER} O"))["D5"] < 0


@pytest.mark.parametrize(("player", "moves"), [("X", {"D4"}), ("O", {"D5", "C4"})])
def test_reading_raises_the_priors_of_moves_that_decide_a_string(player: str, moves: set[str]) -> None:
    gains = _gains(_board(f"{NET} {player}"))
    others = [gain for move, gain in gains.items() if move not in moves]
    assert min(gains[move] for move in moves) > max(0, *others)


def test_reading_lowers_the_priors_of_futile_extensions() -> None:
    gains = _gains(_board(NET[:27] + "X" + NET[28:] + " O"))
    assert gains["D5"] < 0
    assert gains["C4"] < 0


def test_the_reply_to_an_attack_has_a_higher_prior() -> None:
    """Only the root is read, but its replies are used in the whole tree."""
    position = _board(f"{NET} X")
    reply = _replies(position, 0)["D4"]
    shares = []
    for reading in (True, False):
        engine = GoEngine(seed=1, reading=reading)
        engine.search(position, Limits(nodes=20, moves=("D4",)))
        assert engine.tree is not None
        prior = int(engine.tree.nodes[_child(engine.tree, _child(engine.tree, 0, "D4"), reply)].prior)
        shares.append((prior & 0xFFFF) / (prior >> 16))
    assert shares[0] > shares[1]


def _child(tree: Tree, node: int, move: str) -> int:
    write = tree.position.game.write_move
    return next(child for child in tree.children(node) if write(int(tree.nodes[child].move)) == move)
