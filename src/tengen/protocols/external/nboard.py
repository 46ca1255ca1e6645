"""Driver for NBoard engines (Othello). The protocol limits the search depth, not the time."""

from __future__ import annotations

import re
import time
from typing import ClassVar

from tengen.core.errors import OptionError, TengenError
from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.games import records
from tengen.games.othello import Othello
from tengen.protocols.external.analysis import Evaluation, Pace, SaidMove, candidates, count, number
from tengen.protocols.external.engine import EngineMove, ExternalEngine
from tengen.protocols.external.process import ExternalProcess
from tengen.protocols.line_protocol import printable
from tengen.search.limits import Limits, StopFlag
from tengen.search.report import Value

MAX_DEPTH = 60  # to the end of any game
MAX_PV_CHARS = 4 * MAX_DEPTH

_NUMBER = re.compile(r"[+-]?\d{1,9}(?:\.\d{1,9})?", re.ASCII)


class NBoardEngine(ExternalEngine):
    """NBoard engine. The whole game is sent with every move, so there is no state to track."""

    name: ClassVar[str] = "external NBoard"
    _pings = 0
    _has_depth_limit = False  # the program keeps the last limit

    def _check_game(self, game: Game) -> None:
        if not isinstance(game, Othello) or game.size != 8:
            raise OptionError("NBoard supports only Othello on 8x8")

    def _handshake(self, process: ExternalProcess) -> None:
        self._has_depth_limit = False
        process.send("nboard 2")
        for line in self.program.setup:
            process.send(line)
        self._sync(process, time.monotonic() + self.program.timeout_s)

    def _sync(self, process: ExternalProcess, deadline: float) -> None:
        """Wait until the engine has processed all lines."""
        self._pings += 1
        process.send(f"ping {self._pings}")
        while process.receive(deadline).split() != ["pong", str(self._pings)]:
            pass

    def _send_position(
        self, process: ExternalProcess, position: Position, limits: Limits, deadline: float
    ) -> None:
        game = records.serialise([records.Record.of(position)], "ggf").data.decode().strip()
        process.send(f"set game {game}")
        if limits.depth is not None or self._has_depth_limit:
            process.send(f"set depth {MAX_DEPTH if limits.depth is None else limits.depth}")
            self._has_depth_limit = limits.depth is not None
        self._sync(process, deadline)

    def _request_move(
        self, process: ExternalProcess, position: Position, limits: Limits, deadline: float, stop: StopFlag
    ) -> EngineMove:
        self._send_position(process, position, limits, deadline)
        process.send("go")
        return self._read_move(process, position, deadline, stop)

    def _request_analysis(self, process: ExternalProcess, position: Position, pace: Pace) -> Evaluation:
        self._send_position(process, position, pace.limits, pace.deadline)
        process.send(f"hint {max(1, pace.limits.lines)}")
        said: dict[str, tuple[int, SaidMove]] = {}  # by first move: the depth and what was said last
        nodes = 0
        while (line := pace.receive(process, has_values=bool(said))) is not None:
            words = line.split()
            if words[:1] == ["nodestats"] and len(words) > 1:
                nodes = count(words[1])
            elif words[:1] == ["search"] and (made := _read_hint(words)) is not None:
                said[made[1].line[0]] = made
                if pace.is_due():
                    pace.send(_evaluation(said, nodes, position))
            elif said and (words == ["status"] or pace.has_enough(nodes)):
                break  # it has nothing more to say
        self._sync(process, time.monotonic() + self.program.timeout_s)
        return _evaluation(said, nodes, position)

    def _request_stop(self, process: ExternalProcess) -> None:
        """Send a ping, which stops the search; most engines then send their move."""
        process.send(f"ping {self._pings + 1}")
        self._pings += 1

    def _read_move_after_stop(self, process: ExternalProcess, position: Position, deadline: float) -> EngineMove:
        return self._read_move(process, position, deadline, None)

    def _read_move(
        self, process: ExternalProcess, position: Position, deadline: float, stop: StopFlag | None
    ) -> EngineMove:
        nodes = depth = 0
        while True:
            words = process.receive(deadline, stop).split()
            if words[:1] == ["nodestats"] and len(words) > 1 and words[1].isascii() and words[1].isdigit():
                nodes = int(words[1][:15])
            elif words[:1] == ["search"] and len(words) > 4 and words[4].isascii() and words[4].isdigit():
                depth = int(words[4][:3])
            elif words and words[0].startswith("==="):
                break
        # `=== F5/1.2/3`, or with spaces, as some engines write it.
        fields = " ".join(words).removeprefix("===").replace("/", " ").split()
        said = fields[0] if fields else ""
        try:
            move = position.game.read_move(said, position)
        except TengenError:
            text = printable(said, 60)
            raise self._illegal(f"{self.title} answered {text!r}, which is not a move", text) from None
        value = None
        if len(fields) > 1 and _NUMBER.fullmatch(fields[1]):
            value = Value.heuristic(float(fields[1]), "discs")
        return EngineMove(move, value, nodes, depth)


def _read_hint(words: list[str]) -> tuple[int, SaidMove] | None:
    """(depth, move) of a line `search F5D6 1.50 0 12`, whose depth may also be `100%`; None if it has none."""
    if len(words) < 3 or len(words[1]) > MAX_PV_CHARS:
        return None
    value = number(words[2], -64, 64)
    moves = [words[1][at : at + 2] for at in range(0, len(words[1]) - 1, 2)]
    if value is None or not moves:
        return None
    depth = words[4].partition("@")[0] if len(words) > 4 else ""
    plies = MAX_DEPTH if depth.startswith("100%") else int(number(depth.rstrip("%"), 0, MAX_DEPTH) or 0)
    return plies, SaidMove(moves, Value.heuristic(value, "discs"))


def _evaluation(said: dict[str, tuple[int, SaidMove]], nodes: int, position: Position) -> Evaluation:
    """The moves, those searched deepest first."""

    def read(word: str, at: Position) -> Move:
        return at.game.read_move("pass" if word.upper() in ("PA", "PS", "--") else word, at)

    ranked = sorted(said.values(), key=lambda one: (-one[0], -one[1].value.amount))
    depth = ranked[0][0] if ranked else 0
    return Evaluation(candidates((made for _, made in ranked), position, read), nodes, depth)
