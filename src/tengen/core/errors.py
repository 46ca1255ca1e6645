"""The errors that Tengen raises for what a user did or gave.

Every one of them carries a message of one line that says what was wrong and what was expected, fit to
be shown to a person as it is. Anything else that escapes is a bug of ours.
"""

from __future__ import annotations

from typing import Any


class TengenError(Exception):
    """Base of all errors that are not our bugs. Each can be pickled, so that it may come from another process."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Python would call the class with `args`, which fits no class whose __init__ takes anything else.
        return _rebuild, (type(self), self.args), self.__dict__


def _rebuild(kind: type[TengenError], args: tuple[Any, ...]) -> TengenError:
    return kind.__new__(kind, *args)


class OptionError(TengenError):
    """A rule, setting or limit with a value that makes no sense."""


class PositionError(TengenError):
    """A position that cannot be read or cannot occur."""


class MoveError(TengenError):
    """Base of what can be wrong with a move."""


class UnreadableMove(MoveError):
    """The text is not a move in this game's notation."""


class IllegalMove(MoveError):
    """The move can be read, but the rules forbid it. `reason` says which rule, without naming the move."""

    def __init__(self, move: str, reason: str) -> None:
        super().__init__(f"{move} is illegal: {reason}")
        self.move = move
        self.reason = reason


class AmbiguousMove(MoveError):
    """The text fits several legal moves. `choices` lists them in full."""

    def __init__(self, move: str, choices: list[str]) -> None:
        super().__init__(f"{move} may mean {' or '.join(choices)}: write it in full")
        self.move = move
        self.choices = choices


class GameOver(MoveError):
    """A move was asked for or played in a game that has ended."""


class EngineResigned(TengenError):
    """The engine gives up instead of making a move."""
