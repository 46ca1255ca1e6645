"""Base class of external engines: runs, watches and restarts the program."""

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
from tengen.protocols.external.analysis import Evaluation, Pace
from tengen.protocols.external.errors import (
    CannotStart,
    EngineDied,
    EngineHung,
    ExternalEngineError,
    IllegalAnswer,
    Refused,
    Resigned,
)
from tengen.protocols.external.incidents import Incident
from tengen.protocols.external.process import ExternalProcess, ProcessExited, ReceiveTimeout, StopRequested
from tengen.search.engine import Engine, OnProgress
from tengen.search.limits import Limits, StopFlag, root_moves
from tengen.search.report import Candidate, Report, Value

STOP_TIMEOUT_S = 1.0  # to answer after a stop; then it is killed, and any legal move is the answer
UNLIMITED_SEARCH_S = 60.0  # time for a search without limits, before the program's own timeout
MAX_INCIDENTS = 1000  # stored; the oldest are dropped first


@dataclass(frozen=True)
class EngineMove:
    """A move reported by an external engine, with its evaluation."""

    move: Move
    value: Value | None = None
    nodes: int = 0
    depth: int = 0
    line: tuple[str, ...] = ()


class ExternalEngine(Engine):
    """Engine that is an external program. Failures are recorded in `incidents`.

    A search may take its time limit plus the program's timeout. A program that exits during a search is restarted
    and asked once more; one that hangs is killed. The next search always works with a running program. `close`
    ends the program, as do leaving a `with` block and exiting our process.
    """

    name: ClassVar[str] = "external"
    summary: ClassVar[str] = "another program, over a protocol"
    analyses_always: ClassVar[bool] = False  # whether it has no other way to find a move

    def __init__(self, program: ExternalProgram) -> None:
        super().__init__()
        self.program = program
        self.title = Path(program.command[0]).name
        self.incidents: list[Incident] = []
        self.starts = 0
        self._process: ExternalProcess | None = None

    # ---- to be implemented for each protocol

    @abstractmethod
    def _check_game(self, game: Game) -> None:
        """Raise `OptionError` for a game that the protocol cannot express."""

    @abstractmethod
    def _handshake(self, process: ExternalProcess) -> None:
        """First exchange with a new process. Any exception means that the program cannot be used."""

    @abstractmethod
    def _request_move(
        self, process: ExternalProcess, position: Position, limits: Limits, deadline: float, stop: StopFlag
    ) -> EngineMove:
        """Send the position and return the engine's move."""

    @abstractmethod
    def _request_stop(self, process: ExternalProcess) -> None:
        """Ask the engine to answer now, if the protocol can."""

    @abstractmethod
    def _read_move_after_stop(self, process: ExternalProcess, position: Position, deadline: float) -> EngineMove:
        """Read the answer after `_request_stop`."""

    def _quit_command(self) -> str:
        """Command that ends the program."""
        return "quit"

    def _request_analysis(
        self, process: ExternalProcess, position: Position, pace: Pace
    ) -> Evaluation | EngineMove | None:
        """Send the position and return its best moves with their values; None if it was stopped before.

        Unless a protocol can analyse, this is the engine's move.
        """
        try:
            return self._request_move(process, position, pace.limits, pace.deadline, pace.stop)
        except StopRequested:
            return self._move_after_stop(process, position)

    # ---- common part

    @property
    def _analyses(self) -> bool:
        return self.analyses_always or self.program.analyses

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
        answer = self._find_move(position, limits, flag, started, on_progress)
        if isinstance(answer, Evaluation):
            if answer.candidates:
                return self._analysis_report(answer, time.monotonic() - started)
            if not flag.is_set:
                raise self._illegal(f"{self.title} named no move that can be played", "")
            answer = None
        if answer is None:
            answer = EngineMove(moves[0])
        elif answer.move not in moves:
            move = position.game.write_move(answer.move)
            reason = position.game.why_illegal(position, answer.move)
            raise self._illegal(f"{self.title} played {move}, which is illegal: {reason}", move)
        return self._report(position, answer, time.monotonic() - started)

    def _find_move(
        self, position: Position, limits: Limits, stop: StopFlag, started: float, on_progress: OnProgress | None
    ) -> EngineMove | Evaluation | None:
        """Request a move or an analysis, once more if the program exits. None if it was stopped before."""
        thinking = limits.thinking_time()
        deadline = started + self.program.timeout_s + (UNLIMITED_SEARCH_S if math.isinf(thinking) else thinking)
        for attempt in (1, 2):
            try:
                process = self._ensure_running()
                if not self._analyses:
                    return self._request_move_until_stop(process, position, limits, deadline, stop)
                pace = Pace(limits, time.monotonic() + thinking, deadline, stop)
                if on_progress is not None:
                    pace.report = lambda found: on_progress(
                        self._analysis_report(found, time.monotonic() - started)
                    )
                return self._request_analysis(process, position, pace)
            except ProcessExited as exited:
                self._kill()
                self._record(exited.kind, str(exited))
                if attempt == 2:
                    raise EngineDied(str(exited)) from None
            except ReceiveTimeout:
                self._kill()
                seconds = time.monotonic() - started
                text = f"{self.title} did not answer in {seconds:.1f} s and was killed"
                self._record("hung", text)
                raise EngineHung(text) from None
            except ExternalEngineError as error:
                if isinstance(error, Resigned | Refused):
                    self._record(type(error).__name__.lower(), str(error))
                raise
            except TengenError:
                raise
            except BaseException:  # Ctrl-C during an exchange: the state of the program is unknown
                self._kill()
                raise
        raise AssertionError("the second attempt returns or raises")

    def _request_move_until_stop(
        self, process: ExternalProcess, position: Position, limits: Limits, deadline: float, stop: StopFlag
    ) -> EngineMove | None:
        try:
            return self._request_move(process, position, limits, deadline, stop)
        except StopRequested:
            return self._move_after_stop(process, position)

    def _move_after_stop(self, process: ExternalProcess, position: Position) -> EngineMove | None:
        try:
            self._request_stop(process)
            return self._read_move_after_stop(process, position, time.monotonic() + STOP_TIMEOUT_S)
        except (ReceiveTimeout, ProcessExited):
            self._kill()  # not a failure: most protocols cannot stop a search
            return None

    def _ensure_running(self) -> ExternalProcess:
        """The process, started if necessary."""
        if self._process is None:
            self.starts += 1
            process = self._process = self._start()
            try:
                self._handshake(process)
            except (ProcessExited, ReceiveTimeout, ExternalEngineError) as error:
                self._kill()
                what = str(error) or f"{self.title} does not answer"
                self._record("start", what)
                raise CannotStart(f"{self.title} cannot be used: {what}") from None
        return self._process

    def _start(self) -> ExternalProcess:
        try:
            return ExternalProcess(self.program)
        except CannotStart as error:
            self._record("start", str(error))
            raise

    def _kill(self) -> None:
        """Kill the program."""
        process, self._process = self._process, None
        if process is not None:
            process.close(0.0)

    def _illegal(self, text: str, answer: str) -> IllegalAnswer:
        self._record("illegal", text)
        self._kill()  # its board differs from ours
        return IllegalAnswer(text, answer)

    def _record(self, kind: str, text: str) -> None:
        self.incidents.append(Incident(time.time(), kind, text))
        del self.incidents[:-MAX_INCIDENTS]

    def _report(self, position: Position, answer: EngineMove, seconds: float) -> Report:
        move = position.game.write_move(answer.move)
        value = answer.value or Value.heuristic(0.5, "win rate")  # no evaluation was reported
        candidate = Candidate(move, value, answer.line or (move,))
        return Report(self.title, move, value, (candidate,), answer.nodes, seconds, answer.depth)

    def _analysis_report(self, found: Evaluation, seconds: float) -> Report:
        best = found.candidates[0]
        return Report(
            self.title,
            best.move,
            best.value,
            found.candidates,
            found.nodes,
            seconds,
            found.depth,
            overlays=found.overlays,
        )

    def close(self) -> None:
        """Ask the program to exit; kill it if it does not."""
        process, self._process = self._process, None
        if process is not None:
            try:
                process.send(self._quit_command())
            except ProcessExited:
                return
            process.close()

    def __del__(self) -> None:
        if "_process" in self.__dict__:
            self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
