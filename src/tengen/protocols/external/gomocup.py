"""Driver for Gomocup engines: for gomoku and, if the engine knows the rules, for Pente."""

from __future__ import annotations

import math
import re
import time
from typing import ClassVar

from tengen.core.errors import OptionError
from tengen.core.game import Game
from tengen.core.position import Position
from tengen.games.pente import Pente
from tengen.players.program import ExternalProgram
from tengen.protocols.external.analysis import Evaluation, Pace
from tengen.protocols.external.engine import STOP_TIMEOUT_S, EngineMove, ExternalEngine
from tengen.protocols.external.errors import Refused
from tengen.protocols.external.gomocup_analysis import InfoReader
from tengen.protocols.external.process import ExternalProcess
from tengen.protocols.gomocup_info import CARO, EXACT, RENJU
from tengen.protocols.line_protocol import printable
from tengen.search.limits import Limits, StopFlag

_POINT = re.compile(r"\s*(\d{1,4})\s*,\s*(\d{1,4})\s*", re.ASCII)
_YIXIN_FAMILY = re.compile(r"rapfi|yixin", re.IGNORECASE)  # engines with YXBOARD and YXNBEST
_SUGGESTION = re.compile(r"\s*SUGGEST\s+(\d{1,4})\s*,\s*(\d{1,4})\s*", re.ASCII | re.IGNORECASE)
MAX_TURN_MS = 100_000_000
_CHATTER = ("MESSAGE", "DEBUG", "INFO", "OK")


class GomocupEngine(ExternalEngine):
    """Gomocup engine. Single moves are sent while its board follows the game, otherwise the whole game."""

    name: ClassVar[str] = "external Gomocup"

    def __init__(self, program: ExternalProgram) -> None:
        super().__init__(program)
        self._engine_position: Position | None = None  # the position on its board
        self._game: Game | None = None
        self._sent_limits: dict[str, int] = {}
        self._has_yixin_commands = False

    def _check_game(self, game: Game) -> None:
        if not isinstance(game, Pente) or game.stones != 1 or game.opening != "none":
            raise OptionError("Gomocup supports only games of the Pente family with one stone per turn")

    def _quit_command(self) -> str:
        return "END"

    def _handshake(self, process: ExternalProcess) -> None:
        """Wait for the answer to ABOUT, since the protocol has no handshake."""
        self._engine_position, self._game, self._sent_limits = None, None, {}
        deadline = time.monotonic() + self.program.timeout_s
        process.send("ABOUT")
        while "=" not in (about := process.receive(deadline)):
            pass
        self._has_yixin_commands = _YIXIN_FAMILY.search(about) is not None
        for line in self.program.setup:
            process.send(line)

    def _request_move(
        self, process: ExternalProcess, position: Position, limits: Limits, deadline: float, stop: StopFlag
    ) -> EngineMove:
        game = position.game
        assert isinstance(game, Pente)
        if self._game != game or (position.ply == 0 and self._engine_position is not None):
            self._start_game(process, game, deadline)
        self._send_limits(process, limits)
        following, self._engine_position = self._engine_position, None  # unknown until it answers
        if position.ply == 0:
            process.send("BEGIN")
        elif following is not None and position.parent is not None and position.parent == following:
            process.send(f"TURN {_write(position)}")
        else:
            process.send("BOARD")
            self._send_stones(process, position)
            process.send("DONE")
        return self._read_move(process, position, deadline, stop)

    def _send_stones(self, process: ExternalProcess, position: Position) -> None:
        for step in position.line():
            if step.parent is not None:
                process.send(f"{_write(step)},{1 if step.parent.to_move == position.to_move else 2}")

    def _start_game(self, process: ExternalProcess, game: Pente, deadline: float) -> None:
        self._game = None
        if game.captures == "none":
            bits = RENJU if game.renju else EXACT * game.exact + CARO * game.caro
            process.send(f"INFO rule {bits}")
        process.send(f"START {game.size}")
        reply_deadline = min(deadline, time.monotonic() + self.program.timeout_s)
        while True:
            line = process.receive(reply_deadline).strip()
            if line.upper() == "OK":
                break
            self._check_error(line)
        self._game, self._engine_position = game, None

    def _send_limits(self, process: ExternalProcess, limits: Limits, *, unlimited: bool = False) -> None:
        """Send the limits that have changed; with `unlimited`, no time limit means until it is stopped."""
        seconds = limits.thinking_time()
        wanted = {
            "timeout_turn": MAX_TURN_MS * unlimited if math.isinf(seconds) else max(1, round(1000 * seconds)),
            "max_depth": limits.depth or 0,
            "max_node": limits.nodes or 0,
        }
        for key, value in wanted.items():
            if value and self._sent_limits.get(key) != value:
                process.send(f"INFO {key} {value}")
                self._sent_limits[key] = value

    def _request_analysis(
        self, process: ExternalProcess, position: Position, pace: Pace
    ) -> Evaluation | EngineMove | None:
        """The values that an engine with Yixin's commands writes as INFO lines; for others, their move."""
        if not self._has_yixin_commands:
            return super()._request_analysis(process, position, pace)
        game = position.game
        assert isinstance(game, Pente)
        if self._game != game:
            self._start_game(process, game, pace.deadline)
        self._send_limits(process, pace.limits, unlimited=True)
        self._engine_position = None
        process.send("INFO show_detail 2")
        process.send("YXBOARD")
        self._send_stones(process, position)
        process.send("DONE")
        process.send(f"YXNBEST {pace.limits.lines}")
        reader = InfoReader(position)
        while (line := pace.receive(process)) is not None:
            if self._is_move(line):
                return reader.evaluation(line)
            self._check_error(line)
            reader.read(line)
            if pace.is_due():
                pace.send(reader.evaluation())
        process.send("YXSTOP")
        deadline = time.monotonic() + max(STOP_TIMEOUT_S, self.program.timeout_s)
        while not self._is_move(last := process.receive(deadline)):
            reader.read(last)
        return reader.evaluation(last)

    def _is_move(self, line: str) -> bool:
        """Whether a line ends the answer."""
        return _POINT.fullmatch(line) is not None

    def _request_stop(self, process: ExternalProcess) -> None:
        process.send("YXSTOP")

    def _read_move_after_stop(self, process: ExternalProcess, position: Position, deadline: float) -> EngineMove:
        return self._read_move(process, position, deadline, None)

    def _read_move(
        self, process: ExternalProcess, position: Position, deadline: float, stop: StopFlag | None
    ) -> EngineMove:
        game = position.game
        assert isinstance(game, Pente)
        while True:
            line = process.receive(deadline, stop)
            found = _POINT.fullmatch(line)
            if found is not None:
                break
            self._check_error(line)
            suggested = _SUGGESTION.fullmatch(line)
            if suggested is not None:  # it waits for the move that the controller chooses
                process.send(f"PLAY {suggested[1]},{suggested[2]}")
                continue
            if line.strip() and not line.strip().upper().startswith(_CHATTER):
                text = printable(line, 60)
                raise self._illegal(f"{self.title} answered {text!r}, which is not a move", text)
        point = (int(found[1]), int(found[2]))
        if max(point) >= game.size:
            raise self._illegal(f"{self.title} played {line.strip()}, which is off the board", line.strip())
        move = game.point(point)
        if move in position.legal_moves:
            self._engine_position = position.play(move)
        return EngineMove(move)

    def _check_error(self, line: str) -> None:
        if line.strip().upper().startswith(("ERROR", "UNKNOWN")):
            self._engine_position = self._game = None
            raise Refused(f"{self.title} reported: {printable(line.strip(), 200)}")


def _write(position: Position) -> str:
    """The point of the last move."""
    assert position.move is not None
    ((column, row),) = position.game.points(position.move)
    return f"{column},{row}"
