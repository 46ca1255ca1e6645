"""Batches of games agree with single positions, move by move."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tengen
from tengen import games
from tengen.core.compiled.kernel import record_kernels
from tengen.core.errors import IllegalMove, OptionError
from tengen.core.game import Game
from tengen.core.position import Position
from tengen.environments import Actions, GameBatch
from tests.helpers.paths import ROOT
from tests.helpers.rules_checks import assert_plain_form_agrees

OTHELLO = tengen.game("othello", size=4)
COMPILED = [
    tengen.game("clobber", size="3x4"),
    tengen.game("go", size=2, ko="situational", suicide=True),
    tengen.game("go", size="3x2", ko="positional", komi=0.5),
    tengen.game("go", size=4, ko="situational", suicide=True),
    tengen.game("go", size=4, ko="positional"),
    tengen.game("go", size=4, ko="simple", handicap=2, free_handicap=True),
    OTHELLO,
    tengen.game("pente", size=7),
    tengen.game("pente", size=6, opening="swap2"),
]
# These run as plain Python, like every kernel while `record_kernels` is active.
PLAIN = [
    tengen.game("clobber", size="9x9"),  # two words for each colour
    tengen.game("othello"),
    tengen.game("pente", size=6, variant="connect6"),
    *(games.game(name) for name in games.more_names()),
]


def assert_agrees(start: Game | Position, count: int = 6, steps: int = 60, **options: Any) -> int:
    """Check every array after each of many random steps; returns how many games have ended."""
    batch = GameBatch(start, count, **options)
    first = start.start() if isinstance(start, Game) else start
    actions = Actions(batch.game)
    positions = [first] * count
    now = batch.reset(seed=5)
    ended = 0
    for _ in range(steps):
        for index, position in enumerate(positions):
            stones = np.array(position.diagram().stones)
            assert np.array_equal(now.boards[index], stones)
            assert np.array_equal(now.legal[index], actions.mask(position))
            assert now.to_move[index] == position.to_move
            record = position.states[0]
            assert all(np.array_equal(batch.states[index][name], record[name]) for name in record.dtype.names)
        chosen = batch.random_actions()
        before, now = now, batch.step(chosen)
        for index, position in enumerate(positions):
            if position.is_over:
                assert now.terminated[index]
                assert not now.rewards[index].any()
                continue
            assert before.legal[index, chosen[index]]
            after = position.play(actions.move(chosen[index]))
            outcome = after.outcome
            is_long = after.ply - first.ply == batch.max_moves and outcome is None
            assert (now.terminated[index], now.truncated[index]) == (outcome is not None, is_long)
            score = 0.0 if outcome is None else outcome.score
            assert now.scores[index] == np.float32(score)
            assert now.rewards[index].tolist() == [np.sign(score), -np.sign(score)]
            ended += outcome is not None
            positions[index] = first if batch.auto_reset and now.done[index] else after
        if now.truncated.any() and not batch.auto_reset:
            break
    return ended


@pytest.mark.parametrize("game", COMPILED, ids=lambda game: game.describe())
def test_a_batch_agrees_with_positions(game: Game) -> None:
    assert assert_agrees(game) > 0


@pytest.mark.parametrize("game", PLAIN, ids=lambda game: game.describe())
def test_a_batch_of_every_game_agrees_with_positions(game: Game) -> None:
    with record_kernels():
        assert_agrees(game, count=2, steps=12)


def test_a_batch_forbids_repetitions() -> None:
    """On 2x2 random games soon want to repeat a position; the rule decides which of them may."""
    kept = {}
    for ko in ("simple", "positional", "situational"):
        game = tengen.game("go", size=2, ko=ko)
        assert_agrees(game, count=20, steps=40)
        batch, forbidden = GameBatch(game, 20, seed=2), 0
        for _ in range(40):
            now = batch.step(batch.random_actions())
            forbidden += 5 * 20 - int(now.legal.sum())
        kept[ko] = forbidden
    assert kept["simple"] < kept["situational"]
    assert kept["simple"] < kept["positional"]


def test_without_automatic_reset_finished_games_wait() -> None:
    batch = GameBatch(OTHELLO, 8, auto_reset=False)
    assert assert_agrees(OTHELLO, auto_reset=False) == 6
    while not (now := batch.step(batch.random_actions())).done.all():
        pass
    again = batch.step(np.full(8, -1))
    assert not again.legal.any()
    assert np.array_equal(again.boards, now.boards)
    assert not batch.reset().done.any()


def test_long_games_are_truncated() -> None:
    assert assert_agrees(OTHELLO, max_moves=3) == 0
    assert assert_agrees(OTHELLO, max_moves=3, auto_reset=False) == 0


def test_a_batch_can_start_from_a_position_with_its_history() -> None:
    start = tengen.game("go", size=2, ko="positional").start().play_all(["A1", "B1", "A2", "B2"])
    assert_agrees(start, count=20, steps=30)
    with pytest.raises(OptionError, match="not over"):
        GameBatch(start.play("pass").play("pass"), 1)


@pytest.mark.parametrize("action", [-1, 0, 65, 10**12])
def test_an_illegal_action_plays_nothing(action: int) -> None:
    batch = GameBatch(OTHELLO, 3)
    legal = batch.random_actions()
    before = batch.states.copy()
    with pytest.raises(IllegalMove, match=f"game 1 of the batch does not allow action {action}"):
        batch.step(np.array([legal[0], action, legal[2]]))
    assert np.array_equal(batch.states, before)
    with pytest.raises(OptionError, match="needs 3 actions"):
        batch.step(legal[:2])


def test_arrays_belong_to_the_caller() -> None:
    batch = GameBatch(OTHELLO, 2, seed=3)
    first = batch.reset()
    first.legal[:] = True
    kept = first.boards.copy()
    with pytest.raises(IllegalMove):
        batch.step(np.zeros(2, np.int64))
    batch.step(batch.random_actions())
    assert np.array_equal(first.boards, kept)


def test_seeds_repeat_random_games() -> None:
    one, other = (GameBatch(OTHELLO, 50, seed=9) for _ in range(2))
    for _ in range(10):
        actions = one.random_actions()
        assert np.array_equal(actions, other.random_actions())
        one.step(actions)
        other.step(actions)
    assert len(set(one.random_actions().tolist())) > 2


def test_a_game_without_boards_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "plugin" / "src"))
    from tengen_nim.game import Nim

    with record_kernels(), pytest.raises(OptionError, match="no rule write_stones"):
        GameBatch(Nim(size=5), 2)


def traces() -> str:
    """Random games of a batch as text."""
    lines = []
    for game in (OTHELLO, tengen.game("go", size=2, ko="situational")):
        batch = GameBatch(game, 4, seed=1)
        for _ in range(25):
            now = batch.step(batch.random_actions())
            lines += [repr([array.tolist() for array in now])]
    return "\n".join(lines)


def test_compiled_and_plain_batches_agree() -> None:
    assert_plain_form_agrees(__name__, traces)
