"""The network of Go: its inputs, the search with it, and its training."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest

import tengen
from tengen.core.position import Position
from tengen.engines.go.board import geometry_for
from tengen.engines.go.mcts.candidates import move_probabilities
from tengen.engines.go.mcts.engine import GoEngine
from tengen.engines.go.mcts.feature_weights import policy_data
from tengen.engines.go.network.files import SHAPE, shipped_network, untrained
from tengen.engines.go.network.kernels import inputs as features
from tengen.engines.go.training import network_games
from tengen.engines.go.training.network_games import (
    GameBatch,
    NetworkGame,
    NetworkGameSettings,
    network_game_tasks,
    play_network_game,
)
from tengen.engines.go.training.network_match import play_match_game
from tengen.engines.go.training.network_samples import game_samples
from tengen.games.go import PASS, Go
from tengen.search.kernels import mcts
from tengen.search.kernels.network import WIN_LOGIT, run_forward
from tengen.search.limits import Limits
from tengen.search.network.evaluator import evaluator, rectangle_neighbourhoods
from tengen.search.network.weights import Weights

Array = np.ndarray[Any, Any]
TINY_GAMES = NetworkGameSettings(5, 40, 10, 0.5)


def network_inputs(position: Position) -> tuple[Array, Array]:
    game = position.game
    assert isinstance(game, Go)
    geometry = geometry_for(game)
    network = evaluator(untrained(SHAPE), rectangle_neighbourhoods(game.width, game.height))
    boards = geometry.board_from(position), geometry.new_board()
    features.write_position(
        boards, geometry.tables, policy_data(geometry, np.zeros(0, np.float32)), game.komi, network
    )
    return network.features[:-1].reshape(game.height, game.width, -1), network.inputs


def random_game(seed: int, moves: int, **options: Any) -> Position:
    rng, position = Random(seed), tengen.game("go", **options).start()
    for _ in range(moves):
        choices = [move for move in position.legal_moves if move != PASS]
        if position.is_over or not choices:
            break
        position = position.play(rng.choice(choices))
    return position


def simple_liberties(position: Position) -> dict[tuple[int, int], tuple[int, int]]:
    """(colour, liberties) of each stone by (row, column), by flood fill."""
    game = position.game
    assert isinstance(game, Go)
    geometry = geometry_for(game)
    content = position.state.go_stones[geometry.to_rules[geometry.inside]].reshape(game.height, game.width)

    def around(row: int, column: int) -> list[tuple[int, int]]:
        near = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
        return [(r, c) for r, c in near if 0 <= r < game.height and 0 <= c < game.width]

    found = {}
    for row, column in zip(*np.nonzero(content), strict=True):
        colour, string, todo, liberties = content[row, column], {(row, column)}, [(row, column)], set()
        while todo:
            for point in around(*todo.pop()):
                if content[point] == 0:
                    liberties.add(point)
                elif content[point] == colour and point not in string:
                    string.add(point)
                    todo.append(point)
        found[int(row), int(column)] = int(colour), len(liberties)
    return found


@pytest.mark.parametrize("size", ["5", "7x6", "9"])
@pytest.mark.parametrize("moves", [0, 9, 30])
def test_stones_and_places_agree_with_a_simple_implementation(size: str, moves: int) -> None:
    position = random_game(moves, moves, size=size, komi=3.5)
    game = position.game
    assert isinstance(game, Go)
    planes, inputs = network_inputs(position)
    mover = position.to_move + 1
    expected = np.zeros((game.height, game.width, 8))
    for (row, column), (colour, liberties) in simple_liberties(position).items():
        expected[row, column, (0 if colour == mover else 4) + min(liberties, 4) - 1] = 1
    assert np.array_equal(planes[:, :, :8], expected)
    assert planes[:, :, features.ON_BOARD].all()
    rows, columns = np.indices((game.height, game.width))
    line = np.minimum(np.minimum(rows, game.height - 1 - rows), np.minimum(columns, game.width - 1 - columns))
    for number in range(features.LINE_COUNT):
        assert np.array_equal(planes[:, :, features.LINES + number], line == number)
    assert planes[:, :, features.LAST_MOVE].sum() == (moves > 0)
    assert inputs.tolist() == pytest.approx([-0.35 if position.to_move == 0 else 0.35, 0])


def test_captures_ladders_and_ko_are_seen() -> None:
    # White's stone at B2 is in atari; so is the one on the edge, which can only be saved in vain.
    position = tengen.game("go", board=".X.../XO.../.X.../...../..... X").start()
    planes, _ = network_inputs(position)
    assert planes[1, 2, features.CAPTURE] == 1
    assert planes[:, :, features.CAPTURE].sum() == 1
    planes, inputs = network_inputs(
        tengen.game("go", board=".X.../XO.../.X.../...../..... O").start().play("pass")
    )
    assert inputs[features.AFTER_PASS] == 1
    ko = tengen.game("go", board=".XO../XO.O./.XO../...../..... X").start().play("C4")
    planes, _ = network_inputs(ko)
    assert planes[1, 1, features.KO] == 1
    assert planes[1, 2, features.LAST_MOVE] == 1


# ---- the search


def edge_lover() -> Weights:
    """A network that wants to play on the edge, whatever the features of moves say."""
    network = untrained(SHAPE)
    network.arrays["input_weights"][4 * features.FEATURES + features.LINES, 0] = 1.0
    network.arrays["head_weights"][0, 0] = 1.0
    network.arrays["policy_weights"][0] = 20.0
    return network


def network_player(**options: Any) -> GoEngine:
    engine = GoEngine(
        **{"seed": 1, "reading": False, "network": True, "network_from": 1, "network_after": 4, **options}
    )
    engine.network = edge_lover()
    return engine


def test_the_policy_sets_the_priors() -> None:
    engine = network_player()
    engine.search(tengen.game("go", size=7).start(), Limits(nodes=1))
    tree = engine.tree
    assert tree is not None
    likely = move_probabilities(tree, engine.settings)
    best = sorted(likely, key=lambda move: -likely[move])[:24]
    points = [tree.position.game.points(move)[0] for move in best]
    assert all(0 in point or 6 in point for point in points)


@pytest.mark.parametrize(("after", "threads"), [(4, 1), (12, 1), (12, 2), (1000, 1)])
def test_nodes_with_enough_visits_are_evaluated(after: int, threads: int) -> None:
    engine = network_player(network_after=after, network_games=0, threads=threads)
    engine.search(tengen.game("go", size=5).start(), Limits(nodes=600))
    tree = engine.tree
    assert tree is not None
    nodes = tree.nodes[1 : tree.used[0]]
    assert tree.nodes["status"][0] == mcts.EVALUATED
    evaluated = nodes["status"] == mcts.EVALUATED
    assert evaluated.any() == (after < 600)
    assert (nodes["visits"][evaluated] > after).all()
    visited_enough = (nodes["status"] >= mcts.INNER) & (nodes["proof"] == mcts.OPEN) & (nodes["visits"] > after)
    if threads == 1:  # or the last visitor of a node may have found its board full of other threads' visits
        assert evaluated[visited_enough].all()


def test_late_evaluation_keeps_the_moves() -> None:
    """A node that is evaluated after its children were visited keeps them, with their visits."""
    engine = network_player(network_after=30, network_games=0)
    engine.search(tengen.game("go", size=5).start(), Limits(nodes=600))
    tree = engine.tree
    assert tree is not None
    for node in np.flatnonzero(tree.nodes["status"][: tree.used[0]] == mcts.EVALUATED):
        children = tree.children(int(node))
        moves = [tree.move(child) for child in children]
        assert len(set(moves)) == len(moves)
        assert tree.nodes["visits"][children.start : children.stop].sum() <= tree.nodes["visits"][node]


@pytest.mark.parametrize("threads", [1, 2])
def test_the_value_counts_as_playouts(threads: int) -> None:
    position = tengen.game("go", size=5).start()
    visits = {}
    for games in (0, 3):
        engine = network_player(network_games=games, threads=threads)
        report = engine.search(position, Limits(nodes=400))
        visits[games] = int(engine.tree.nodes[0].visits)  # type: ignore[union-attr]
        assert sum(one.visits for one in report.candidates) <= visits[games]
    assert visits[0] == 400
    assert visits[3] > 430
    assert (visits[3] - 400) % 3 == 0


def test_a_network_plays_only_where_it_is_switched_on() -> None:
    position = tengen.game("go", size=5).start()
    plain = GoEngine(seed=1).search(position, Limits(nodes=200))
    engine = network_player(network=False, reading=True)
    same = engine.search(position, Limits(nodes=200))
    assert [(one.move, one.visits) for one in same.candidates] == [
        (one.move, one.visits) for one in plain.candidates
    ]


def test_small_boards_do_without_a_network() -> None:
    engine = network_player(network_from=6, network_games=0, network_after=4)
    for size, status in ((5, mcts.INNER), (6, mcts.EVALUATED)):
        engine.search(tengen.game("go", size=size).start(), Limits(nodes=100))
        assert engine.tree is not None
        assert engine.tree.nodes["status"][0] == status


# ---- the shipped network


def shipped_win_probability(position: Position) -> float:
    """That of the side to move."""
    game, network = position.game, shipped_network()
    assert isinstance(game, Go)
    assert network is not None
    assert network.provenance["generations"]
    data = evaluator(network, rectangle_neighbourhoods(game.width, game.height))
    planes, inputs = network_inputs(position)
    data.features[:-1], data.inputs[:] = planes.reshape(game.area, -1), inputs
    run_forward(data)
    assert np.isfinite(data.logits).all()
    return float(1 / (1 + np.exp(-data.results[WIN_LOGIT])))


@pytest.mark.parametrize(("size", "lines", "black_wins"), [(9, 3, True), (9, 5, False), (13, 4, True)])
def test_the_shipped_network_sees_who_is_ahead(size: int, lines: int, black_wins: bool) -> None:
    """A finished game: White has only the lines at the bottom. The winner is at least ten points ahead."""
    eyes = "X." * (size // 2) + "X"
    rows = [eyes, "." + "X" * (size - 1), *["X" * size] * (size - 2 - lines), *["O" * size] * (lines - 2)]
    rows += ["O" * (size - 1) + ".", ".O" * (size // 2) + "."]
    black, white = (tengen.game("go", board="/".join(rows) + mover).start() for mover in (" X", " O"))
    assert (shipped_win_probability(black) > 0.9) is black_wins
    assert (shipped_win_probability(white) < 0.1) is black_wins


def test_the_shipped_network_plays() -> None:
    engine = GoEngine(seed=1, network=True, network_from=9, reading=False)
    report = engine.search(tengen.game("go", size=9).start(), Limits(nodes=200))
    game = tengen.game("go", size=9)
    column, row = game.points(game.read_move(report.best, game.start()))[0]
    assert 2 <= min(column, row) <= max(column, row) <= 6  # not at the edge


# ---- training


def simple_expected_result(game: NetworkGame, ply: int) -> float:
    """The expected result of the side to move, by its definition, counting forward from the position."""
    black = last = float(game.score > 0)
    weight, total = 1.0, 0.0
    for later in range(ply, len(game.values)):
        if np.isnan(game.values[later]):  # a random move: what follows says nothing
            black = last
            break
        value = min(max(float(game.values[later]), 0.001), 0.999)
        sharp = value**2 / (value**2 + (1 - value) ** 2)
        last = sharp if later % 2 == 0 else 1 - sharp
        total += 0.15 * weight * last
        weight *= 0.85
    expected = total + weight * black
    return expected if ply % 2 == 0 else 1 - expected


def test_games_become_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network_games, "RANDOM_MOVES", 0.15)
    game = play_network_game(TINY_GAMES, None, "b")
    assert len(game.searched) > 3
    random_plies = np.flatnonzero(np.isnan(game.values))
    assert 3 < random_plies[-1] < len(game.values) - 3
    samples = game_samples(game)
    plies = np.flatnonzero(~np.isnan(game.values))
    assert len(samples) == len(plies)
    assert np.array_equal(plies[samples.policy.any(axis=1)], game.searched)  # quick searches teach no policy
    assert samples.policy[samples.policy.any(axis=1)].sum(axis=1) == pytest.approx(1, abs=0.01)
    position, index = tengen.game("go", size=5, komi=game.komi).start(), 0
    for ply in range(int(plies[-1]) + 1):
        if ply == plies[index]:
            planes, inputs = network_inputs(position)
            assert np.array_equal(samples.features[index], planes.reshape(25, -1))
            assert samples.inputs[index].tolist() == inputs.tolist()
            sign = 1 if position.to_move == 0 else -1
            known = ply > random_plies[-1]
            assert samples.scores[index] == pytest.approx(sign * game.score if known else np.nan, nan_ok=True)
            assert np.array_equal(samples.owners[index], sign * game.owners)
            assert samples.wins[index] == pytest.approx(simple_expected_result(game, ply), abs=1e-6)
            index += 1
        if ply < len(game.moves):
            position = position.play(tengen.Move(int(game.moves[ply])))
    assert index == len(plies)


def game_of_one_search() -> NetworkGame:
    return NetworkGame(
        size=5,
        komi=7.5,
        moves=np.zeros(0, np.int16),
        searched=np.array([0], np.int16),
        choices=np.array([[geometry_for(Go(5, 5)).to_rules[geometry_for(Go(5, 5)).inside[6]], PASS, 0]], np.int16),
        visits=np.array([[150, 50, 1]], np.int32),
        values=np.array([0.5], np.float32),
        owners=np.zeros(25, np.int8),
        score=-7.5,
    )


def test_rarely_visited_moves_are_no_targets() -> None:
    policy = game_samples(game_of_one_search()).policy[0]
    assert policy[6] == 0.75
    assert policy[25] == 0.25
    assert policy.sum() == 1


def test_a_result_after_a_random_move_is_no_target() -> None:
    game = game_of_one_search()  # White wins
    searched, unsearched = (replace(game, values=np.array([0.5, *rest], np.float32)) for rest in ([], [np.nan]))
    assert game_samples(searched).wins[0] == pytest.approx(0.15 * 0.5)
    samples = game_samples(unsearched)
    assert samples.wins[0] == pytest.approx(simple_expected_result(unsearched, 0)) == pytest.approx(0.5)
    assert np.isnan(samples.scores[0])


def test_games_are_reproducible() -> None:
    tasks = network_game_tasks(0, [GameBatch(TINY_GAMES, 2)], None, 7)
    assert len({task.id for task in tasks}) == 2
    one, same = (tasks[0].function(*tasks[0].args) for _ in range(2))
    assert one.moves.tolist() == same.moves.tolist()
    assert np.array_equal(one.visits, same.visits)


def test_matches_count_for_the_new_network() -> None:
    """On a board of this size Black owns everything."""
    results = [play_match_game(3, untrained(SHAPE), None, colour, "1") for colour in (0, 1)]
    assert set(results) <= {0.0, 0.5, 1.0}
