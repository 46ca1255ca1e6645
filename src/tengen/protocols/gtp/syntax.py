"""Syntax of GTP: commands, responses and arguments."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from tengen.core.errors import TengenError

_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_ID = re.compile(r"(\d{1,18})(?:\s+|$)", re.ASCII)
_INTEGER = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d{1,18}(?:\.\d{0,18})?|\.\d{1,18})(?:[eE][+-]?\d{1,3})?", re.ASCII)

COLOURS = {"b": 0, "black": 0, "w": 1, "white": 1}
INTERRUPT = "# interrupt"


class GtpError(TengenError):
    """A command that cannot be executed; its text is the response."""


@dataclass(frozen=True)
class Request:
    """A command with its id (digits, or empty) and its arguments."""

    id: str
    command: str
    words: tuple[str, ...]


def parse(line: str) -> Request | None:
    """Parse a line; None if it is empty or a comment."""
    text = _CONTROL.sub("", line.partition("#")[0]).replace("\t", " ").strip()
    if not text:
        return None
    found = _ID.match(text)
    words = (text[found.end() :] if found else text).split()
    return Request(found[1] if found else "", words[0] if words else "", tuple(words[1:]))


def is_interrupt(line: str | None) -> bool:
    """Whether a line is GoGui's comment that interrupts the running command."""
    return line is not None and line.strip() == INTERRUPT


def answer(request_id: str, text: str, *, good: bool = True) -> str:
    """A response without its last line end. Empty lines would end it, so they are removed.

    A text that starts with a line end starts on the second line of the response, as boards should.
    """
    lines = [_CONTROL.sub("", line).rstrip() for line in text.splitlines()]
    body = "\n".join(line for line in lines if line)
    separator = "" if not body else "\n" if text.startswith("\n") else " "
    return f"{'=' if good else '?'}{request_id}{separator}{body}\n"


class Arguments:
    """Arguments of a command, read in order. Raises `GtpError` for missing or invalid ones."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self.words = words
        self._next = 0

    @property
    def left(self) -> int:
        return len(self.words) - self._next

    def peek(self) -> str:
        """The next word, or an empty string."""
        return self.words[self._next] if self.left else ""

    def word(self, what: str, *, last: bool = False) -> str:
        """The next word; with `last`, none may follow. `what` describes it in error messages."""
        if not self.left:
            raise GtpError(f"syntax error: expected {what}")
        self._next += 1
        if last:
            self.finish()
        return self.words[self._next - 1]

    def rest(self) -> str:
        words = self.words[self._next :]
        self._next = len(self.words)
        return " ".join(words)

    def colour(self, *, last: bool = False) -> int:
        word = self.word("a colour, b or w", last=last)
        if word.lower() not in COLOURS:
            raise GtpError(f"syntax error: expected a colour, b or w, not {word!r}")
        return COLOURS[word.lower()]

    def integer(self, what: str, low: int = 0, high: int = 10**9, *, last: bool = False) -> int:
        word = self.word(what, last=last)
        if _INTEGER.fullmatch(word) is None or not low <= int(word) <= high:
            raise GtpError(f"syntax error: expected {what}, {low} to {high}, not {word!r}")
        return int(word)

    def number(self, what: str, low: float = 0.0, high: float = 1e9, *, last: bool = False) -> float:
        word = self.word(what, last=last)
        value = float(word) if _NUMBER.fullmatch(word) else math.nan
        if not low <= value <= high:
            raise GtpError(f"syntax error: expected {what}, not {word!r}")
        return value

    def switch(self, what: str) -> bool:
        word = self.word(what).lower()
        if word not in ("true", "false", "1", "0", "on", "off"):
            raise GtpError(f"syntax error: expected true or false for {what}, not {word!r}")
        return word in ("true", "1", "on")

    def finish(self) -> None:
        """Raise if arguments are left."""
        if self.left:
            raise GtpError(f"syntax error: unexpected arguments after {' '.join(self.words[: self._next])!r}")

    def finish_with_seed(self) -> None:
        """Skip the random seed that some of GNU Go's commands accept (results do not depend on one here)."""
        if self.left:
            self.integer("a seed")
        self.finish()


Stream = Callable[[str], None]
Function = TypeVar("Function", bound=Callable[..., Any])


def command(*names: str, streams: bool = False) -> Callable[[Function], Function]:
    """Mark a method as the handler of these commands.

    It takes `Arguments`, unless its commands have none, and returns the response or None. If it `streams`, it also
    takes a function that writes one line of the response.
    """

    def mark(function: Function) -> Function:
        function.gtp_names, function.gtp_streams = names, streams  # type: ignore[attr-defined]
        return function

    return mark


def call(handler: Callable[..., str | None], arguments: Arguments) -> str:
    """The response of a handler that does not stream."""
    if not inspect.signature(handler).parameters:
        arguments.finish()
        return handler() or ""
    return handler(arguments) or ""


def handlers(group: object) -> Iterator[tuple[str, Callable[..., Any]]]:
    """(name, method) of every command handler of an object."""
    for attribute in dir(type(group)):
        method = getattr(type(group), attribute)
        for name in getattr(method, "gtp_names", ()):
            yield name, getattr(group, attribute)
