"""Driving an engine that speaks GTP: for Go, and for any game that `gogui-rules_game_id` says it plays."""

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
from tengen.protocols.external.engine import Answer, ExternalEngine
from tengen.protocols.external.errors import ExternalEngineError, Refused, Resigned
from tengen.protocols.external.process import Process
from tengen.protocols.gtp.syntax import INTERRUPT, GtpError
from tengen.protocols.gtp.vertices import Notation, write_vertex
from tengen.search.limits import Limits, StopFlag
from tengen.search.report import Value

_WHOLE = re.compile(r"\d{1,12}", re.ASCII)

Moves = list[tuple[int, str]]  # who played what, as GTP writes it


class GtpEngine(ExternalEngine):
    """A GTP engine. It is brought to a position by the fewest commands: what both have in common stays."""

    name: ClassVar[str] = "external GTP"

    def __init__(self, program: ExternalProgram) -> None:
        super().__init__(program)
        self._number = 0
        self._heard: tuple[str, list[str]] | None = None  # of an answer that has begun
        self._known: frozenset[str] = frozenset()
        self._game: Game | None = None  # that its board is set up for
        self._moves: Moves = []  # that it has been told
        self._time = ""  # what it was told last

    def _check_game(self, game: Game) -> None:
        """GTP has words for all of them."""

    def _greet(self, process: Process) -> None:
        self._game, self._moves, self._time = None, [], ""
        deadline = time.monotonic() + self.program.timeout_s
        self._known = frozenset(self._command(process, "list_commands", deadline).split())
        for line in self.program.setup:
            self._command(process, line, deadline)

    # ---- commands

    def _send(self, process: Process, command: str) -> None:
        self._number += 1
        self._heard = None
        process.send(f"{self._number} {command}")

    def _command(self, process: Process, command: str, deadline: float, stop: StopFlag | None = None) -> str:
        self._send(process, command)
        return self._receive(process, command, deadline, stop)

    def _receive(self, process: Process, command: str, deadline: float, stop: StopFlag | None = None) -> str:
        """The answer to the last command; whatever else the engine prints before it is passed over.

        After a stop in its midst (an analysis begins to answer at once) another call goes on with it.
        """
        if self._heard is None:
            head = re.compile(rf"([=?]){self._number}(?!\d)\s?(.*)")
            while (found := head.match(process.receive(deadline, stop))) is None:
                pass
            self._heard = found[1], [found[2]]
        mark, lines = self._heard
        while line := process.receive(deadline, stop).strip():
            lines.append(line)
        self._heard = None
        text = "\n".join(lines).strip()
        if mark == "?":
            printable = "".join(symbol if symbol.isprintable() else " " for symbol in text)[:200]
            raise Refused(f"{self.title} refused {command[:60]!r}: {printable or 'it did not say why'}")
        return text

    # ---- the position

    def _ask(
        self, process: Process, position: Position, limits: Limits, deadline: float, stop: StopFlag
    ) -> Answer:
        notation = Notation(position)
        try:
            self._bring_to(process, position, notation, deadline)
            self._tell_time(process, limits, deadline)
        except ExternalEngineError:
            self._game = None  # nobody knows what its board looks like
            raise
        # The second form tells what it thinks of its move; the interval is so long that it tells it only once.
        form = "lz-genmove_analyze {} 100000" if "lz-genmove_analyze" in self._known else "genmove {}"
        self._send(process, form.format("bw"[position.to_move]))
        return self._take_move(process, position, notation, deadline, stop)

    def _hurry(self, process: Process) -> None:
        if "gogui-interrupt" in self._known:
            process.send(INTERRUPT)

    def _late_answer(self, process: Process, position: Position, deadline: float) -> Answer:
        return self._take_move(process, position, Notation(position), deadline, None)

    def _take_move(
        self, process: Process, position: Position, notation: Notation, deadline: float, stop: StopFlag | None
    ) -> Answer:
        lines = self._receive(process, "genmove", deadline, stop).splitlines()
        word = lines[-1].removeprefix("play ") if lines else ""
        if word.lower() == "resign":
            self._game = None  # whether it has played something is its secret
            raise Resigned(f"{self.title} resigned")
        try:
            move = notation.read(word, position)
        except GtpError as error:
            printable = "".join(symbol for symbol in word if symbol.isprintable())[:60]
            raise self._illegal(f"{self.title} answered {printable!r}: {error}", printable) from None
        self._moves.append((position.to_move, notation.write(move)))
        value, visits = _opinion(lines[:-1], notation.write(move))
        return Answer(move, value, visits)

    def _bring_to(self, process: Process, position: Position, notation: Notation, deadline: float) -> None:
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
        if surplus and ("undo" not in self._known or surplus > common + 2):
            self._set_up(process, position, notation, deadline)
            common = surplus = 0
        for _ in range(surplus):
            self._command(process, "undo", deadline)
            self._moves.pop()
        for player, move in wanted[common:]:
            self._command(process, f"play {'bw'[player]} {move}", deadline)
            self._moves.append((player, move))

    def _set_up(self, process: Process, position: Position, notation: Notation, deadline: float) -> None:
        """A new game, as far as GTP has words for its options."""
        game = position.game
        self._game, self._moves = None, []
        square = notation.width == notation.height
        size = f"{notation.width}" if square else f"{notation.width} {notation.height}"
        if not isinstance(game, Go):
            if "gogui-rules_game_id" not in self._known:
                raise Refused(f"{self.title} plays Go, not {game.title}")
            title = self._command(process, "gogui-rules_game_id", deadline)
            if title.lower() != game.title.lower():
                raise Refused(f"{self.title} plays {title[:40]}, not {game.title}")
        self._command(process, f"boardsize {size}", deadline)
        self._command(process, "clear_board", deadline)
        if isinstance(game, Go):
            self._set_up_go(process, game, notation, deadline)
        self._game = game

    def _set_up_go(self, process: Process, game: Go, notation: Notation, deadline: float) -> None:
        self._command(process, f"komi {game.komi:g}", deadline)
        if "kata-set-rules" in self._known:
            options = game.options()
            for name, rules in RULE_SETS.items():
                if all(options[option] == value for option, value in rules.items() if option != "komi"):
                    self._command(process, f"kata-set-rules {name}", deadline)
        stones: list[tuple[str, str]] = []
        for row, line in enumerate(game.start().diagram().stones):
            for column, stone in enumerate(line):
                if stone is not Stone.EMPTY:
                    vertex = write_vertex((column, row), notation.width, notation.height)
                    stones.append(("b" if stone is Stone.FIRST else "w", vertex))
        if not stones:
            return
        black = all(colour == "b" for colour, _ in stones)
        if black and 2 <= len(stones) == game.handicap and "set_free_handicap" in self._known:
            self._command(process, f"set_free_handicap {' '.join(vertex for _, vertex in stones)}", deadline)
        elif "gogui-setup" in self._known:
            words = " ".join(f"{colour} {vertex}" for colour, vertex in stones)
            self._command(process, f"gogui-setup {words}", deadline)
        else:
            for colour, vertex in stones:
                self._command(process, f"play {colour} {vertex}", deadline)

    def _tell_time(self, process: Process, limits: Limits, deadline: float) -> None:
        """A limit for each move. GTP itself counts whole seconds; a second is the least."""
        seconds = limits.thinking_time()
        if math.isinf(seconds):
            return
        if "kata-time_settings" in self._known:
            command = f"kata-time_settings byoyomi 0 {max(0.001, seconds):.3f} 1"
        elif "time_settings" in self._known:
            command = f"time_settings 0 {max(1, int(seconds))} 1"
        else:
            return
        if command != self._time:
            self._command(process, command, deadline)
            self._time = command


def _opinion(lines: list[str], move: str) -> tuple[Value | None, int]:
    """The win rate and the visits of a move, from the last of Leela Zero's lines that has them."""
    for line in reversed(lines):
        for part in line.split("info ")[1:]:
            words = part.split()
            facts = dict(zip(words[::2], words[1::2], strict=False))
            if facts.get("move", "").upper() == move.upper():
                rate, visits = (_WHOLE.fullmatch(facts.get(name, "")) for name in ("winrate", "visits"))
                if rate is not None and 0 <= int(rate[0]) <= 10_000:
                    return Value.heuristic(int(rate[0]) / 10_000, "win rate"), int(visits[0]) if visits else 0
    return None, 0
