"""Actions: the moves that can occur in a game, numbered from 0 without gaps."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from tengen.core.errors import OptionError
from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.games.point_game import PointGame


class Actions:
    """Translates between actions and moves. In Go and Pente the points come first, row by row, then pass or the
    choices of an opening; in other games an action is the code of its move.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        if isinstance(game, PointGame):
            codes = [*game.all_points(), *game.named_moves]
        else:
            codes = [Move(code) for code in range(game.move_codes)]
        self.codes: np.ndarray[Any, np.dtype[np.int32]] = np.array(codes, np.int32)
        """The code of the move of each action."""

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def indices(self) -> np.ndarray[Any, np.dtype[np.int32]]:
        """The action of each move code; -1 for codes that do not occur."""
        indices = np.full(self.game.move_codes, -1, np.int32)
        indices[self.codes] = np.arange(len(self.codes))
        return indices

    def move(self, action: int) -> Move:
        """The move of an action. Raises `OptionError`."""
        if not 0 <= action < len(self):
            raise OptionError(f"actions of {self.game.title} are 0 to {len(self) - 1}, not {action}")
        return Move(int(self.codes[action]))

    def action(self, move: Move | str, position: Position | None = None) -> int:
        """The action of a move, also given in notation."""
        if isinstance(move, str):
            move = self.game.read_move(move, self.game.start() if position is None else position)
        return int(self.indices[move])

    def mask(self, position: Position) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Which actions are legal; none if the game is over."""
        mask = np.zeros(len(self), np.bool_)
        mask[self.indices[list(position.legal_moves)]] = True
        return mask
