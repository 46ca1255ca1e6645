"""The engine of weak levels: what it overlooks, takes and answers; otherwise it plays like another engine."""

from __future__ import annotations

from random import Random

import pytest

import tengen
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.casual import NEAR, CasualEngine, considered_moves
from tengen.engines.move_features import gains, last_move_distances
from tengen.engines.registry import create, default_engine
from tengen.search.limits import Limits

SIZES = {"clobber": 12, "go": 7, "othello": 8, "pente": 9}
ONE_PLY = Limits(depth=1)


def gain(position: Position, move: Move) -> int:
    return gains(position, [move])[0]


def last_move_distance(position: Position, move: Move) -> float:
    return last_move_distances(position, [move])[0]


ATTENTIVE = {"overlook": 0.0, "greed": 0.0, "local": 0.0}


def positions(game: str, seeds: int = 3, plies: int = 12) -> list[Position]:
    """Positions of random games, without finished ones."""
    found = []
    for seed in range(seeds):
        position, random = tengen.game(game, size=SIZES[game]).start(), Random(seed)
        for _ in range(plies):
            if position.is_over:
                break
            found.append(position)
            position = position.play(random.choice(position.legal_moves))
    return found


@pytest.mark.parametrize(
    ("game", "behind"),
    [("clobber", "alphabeta"), ("go", "glance"), ("othello", "othello"), ("pente", "classic")],
)
def test_with_full_attention_it_plays_like_the_engine_behind_it(game: str, behind: str) -> None:
    casual, base = create("casual", seed=5), create(behind, seed=5)
    for position in positions(game, seeds=1):
        assert casual.search(position, ONE_PLY).best == base.search(position, ONE_PLY).best


@pytest.mark.parametrize("game", SIZES)
def test_moves_are_legal_and_repeatable(game: str) -> None:
    settings = {"overlook": 0.8, "greed": 0.5, "local": 0.5, "haste": 0.5}
    for position in positions(game, seeds=1):
        first, again = (create("casual", seed=3, **settings).search(position, Limits(depth=2)) for _ in range(2))
        assert position.is_legal(position.game.read_move(first.best, position))
        assert (first.best, first.engine) == (again.best, "casual")


@pytest.mark.parametrize("game", ["go", "othello", "pente"])
def test_a_greedy_player_takes_every_capture(game: str) -> None:
    engine = create("casual", greed=1.0, overlook=1.0)
    captures = 0
    for position in positions(game, seeds=6, plies=60):
        found = gains(position, position.legal_moves)
        if max(found) > 0:
            captures += 1
            taken = dict(zip(position.write_moves(position.legal_moves), found, strict=True))
            assert taken[engine.search(position, ONE_PLY).best] == max(found)
    assert captures > 5


def test_gains_are_those_of_the_rules() -> None:
    othello = tengen.game("othello").start()
    assert {gain(othello, move) for move in othello.legal_moves} == {1}
    go = tengen.game("go", size=5).start().play_all(["A1", "B1", "E5"])
    assert gain(go, go.game.read_move("A2", go)) == 1
    assert gain(go, go.game.read_move("C3", go)) == 0
    pente = tengen.game("pente", first="anywhere", second="anywhere").start().play_all(["K10", "L10", "A1", "M10"])
    assert gain(pente, pente.game.read_move("N10", pente)) == 2
    clobber = tengen.game("clobber", size=6).start()
    assert {gain(clobber, move) for move in clobber.legal_moves} == {0}


def test_the_last_disc_of_the_opponent_can_be_taken() -> None:
    """After the move the opponent has to pass, or the game is over: the discs are counted on the right side."""
    for position in positions("othello", seeds=8, plies=62):
        discs = sum(sum(stone == position.to_move + 1 for stone in row) for row in position.diagram().stones)
        for move in position.legal_moves:
            after = position.play(move).diagram().stones
            own = sum(sum(stone == position.to_move + 1 for stone in row) for row in after)
            assert gain(position, move) == max(0, own - discs - 1)


def test_local_play_stays_near_the_last_move() -> None:
    for position in positions("pente")[1:]:
        considered = considered_moves(position, position.legal_moves, {**ATTENTIVE, "local": 1.0}, Random(1))
        near = [move for move in position.legal_moves if last_move_distance(position, move) <= NEAR]
        if near:
            assert list(considered) == near


def test_quiet_moves_far_away_are_overlooked_most() -> None:
    settings = {**ATTENTIVE, "overlook": 0.6}
    seen: dict[str, list[bool]] = {"near": [], "far": []}
    for position in positions("pente", seeds=12)[1:]:
        if not position.moves:
            continue
        considered = set(considered_moves(position, position.legal_moves, settings, Random(int(position.key))))
        for move in position.legal_moves:
            if gain(position, move) == 0:
                is_near = last_move_distance(position, move) <= NEAR
                seen["near" if is_near else "far"].append(move in considered)
    shares = {place: sum(found) / len(found) for place, found in seen.items()}
    assert 0.35 < shares["far"] < 0.45
    assert 0.53 < shares["near"] < 0.63


def test_something_always_comes_to_mind_and_so_does_a_pass() -> None:
    position = tengen.game("go", size=5).start().play("C3")
    for seed in range(20):
        settings = {**ATTENTIVE, "overlook": 1.0, "local": 1.0}
        considered = considered_moves(position, position.legal_moves, settings, Random(seed))
        texts = [position.game.write_move(move) for move in considered]
        assert "pass" in texts
        assert len(texts) > 1


def test_haste_searches_one_ply() -> None:
    position = tengen.game("othello").start().play("d3")
    assert create("casual", haste=1.0).search(position, Limits(depth=4)).depth == 1
    assert create("casual", haste=1.0).search(position, Limits(seconds=60)).depth == 1
    assert create("casual", haste=0.0).search(position, Limits(depth=4)).depth == 4


def test_several_lines_are_those_of_the_engine_behind_it() -> None:
    position = tengen.game("othello").start().play("d3")
    report = create("casual", overlook=1.0, greed=1.0).search(position, Limits(depth=2, lines=3))
    assert len(report.candidates) == 3


def test_variants_without_a_simple_engine_are_played_by_their_default_engine() -> None:
    game = tengen.game("pente", size=9, stones=2)
    report = CasualEngine(overlook=0.5).search(game.start(), Limits(nodes=20))
    assert game.read_move(report.best, game.start()) in game.start().legal_moves


@pytest.mark.parametrize("game", SIZES)
@pytest.mark.parametrize("name", ["casual", "default"])
def test_any_whole_number_is_a_seed(game: str, name: str) -> None:
    position = tengen.game(game, size=SIZES[game]).start()
    engine = create(default_engine(position.game) if name == "default" else name, position.game, seed=-(2**70) - 3)
    best = engine.search(position, Limits(nodes=20)).best
    assert best in position.write_moves(position.legal_moves)
