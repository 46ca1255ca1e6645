"""Errors caused by user input or usage.

Each has a one-line message that states the problem and what was expected, suitable for display. Any other
exception that escapes is a bug.
"""

from __future__ import annotations

from typing import Any

from tengen.core.translation import mark


class TengenError(Exception):
    """Base class of expected errors. Subclasses can be pickled and raised from another process."""

    def __reduce__(self) -> tuple[Any, ...]:
        # By default unpickling calls the class with `args`, which fails if __init__ has other parameters.
        return _rebuild, (type(self), self.args), self.__dict__


def _rebuild(kind: type[TengenError], args: tuple[Any, ...]) -> TengenError:
    return kind.__new__(kind, *args)


class OptionError(TengenError):
    """An invalid value of an option, setting or limit."""


class PositionError(TengenError):
    """A position that cannot be parsed or cannot occur."""


class MoveError(TengenError):
    """Base class of errors about moves."""


class UnreadableMove(MoveError):
    """The text is not a move in this game's notation."""


class IllegalMove(MoveError):
    """The move is valid notation but illegal. `reason` names the violated rule."""

    def __init__(self, move: str, reason: str) -> None:
        super().__init__(mark("{move} is illegal: {reason}").format(move=move, reason=reason))
        self.move = move
        self.reason = reason


class AmbiguousMove(MoveError):
    """The text matches several legal moves, listed in `choices`."""

    def __init__(self, move: str, choices: list[str]) -> None:
        super().__init__(
            mark("{move} may mean {choices}: write it in full").format(move=move, choices=" or ".join(choices))
        )
        self.move = move
        self.choices = choices


class GameOver(MoveError):
    """A move was requested or played after the end of the game."""


class EngineResigned(TengenError):
    """The engine resigns instead of playing a move."""
