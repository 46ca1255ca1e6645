"""Driver for GTP engines: for Go, and for any game that `gogui-rules_game_id` names."""

from __future__ import annotations

import math
import re
import time
from typing import ClassVar

from tengen.core.diagram import Stone
from tengen.core.game import Game
from tengen.core.position import Position
from tengen.games.go import RULE_SETS, Go
from tengen.players.program import ExternalProgram
from tengen.protocols.external.analysis import Evaluation, Pace
from tengen.protocols.external.engine import STOP_TIMEOUT_S, EngineMove, ExternalEngine
from tengen.protocols.external.errors import ExternalEngineError, Refused, Resigned
from tengen.protocols.external.gtp_analysis import GNU_GO_COMMANDS, first_command, read_info, read_top_moves
from tengen.protocols.external.process import ExternalProcess, StopRequested
from tengen.protocols.gtp.syntax import INTERRUPT, GtpError
from tengen.protocols.gtp.vertices import Notation
from tengen.protocols.line_protocol import printable
from tengen.search.limits import Limits, StopFlag
from tengen.search.report import Value

_WHOLE = re.compile(r"\d{1,12}", re.ASCII)

ANALYSIS_INTERVAL_CS = 20  # between two reports of an analysis, in hundredths of a second

Moves = list[tuple[int, str]]  # (player, vertex)


class GtpEngine(ExternalEngine):
    """GTP engine. Positions are sent as differences: only moves that changed are undone and played."""

    name: ClassVar[str] = "external GTP"

    def __init__(self, program: ExternalProgram) -> None:
        super().__init__(program)
        self._number = 0
        self._partial_response: tuple[str, list[str]] | None = None  # of a response that was interrupted
        self._commands: frozenset[str] = frozenset()
        self._game: Game | None = None  # of the current board
        self._moves: Moves = []  # sent so far
        self._time = ""  # last time command

    def _check_game(self, game: Game) -> None:
        """GTP can express every game."""

    def _handshake(self, process: ExternalProcess) -> None:
        self._game, self._moves, self._time = None, [], ""
        deadline = time.monotonic() + self.program.timeout_s
        self._commands = frozenset(self._command(process, "list_commands", deadline).split())
        for line in self.program.setup:
            self._command(process, line, deadline)

    # ---- commands

    def _send(self, process: ExternalProcess, command: str) -> None:
        self._number += 1
        self._partial_response = None
        process.send(f"{self._number} {command}")

    def _command(
        self, process: ExternalProcess, command: str, deadline: float, stop: StopFlag | None = None
    ) -> str:
        self._send(process, command)
        return self._receive(process, command, deadline, stop)

    def _receive(
        self, process: ExternalProcess, command: str, deadline: float, stop: StopFlag | None = None
    ) -> str:
        """The response to the last command; other output before it is skipped.

        After a stop in the middle of a response (an analysis starts responding at once) the next call continues
        with it.
        """
        if self._partial_response is None:
            head = re.compile(rf"([=?]){self._number}(?!\d)\s?(.*)")
            while (found := head.match(process.receive(deadline, stop))) is None:
                pass
            self._partial_response = found[1], [found[2]]
        mark, lines = self._partial_response
        while line := process.receive(deadline, stop).strip():
            lines.append(line)
        self._partial_response = None
        text = "\n".join(lines).strip()
        if mark == "?":
            reason = "".join(symbol if symbol.isprintable() else " " for symbol in text)[:200]
            raise Refused(f"{self.title} refused {command[:60]!r}: {reason or 'no reason given'}")
        return text

    # ---- the position

    def _request_move(
        self, process: ExternalProcess, position: Position, limits: Limits, deadline: float, stop: StopFlag
    ) -> EngineMove:
        notation = Notation(position)
        try:
            self._sync_position(process, position, notation, deadline)
            self._send_time(process, limits, deadline)
        except ExternalEngineError:
            self._game = None  # the state of its board is unknown
            raise
        # The analysing command also reports an evaluation; with this interval it does so only once.
        command = "lz-genmove_analyze {} 100000" if "lz-genmove_analyze" in self._commands else "genmove {}"
        self._send(process, command.format("bw"[position.to_move]))
        return self._read_move(process, position, notation, deadline, stop)

    def _request_analysis(
        self, process: ExternalProcess, position: Position, pace: Pace
    ) -> Evaluation | EngineMove | None:
        command = first_command(self._commands)
        if not command and not self._commands >= GNU_GO_COMMANDS:
            return super()._request_analysis(process, position, pace)
        notation = Notation(position)
        try:
            self._sync_position(process, position, notation, pace.deadline)
        except ExternalEngineError:
            self._game = None
            raise
        if not command:
            return self._gnu_go_analysis(process, position, pace)
        extra = " ownership true rootInfo true" if command == "kata-analyze" else ""
        self._send(process, f"{command} {'bw'[position.to_move]} {ANALYSIS_INTERVAL_CS}{extra}")
        read = position.game.read_move if isinstance(position.game, Go) else notation.read
        size = (notation.width, notation.height)
        found, line = Evaluation(), ""
        while (text := pace.receive(process, has_values=bool(line or found.candidates))) is not None:
            refused = re.match(rf"\?{self._number}(?!\d)\s?(.*)", text)
            if refused is not None:
                raise Refused(f"{self.title} refused {command!r}: {printable(refused[1], 200)}")
            if "info " not in text:
                continue
            line = text
            if pace.is_due() or pace.limits.nodes is not None:
                found, line = read_info(line, position, size, read), ""
                pace.send(found)
                if pace.has_enough(found.nodes):
                    break
        if line:
            found = read_info(line, position, size, read)
        timeout_s = max(STOP_TIMEOUT_S, self.program.timeout_s)
        self._command(process, "protocol_version", time.monotonic() + timeout_s)  # any line ends the analysis
        return found

    def _gnu_go_analysis(
        self, process: ExternalProcess, position: Position, pace: Pace
    ) -> Evaluation | EngineMove | None:
        """The moves that GNU Go considers, and its estimate of the score. Its own level limits the search."""
        colour = "bw"[position.to_move]
        try:
            move = self._command(process, f"reg_genmove {colour}", pace.deadline, pace.stop)
            moves = self._command(
                process, f"top_moves_{('black', 'white')[position.to_move]}", pace.deadline, pace.stop
            )
            score = self._command(process, "estimate_score", pace.deadline, pace.stop)
        except StopRequested:
            self._kill()  # it cannot be interrupted
            return None
        return read_top_moves(move, moves, score, position)

    def _request_stop(self, process: ExternalProcess) -> None:
        if "gogui-interrupt" in self._commands:
            process.send(INTERRUPT)

    def _read_move_after_stop(self, process: ExternalProcess, position: Position, deadline: float) -> EngineMove:
        return self._read_move(process, position, Notation(position), deadline, None)

    def _read_move(
        self,
        process: ExternalProcess,
        position: Position,
        notation: Notation,
        deadline: float,
        stop: StopFlag | None,
    ) -> EngineMove:
        lines = self._receive(process, "genmove", deadline, stop).splitlines()
        word = lines[-1].removeprefix("play ") if lines else ""
        if word.lower() == "resign":
            self._game = None  # it may or may not have played a move
            raise Resigned(f"{self.title} resigned")
        try:
            move = notation.read(word, position)
        except GtpError as error:
            text = printable(word, 60)
            raise self._illegal(f"{self.title} answered {text!r}: {error}", text) from None
        self._moves.append((position.to_move, notation.write(move)))
        value, visits = _evaluation(lines[:-1], notation.write(move))
        return EngineMove(move, value, visits)

    def _sync_position(
        self, process: ExternalProcess, position: Position, notation: Notation, deadline: float
    ) -> None:
        wanted: Moves = [
            (step.parent.to_move, notation.write(step.move))
            for step in position.line()
            if step.parent is not None and step.move is not None
        ]
        if self._game != position.game:
            self._set_up(process, position, notation, deadline)
        common = 0
        for told, due in zip(self._moves, wanted, strict=False):
            if told != due:
                break
            common += 1
        surplus = len(self._moves) - common
        if surplus and ("undo" not in self._commands or surplus > common + 2):
            self._set_up(process, position, notation, deadline)
            common = surplus = 0
        for _ in range(surplus):
            self._command(process, "undo", deadline)
            self._moves.pop()
        for player, move in wanted[common:]:
            self._command(process, f"play {'bw'[player]} {move}", deadline)
            self._moves.append((player, move))

    def _set_up(self, process: ExternalProcess, position: Position, notation: Notation, deadline: float) -> None:
        """Start a new game, with the options that GTP can express."""
        game = position.game
        self._game, self._moves = None, []
        if not isinstance(game, Go):
            if "gogui-rules_game_id" not in self._commands:
                raise Refused(f"{self.title} plays Go, not {game.title}")
            title = self._command(process, "gogui-rules_game_id", deadline)
            if title.lower() != game.title.lower():
                raise Refused(f"{self.title} plays {title[:40]}, not {game.title}")
        self._command(process, f"boardsize {notation.size_text}", deadline)
        self._command(process, "clear_board", deadline)
        if isinstance(game, Go):
            self._set_up_go(process, game, notation, deadline)
        self._game = game

    def _set_up_go(self, process: ExternalProcess, game: Go, notation: Notation, deadline: float) -> None:
        self._command(process, f"komi {game.komi:g}", deadline)
        if "kata-set-rules" in self._commands:
            options = game.options()
            for name, rules in RULE_SETS.items():
                if all(options[option] == value for option, value in rules.items() if option != "komi"):
                    self._command(process, f"kata-set-rules {name}", deadline)
        stones = [
            ("b" if stone is Stone.FIRST else "w", notation.write_point(point))
            for point, stone in game.start().diagram().contents().items()
            if stone is not Stone.EMPTY
        ]
        if not stones:
            return
        black = all(colour == "b" for colour, _ in stones)
        if black and 2 <= len(stones) == game.handicap and "set_free_handicap" in self._commands:
            self._command(process, f"set_free_handicap {' '.join(vertex for _, vertex in stones)}", deadline)
        elif "gogui-setup" in self._commands:
            words = " ".join(f"{colour} {vertex}" for colour, vertex in stones)
            self._command(process, f"gogui-setup {words}", deadline)
        else:
            for colour, vertex in stones:
                self._command(process, f"play {colour} {vertex}", deadline)

    def _send_time(self, process: ExternalProcess, limits: Limits, deadline: float) -> None:
        """Send the time limit per move. Standard GTP has whole seconds only, so at least one."""
        seconds = limits.thinking_time()
        if math.isinf(seconds):
            return
        if "kata-time_settings" in self._commands:
            command = f"kata-time_settings byoyomi 0 {max(0.001, seconds):.3f} 1"
        elif "time_settings" in self._commands:
            command = f"time_settings 0 {max(1, int(seconds))} 1"
        else:
            return
        if command != self._time:
            self._command(process, command, deadline)
            self._time = command


def _evaluation(lines: list[str], move: str) -> tuple[Value | None, int]:
    """The win rate and visits of a move, from Leela Zero's analysis lines, newest first."""
    for line in reversed(lines):
        for part in line.split("info ")[1:]:
            words = part.split()
            fields = dict(zip(words[::2], words[1::2], strict=False))
            if fields.get("move", "").upper() == move.upper():
                rate, visits = (_WHOLE.fullmatch(fields.get(name, "")) for name in ("winrate", "visits"))
                if rate is not None and 0 <= int(rate[0]) <= 10_000:
                    return Value.heuristic(int(rate[0]) / 10_000, "win rate"), int(visits[0]) if visits else 0
    return None, 0
