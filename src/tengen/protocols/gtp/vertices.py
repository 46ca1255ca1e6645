"""Moves in GTP notation: column letters without I and rows from below, for every game.

GoGui and others need these to draw moves. The points of a move with several, as in Clobber, are joined by `-`; a
move without points (a pass, a choice of sides) is written by its name. Othello's f5 is F4 in GTP, because Othello
counts rows from above.
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
    """Numbers of columns and rows."""
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
    """Reads and writes moves on one board."""

    def __init__(self, position: Position) -> None:
        self.game = position.game
        self.width, self.height = size_of(position)

    @property
    def size_text(self) -> str:
        """The board size as GTP writes it: one number for a square board, otherwise columns and rows."""
        return f"{self.width}" if self.width == self.height else f"{self.width} {self.height}"

    def write_point(self, point: Point) -> str:
        return write_vertex(point, self.width, self.height)

    def read_point(self, word: str) -> Point:
        return read_vertex(word, self.width, self.height)

    def write(self, move: Move) -> str:
        points = self.game.points(move)
        if not points:
            return self.game.write_move(move)
        return "-".join(map(self.write_point, points))

    def rewrite(self, text: str, position: Position) -> str:
        """Convert a move from the game's own notation, which reports use."""
        return self.write(self.game.read_move(text, position))

    def line(self, moves: tuple[str, ...], position: Position) -> list[str]:
        """Convert a line of a report, up to the first move that cannot be played."""
        written = []
        for text in moves:
            if position.is_over:
                break
            move = self.game.read_move(text, position)
            written.append(self.write(move))
            if self.game.points(move) and len(self.game.points(move)) == 1:
                continue  # single-point moves can be read without the position, so there is no need to play them
            if move not in position.legal_moves:
                break
            position = position.play(move)
        return written

    def read(self, word: str, position: Position) -> Move:
        """The legal move denoted by `word`. Raises `GtpError`."""
        if word.lower() == "resign":
            raise GtpError("resign is not a move")
        named = {self.game.write_move(move): move for move in position.legal_moves if not self.game.points(move)}
        if word.lower() in named:
            return named[word.lower()]
        if word.lower() == "pass":
            raise GtpError("illegal move: passing is not allowed now")
        points = tuple(map(self.read_point, word.split("-")))
        for move in position.legal_moves:
            if self.game.points(move) == points:
                return move
        raise GtpError(f"illegal move{self._reason(word, points, position)}")

    def _reason(self, word: str, points: tuple[Point, ...], position: Position) -> str:
        """The reason why a move is illegal, if the game's own notation can express it."""
        try:
            move = self.game.read_move(word, position)
            if position.is_over or self.game.points(move) != points:
                return ": the game is over" if position.is_over else ""
            return f": {self.game.why_illegal(position, move)}"
        except TengenError:
            return ""
