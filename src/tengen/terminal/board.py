"""Boards as coloured text."""

from __future__ import annotations

from collections.abc import Callable

from rich.text import Text

from tengen.core.diagram import Diagram, Point, Stone
from tengen.core.position import Position

_STYLES = {
    # Readable on light and dark backgrounds; the symbols differ as well as the colours.
    Stone.FIRST: "bold dark_orange3",
    Stone.SECOND: "bold dodger_blue2",
    Stone.EMPTY: "grey50",
}
_MARKED = " reverse"


def draw(position: Position) -> Text:
    """The board with the last move marked, its captions, and the side to move or the result."""
    diagram = position.diagram()
    text = Text()
    lines = diagram.text(_wrap_marks(diagram)).split("\n")
    for line in lines:
        text.append_text(_paint(line))
        text.append("\n")
    text.append(status(position))
    return text


def status(position: Position) -> str:
    """The side to move, or the result."""
    outcome = position.outcome
    if outcome is not None and position.game.counts_dead_stones:
        return "The game has ended; the score depends on the dead stones"
    if outcome is not None:
        return position.game.write_outcome(outcome)
    return f"Move {position.ply + 1}: {position.game.players[position.to_move]} to play"


# Private-use characters stand for styled symbols during the layout, so that widths stay right.
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
