"""The engine's side of GTP: reads command lines and writes responses in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tengen.core.errors import TengenError
from tengen.core.game import Game
from tengen.players.config import EngineConfig
from tengen.protocols.gtp.analysis import Analysis
from tengen.protocols.gtp.basic import Basic
from tengen.protocols.gtp.go import GoCommands
from tengen.protocols.gtp.gogui import GoGui
from tengen.protocols.gtp.group_commands import GroupCommands
from tengen.protocols.gtp.move_lists import MoveLists
from tengen.protocols.gtp.reading import ReadingCommands
from tengen.protocols.gtp.reading_graphics import ReadingGraphics
from tengen.protocols.gtp.scoring import Scoring
from tengen.protocols.gtp.session import Session
from tengen.protocols.gtp.string_data import StringData
from tengen.protocols.gtp.syntax import Arguments, Request, answer, call, handlers, parse
from tengen.protocols.gtp.timing import Timing
from tengen.protocols.line_protocol import InputQueue, LineProtocol
from tengen.runtime.engine_runner import EngineRunner


class Gtp(LineProtocol):
    """GTP version 2. Every non-empty line gets one response, ended by an empty line."""

    def __init__(
        self, input_queue: InputQueue, write: Callable[[str], None], game: Game, config: EngineConfig
    ) -> None:
        super().__init__(input_queue, write)
        self.session = Session(game, EngineRunner(config, game), input_queue)
        timing = Timing(self.session)
        groups: list[object] = [
            Basic(self.session, timing, self.commands),
            timing,
            Analysis(self.session, timing),
            GoGui(self.session),
        ]
        if self.session.go is not None:
            kinds = (GoCommands, Scoring, ReadingCommands, GroupCommands, StringData, ReadingGraphics)
            groups += [kind(self.session) for kind in kinds]
            groups.append(MoveLists(self.session, timing))
        self._handlers: dict[str, Callable[..., Any]] = {
            name: handler for group in groups for name, handler in handlers(group)
        }
        self._answering: tuple[str, bool] = ("", False)  # command id, and whether its response has begun

    def commands(self) -> list[str]:
        return sorted([*self._handlers, "quit"])

    def end(self) -> None:
        self.session.finish_analysis()

    def handle(self, line: str) -> bool:
        request = parse(line)
        if request is None:
            return True
        self._answering = (request.id, False)
        if request.command == "quit":
            self.write(answer(request.id, ""))
            return False
        try:
            self._execute(request)
        except TengenError as error:
            self._fail(str(error))
        return True

    def _execute(self, request: Request) -> None:
        handler = self._handlers.get(request.command)
        if handler is None:
            self._fail("unknown command")
            return
        arguments = Arguments(request.words)
        if not handler.gtp_streams:  # type: ignore[attr-defined]
            self.write(answer(request.id, call(handler, arguments)))
            return
        handler(arguments, self._stream)
        self._begin_answer()
        self.write("")

    def _stream(self, line: str) -> None:
        self._begin_answer()
        self.write(line)

    def _begin_answer(self) -> None:
        request_id, begun = self._answering
        if not begun:
            self._answering = (request_id, True)
            self.write(f"={request_id}")

    def _fail(self, text: str) -> None:
        request_id, begun = self._answering
        # A successful response that has begun can only be ended.
        self.write("" if begun else answer(request_id, text or "failed", good=False))

    def report_error(self, error: Exception) -> None:
        self._fail(f"internal error: {type(error).__name__}")
