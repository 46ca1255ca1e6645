"""Immutable positions that know their history.

Games can have thousands of moves, so the memory of a position must not grow with its history. Repeat keys are
shared (see `repeat_history`). In a long game, earlier positions drop data that can be recomputed: legal moves, and
all records except one in `CHECKPOINT_PLIES`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np

from tengen.core.compiled.position_kernels import (
    advance,
    describe,
    describe_line,
    is_move_legal,
    list_legal_moves,
)
from tengen.core.diagram import Diagram
from tengen.core.errors import GameOver, IllegalMove, UnreadableMove
from tengen.core.game import Game, Move
from tengen.core.outcome import Outcome
from tengen.core.repeat_history import RepeatHistory
from tengen.core.translation import mark

LONG_GAME_PLIES = 512  # beyond this length, earlier positions drop data that can be recomputed
CHECKPOINT_PLIES = 32  # one position in this many keeps its record


class Position:
    """A position of a game. `play` returns a new one.

    `parent` and `move` lead back to the start (both None there), because superko, game records and tree reuse
    depend on the history. `ply` is the number of moves played. Positions are equal if their games and all moves
    are equal.
    """

    def __init__(
        self,
        game: Game,
        states: np.ndarray[Any, Any],
        parent: Position | None,
        move: Move | None,
        facts: Sequence[int] | None = None,
    ):
        """`facts` is what `describe` returns, if it is known already."""
        self.game = game
        self.parent = parent
        self.move = move
        self.ply: int = parent.ply + 1 if parent else 0
        self._kept: np.ndarray[Any, Any] | None = states  # use `states` to read it
        self._history: RepeatHistory | None = None
        self._line_key: bytes | None = None
        if facts is None:
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
        return self.states.copy()[0]

    @property
    def states(self) -> np.ndarray[Any, Any]:
        """The record as an array of one, for kernels that only read it."""
        kept = self._kept
        return self._recomputed() if kept is None else kept

    def _recomputed(self) -> np.ndarray[Any, Any]:
        """The record, recomputed from that of an earlier position."""
        moves = []
        position = self
        while (kept := position._kept) is None:
            assert position.parent is not None
            assert position.move is not None
            moves.append(position.move)
            position = position.parent
        states = kept.copy()
        for move in reversed(moves):
            advance(states, np.int32(move))
        return states

    @cached_property
    def legal_moves(self) -> tuple[Move, ...]:
        """All legal moves, considering history; empty when the game is over."""
        out = np.empty(self.game.max_legal_moves, np.int32)
        count = list_legal_moves(self._scratch(), self.repeat_keys, out)
        return tuple(out[:count].tolist())

    def is_legal(self, move: Move) -> bool:
        """Whether a move is legal. Faster than `move in legal_moves` if those have not been computed."""
        known: tuple[Move, ...] | None = self.__dict__.get("legal_moves")
        if known is not None:
            return move in known
        if not 0 <= move < self.game.move_codes:
            return False
        out = np.empty(self.game.max_legal_moves, np.int32)
        return bool(is_move_legal(self._scratch(), self.repeat_keys, np.int32(move), out))

    def _scratch(self) -> np.ndarray[Any, Any]:
        """The record, and space for another one."""
        scratch = np.empty(2, self.game.record)
        scratch[0] = self.states[0]
        return scratch

    @property
    def repeat_keys(self) -> np.ndarray[Any, Any]:
        """The repeat keys of all positions from the start to this one, as a read-only np.uint64 array."""
        if self._history is None:
            newer = [self]
            while (before := newer[-1].parent) is not None and before._history is None:
                newer.append(before)
            history = RepeatHistory() if before is None else before._history
            for position in reversed(newer):
                assert history is not None
                history = position._history = history.extended(position.ply, position.repeat_key)
            assert history is not None
            return history.first(self.ply + 1)
        return self._history.first(self.ply + 1)

    @property
    def line_key(self) -> bytes:
        """Hash of the moves so far in notation; `line_keys` computes the same from text."""
        if self._line_key is None:
            newer = [self]
            while (before := newer[-1].parent) is not None and before._line_key is None:
                newer.append(before)
            key = b"" if before is None else before._line_key or b""
            for position in reversed(newer):
                if position.move is not None:
                    key = _next_line_key(key, self.game.write_move(position.move))
                position._line_key = key
        assert self._line_key is not None
        return self._line_key

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
        """The result, or None if the game is not over."""
        return self.game.outcome(self)

    def play(self, move: Move | str) -> Position:
        """The position after a move, given as a move or in notation. Raises a `MoveError`."""
        if isinstance(move, str):
            move = self.game.read_move(move, self)
        elif not isinstance(move, int | np.integer):
            raise UnreadableMove(
                mark("{move!r} is not a move: write {notation}").format(move=move, notation=self.game.notation)
            )
        if self.is_over:
            outcome = self.outcome
            assert outcome is not None
            raise GameOver(mark("the game is over: {outcome}").format(outcome=self.game.write_outcome(outcome)))
        if not self.is_legal(move):
            raise IllegalMove(self.game.write_move(move), self.game.why_illegal(self, move))
        return self._after(Move(int(move)))

    def _after(self, move: Move) -> Position:
        states = self.states.copy()
        advance(states, np.int32(move))
        return self._child(states, move)

    def _child(self, states: np.ndarray[Any, Any], move: Move, facts: Sequence[int] | None = None) -> Position:
        if self.ply > LONG_GAME_PLIES and self.parent is not None:
            self.parent._slim()
        return Position(self.game, states, self, move, facts)

    def _line_of(self, moves: Sequence[Move]) -> list[Position]:
        """The positions from here on after each of some legal moves; faster than playing them one by one."""
        states = np.empty(len(moves) + 1, self.game.record)
        states[0] = self.states[0]
        facts, keys = np.empty((len(states), 3), np.int64), np.empty((len(states), 2), np.uint64)
        describe_line(states, np.array(moves, np.int32), facts, keys)
        line, position = [self], self
        known = zip(facts.tolist(), keys.tolist(), strict=True)
        next(known)
        for ply, (move, (fact, key)) in enumerate(zip(moves, known, strict=True), 1):
            position = position._child(states[ply : ply + 1].copy(), move, fact + key)
            line.append(position)
        return line

    def _slim(self) -> None:
        """Drop data that can be recomputed."""
        self.__dict__.pop("legal_moves", None)
        if self.ply % CHECKPOINT_PLIES:
            self._kept = None

    def play_all(self, moves: Iterable[Move | str]) -> Position:
        """The position after several moves."""
        position = self
        for move in moves:
            position = position.play(move)
        return position

    def legal_part(self, moves: Sequence[Move]) -> Sequence[Move]:
        """The legal prefix of a line: searches may report moves that repeat a position."""
        position = self
        for length, move in enumerate(moves if self.game.can_repeat else ()):
            if length:
                position = position._after(moves[length - 1])
            if move not in position.legal_moves:
                return moves[:length]
        return moves

    def write_moves(self, moves: Iterable[Move]) -> list[str]:
        """Moves in notation."""
        return [self.game.write_move(move) for move in moves]

    def diagram(self) -> Diagram:
        return self.game.diagram(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        if self is other:
            return True
        return (self.game, self.key, self.ply) == (other.game, other.key, other.ply) and self.moves == other.moves

    def __hash__(self) -> int:
        return hash((self.game, self.key, self.ply))

    def __reduce__(self) -> tuple[Any, ...]:
        # As moves: pickling the chain of parents is recursive and exceeds the recursion limit in long games.
        return _replay, (self.game, self.moves)

    def __str__(self) -> str:
        return self.diagram().text()

    def _repr_svg_(self) -> str:
        """The board as a picture, which notebooks display."""
        from tengen.core.board_svg import board_svg

        return board_svg(self.diagram())

    def __repr__(self) -> str:
        return f"<Position of {self.game.describe()} after {self.ply} moves>"


def _replay(game: Game, moves: tuple[Move, ...]) -> Position:
    position = game.start()
    for move in moves:
        position = position._after(move)
    return position


def line_keys(moves: Iterable[str]) -> Iterator[bytes]:
    """The `line_key` of the start and of the position after each move, given in notation."""
    key = b""
    yield key
    for move in moves:
        key = _next_line_key(key, move)
        yield key


def _next_line_key(key: bytes, move: str) -> bytes:
    return blake2b(key + move.encode(), digest_size=16).digest()
