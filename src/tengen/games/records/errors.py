"""What is wrong with a record, and where."""

from __future__ import annotations

from tengen.core.errors import TengenError


class RecordError(TengenError):
    """A record that cannot be read, replayed or written. `place` is a line and column, an offset or a game."""

    def __init__(self, message: str, place: str = "", file: str = "") -> None:
        # A message may quote the file: whatever that held, it stays one line.
        message = "".join(letter if letter.isprintable() else "?" for letter in " ".join(message.split()))
        super().__init__(": ".join(part for part in (file, place, message) if part))
        self.message = message
        self.place = place
        self.file = file

    def within(self, file: str = "", place: str = "") -> RecordError:
        """The same error, with the file and the place where none was known."""
        return RecordError(self.message, self.place or place, self.file or file)


def line_and_column(text: str, offset: int) -> str:
    """`line 3, column 17`, both from 1."""
    line = text.count("\n", 0, offset) + 1
    column = offset - (text.rfind("\n", 0, offset) + 1) + 1
    return f"line {line}, column {column}"
