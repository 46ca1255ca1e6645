"""What foreign engines of all protocols have in common: they are engines of ours, watched and restarted."""

from __future__ import annotations

import math
import time
from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

from tengen.core.errors import OptionError, TengenError
from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.players.program import ExternalProgram
from tengen.protocols.external.errors import (
    CannotStart,
    EngineDied,
    EngineHung,
    ExternalEngineError,
    IllegalAnswer,
    Refused,
    Resigned,
)
from tengen.protocols.external.process import Gone, Late, Process, Stopped
from tengen.protocols.external.trouble import Trouble
from tengen.search.engine import Engine, OnProgress
from tengen.search.limits import Limits, StopFlag, root_moves
from tengen.search.report import Candidate, Report, Value

STOP_PATIENCE = 1.0  # seconds to answer after a stop; then it is killed, and any legal move is the answer
UNTIMED = 60.0  # seconds that a program without any limit is granted, before its patience
MOST_TROUBLES = 1000  # kept; the oldest go first


@dataclass(frozen=True)
class Answer:
    """What a foreign engine said: a move, if it is one, and what it thinks of it."""

    move: Move
    value: Value | None = None
    nodes: int = 0
    depth: int = 0
    line: tuple[str, ...] = ()


class ExternalEngine(Engine):
    """Another program. It has the time of a move plus its spec's patience; what it does wrong is in `troubles`.

    A program that dies in a search is started again and asked once more. One that hangs is killed. Whatever
    happens, the next search starts afresh. `close` ends the program, as does leaving a `with` block, and as does
    our own end.
    """

    name: ClassVar[str] = "external"
    summary: ClassVar[str] = "another program, over a protocol"

    def __init__(self, program: ExternalProgram) -> None:
        super().__init__()
        self.program = program
        self.title = Path(program.command[0]).name
        self.troubles: list[Trouble] = []
        self.starts = 0
        self._process: Process | None = None

    # ---- for each protocol to say

    @abstractmethod
    def _check_game(self, game: Game) -> None:
        """Raise `OptionError` for a game that the protocol cannot express."""

    @abstractmethod
    def _greet(self, process: Process) -> None:
        """The first words to a new process. Whatever is raised here means that it cannot be started."""

    @abstractmethod
    def _ask(
        self, process: Process, position: Position, limits: Limits, deadline: float, stop: StopFlag
    ) -> Answer:
        """Bring the engine to the position and get its move."""

    @abstractmethod
    def _hurry(self, process: Process) -> None:
        """Ask it to answer now, if the protocol can."""

    @abstractmethod
    def _late_answer(self, process: Process, position: Position, deadline: float) -> Answer:
        """The answer that comes after it was hurried."""

    def _goodbye(self) -> str:
        """The word that ends it."""
        return "quit"

    # ---- what is common

    def search(
        self,
        position: Position,
        limits: Limits,
        *,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> Report:
        moves = root_moves(position, limits)
        if limits.moves is not None:
            raise OptionError("an external program chooses among all moves: its choice cannot be restricted")
        self._check_game(position.game)
        flag = stop or StopFlag()
        started = time.monotonic()
        answer = self._answer(position, limits, flag, started)
        if answer is None:
            answer = Answer(moves[0])
        elif answer.move not in moves:
            move = position.game.write_move(answer.move)
            reason = position.game.why_illegal(position, answer.move)
            raise self._illegal(f"{self.title} played {move}, which is illegal: {reason}", move)
        return self._report(position, answer, time.monotonic() - started)

    def _answer(self, position: Position, limits: Limits, stop: StopFlag, started: float) -> Answer | None:
        """Ask, and once more if the program dies over it. None if it was stopped and said nothing."""
        thinking = limits.thinking_time()
        deadline = started + self.program.timeout_s + (UNTIMED if math.isinf(thinking) else thinking)
        for attempt in (1, 2):
            try:
                process = self._running(deadline)
                return self._ask_or_hurry(process, position, limits, deadline, stop)
            except Gone as gone:
                self._drop()
                self._record(gone.kind, str(gone))
                if attempt == 2:
                    raise EngineDied(str(gone)) from None
            except Late:
                self._drop()
                seconds = time.monotonic() - started
                text = f"{self.title} did not answer in {seconds:.1f} s, and was killed"
                self._record("hung", text)
                raise EngineHung(text) from None
            except ExternalEngineError as error:
                if isinstance(error, Resigned | Refused):
                    self._record(type(error).__name__.lower(), str(error))
                raise
            except TengenError:
                raise
            except BaseException:  # Ctrl-C in the midst of a conversation: nobody knows where it stands
                self._drop()
                raise
        raise AssertionError("the second attempt returns or raises")

    def _ask_or_hurry(
        self, process: Process, position: Position, limits: Limits, deadline: float, stop: StopFlag
    ) -> Answer | None:
        try:
            return self._ask(process, position, limits, deadline, stop)
        except Stopped:
            try:
                self._hurry(process)
                return self._late_answer(process, position, time.monotonic() + STOP_PATIENCE)
            except (Late, Gone):
                self._drop()  # no fault of its own: most protocols have no word for a stop
                return None

    def _running(self, deadline: float) -> Process:
        """The program, started if it does not run."""
        if self._process is None:
            self.starts += 1
            process = self._process = self._start()
            try:
                self._greet(process)
            except (Gone, Late, ExternalEngineError) as error:
                self._drop()
                what = str(error) or f"{self.title} does not answer"
                self._record("start", what)
                raise CannotStart(f"{self.title} cannot be used: {what}") from None
        return self._process

    def _start(self) -> Process:
        try:
            return Process(self.program)
        except CannotStart as error:
            self._record("start", str(error))
            raise

    def _drop(self) -> None:
        """End the program by force."""
        process, self._process = self._process, None
        if process is not None:
            process.close(0.0)

    def _illegal(self, text: str, answer: str) -> IllegalAnswer:
        self._record("illegal", text)
        self._drop()  # its board and ours are not the same any more
        return IllegalAnswer(text, answer)

    def _record(self, kind: str, text: str) -> None:
        self.troubles.append(Trouble(time.time(), kind, text))
        del self.troubles[:-MOST_TROUBLES]

    def _report(self, position: Position, answer: Answer, seconds: float) -> Report:
        move = position.game.write_move(answer.move)
        value = answer.value or Value.heuristic(0.5, "win rate")  # it did not say
        candidate = Candidate(move, value, answer.line or (move,))
        return Report(self.title, move, value, (candidate,), answer.nodes, seconds, answer.depth)

    def close(self) -> None:
        """Say goodbye; who does not go is killed."""
        process, self._process = self._process, None
        if process is not None:
            try:
                process.send(self._goodbye())
            except Gone:
                return
            process.close()

    def __del__(self) -> None:
        if "_process" in self.__dict__:
            self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
