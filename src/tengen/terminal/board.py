"""Boards in colour."""

from __future__ import annotations

from collections.abc import Callable

from rich.text import Text

from tengen.core.diagram import Diagram, Point, Stone
from tengen.core.position import Position

_STYLES = {
    # Readable on light and dark grounds, and told apart by shape as well as by colour.
    Stone.FIRST: "bold dark_orange3",
    Stone.SECOND: "bold dodger_blue2",
    Stone.EMPTY: "grey50",
}
_MARKED = " reverse"


def draw(position: Position) -> Text:
    """The board with its last move marked, the captions, and whose turn it is."""
    diagram = position.diagram()
    text = Text()
    lines = diagram.text(_wrap_marks(diagram)).split("\n")
    for line in lines:
        text.append_text(_paint(line))
        text.append("\n")
    text.append(status(position))
    return text


def status(position: Position) -> str:
    """Whose turn it is, or how the game ended."""
    outcome = position.outcome
    if outcome is not None and position.game.counts_dead_stones:
        return "The game has ended; the count depends on which stones are dead"
    if outcome is not None:
        return position.game.write_outcome(outcome)
    return f"Move {position.ply + 1}: {position.game.players[position.to_move]} to play"


# Private characters stand for painted symbols while the board is laid out as text, so that widths stay right.
_BASE = 0xE000


def _wrap_marks(diagram: Diagram) -> Callable[[str, Point], str]:
    def paint(symbol: str, point: Point) -> str:
        column, row = point
        stone = diagram.stones[row][column]
        return chr(_BASE + ".+XO".index(symbol) * 8 + stone * 2 + (point in diagram.marked))

    return paint


def _paint(line: str) -> Text:
    text = Text()
    for character in line:
        code = ord(character) - _BASE
        if 0 <= code < 64:
            style = _STYLES[Stone(code % 8 // 2)] + (_MARKED if code % 2 else "")
            text.append(".+XO"[code // 8], style)
        else:
            text.append(character)
    return text
