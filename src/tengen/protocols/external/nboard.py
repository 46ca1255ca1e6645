"""Driver for NBoard engines (Othello). The protocol limits the search depth, not the time."""

from __future__ import annotations

import re
import time
from typing import ClassVar

from tengen.core.errors import OptionError, TengenError
from tengen.core.game import Game
from tengen.core.position import Position
from tengen.games import records
from tengen.games.othello import Othello
from tengen.protocols.external.engine import EngineMove, ExternalEngine
from tengen.protocols.external.process import ExternalProcess
from tengen.protocols.line_protocol import printable
from tengen.search.limits import Limits, StopFlag
from tengen.search.report import Value

MAX_DEPTH = 60  # to the end of any game

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

    def _request_move(
        self, process: ExternalProcess, position: Position, limits: Limits, deadline: float, stop: StopFlag
    ) -> EngineMove:
        game = records.serialise([records.Record.of(position)], "ggf").data.decode().strip()
        process.send(f"set game {game}")
        if limits.depth is not None or self._has_depth_limit:
            process.send(f"set depth {MAX_DEPTH if limits.depth is None else limits.depth}")
            self._has_depth_limit = limits.depth is not None
        self._sync(process, deadline)
        process.send("go")
        return self._read_move(process, position, deadline, stop)

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
