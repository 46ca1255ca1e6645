"""Analysis streams in the formats of Leela Zero, KataGo and GoGui.

A stream continues until any input arrives. Commands that also play a move end by their search limits.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from tengen.core.errors import EngineResigned
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.go.mcts.dead_stones import ownership
from tengen.protocols.gtp.analysis_stream import FormatReport
from tengen.protocols.gtp.gfx import overlay_values, report_graphics
from tengen.protocols.gtp.session import Session
from tengen.protocols.gtp.syntax import COLOURS, Arguments, GtpError, Stream, command, is_interrupt
from tengen.protocols.gtp.timing import Timing
from tengen.search.limits import Limits
from tengen.search.report import Candidate, Report, Value

DEFAULT_MAX_MOVES = 10  # number of moves shown by default
_IGNORED_KEYS = frozenset(
    {"movesownership", "pvvisits", "pvedgevisits", "ownershipstdev", "movesownershipstdev", "noresultvalue"}
)  # of KataGo's keys: accepted, without output
WIN_RATE_SCALE = 10.0  # points or discs that correspond to a win rate of about 7 in 8


@dataclass
class AnalysisOptions:
    """Options of an analyze command."""

    player: int
    interval_s: float = 0.0  # between two lines
    min_moves: int = 0
    max_moves: int = DEFAULT_MAX_MOVES
    ownership: bool = False
    root: bool = False
    allowed: tuple[Move, ...] | None = None
    avoided: set[str] = field(default_factory=set)


def win_rate(value: Value) -> float:
    """Convert a value for the mover to a win rate from 0 to 1."""
    if value.unit == "win rate":
        return value.amount
    if value.unit == "wins":
        return (1 + value.amount) / 2
    return 0.5 * (1 + math.tanh(value.amount / WIN_RATE_SCALE))


class Analysis:
    """Analysis commands."""

    def __init__(self, session: Session, timing: Timing) -> None:
        self.session = session
        self.timing = timing

    @command("lz-analyze", "analyze", streams=True)
    def lz_analyze(self, arguments: Arguments, write: Stream) -> None:
        self._analyze(arguments, write, self._leela)

    @command("kata-analyze", streams=True)
    def kata_analyze(self, arguments: Arguments, write: Stream) -> None:
        self._analyze(arguments, write, self._kata)

    @command("gogui-analyze", streams=True)
    def gogui_analyze(self, arguments: Arguments, write: Stream) -> None:
        """Reports as GoGui graphics; the last line of each begins with TEXT."""
        self._analyze(
            arguments, write, lambda report, position, options: report_graphics(self.session, report, position)
        )

    @command("lz-genmove_analyze", "genmove_analyze", streams=True)
    def lz_genmove(self, arguments: Arguments, write: Stream) -> None:
        self._genmove(arguments, write, self._leela)

    @command("kata-genmove_analyze", streams=True)
    def kata_genmove(self, arguments: Arguments, write: Stream) -> None:
        self._genmove(arguments, write, self._kata)

    def _analyze(self, arguments: Arguments, write: Stream, format_report: _FormatReport) -> None:
        options, position = self._read_options(arguments)
        limits = Limits(moves=options.allowed, lines=options.max_moves)
        self.session.stream_analysis(position, limits, self._throttled(format_report, options, position), write)

    def _genmove(self, arguments: Arguments, write: Stream, format_report: _FormatReport) -> None:
        options, position = self._read_options(arguments)
        paced = self._throttled(format_report, options, position)

        def progress(report: Report) -> None:
            text = paced(report)
            if text is not None:
                write(text)

        with self.timing.move_limits(options.player) as limits:
            try:
                report = self.session.search(
                    position, replace(limits, moves=options.allowed), is_interrupt, progress
                )
            except EngineResigned:
                write("play resign")
                return
        write(format_report(report, position, options))
        move = self.session.notation.rewrite(report.best, position)
        self.session.play(options.player, move)
        write(f"play {move}")

    def _throttled(
        self, format_report: _FormatReport, options: AnalysisOptions, position: Position
    ) -> FormatReport:
        """Wrap `format_report` so that it returns text at most once per interval, otherwise None."""
        due = time.monotonic()

        def text(report: Report) -> str | None:
            nonlocal due
            now = time.monotonic()
            if now < due:
                return None
            due = now + options.interval_s - 0.05  # accept a report that comes slightly early
            return format_report(report, position, options)

        return text

    # ---- options

    def _read_options(self, arguments: Arguments) -> tuple[AnalysisOptions, Position]:
        """[colour] [interval in centiseconds] [key value]…, in the order that programs send them."""
        options = AnalysisOptions(self.session.position.to_move)
        if arguments.peek().lower() in COLOURS:
            options.player = arguments.colour()
        if arguments.peek().replace(".", "", 1).isdigit():
            options.interval_s = arguments.number("an interval") / 100
        position = self.session.with_turn(options.player)
        while arguments.left:
            self._read_option(arguments, options, position)
        if options.avoided:
            allowed = [
                move for move in position.legal_moves if self.session.notation.write(move) not in options.avoided
            ]
            if not allowed:
                raise GtpError("all moves are avoided")
            options.allowed = tuple(allowed)
        return options, position

    def _read_option(self, arguments: Arguments, options: AnalysisOptions, position: Position) -> None:
        key = arguments.word("a key").lower()
        if key == "interval":
            options.interval_s = arguments.number("an interval") / 100
        elif key == "minmoves":
            options.min_moves = arguments.integer("a number of moves", high=10**6)
        elif key == "maxmoves":
            options.max_moves = arguments.integer("a number of moves", 1, 10**6)
        elif key == "rootinfo":
            options.root = arguments.switch("rootInfo")
        elif key == "ownership":
            options.ownership = arguments.switch("ownership")
        elif key in _IGNORED_KEYS:
            arguments.switch(key)
        elif key in ("allow", "avoid"):
            player, words = arguments.colour(), arguments.word("moves").split(",")
            if arguments.left:
                arguments.integer("a number of moves")  # its depth: only the next move is restricted
            if player == options.player:
                if key == "allow":
                    options.allowed = tuple(self.session.notation.read(word, position) for word in words)
                else:
                    options.avoided |= {word.lower() if word.lower() == "pass" else word.upper() for word in words}
        else:
            raise GtpError(f"syntax error: unknown analysis key {key!r}")

    # ---- formats

    def _candidates(self, report: Report, options: AnalysisOptions) -> list[Candidate]:
        """The visited moves, within the requested minimum and maximum."""
        visited = sum(1 for candidate in report.candidates if candidate.visits) or len(report.candidates)
        return list(report.candidates[: min(options.max_moves, max(visited, options.min_moves, 1))])

    def _leela(self, report: Report, position: Position, options: AnalysisOptions) -> str:
        parts = []
        for order, candidate in enumerate(self._candidates(report, options)):
            rate = round(10_000 * win_rate(candidate.value))
            parts.append(
                f"info move {self.session.notation.rewrite(candidate.move, position)} visits {candidate.visits}"
                f" winrate {rate} prior 0 lcb {rate} order {order} pv {self._line(candidate, position)}"
            )
        return " ".join(parts)

    def _kata(self, report: Report, position: Position, options: AnalysisOptions) -> str:
        parts = []
        for order, candidate in enumerate(self._candidates(report, options)):
            rate = win_rate(candidate.value)
            parts.append(
                f"info move {self.session.notation.rewrite(candidate.move, position)} visits {candidate.visits}"
                f" utility {2 * rate - 1:.6f} winrate {rate:.6f}{_score(candidate)}"
                f" prior 0.000000 lcb {rate:.6f} order {order} pv {self._line(candidate, position)}"
            )
        if options.root:
            visits = sum(candidate.visits for candidate in report.candidates) or report.nodes
            parts.append(
                f"rootInfo visits {visits} winrate {win_rate(report.value):.6f}{_score(report.candidates[0])}"
            )
        if options.ownership and self.session.go is not None:
            sign = 1 if options.player == 0 else -1
            owners = overlay_values(report, "ownership")
            if not any(owners.values()):  # the engine reports none, or was stopped before its first playout
                owners = ownership(position, playouts=40)
            # Row by row from the top left, from the mover's view.
            in_rows = sorted(owners.items(), key=lambda entry: (entry[0][1], entry[0][0]))
            parts.append("ownership " + " ".join(f"{sign * own:.3f}" for _, own in in_rows))
        return " ".join(parts)

    def _line(self, candidate: Candidate, position: Position) -> str:
        line = candidate.line or (candidate.move,)
        return " ".join(self.session.notation.line(line, position))


_FormatReport = Callable[[Report, Position, AnalysisOptions], str]


def _score(candidate: Candidate) -> str:
    """KataGo's score fields, if the engine evaluates in points."""
    points = candidate.value.amount if candidate.value.unit not in ("win rate", "wins") else candidate.points
    return "" if points is None else f" scoreMean {points:.3f} scoreLead {points:.3f}"
