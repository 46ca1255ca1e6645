"""The engine's side of Gomocup's protocol, with Yixin's extensions, for gomoku and the whole Pente family.

A point is `x,y`, column and row from 0 at the top left. The protocol does not know captures: the game is chosen by
our options, and BOARD lists the moves in order, so that captured stones can be derived.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import tengen
from tengen.core.errors import OptionError, TengenError
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.games.pente import TAKE_BLACK, TAKE_WHITE, Pente
from tengen.players.config import EngineConfig
from tengen.protocols.gomocup_info import GomocupInfo
from tengen.protocols.line_protocol import InputQueue, Line, LineProtocol, any_input, printable
from tengen.runtime.engine_runner import EngineRunner
from tengen.search.limits import Limits
from tengen.search.report import Report

OWN, THEIRS = 1, 2
MAX_STONES = 1000  # in a BOARD
MAX_PONDER_S = 3600.0

_POINT = re.compile(r"\s*(\d{1,4})\s*,\s*(\d{1,4})\s*", re.ASCII)
_STONE = re.compile(r"\s*(\d{1,4})\s*,\s*(\d{1,4})\s*,\s*([123])\s*", re.ASCII)

Point = tuple[int, int]


class GomocupError(TengenError):
    """Reported to the controller as ERROR."""


class Gomocup(LineProtocol):
    """Gomocup protocol.

    `options` are Pente options; without any, INFO rule selects the gomoku variant.
    """

    def __init__(
        self,
        input_queue: InputQueue,
        write: Callable[[str], None],
        config: EngineConfig,
        options: Mapping[str, Any],
    ) -> None:
        super().__init__(input_queue, write)
        self.options = dict(options)
        game = Pente.create(**(self.options or {"variant": "gomoku"}))
        if game.stones != 1 or game.opening != "none":
            raise OptionError("Gomocup needs one stone per turn and opening=none (it has its own swap2)")
        self.runner = EngineRunner(config, game)
        self.info = GomocupInfo(self.runner)
        self.position: Position | None = None
        self._collecting: tuple[str, list[tuple[Point, int]]] | None = None  # multi-line command, stones
        self._collect_error = ""  # first error in one of its lines
        self._handlers: dict[str, Callable[[str], bool | None]] = {
            "start": self._start,
            "rectstart": self._rectstart,
            "restart": self._restart,
            "begin": self._begin,
            "turn": self._turn,
            "play": self._play,
            "takeback": self._takeback,
            "info": self.info.read,
            "about": self._about,
            "end": lambda rest: False,
            "yxnbest": self._nbest,
            "yxstop": lambda rest: None,  # interrupts a running search on arrival; here none is running
            "yxshowforbid": self._show_forbidden,
            "yxstopponder": lambda rest: None,  # like every line, it has ended pondering on arrival
            "yxhashclear": lambda rest: self.runner.reset(),
            "yxshowinfo": self._show_info,
        }

    def handle(self, line: str) -> bool:
        text = line.strip()
        try:
            if self._collecting is not None:
                self._collect(text)
                return True
            word, _, rest = text.partition(" ")
            word = word.lower()
            if not word:
                return True
            if word in ("board", "yxboard", "swap2board"):
                self._collecting, self._collect_error = (word, []), ""
                return True
            if word not in self._handlers:
                self._send("UNKNOWN", f"{text[:60]}")
                return True
            return self._handlers[word](rest.strip()) is not False
        except TengenError as error:
            self._send("ERROR", str(error))
            return True

    def report_error(self, error: Exception) -> None:
        self._send("ERROR", f"internal error: {type(error).__name__}")

    def _send(self, kind: str, text: str) -> None:
        self.write(f"{kind} {printable(text)}".rstrip())

    # ---- the game

    def _game(self, size: int) -> Pente:
        if self.options:
            return Pente.create(**{**self.options, "size": size})
        return Pente.create(**{**self.info.rule(), "size": size})

    def _start(self, rest: str) -> None:
        if re.fullmatch(r"\d{1,4}", rest, re.ASCII) is None:
            raise GomocupError(f"expected the size of the board, not {rest[:20]!r}")
        self._new_game(int(rest))

    def _rectstart(self, rest: str) -> None:
        width, height = _point(rest)
        if width != height:
            raise GomocupError("only square boards are supported")
        self._new_game(width)

    def _restart(self, rest: str) -> None:
        self._new_game(self._current().game.options()["size"])

    def _new_game(self, size: int) -> None:
        position = self._game(size).start()
        self.runner.reset(position.game)
        self.position = position
        self.write("OK")

    def _current(self) -> Position:
        if self.position is None:
            raise GomocupError("no game: send START first")
        return self.position

    def _place(self, position: Position, point: Point) -> Position:
        return position.play(_move(position, point))

    # ---- moves

    def _begin(self, rest: str) -> None:
        if self._current().ply:
            raise GomocupError("the game has already begun")
        self._answer()

    def _turn(self, rest: str) -> None:
        self.position = self._place(self._current(), _point(rest))
        self._answer()

    def _play(self, rest: str) -> None:
        """Play the move that the controller chose for us."""
        point = _point(rest)
        self.position = self._place(self._current(), point)
        self._write_point(point)

    def _takeback(self, rest: str) -> None:
        position, point = self._current(), _point(rest)
        if position.move is None or position.game.points(position.move) != (point,):
            raise GomocupError("only the last move can be taken back")
        self.position = position.parent
        self.write("OK")

    def _collect(self, text: str) -> None:
        """One line of BOARD. Errors are reported after DONE, so that the other lines are not read as commands."""
        assert self._collecting is not None
        word, stones = self._collecting
        if text.lower() != "done":
            found = _STONE.fullmatch(text)
            if found is None:
                # SWAP2BOARD may omit colours, since they follow from the order.
                point = _POINT.fullmatch(text) if word == "swap2board" else None
                if point is None:
                    self._collect_error = (
                        self._collect_error or f"expected x,y,1 or x,y,2, or DONE, not {text[:20]!r}"
                    )
                    return
                stones.append(((int(point[1]), int(point[2])), 0))
            else:
                stones.append(((int(found[1]), int(found[2])), int(found[3])))
            if len(stones) > MAX_STONES:
                self._collect_error = f"a board has at most {MAX_STONES} stones"
                stones.clear()
            return
        self._collecting = None
        if self._collect_error:
            raise GomocupError(self._collect_error)
        if word == "swap2board":
            self._swap2([point for point, _ in stones])
            return
        self.position = self._set_up(stones)
        if word == "board":
            self._answer()

    def _set_up(self, stones: list[tuple[Point, int]]) -> Position:
        """The position after these moves in order; without captures, in any alternating order."""
        start = self._current().game.start()
        game = start.game
        assert isinstance(game, Pente)
        owners = [owner for _, owner in stones]
        if any(owner not in (OWN, THEIRS) for owner in owners):
            raise GomocupError("mark stones 1 (own) or 2 (opponent)")
        own, theirs = owners.count(OWN), owners.count(THEIRS)
        if not 0 <= theirs - own <= 1:
            raise GomocupError(f"it is not our turn with {own} own stones and {theirs} of the opponent")
        first = THEIRS if theirs > own else OWN
        if any(owner != (first if index % 2 == 0 else 3 - first) for index, owner in enumerate(owners)):
            if game.captures != "none":
                raise GomocupError("with captures, list the moves in the order in which they were played")
            sides = {side: [point for point, owner in stones if owner == side] for side in (OWN, THEIRS)}
            order = [sides[first if index % 2 == 0 else 3 - first][index // 2] for index in range(len(stones))]
        else:
            order = [point for point, _ in stones]
        position = start
        for point in order:
            position = self._place(position, point)
        return position

    # ---- searching

    def _answer(self, lines: int = 1) -> None:
        """Search, play the best move and send it."""
        position = self._current()
        if position.is_over:
            raise GomocupError("the game is over")
        report = self._search(position, lines, use_book=True)
        move = position.game.read_move(report.best, position)
        self.position = position.play(move)
        self._write_point(position.game.points(move)[0])
        self._ponder(self.position)

    def _ponder(self, position: Position) -> None:
        """If INFO pondering asks for it, search until the next line; the table helps the search that follows."""
        if not self.info.ponders or position.is_over:
            return
        with self.input_queue.interrupted_by(any_input) as interrupt:
            self.runner.search(position, Limits(seconds=MAX_PONDER_S), stop=interrupt.stop)

    def _nbest(self, rest: str) -> None:
        if re.fullmatch(r"\d{1,3}", rest, re.ASCII) is None or int(rest) < 1:
            raise GomocupError(f"expected a number of moves, not {rest[:20]!r}")
        self._answer(int(rest))

    def _search(self, position: Position, lines: int = 1, *, use_book: bool = False) -> Report:
        ask = self.runner.play if use_book else self.runner.search
        limits: Limits = replace(self.info.limits(), lines=lines)
        with self.input_queue.interrupted_by(_interrupts_search) as interrupt:
            report = ask(position, limits, stop=interrupt.stop)
        for rank, candidate in enumerate(report.candidates[:lines], 1):
            moves = [position.game.read_move(move, position) for move in candidate.line or (candidate.move,)]
            points = [_write(position.game.points(move)[0]) for move in moves if position.game.points(move)]
            rank_text = f"({rank}) " if lines > 1 else ""
            value = f"{candidate.value}{f', {candidate.reason}' if candidate.reason else ''}"
            rate = f" speed {report.nodes / report.seconds:.0f}" if report.seconds > 0 else ""
            self._send(
                "MESSAGE",
                f"{rank_text}{value} depth {report.depth} nodes {report.nodes}{rate} pv {' '.join(points)}",
            )
        return report

    def _write_point(self, point: Point) -> None:
        self.write(_write(point))

    # ---- swap2

    def _swap2(self, stones: list[Point]) -> None:
        """Answer swap2: place three stones; after 3 or 5 stones, swap, continue, or place two more."""
        plain = self._current().game
        assert isinstance(plain, Pente)
        if len(stones) not in (0, 3, 5):
            raise GomocupError(f"swap2 needs 0, 3 or 5 stones, not {len(stones)}")
        game = Pente.create(**{**plain.options(), "opening": "swap2", "first": "anywhere", "second": "anywhere"})
        position = game.start()
        for index, point in enumerate(stones):
            if index == 3:
                position = position.play("more")
            position = position.play(_move(position, point))
        placed = list(stones)
        chosen: list[str] = []
        wanted = 3 if not stones else 1
        while len(chosen) < wanted:
            report = self._search(position)
            move = position.game.read_move(report.best, position)
            position = position.play(move)
            if move == TAKE_BLACK:
                chosen = ["SWAP"]
            elif not game.points(move):
                wanted = 1 if move == TAKE_WHITE else 2
            else:
                placed.append(game.points(move)[0])
                chosen.append(_write(placed[-1]))
        follow = replace(plain, first="anywhere", second="anywhere").start()
        for point in placed:
            follow = follow.play(_move(follow, point))
        self.position = follow
        self.write(" ".join(chosen))

    # ---- queries

    def _about(self, rest: str) -> None:
        self.write(f'name="Tengen", version="{tengen.__version__}", author="The Tengen authors"')

    def _show_forbidden(self, rest: str) -> None:
        """Forbidden empty points, each as two digits for x and two for y."""
        position = self._current()
        legal = {point for move in position.legal_moves for point in position.game.points(move)}
        forbidden = [
            f"{column:02}{row:02}"
            for (column, row), stone in position.diagram().contents().items()
            if not stone and (column, row) not in legal and not position.is_over
        ]
        self.write(f"FORBID {''.join(forbidden)}.")

    def _show_info(self, rest: str) -> None:
        for line in self.info.describe():
            self._send("MESSAGE", line)


def _interrupts_search(line: Line) -> bool:
    """Whether a line interrupts a search: only yxstop, stop and END."""
    return (line or "").strip().lower() in ("yxstop", "stop", "end")


def _point(text: str) -> Point:
    found = _POINT.fullmatch(text)
    if found is None:
        raise GomocupError(f"expected a point as 7,7, not {text[:20]!r}")
    return int(found[1]), int(found[2])


def _move(position: Position, point: Point) -> Move:
    """The move on a point; raises if it is off the board. Other rules are checked when it is played."""
    game = position.game
    assert isinstance(game, Pente)
    if max(point) >= game.size:
        raise GomocupError(f"{_write(point)} is not on the board of {game.size}x{game.size}")
    return game.point(point)


def _write(point: Point) -> str:
    return f"{point[0]},{point[1]}"
