"""A position: immutable, and it knows how it came about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from tengen.core.compiled.walk import advance, describe, list_moves
from tengen.core.diagram import Diagram
from tengen.core.errors import GameOver, IllegalMove, UnreadableMove
from tengen.core.game import Game, Move
from tengen.core.outcome import Outcome


class Position:
    """One position of a game. `play` returns a new one.

    `parent` and `move` lead back to the start (both None there), because superko, records and tree reuse
    depend on the way. `ply` is the number of moves played. Two positions are equal if their games and all
    their moves are.
    """

    def __init__(self, game: Game, states: np.ndarray[Any, Any], parent: Position | None, move: Move | None):
        self.game = game
        self.parent = parent
        self.move = move
        self.ply: int = parent.ply + 1 if parent else 0
        self._states = states
        facts = describe(states)
        self.to_move: int = int(facts[0])
        self.is_over: bool = bool(facts[1])
        self.final_score: int = int(facts[2])  # for player 0, in thousandths of a point; meaningful when over
        self.key: int = int(facts[3])
        self.repeat_key: int = int(facts[4])

    @classmethod
    def first(cls, game: Game) -> Position:
        states = np.zeros(1, game.record)
        game.set_up(states)
        return cls(game, states, None, None)

    @property
    def state(self) -> Any:
        """A copy of the record, for kernels."""
        return self._states.copy()[0]

    @property
    def states(self) -> np.ndarray[Any, Any]:
        """The record as an array of one, for kernels that only read it."""
        return self._states

    @cached_property
    def legal_moves(self) -> tuple[Move, ...]:
        """Every legal move, history considered; none when the game is over."""
        scratch = np.empty(2, self.game.record)
        scratch[0] = self._states[0]
        out = np.empty(self.game.most_moves, np.int32)
        count = list_moves(scratch, self.repeat_keys, out)
        return tuple(Move(int(move)) for move in out[:count])

    @cached_property
    def repeat_keys(self) -> np.ndarray[Any, Any]:
        """The repeat keys of all positions from the start to this one, as np.uint64, to be read only."""
        keys = np.array([position.repeat_key for position in self.line()], np.uint64)
        keys.flags.writeable = False
        return keys

    def line(self) -> Iterator[Position]:
        """The positions from the start to this one."""
        positions = []
        position: Position | None = self
        while position is not None:
            positions.append(position)
            position = position.parent
        return reversed(positions)

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves from the start to this position."""
        return tuple(position.move for position in self.line() if position.move is not None)

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        return self.game.outcome(self)

    def play(self, move: Move | str) -> Position:
        """The position after a move, given as a move or as a player writes it. Raises a `MoveError`."""
        if isinstance(move, str):
            move = self.game.read_move(move, self)
        elif not isinstance(move, int | np.integer):
            raise UnreadableMove(f"{move!r} is not a move: write {self.game.notation}")
        if self.is_over:
            raise GameOver(f"the game is over: {self.game.write_outcome(self.outcome)}")  # type: ignore[arg-type]
        if move not in self.legal_moves:
            raise IllegalMove(self.game.write_move(move), self.game.why_illegal(self, move))
        return self._after(Move(int(move)))

    def _after(self, move: Move) -> Position:
        states = self._states.copy()
        advance(states, np.int32(move))
        return Position(self.game, states, self, move)

    def play_all(self, moves: Iterable[Move | str]) -> Position:
        """The position after several moves."""
        position = self
        for move in moves:
            position = position.play(move)
        return position

    def legal_part(self, moves: Sequence[Move]) -> Sequence[Move]:
        """A line as far as it is legal: a search may look at moves that turn out to repeat a position."""
        position = self
        for length, move in enumerate(moves if self.game.can_repeat else ()):
            if length:
                position = position._after(moves[length - 1])
            if move not in position.legal_moves:
                return moves[:length]
        return moves

    def write_moves(self, moves: Iterable[Move]) -> list[str]:
        """Moves as players write them."""
        return [self.game.write_move(move) for move in moves]

    def diagram(self) -> Diagram:
        return self.game.diagram(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self.game == other.game and self.key == other.key and self.moves == other.moves

    def __hash__(self) -> int:
        return hash((self.game, self.key, self.ply))

    def __reduce__(self) -> tuple[Any, ...]:
        # By its moves: a chain of parents would be pickled by recursion, and long games exceed its limit.
        return _replay, (self.game, self.moves)

    def __str__(self) -> str:
        return self.diagram().text()

    def __repr__(self) -> str:
        return f"<Position of {self.game.describe()} after {self.ply} moves>"


def _replay(game: Game, moves: tuple[Move, ...]) -> Position:
    position = game.start()
    for move in moves:
        position = position._after(move)
    return position
