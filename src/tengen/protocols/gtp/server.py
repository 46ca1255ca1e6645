"""The engine's side of GTP: reads command lines and writes responses in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tengen.core.errors import TengenError
from tengen.core.game import Game
from tengen.players.config import EngineConfig
from tengen.protocols.gtp.basic import Basic, Result
from tengen.protocols.gtp.go import GoCommands
from tengen.protocols.gtp.session import Session
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
        self._handlers: dict[str, Callable[..., Any]] = {}
        for group in (Basic(self.session, timing, self.commands), timing):
            self._handlers.update(handlers(group))
        self._more_groups = _more_groups(self.session, timing)
        self._answering: tuple[str, bool] = ("", False)  # command id, and whether its response has begun

    def commands(self) -> list[str]:
        for group in self._more_groups:
            self._handlers.update(handlers(group))
        return sorted([*self._handlers, "quit"])

    def _handler(self, command: str) -> Callable[..., Any] | None:
        """The handler of a command. Groups are loaded until one has it."""
        while command not in self._handlers:
            group = next(self._more_groups, None)
            if group is None:
                return None
            self._handlers.update(handlers(group))
        return self._handlers[command]

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
        handler = self._handler(request.command)
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


def _more_groups(session: Session, timing: Timing) -> Iterator[object]:
    """The groups that are not always needed, imported one by one: together they load all engines of Go."""
    if session.go is None:
        yield Result(session)
    else:
        yield GoCommands(session)
        from tengen.protocols.gtp.reading import ReadingCommands

        yield ReadingCommands(session)
        from tengen.protocols.gtp.string_data import StringData

        yield StringData(session)
        from tengen.protocols.gtp.group_commands import GroupCommands

        yield GroupCommands(session)
        from tengen.protocols.gtp.scoring import Scoring

        yield Scoring(session)
        from tengen.protocols.gtp.reading_graphics import ReadingGraphics

        yield ReadingGraphics(session)
        from tengen.protocols.gtp.move_lists import MoveLists

        yield MoveLists(session, timing)
    from tengen.protocols.gtp.analysis import Analysis

    yield Analysis(session, timing)
    from tengen.protocols.gtp.gogui import GoGui

    yield GoGui(session)
