"""The board widget: positions, moves by clicks, an opponent, and analysis."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any, ClassVar

from tengen.api import EngineLike, player
from tengen.core.board_svg import CELL, MARGIN, board_svg
from tengen.core.diagram import Point
from tengen.core.errors import OptionError, TengenError
from tengen.core.game import Game
from tengen.core.position import Position
from tengen.games.records import Record
from tengen.notebook.clicks import after_click
from tengen.runtime.engine_runner import EngineRunner
from tengen.search.report import Report

try:
    import anywidget
    import traitlets
except ImportError:
    raise OptionError("anywidget is not installed: run pip install 'tengen[notebook]'") from None

LINES = 5  # of an analysis


class Board(anywidget.AnyWidget):  # type: ignore[misc]
    """A board to click on.

    `start` is a game, a position with the moves that led to it, or a record. `opponent` is an engine, such as
    `"uct:500nodes"`, that answers your moves; `you` is your side, 0 for the first player. `engine` analyses the
    position that is shown when you press *Analyse*. Moves that you make from an earlier position replace those
    after it.

    `position` is the position shown, `line` the whole game.
    """

    _esm = Path(__file__).parent / "board.js"
    _css = Path(__file__).parent / "board.css"

    svg = traitlets.Unicode().tag(sync=True)
    status = traitlets.Unicode().tag(sync=True)
    details = traitlets.Unicode().tag(sync=True)  # HTML
    chosen = traitlets.List().tag(sync=True)
    targets = traitlets.List().tag(sync=True)
    named_moves = traitlets.List().tag(sync=True)  # legal moves without a point, such as a pass
    commands = traitlets.List().tag(sync=True)  # of [name, label]
    shown = traitlets.Int().tag(sync=True)
    length = traitlets.Int().tag(sync=True)
    busy = traitlets.Bool().tag(sync=True)
    geometry = traitlets.List([CELL, MARGIN]).tag(sync=True)

    _ACTIONS: ClassVar = ("click", "play", "go", "take_back", "analyse")

    def __init__(
        self,
        start: Game | Position | Record,
        *,
        opponent: EngineLike = "",
        you: int = 0,
        engine: EngineLike = "",
    ) -> None:
        super().__init__()
        if you not in (0, 1):
            raise OptionError(f"you should be 0 for the first player or 1 for the second, not {you!r}")
        self.line: list[Position] = _line(start)
        self.you = you
        self.reports: dict[Position, Report] = {}
        game = self.line[0].game
        self._opponent = EngineRunner(player(opponent).config, game) if opponent else None
        self._analyst = EngineRunner(player(engine).config, game) if engine else None
        self.commands = [["take_back", "Take back"], *([["analyse", "Analyse"]] if engine else [])]
        self.on_msg(self._on_message)
        self._show(len(self.line) - 1)
        self._reply()

    @property
    def position(self) -> Position:
        """The position that is shown."""
        return self.line[int(self.shown)]

    def click(self, column: int, row: int) -> None:
        """A click on a point, counted from 0 at the top left."""
        if self.busy or not self._is_your_turn:
            return
        clicked = after_click(self.position, tuple(map(_point, self.chosen)), (column, row))
        self.chosen, self.targets = [*map(list, clicked.chosen)], [*map(list, clicked.targets)]
        if clicked.move is not None:
            self.play(self.position.game.write_move(clicked.move))
        elif not clicked.chosen and not self.position.is_over:
            self.status = f"No move there. {self._describe()}"

    def play(self, move: str) -> None:
        """Make a move in the position that is shown, and let the opponent answer. Raises a `MoveError`."""
        if self.busy:
            raise OptionError("the engine is still thinking")
        self._append(self.position.play(move))
        self._reply()

    def take_back(self) -> None:
        """Take back to your own last move; without an opponent, one move."""
        if self.busy:
            return
        line = self.line[: self.shown + 1]
        while len(line) > 1:
            line.pop()
            if self._opponent is None or line[-1].to_move == self.you:
                break
        self.line = line
        self._show(len(line) - 1)
        self._reply()

    def go(self, ply: int) -> None:
        """Show the position after so many moves of the line."""
        if not self.busy:
            self._show(max(0, min(int(ply), len(self.line) - 1)))

    def analyse(self) -> None:
        """Analyse the position that is shown; its best moves are numbered on the board."""
        position, analyst = self.position, self._analyst
        if self.busy or position.is_over or analyst is None:
            return

        def show(report: Report) -> None:
            self.reports[position] = report
            self._show(self.shown)

        limits = replace(analyst.limits(), lines=LINES)
        self._run(lambda: analyst.search(position, limits), show)

    # ---- inside

    @property
    def _is_your_turn(self) -> bool:
        return self._opponent is None or self.position.to_move == self.you

    def _reply(self) -> None:
        """Let the opponent move if it is its turn at the end of the line."""
        position, opponent = self.position, self._opponent
        at_end = self.shown == len(self.line) - 1
        if opponent is None or position.is_over or self._is_your_turn or not at_end:
            return

        def make(report: Report) -> None:
            self._append(position.play(report.best))
            self._reply()  # some games have several moves in a row

        self._run(lambda: opponent.play(position, opponent.limits()), make)

    def _run(self, search: Callable[[], Report], then: Callable[[Report], None]) -> None:
        """Search beside the kernel's event loop; without one, for example in a script, at once."""
        self.busy = True
        self.status = self._describe()

        def finish(work: Callable[[], Report]) -> None:
            self.busy = False
            try:
                then(work())
            except TengenError as error:
                self.status = str(error)

        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            finish(search)
            return
        loop.run_in_executor(None, search).add_done_callback(lambda done: finish(done.result))

    def _append(self, position: Position) -> None:
        self.line = [*self.line[: self.shown + 1], position]
        self._show(len(self.line) - 1)

    def _show(self, ply: int) -> None:
        position = self.line[ply]
        report = self.reports.get(position)
        game = position.game
        numbers: dict[Point, str] = {}
        for rank, candidate in enumerate(() if report is None else report.candidates[:LINES], 1):
            points = game.points(game.read_move(candidate.move, position))
            if points:
                numbers.setdefault(points[-1], str(rank))
        with self.hold_sync():
            self.shown, self.length = ply, len(self.line) - 1
            self.svg = board_svg(position.diagram(), numbers)
            self.details = "" if report is None else report._repr_html_()
            self.chosen = self.targets = []
            self.named_moves = [game.write_move(move) for move in position.legal_moves if not game.points(move)]
            self.status = self._describe()

    def _describe(self) -> str:
        position = self.position
        game = position.game
        last = "" if position.move is None else f"{position.ply}. {game.write_move(position.move)}. "
        if position.outcome is not None:
            return last + game.write_outcome(position.outcome)
        thinking = " The engine is thinking …" if self.busy else ""
        return f"{last}{game.players[position.to_move]} to move.{thinking}"

    def _on_message(self, _: object, message: Any, __: object) -> None:
        """A message of the browser: an action, with its value if it has one."""
        action, value = message.get("action"), message.get("value")
        if action not in self._ACTIONS:
            return
        arguments = value if action == "click" else [] if value is None else [value]
        try:
            getattr(self, action)(*arguments)
        except TengenError as error:
            self.status = str(error)

    def _repr_html_(self) -> str:
        """The board as a picture, where notebooks are shown without widgets."""
        return f"<div>{self.svg}<p>{escape(self.status)}</p></div>"


def _line(start: Game | Position | Record) -> list[Position]:
    if isinstance(start, Game):
        return [start.start()]
    return start.positions() if isinstance(start, Record) else list(start.line())


def _point(given: Sequence[int]) -> Point:
    return given[0], given[1]
