"""The game of a GTP session.

GTP does not enforce turns: in Go either colour may play at any time, even after two passes. Such a position is
derived from the previous one by changing the player to move.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tengen.core.diagram import Point, Stone
from tengen.core.errors import TengenError
from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.games.go import Go
from tengen.games.records.tree import Node, Record
from tengen.protocols.gtp.analysis_stream import AnalysisStream, FormatReport
from tengen.protocols.gtp.syntax import Arguments, GtpError
from tengen.protocols.gtp.vertices import Notation
from tengen.protocols.line_protocol import InputQueue, InterruptTest
from tengen.runtime.engine_runner import EngineRunner
from tengen.search.engine import OnProgress
from tengen.search.limits import Limits
from tengen.search.report import Report


@dataclass(frozen=True)
class PlayedMove:
    """A move, its player and the position after it."""

    player: int
    move: Move
    position: Position


class Session:
    """The board, its history, and the engine."""

    def __init__(self, game: Game, runner: EngineRunner, input_queue: InputQueue) -> None:
        self.runner = runner
        self.input_queue = input_queue
        self._last: tuple[Report, Position] | None = None
        self._stream: AnalysisStream | None = None
        self.begin(game)

    # ---- the board

    def begin(self, game: Game) -> None:
        """Start a game."""
        self.finish_analysis()
        start = game.start()
        self.runner.reset(game)  # first, since it may raise
        self.game = game
        self.start = start
        self.history: list[PlayedMove] = []
        self.notation = Notation(start)
        self._last = None

    def load(self, line: Sequence[Position]) -> None:
        """Replace the game by the positions of a line, from the start."""
        self.begin(line[0].game)
        self.start = line[0]
        for before, after in itertools.pairwise(line):
            assert after.move is not None
            if self.position is before and not before.is_over:
                self.history.append(PlayedMove(before.to_move, after.move, after))
            else:  # the record goes on after the end of the game
                self.play(before.to_move, after.move)

    def clear(self) -> None:
        """Start the same game on an empty board, without handicap."""
        self.begin(self.game if self.go is None else replace(self.go, board="", handicap=0, free_handicap=False))

    def change(self, game: Game) -> None:
        """Change the rules. Raises if a move played so far is illegal under them."""
        before = (self.game, self.start, self.history, self.notation)
        history = self.history
        self.begin(game)
        try:
            for played in history:
                self.play(played.player, played.move)
        except TengenError:
            self.game, self.start, self.history, self.notation = before
            raise GtpError("the game so far is illegal under these rules: clear the board first") from None

    @property
    def go(self) -> Go | None:
        """The game if it is Go."""
        return self.game if isinstance(self.game, Go) else None

    @property
    def position(self) -> Position:
        return self.history[-1].position if self.history else self.start

    def with_turn(self, player: int, *, ignore_ko: bool = False) -> Position:
        """The position with this player to move. Raises if the game does not allow that."""
        position = self.position
        if position.to_move == player and not position.is_over and not ignore_ko:
            return position
        if self.go is None:
            if position.is_over:
                raise GtpError("the game is over")
            raise GtpError(f"illegal move: {self.game.players[position.to_move]} is to move")
        states = np.array([position.state])
        states[0].turn, states[0].passes, states[0].ko = player, 0, 0
        return Position(self.game, states, position, None)

    def play(self, player: int, move: Move | str, *, ignore_ko: bool = False) -> None:
        position = self.with_turn(player, ignore_ko=ignore_ko)
        if isinstance(move, str):
            move = self.notation.read(move, position)
        self.history.append(PlayedMove(player, move, position.play(move)))

    def undo(self, count: int = 1) -> None:
        if count > len(self.history):
            raise GtpError("cannot undo")
        del self.history[len(self.history) - count :]

    def set_up(self, stones: dict[Point, Stone], to_move: int, handicap: int = 0) -> None:
        """Start a Go game from a board with these stones."""
        assert self.go is not None
        width, height = self.notation.width, self.notation.height
        rows = (
            "".join(".XO"[stones.get((column, row), Stone.EMPTY)] for column in range(width))
            for row in range(height)
        )
        board = f"{'/'.join(rows)} {'XO'[to_move]}" if stones or to_move else ""
        self.begin(replace(self.go, board=board, handicap=handicap, free_handicap=False))

    def stones(self) -> dict[Point, Stone]:
        """The stones on the board, by point."""
        contents = self.position.diagram().contents()
        return {point: stone for point, stone in contents.items() if stone is not Stone.EMPTY}

    def record(self) -> Record:
        """The game so far as a record."""
        record = Record(self.game)
        node = record.root
        for played in self.history:
            node = node.add(Node(played.move, played.player))
        return record

    # ---- the engine

    def search(
        self,
        position: Position,
        limits: Limits,
        interrupts: InterruptTest,
        on_progress: OnProgress | None = None,
        *,
        use_book: bool = False,
    ) -> Report:
        """Search until a limit or a line that `interrupts`. With `use_book`, the book may answer instead."""
        self.finish_analysis()
        ask = self.runner.play if use_book else self.runner.search
        with self.input_queue.interrupted_by(interrupts) as interrupt:
            report = ask(position, limits, stop=interrupt.stop, on_progress=on_progress)
        self._last = (report, position)
        return report

    def stream_analysis(
        self, position: Position, limits: Limits, format_report: FormatReport, write: Callable[[str], None]
    ) -> None:
        """Write each report in the form of `format_report`, until any input arrives."""
        self.finish_analysis()
        self._stream = AnalysisStream(self.runner, position, limits, format_report)
        self._stream.run(self.input_queue, write)

    def finish_analysis(self) -> None:
        """Wait until a streaming analysis has ended."""
        if self._stream is not None:
            self._stream.join()
            if self._stream.report is not None:
                self._last = (self._stream.report, self._stream.position)
            self._stream = None

    def last_report(self) -> tuple[Report, Position]:
        """The last report and its position."""
        self.finish_analysis()
        if self._last is None:
            raise GtpError("no search has been made yet")
        return self._last


class GoGroup:
    """Base class of command groups for Go."""

    def __init__(self, session: Session) -> None:
        self.session = session

    @property
    def _game(self) -> Go:
        assert self.session.go is not None
        return self.session.go

    def _read(self, arguments: Arguments, *, last: bool = False) -> Point:
        """Read a vertex; with `last`, nothing may follow."""
        return self.session.notation.read_point(arguments.word("a vertex", last=last))

    def _write(self, point: Point) -> str:
        return self.session.notation.write_point(point)
