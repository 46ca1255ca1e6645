"""The engine's side of NBoard's protocol, version 2, for Othello.

The controller sends lines without waiting for answers and synchronises with `ping`. As the protocol requires,
unknown lines are ignored; errors in known ones are reported with `status`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import replace

from tengen.books.explorer import explore_books
from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.games import records
from tengen.games.othello import Othello
from tengen.players.config import EngineConfig
from tengen.protocols.line_protocol import (
    InputQueue,
    Line,
    LineProtocol,
    any_input,
    printable,
)
from tengen.runtime.book_updates import learn_game
from tengen.runtime.engine_runner import EngineRunner
from tengen.search.limits import Limits
from tengen.search.report import Candidate, Kind, Report, Value

MAX_DEPTH = 60
MAX_LINES = 60

_NUMBER = re.compile(r"-?\d{1,9}", re.ASCII)


class NBoard(LineProtocol):
    """NBoard protocol, version 2."""

    def __init__(self, input_queue: InputQueue, write: Callable[[str], None], config: EngineConfig) -> None:
        super().__init__(input_queue, write)
        self.position = Othello().start()
        self.runner = EngineRunner(config, self.position.game)
        self.depth: int | None = None
        self._handlers: dict[str, Callable[[str], None]] = {
            "nboard": self._greet,
            "set": self._set,
            "move": self._move,
            "hint": self._hint,
            "go": self._go,
            "learn": self._learn,
            "analyze": self._analyze,
            "ping": self._ping,
        }

    def handle(self, line: str) -> bool:
        word, _, rest = line.strip().partition(" ")
        if word == "quit":  # not part of the protocol, but sent by some programs
            return False
        handler = self._handlers.get(word)
        if handler is not None:
            try:
                handler(rest.strip())
            except TengenError as error:
                self._status(f"error in {word}: {error}")
        return True

    def report_error(self, error: Exception) -> None:
        self._status(f"internal error: {type(error).__name__}")

    def _status(self, text: str = "") -> None:
        self.write(f"status {printable(text)}".rstrip())

    # ---- set-up

    def _greet(self, rest: str) -> None:
        self.write(f"set myname Tengen ({self.runner.name})")
        if rest != "2":
            self._status(f"expected protocol version 2, not {rest[:20] or 'none'}")

    def _set(self, rest: str) -> None:
        name, _, value = rest.partition(" ")
        if name == "depth":
            self.depth = max(1, min(_read_integer(value, "a depth"), MAX_DEPTH))
        elif name == "game":
            self._set_game(value)
        elif name == "contempt":
            self.runner.override(contempt=max(-99, min(_read_integer(value, "contempt"), 99)) / 100)
        elif name == "book":
            if value.strip() not in ("on", "off"):
                raise records.RecordError(f"expected on or off, not {value[:20]!r}")
            self.runner.use_book(value.strip() == "on")

    def _set_game(self, text: str) -> None:
        record = next(iter(records.parse(text, "ggf")), None)
        if record is None:
            raise records.RecordError("expected a game, which begins with (;")
        self.position = record.positions()[-1]

    def _move(self, rest: str) -> None:
        square = rest.replace("/", " ").split()
        if not square:
            raise records.RecordError("expected a move as F5/eval/time")
        self.position = self.position.play(square[0])

    def _ping(self, rest: str) -> None:
        """Confirm that all earlier lines were answered and that no search is running."""
        self.write(f"pong {rest.split()[0][:20]}" if rest else "pong")

    # ---- searching

    def _limits(self, lines: int = 1) -> Limits:
        """Limits of the command line's level, with the requested depth if the engine supports one."""
        own = self.runner.limits(has_clock=self.depth is not None)
        if self.depth is not None and own.depth is None:
            own = replace(own, depth=self.depth)
            deepens = self.runner.engine_for(self.position.game).deepens
            if own.seconds is None and own.nodes is None and not deepens:  # a playout budget instead
                own = replace(own, nodes=1 << min(self.depth + 4, 24))
        return replace(own, lines=lines)

    def _go(self, rest: str) -> None:
        """Answer with a move. The board changes only with the following `move`."""
        if self.position.is_over:
            self._status("the game is over")
            return
        self._status("Thinking")
        started = time.monotonic()
        limits = self._limits()
        report = self._search(self.position, limits, _interrupts_go, use_book=True)
        self.write(f"=== {_square(report.best)}/{_discs(report.value):.2f}/{time.monotonic() - started:.2f}")
        self._status()

    def _hint(self, rest: str) -> None:
        """The best moves with their lines, refined until a limit or any input."""
        lines = max(1, min(_read_integer(rest or "1", "a number of moves"), MAX_LINES))
        if self.position.is_over:
            self._status("the game is over")
            return
        self._status("Analysing")
        if self.runner.config.uses_book:
            self._write_book(lines)

        def show(report: Report) -> None:
            for candidate in report.candidates[:lines]:
                self._write_candidate(candidate, report)
            self.write(f"nodestats {report.nodes} {report.seconds:.2f}")

        show(self._search(self.position, self._limits(lines), any_input, show))
        self._status()

    def _write_book(self, lines: int) -> None:
        """One line for each book move, with its number of games."""
        for options in explore_books(self.position).values():
            for option in options[:lines]:
                value = 0.0 if option.value is None else _discs(option.value)
                depth = "100%" if option.value is not None and option.value.kind is Kind.EXACT else "book"
                self.write(f"book {_square(option.text)} {value:.2f} {option.games} {depth} {option.kind}")

    def _write_candidate(self, candidate: Candidate, report: Report) -> None:
        line = "".join(map(_square, candidate.line or (candidate.move,)))
        self.write(f"search {line} {_discs(candidate.value):.2f} 0 {_depth(candidate.value, report)}")

    def _search(
        self,
        position: Position,
        limits: Limits,
        interrupts: Callable[[Line], bool],
        on_progress: Callable[[Report], None] | None = None,
        *,
        use_book: bool = False,
    ) -> Report:
        ask = self.runner.play if use_book else self.runner.search
        with self.input_queue.interrupted_by(interrupts) as interrupt:
            return ask(position, limits, stop=interrupt.stop, on_progress=on_progress)

    def _learn(self, rest: str) -> None:
        """Add the game to the user's book, if there is one, and update its values."""
        learn_game(self.position)
        self.write("learned")

    def _analyze(self, rest: str) -> None:
        """A value for each position of the game, last first, for the player to move."""
        self._status("Analysing the game")
        with self.input_queue.interrupted_by(any_input) as interrupt:
            for position in reversed(list(self.position.line())):
                if interrupt.stop.is_set:
                    break
                if position.is_over:
                    sign = 1 if position.to_move == 0 else -1
                    value = sign * position.final_score / 1000
                else:
                    value = _discs(self.runner.search(position, self._limits(), stop=interrupt.stop).value)
                self.write(f"analysis {position.ply} {value:.2f}")
        self._status()


def _interrupts_go(line: Line) -> bool:
    """Whether a line interrupts `go`: a ping, or a new game."""
    word = (line or "").strip().partition(" ")
    return word[0] == "ping" or (word[0] == "set" and word[2].startswith("game"))


def _read_integer(text: str, what: str) -> int:
    word = text.strip()
    if _NUMBER.fullmatch(word) is None:
        raise records.RecordError(f"expected {what}, not {word[:20]!r}")
    return int(word)


def _square(move: str) -> str:
    return "PA" if move == "pass" else move.upper()


def _discs(value: Value) -> float:
    """A value in discs; wins and win rates are converted to estimates."""
    if value.unit == "win rate":
        return 64 * (2 * value.amount - 1)
    return value.amount


def _depth(value: Value, report: Report) -> str:
    if value.kind is Kind.EXACT:
        return "100%W" if value.unit == "wins" else "100%"
    return str(report.depth) if report.trust == 100 else f"{report.depth}@{report.trust}%"
