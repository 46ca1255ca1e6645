"""Thousands of games of one kind, stepped in one kernel call."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled.rng import make_rng
from tengen.core.errors import IllegalMove, OptionError
from tengen.core.game import Game
from tengen.core.position import Position
from tengen.environments.actions import Actions
from tengen.environments.batch_kernels import Games, Results, draw_actions, reset_games, step_games

Array = np.ndarray[Any, Any]


class Batch(NamedTuple):
    """The games after a step. The first dimension of each array is the game.

    With automatic reset, `boards`, `legal` and `to_move` of a game that has just ended are those of the next one.
    """

    boards: Array
    """uint8 [games, rows, columns]: 0 empty, 1 the first player's stone, 2 the second's, 3 blocked.

    In Pente with an opening protocol, 1 is Black's, and `states["swapped"]` says where that is the second player.
    """
    legal: Array
    """bool [games, actions]: the legal actions; none if the game is over."""
    to_move: Array
    """int8 [games]: the player to move, 0 or 1."""
    rewards: Array
    """float32 [games, 2]: for each player 1 for a win with this step, -1 for a loss, else 0."""
    scores: Array
    """float32 [games]: the score of an ended game in its unit, from the first player's view."""
    terminated: Array
    """bool [games]: whether this step ended the game; without automatic reset it stays true."""
    truncated: Array
    """bool [games]: whether the game was given up after `max_moves`."""

    @property
    def done(self) -> Array:
        """Bool [games]: terminated or truncated."""
        return np.logical_or(self.terminated, self.truncated)


class GameBatch:
    """`count` games of one kind.

        batch = GameBatch(tengen.game("othello"), 4096)
        now = batch.reset()
        while True:
            now = batch.step(choose(now.boards, now.legal, now.to_move))

    All games begin from `start`, a game or a position. Those that last `max_moves` moves, by default the length
    at which playouts of the game are cut off, are truncated. With `auto_reset` a game that has ended begins again
    in the same step; otherwise it waits for `reset`, and its actions are ignored.

    Kernels release the GIL, so threads can step several batches at a time.
    """

    def __init__(
        self, start: Game | Position, count: int, *, auto_reset: bool = True, max_moves: int = 0, seed: int = 0
    ) -> None:
        position = start.start() if isinstance(start, Game) else start
        if position.is_over:
            raise OptionError("a batch needs a position in which the game is not over")
        if count < 1 or max_moves < 0:
            raise OptionError(f"count and max_moves should be positive, not {count} and {max_moves}")
        game = position.game
        self.game, self.count, self.auto_reset = game, count, auto_reset
        self.max_moves = max_moves or game.max_playout_length
        self.actions = Actions(game)
        diagram = position.diagram()
        start_keys = position.repeat_keys.copy()
        self._games = Games(
            states=np.zeros(count + 1, game.record),
            keys=np.zeros((count, len(start_keys) + self.max_moves), np.uint64),
            counts=np.zeros(count, np.int64),
            moves=np.zeros((count, game.max_legal_moves), np.int32),
            move_counts=np.zeros(count, np.int64),
            start=position.states.copy(),
            start_keys=start_keys,
            codes=self.actions.codes,
            actions=self.actions.indices,
        )
        self._results = Results(
            boards=np.zeros((count, len(diagram.rows), len(diagram.columns)), np.uint8),
            legal=np.zeros((count, len(self.actions)), np.bool_),
            to_move=np.zeros(count, np.int8),
            rewards=np.zeros((count, 2), np.float32),
            scores=np.zeros(count, np.float32),
            terminated=np.zeros(count, np.bool_),
            truncated=np.zeros(count, np.bool_),
        )
        self._rng = make_rng(seed)
        self.reset()

    @property
    def states(self) -> Array:
        """The records of the games, which hold all that the rules know, such as captured stones. Do not change
        them.
        """
        return self._games.states[: self.count]  # type: ignore[no-any-return]

    def reset(self, seed: int | None = None) -> Batch:
        """Begin all games; `seed` is that of `random_actions`."""
        if seed is not None:
            self._rng = make_rng(seed)
        if not reset_games(self._games, self._results):
            raise OptionError(f"{self.game.title} has no rule write_stones, which batches need")
        return self._copy()

    def step(self, actions: Array) -> Batch:
        """Play an action in each game, all in one kernel call. The arrays returned are new ones.

        Raises `IllegalMove` and plays nothing if one of the actions is illegal.
        """
        chosen = np.ascontiguousarray(actions, np.int64)
        if chosen.shape != (self.count,):
            raise OptionError(f"a step needs {self.count} actions, not an array of shape {chosen.shape}")
        wrong = int(step_games(self._games, self._results, chosen, self.max_moves, self.auto_reset))
        if wrong >= 0:
            action = int(chosen[wrong])
            known = 0 <= action < len(self.actions)
            move = self.game.write_move(self.actions.move(action)) if known else "no move"
            raise IllegalMove(move, f"game {wrong} of the batch does not allow action {action}")
        return self._copy()

    def random_actions(self) -> Array:
        """A random legal action for each game, as int64; 0 for games that are over."""
        out = np.zeros(self.count, np.int64)
        draw_actions(self._games, self._rng, out)
        return out

    def _copy(self) -> Batch:
        return Batch(*(array.copy() for array in self._results))
