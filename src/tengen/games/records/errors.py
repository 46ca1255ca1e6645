"""Errors in records, with their position."""

from __future__ import annotations

from bisect import bisect_left
from typing import Self

from tengen.core.errors import TengenError
from tengen.core.resource_limits import LimitExceeded
from tengen.core.translation import mark

MAX_MESSAGE_LENGTH = 500  # messages quote the file, which may be a single huge word


class RecordError(TengenError):
    """A record cannot be read, replayed or written. `place` is a line and column, an offset or a game number."""

    def __init__(self, message: str, place: str = "", file: str = "") -> None:
        # Messages may quote the file; keep them short and on one line.
        if len(message) > MAX_MESSAGE_LENGTH:
            message = message[:MAX_MESSAGE_LENGTH] + "…"
        message = "".join(letter if letter.isprintable() else "?" for letter in " ".join(message.split()))
        super().__init__(": ".join(part for part in (file, place, message) if part))
        self.message = message
        self.place = place
        self.file = file

    def within(self, file: str = "", place: str = "") -> Self:
        """A copy of the error with file and place filled in, unless already set."""
        return type(self)(self.message, self.place or place, self.file or file)


class RecordTooLarge(RecordError, LimitExceeded):
    """A record exceeds the configured limits on moves, nodes or marks."""


class TextPositions:
    """Converts offsets in a text to line and column.

    Uses an index of line ends, built on first use: counting lines anew for each of many errors would take
    quadratic time.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._ends: list[int] | None = None  # offsets of all line ends

    def __call__(self, offset: int) -> str:
        """`line 3, column 17`, both from 1."""
        if self._ends is None:
            self._ends = _line_ends(self._text)
        line = bisect_left(self._ends, offset)
        begin = self._ends[line - 1] + 1 if line else 0
        return mark("line {line}, column {column}").format(line=line + 1, column=offset - begin + 1)


def _line_ends(text: str) -> list[int]:
    found = []
    end = text.find("\n")
    while end >= 0:
        found.append(end)
        end = text.find("\n", end + 1)
    return found
