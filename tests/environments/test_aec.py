"""PettingZoo environments: its own tests, and agreement with positions."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test

import tengen
from tengen import games
from tengen.core.compiled.kernel import record_kernels
from tengen.environments import Actions, env, raw_env
from tengen.games.pente.variants import VARIANTS

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("clobber", {"size": "3x4"}),
    ("go", {"size": 4}),
    ("go", {"size": 2, "ko": "situational"}),
    ("go", {"size": 5, "rules": "japanese", "handicap": 2, "free_handicap": True}),
    ("othello", {"size": 4}),
    ("othello", {}),
    *(("pente", {"size": 7, "variant": variant}) for variant in VARIANTS),
    *(("pente", {"size": 6, "opening": opening}) for opening in ("d-pente", "swap", "swap2")),
    *((name, {}) for name in games.more_names()),
]


def _name(case: tuple[str, dict[str, Any]]) -> str:
    return " ".join(map(str, [case[0], *case[1].values()]))


@pytest.mark.filterwarnings("ignore:Observation")  # it would like one array; the mask is a second one
@pytest.mark.parametrize("case", GAMES, ids=_name)
def test_pettingzoo_accepts_the_environment(case: tuple[str, dict[str, Any]], capsys: Any) -> None:
    name, options = case
    with record_kernels():
        api_test(env(name, **options), num_cycles=20)
        seed_test(lambda: env(name, **options), num_cycles=4)
        render_test(lambda render_mode: env(name, render_mode=render_mode, **options))


def test_every_game_is_tested() -> None:
    assert {name for name, _ in GAMES} == set(games.all_names())


def test_observations_are_from_the_view_of_each_agent() -> None:
    game = raw_env("othello", size=4)
    game.reset()
    actions = Actions(game.game)
    game.step(actions.action("b1"))  # a corner of the middle is flipped: four black discs, one white
    assert game.agent_selection == "player_1"
    own, other = game.observe("player_1"), game.observe("player_0")
    planes, seen = own["observation"], other["observation"]
    assert (planes[..., 0].sum(), planes[..., 1].sum()) == (1, 4)
    assert np.array_equal(planes[..., [0, 1]], seen[..., [1, 0]])
    assert planes[0, 1, 3] == 1
    assert planes[..., 3].sum() == 1
    assert (planes[..., 4].all(), seen[..., 4].any()) == (True, False)
    assert (planes[0, 0, 5], planes[0, 0, 6], seen[0, 0, 5]) == (1, 4, 4)
    assert np.array_equal(own["action_mask"].astype(bool), actions.mask(game.position))
    assert not other["action_mask"].any()


def test_colours_may_be_chosen_in_the_opening() -> None:
    game = raw_env("pente", size=9, opening="swap2")
    game.reset()
    for move in ("E5", "E6", "D4", "black"):
        game.step(game.actions.action(move, game.position))
    assert game.position.state.swapped
    planes = game.observe("player_1")["observation"]
    assert (planes[..., 0].sum(), planes[..., 1].sum()) == (2, 1)


def test_the_winner_gets_the_reward_and_the_score() -> None:
    game = raw_env("othello", size=4)
    game.reset()
    total = dict.fromkeys(game.agents, 0.0)
    for agent in game.agent_iter():
        _, reward, over, _, info = game.last()
        total[agent] += reward
        if over:
            outcome = game.position.outcome
            score = outcome.score if agent == "player_0" else -outcome.score
            assert info["score"] == score
            game.step(None)
        else:
            game.step(int(game.actions.mask(game.position).argmax()))
    assert total["player_0"] == np.sign(outcome.score) != 0
    assert total["player_1"] == -total["player_0"]


def test_long_games_are_truncated() -> None:
    game = raw_env("go", size=3, max_moves=2)
    game.reset()
    game.step(0)
    assert not any(game.truncations.values())
    game.step(1)
    assert all(game.truncations.values())
    assert not any(game.terminations.values())


def test_errors() -> None:
    game = raw_env(tengen.game("othello", size=4), render_mode="ansi")
    game.reset()
    assert game.render() == str(game.position)
    with pytest.raises(tengen.errors.IllegalMove):
        game.step(0)
    with pytest.raises(tengen.errors.OptionError, match="actions of Othello are 0 to 64, not 65"):
        game.step(65)
    with pytest.raises(tengen.errors.OptionError, match="an action is needed"):
        game.step(None)
    with pytest.raises(tengen.errors.OptionError, match="render_mode should be ansi or human"):
        raw_env("go", render_mode="rgb_array")


def test_batches_do_not_need_pettingzoo() -> None:
    code = (
        "import sys; sys.modules['pettingzoo'] = None\n"
        "import tengen.environments as e\n"
        "from tengen.core.errors import OptionError\n"
        "assert e.GameBatch\n"
        "try: e.env\n"
        "except OptionError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "tengen[rl]" in done.stdout
