"""Board widget: the largest drawing that fits, with a cursor moved by arrow keys or mouse.

The first click on a point moves the cursor there, which previews the move; a second click plays it, like Enter. A
board larger than the widget scrolls to keep the cursor visible.
"""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tengen.core.diagram import Diagram, Point
from tengen.core.translation import mark
from tengen.terminal.app.board_drawing import BoardLayout, BoardMarks, draw


class BoardView(Widget, can_focus=True):
    """Draws a diagram. Posts messages when the cursor moves or is activated, and for typed characters."""

    DEFAULT_CSS = "BoardView { width: 1fr; height: 1fr; min-height: 3; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "step(-1,0)", mark("Left"), show=False),
        Binding("right", "step(1,0)", mark("Right"), show=False),
        Binding("up", "step(0,-1)", mark("Up"), show=False),
        Binding("down", "step(0,1)", mark("Down"), show=False),
        Binding("enter,space", "act", mark("Play"), show=True, key_display="⏎"),
    ]

    class CursorMoved(Message):
        """The cursor has moved."""

    class Activated(Message):
        """Enter was pressed, or the point under the cursor was clicked again."""

    class Typed(Message):
        """A letter or digit was typed: the beginning of a move or command."""

        def __init__(self, character: str) -> None:
            super().__init__()
            self.character = character

    def __init__(self, diagram: Diagram) -> None:
        super().__init__()
        self.diagram = diagram
        self.cursor: Point = (len(diagram.columns) // 2, len(diagram.rows) // 2)
        self._marks = BoardMarks()
        self._lines: list[list[Segment]] = []
        self._layout_of_board: BoardLayout | None = None
        self._offset = (0, 0)

    def draw(self, diagram: Diagram, marks: BoardMarks) -> None:
        """Show a position with marks."""
        self.diagram, self._marks = diagram, marks
        self._draw()

    def move_cursor_to(self, point: Point) -> None:
        """Move the cursor and post `CursorMoved`."""
        if point != self.cursor:
            self.cursor = point
            self.post_message(self.CursorMoved())

    def on_resize(self) -> None:
        self._draw()

    def _draw(self) -> None:
        width, height = self.size
        if not width or not height:
            return
        layout = self._layout_of_board = BoardLayout.fit(self.diagram, width, height)
        self._lines = [list(line.render(self.app.console)) for line in draw(layout, self._marks)]
        centre = layout.centre(self.cursor)
        across, down = (
            -((space - needed) // 2) if needed <= space else max(0, min(needed - space, at - space // 2))
            for space, needed, at in ((width, layout.width, centre[0]), (height, layout.height, centre[1]))
        )
        self._offset = (across, down)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        across, down = self._offset
        width = self.size.width
        row = y + down
        if not 0 <= row < len(self._lines):
            return Strip.blank(width, self.rich_style)
        strip = Strip(self._lines[row])
        if across < 0:
            strip = Strip([Segment(" " * -across), *self._lines[row]])
            across = 0
        return strip.crop(across, across + width).adjust_cell_length(width).apply_style(self.rich_style)

    def point_at(self, x: int, y: int) -> Point | None:
        """The board point at widget coordinates; None outside the board."""
        if self._layout_of_board is None:
            return None
        return self._layout_of_board.at(x + self._offset[0], y + self._offset[1])

    def action_step(self, across: int, down: int) -> None:
        column = max(0, min(len(self.diagram.columns) - 1, self.cursor[0] + across))
        row = max(0, min(len(self.diagram.rows) - 1, self.cursor[1] + down))
        self.move_cursor_to((column, row))

    def action_act(self) -> None:
        self.post_message(self.Activated())

    def on_click(self, event: events.Click) -> None:
        point = self.point_at(event.x, event.y)
        if point is None:
            return
        if point == self.cursor:
            self.post_message(self.Activated())
        else:
            self.move_cursor_to(point)

    def on_key(self, event: events.Key) -> None:
        if event.character is not None and event.character.isalnum():
            event.stop()
            self.post_message(self.Typed(event.character))
