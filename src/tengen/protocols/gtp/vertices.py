"""Moves as GTP writes them: points with letters (no I) and rows from below, whatever the game's own notation is.

GoGui and others draw by these. A move of several points, as in Clobber, is joined by `-`; a move without one (a
pass, a choice of sides) has its name. So Othello's f5 is F4 here, because Othello counts its rows from above.
"""

from __future__ import annotations

import re

from tengen.core.diagram import Point, letters
from tengen.core.errors import TengenError
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.protocols.gtp.syntax import GtpError

_VERTEX = re.compile(r"([a-hj-z]{1,3})(\d{1,4})", re.ASCII)


def size_of(position: Position) -> tuple[int, int]:
    """Columns and rows."""
    stones = position.diagram().stones
    return len(stones[0]), len(stones)


def write_vertex(point: Point, width: int, height: int) -> str:
    column, row = point
    return f"{letters(width, skip='I')[column]}{height - row}"


def read_vertex(word: str, width: int, height: int) -> Point:
    found = _VERTEX.fullmatch(word.lower())
    if found is None:
        raise GtpError(f"syntax error: expected a vertex as D4, not {word!r}")
    labels = letters(width, skip="I")
    label, row = found[1].upper(), height - int(found[2])
    if label not in labels or not 0 <= row < height:
        raise GtpError(f"syntax error: {word.upper()} is not on the board of {width}x{height}")
    return labels.index(label), row


class Notation:
    """How moves of one board are read and written."""

    def __init__(self, position: Position) -> None:
        self.game = position.game
        self.width, self.height = size_of(position)

    def write(self, move: Move) -> str:
        points = self.game.points(move)
        if not points:
            return self.game.write_move(move)
        return "-".join(write_vertex(point, self.width, self.height) for point in points)

    def rewrite(self, text: str, position: Position) -> str:
        """A move from the game's own notation, as reports have it."""
        return self.write(self.game.read_move(text, position))

    def line(self, moves: tuple[str, ...], position: Position) -> list[str]:
        """A line from a report, as far as it can be played."""
        written = []
        for text in moves:
            if position.is_over:
                break
            move = self.game.read_move(text, position)
            written.append(self.write(move))
            if self.game.points(move) and len(self.game.points(move)) == 1:
                continue  # reading such a move needs no position: no need to play it
            if move not in position.legal_moves:
                break
            position = position.play(move)
        return written

    def read(self, word: str, position: Position) -> Move:
        """The legal move that a word means. Raises `GtpError`."""
        if word.lower() == "resign":
            raise GtpError("resign is no move")
        named = {self.game.write_move(move): move for move in position.legal_moves if not self.game.points(move)}
        if word.lower() in named:
            return named[word.lower()]
        if word.lower() == "pass":
            raise GtpError("illegal move: no pass now")
        points = tuple(read_vertex(part, self.width, self.height) for part in word.split("-"))
        for move in position.legal_moves:
            if self.game.points(move) == points:
                return move
        raise GtpError(f"illegal move{self._reason(word, points, position)}")

    def _reason(self, word: str, points: tuple[Point, ...], position: Position) -> str:
        """Why, where the game writes moves as GTP does."""
        try:
            move = self.game.read_move(word, position)
            if position.is_over or self.game.points(move) != points:
                return ": the game is over" if position.is_over else ""
            return f": {self.game.why_illegal(position, move)}"
        except TengenError:
            return ""
