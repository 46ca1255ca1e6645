"""What a foreign engine can do wrong. A match turns each into the loss of the game, for the reason given."""

from __future__ import annotations

from tengen.core.errors import EngineResigned, TengenError


class ExternalEngineError(TengenError):
    """Base of all of them."""


class CannotStart(ExternalEngineError):
    """The program is not there, ends at once, or does not speak its protocol."""


class EngineDied(ExternalEngineError):
    """It ended in the midst of a search, and after it was started again, once more."""


class EngineHung(ExternalEngineError):
    """It did not answer in its time, and was killed."""


class IllegalAnswer(ExternalEngineError):
    """It answered with something that is no legal move. `answer` is what it said."""

    def __init__(self, message: str, answer: str) -> None:
        super().__init__(message)
        self.answer = answer


class Refused(ExternalEngineError):
    """It answered with an error: to a legal move, to the rules, or instead of a move."""


class Resigned(ExternalEngineError, EngineResigned):
    """It gave up. No fault, but no move either."""
