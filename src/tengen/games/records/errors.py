"""What is wrong with a record, and where."""

from __future__ import annotations

from bisect import bisect_left
from typing import Self

from tengen.core.errors import TengenError
from tengen.core.resource_limits import LimitExceeded

LONGEST_MESSAGE = 500  # characters: a message may quote the file, all of which can be one word


class RecordError(TengenError):
    """A record that cannot be read, replayed or written. `place` is a line and column, an offset or a game."""

    def __init__(self, message: str, place: str = "", file: str = "") -> None:
        # A message may quote the file: whatever that held, it stays one line.
        if len(message) > LONGEST_MESSAGE:
            message = message[:LONGEST_MESSAGE] + "…"
        message = "".join(letter if letter.isprintable() else "?" for letter in " ".join(message.split()))
        super().__init__(": ".join(part for part in (file, place, message) if part))
        self.message = message
        self.place = place
        self.file = file

    def within(self, file: str = "", place: str = "") -> Self:
        """The same error, with the file and the place where none was known."""
        return type(self)(self.message, self.place or place, self.file or file)


class RecordTooLarge(RecordError, LimitExceeded):
    """A record with more moves, nodes or marks than the limits in force allow."""


class Places:
    """Line and column of offsets in a text.

    The lines are looked up in an index that is built for the first place: a file may have as many errors as lines,
    and counting lines from the start for each of them would take quadratic time.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._ends: list[int] | None = None  # the offsets of all line ends

    def __call__(self, offset: int) -> str:
        """`line 3, column 17`, both from 1."""
        if self._ends is None:
            self._ends = _line_ends(self._text)
        line = bisect_left(self._ends, offset)
        begin = self._ends[line - 1] + 1 if line else 0
        return f"line {line + 1}, column {offset - begin + 1}"


def _line_ends(text: str) -> list[int]:
    found = []
    end = text.find("\n")
    while end >= 0:
        found.append(end)
        end = text.find("\n", end + 1)
    return found
