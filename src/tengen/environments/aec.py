"""PettingZoo environments: one game, played by two agents in turn.

    from tengen.environments import env

    game = env("go", size=9)
    game.reset(seed=1)
    for agent in game.agent_iter():
        observation, reward, termination, truncation, _ = game.last()
        over = termination or truncation
        mask = observation["action_mask"]
        game.step(None if over else game.action_space(agent).sample(mask))

An observation has two entries. `observation` is an int8 array [rows, columns, planes] from the agent's view, with
the planes of `PLANES`. `action_mask` is int8: 1 for each legal action, none if it is not the agent's turn. Rewards
are 1 for a win, -1 for a loss, 0 otherwise; they come with the last move. `infos` then has the agent's `score`.
"""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar

import numpy as np

from tengen import games
from tengen.core.diagram import Stone
from tengen.core.errors import OptionError
from tengen.core.game import Game
from tengen.environments.actions import Actions

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError:
    raise OptionError("PettingZoo is not installed: run pip install 'tengen[rl]'") from None

AGENTS = ("player_0", "player_1")
PLANES = ("own stones", "opponent's stones", "blocked", "last move", "to move", "own count", "opponent's count")
"""Planes of an observation. The last three are constant: whether the agent is to move, and what the game counts
for each player, such as captured stones, at most 127."""


def env(game: str | Game, *, max_moves: int = 0, render_mode: str | None = None, **options: Any) -> Any:
    """The environment of a game with PettingZoo's usual checks of the order of calls."""
    return wrappers.OrderEnforcingWrapper(raw_env(game, max_moves=max_moves, render_mode=render_mode, **options))


def raw_env(game: str | Game, *, max_moves: int = 0, render_mode: str | None = None, **options: Any) -> GameEnv:
    """The environment without these checks. `game` is a game, or its name with its options."""
    made = games.game(game, **options) if isinstance(game, str) else game
    return GameEnv(made, max_moves=max_moves, render_mode=render_mode)


class GameEnv(AECEnv):  # type: ignore[misc]
    """A game as a PettingZoo environment. Games of `max_moves` moves are truncated, by default none."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi", "human"], "is_parallelizable": False}

    def __init__(self, game: Game, *, max_moves: int = 0, render_mode: str | None = None) -> None:
        super().__init__()
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise OptionError(f"render_mode should be ansi or human, not {render_mode!r}")
        self.metadata = {**type(self).metadata, "name": f"tengen_{game.name}"}  # type: ignore[misc]
        self.game, self.max_moves, self.render_mode = game, max_moves, render_mode
        self.actions = Actions(game)
        self.position = game.start()
        self.possible_agents = list(AGENTS)
        self.agents = list(AGENTS)
        diagram = self.position.diagram()
        self._shape = (len(diagram.rows), len(diagram.columns), len(PLANES))

    @cache  # noqa: B019 -- the same object each time, as PettingZoo requires
    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return spaces.Dict(
            {
                "observation": spaces.Box(0, 127, self._shape, np.int8),
                "action_mask": spaces.Box(0, 1, (len(self.actions),), np.int8),
            }
        )

    @cache  # noqa: B019
    def action_space(self, agent: str) -> spaces.Space[Any]:
        return spaces.Discrete(len(self.actions))

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game. Nothing in these games is random, so a seed makes no difference."""
        self.position = self.game.start()
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, self.position.is_over)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self.agent_selection = AGENTS[self.position.to_move]

    def step(self, action: int | None) -> None:
        """Play the move of the agent whose turn it is. Raises `IllegalMove`."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise OptionError("the game is not over: an action is needed")
        self.position = self.position.play(self.actions.move(int(action)))
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        outcome = self.position.outcome
        if outcome is not None:
            for player, one in enumerate(AGENTS):
                if outcome.winner is not None:
                    self.rewards[one] = 1.0 if outcome.winner == player else -1.0
                self.infos[one]["score"] = outcome.score if player == 0 else -outcome.score
            self.terminations = dict.fromkeys(AGENTS, True)
        elif self.max_moves and self.position.ply >= self.max_moves:
            self.truncations = dict.fromkeys(AGENTS, True)
        self.agent_selection = AGENTS[self.position.to_move]
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, np.ndarray[Any, Any]]:
        position, player = self.position, AGENTS.index(agent)
        is_to_move = position.to_move == player and not position.is_over
        planes = np.zeros(self._shape, np.int8)
        diagram = position.diagram()
        stones = np.array(diagram.stones)
        own = self.game.colour_of(position, player)
        for plane, stone in enumerate((own + 1, 2 - own, Stone.NEUTRAL)):
            planes[..., plane] = stones == stone
        for column, row in diagram.marked:
            planes[row, column, 3] = 1
        planes[..., 4] = is_to_move
        for tally in position.game.tallies(position)[:1]:
            planes[..., 5] = min(127, int(tally.counts[player]))
            planes[..., 6] = min(127, int(tally.counts[1 - player]))
        mask = self.actions.mask(position) if is_to_move else np.zeros(len(self.actions), np.bool_)
        return {"observation": planes, "action_mask": mask.astype(np.int8)}

    def render(self) -> str | None:
        """The board as text; with the mode `human` it is printed."""
        if self.render_mode is None:
            return None
        text = str(self.position)
        if self.render_mode == "human":
            print(text)
            return None
        return text

    def close(self) -> None:
        """There is nothing to close."""
