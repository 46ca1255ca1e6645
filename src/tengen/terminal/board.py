"""Boards as coloured text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.text import Text

from tengen.core.diagram import Diagram, Point, Stone
from tengen.core.translation import gettext as _
from tengen.core.translation import translate

if TYPE_CHECKING:
    from tengen.core.position import Position

_STYLES = {
    # Readable on light and dark backgrounds; the symbols differ as well as the colours.
    Stone.FIRST: "bold dark_orange3",
    Stone.SECOND: "bold dodger_blue2",
    Stone.NEUTRAL: "bold magenta",
    Stone.EMPTY: "grey50",
}


def draw(position: Position, *, is_counted_later: bool = False) -> Text:
    """The board with the last move marked, its captions, and the side to move or the result."""
    diagram = position.diagram()
    diagram = replace(diagram, captions=tuple(map(translate, diagram.captions)))

    def paint(symbol: str, point: Point) -> tuple[str, str]:
        column, row = point
        return symbol, _STYLES[diagram.stones[row][column]] + (" reverse" if point in diagram.marked else "")

    return styled_text(diagram, paint).append("\n").append(status(position, is_counted_later))


def status(position: Position, is_counted_later: bool = False) -> str:
    """The side to move, or the result, unless dead stones are agreed on first."""
    outcome = position.outcome
    if outcome is not None and (is_counted_later or position.game.counts_dead_stones):
        return _("The game has ended; the score depends on the dead stones")
    if outcome is not None:
        return translate(position.game.write_outcome(outcome))
    player = _(position.game.players[position.to_move])
    return _("Move {number}: {player} to play").format(number=position.ply + 1, player=player)


def styled_text(diagram: Diagram, paint: Callable[[str, Point], tuple[str, str]]) -> Text:
    """A diagram in which `paint(symbol, point)` returns what to write at a point, and its style."""
    painted: dict[str, tuple[str, str]] = {}

    def stand_in(symbol: str, point: Point) -> str:
        private = chr(0xE000 + len(painted))  # a private-use character, so that widths stay right
        painted[private] = paint(symbol, point)
        return private

    text = Text()
    overlap = 0  # a label of two characters covers the following space
    for character in diagram.text(stand_in):
        if character == " " and overlap > 0:
            overlap -= 1
            continue
        shown, style = painted.get(character, (character, ""))
        overlap = len(shown) - 1
        text.append(shown, style)
    return text
