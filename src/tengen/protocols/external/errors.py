"""Failures of external programs. A match scores each as a loss, with its reason."""

from __future__ import annotations

from tengen.core.errors import EngineResigned, TengenError


class ExternalEngineError(TengenError):
    """Base class of all failures of external programs."""


class CannotStart(ExternalEngineError):
    """The program is missing, exits at once, or does not speak its protocol."""


class EngineDied(ExternalEngineError):
    """The program exited during a search, and again after a restart."""


class EngineHung(ExternalEngineError):
    """The program did not answer in time and was killed."""


class IllegalAnswer(ExternalEngineError):
    """The program's answer is not a legal move. `answer` is its text."""

    def __init__(self, message: str, answer: str) -> None:
        super().__init__(message)
        self.answer = answer


class Refused(ExternalEngineError):
    """The program answered with an error: to a legal move, to the rules, or instead of a move."""


class Resigned(ExternalEngineError, EngineResigned):
    """The program resigned."""
