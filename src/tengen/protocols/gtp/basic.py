"""Commands for every game: administration, board, moves, files."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import tengen
from tengen.core.diagram import Stone
from tengen.core.errors import EngineResigned, OptionError, TengenError
from tengen.core.game import Move
from tengen.games import records
from tengen.protocols.gtp.session import Session
from tengen.protocols.gtp.syntax import Arguments, GtpError, command, is_interrupt
from tengen.protocols.gtp.timing import Timing


class Result:
    """The result of games other than Go, which has estimates (see `scoring`)."""

    def __init__(self, session: Session) -> None:
        self.session = session

    @command("final_score")
    def final_score(self) -> str:
        """The result of a finished game."""
        outcome = self.session.position.outcome
        if outcome is None:
            raise GtpError("cannot score: the game is not over")
        if outcome.winner is None:
            return "0"
        return f"{'BW'[outcome.winner]}+{abs(outcome.score):g}"


class Basic:
    """Administration, set-up, core play and file commands."""

    def __init__(self, session: Session, timing: Timing, commands: Callable[[], list[str]]) -> None:
        self.session = session
        self.timing = timing
        self.commands = commands

    # ---- administration

    @command("protocol_version")
    def protocol_version(self) -> str:
        return "2"

    @command("name")
    def name(self) -> str:
        return "Tengen"

    @command("version")
    def version(self) -> str:
        return f"{tengen.__version__} ({self.session.runner.name})"

    @command("known_command")
    def known_command(self, arguments: Arguments) -> str:
        return "true" if arguments.word("a command") in self.commands() else "false"

    @command("list_commands", "help")
    def list_commands(self) -> str:
        return "\n".join(self.commands())

    @command("echo")
    def echo(self, arguments: Arguments) -> str:
        return arguments.rest()

    @command("cputime")
    def cputime(self) -> str:
        return f"{time.process_time():.2f}"

    @command("clear_cache")
    def clear_cache(self) -> None:
        self.session.runner.reset()

    # ---- the board

    @command("boardsize")
    def boardsize(self, arguments: Arguments) -> None:
        """Set the board size: one number, or columns and rows."""
        columns = arguments.word("a size")
        rows = arguments.word("rows") if arguments.left else ""
        arguments.finish()
        size = f"{columns}x{rows}" if rows else columns
        if not all(part.isascii() and part.isdigit() and len(part) < 5 for part in (columns, rows or "1")):
            raise GtpError(f"syntax error: expected a size, not {size!r}")
        game = self.session.game
        if game.size_is_rows_first:  # a single number keeps a one-row board one row high
            size = f"{rows or (columns if self.session.notation.height > 1 else 1)}x{columns}"
        options: dict[str, Any] = {**game.options(), "size": size}
        for name in ("width", "height", "board", "handicap", "free_handicap"):
            options.pop(name, None)
        try:
            self.session.begin(type(game).create(**options))
        except OptionError:
            raise GtpError("unacceptable size") from None

    @command("query_boardsize")
    def query_boardsize(self) -> str:
        return self.session.notation.size_text

    @command("clear_board")
    def clear_board(self) -> None:
        self.session.clear()
        self.timing.restart()

    @command("showboard")
    def showboard(self) -> str:
        notation, height = self.session.notation, self.session.notation.height
        labels = [notation.write_point((column, 0)).rstrip("0123456789") for column in range(notation.width)]
        columns = f"   {' '.join(labels)}"
        diagram = self.session.position.diagram()
        rows = []
        for row, stones in enumerate(diagram.stones):
            symbols = " ".join(diagram.symbol(stone, (column, row)) for column, stone in enumerate(stones))
            rows.append(f"{height - row:>2} {symbols} {height - row}")
        mover = f"{self.session.game.players[self.session.position.to_move]} to move"
        return "\n".join(["", columns, *rows, columns, *diagram.captions, mover])

    @command("list_stones")
    def list_stones(self, arguments: Arguments) -> str:
        player = arguments.colour(last=True)
        notation = self.session.notation
        wanted = (Stone.FIRST, Stone.SECOND)[player]
        return " ".join(
            notation.write_point(point) for point, stone in self.session.stones().items() if stone is wanted
        )

    # ---- moves

    @command("play")
    def play(self, arguments: Arguments) -> None:
        player, move = arguments.colour(), arguments.word("a vertex", last=True)
        if move.lower() != "resign":  # some programs report it and expect success
            self.session.play(player, move)

    @command("black")
    def black(self, arguments: Arguments) -> None:
        """Play a move of Black, as in version 1 of the protocol."""
        self.session.play(0, arguments.word("a vertex", last=True))

    @command("white")
    def white(self, arguments: Arguments) -> None:
        """Play a move of White, as in version 1 of the protocol."""
        self.session.play(1, arguments.word("a vertex", last=True))

    @command("kgs-genmove_cleanup")
    def genmove_cleanup(self, arguments: Arguments) -> str:
        """Capture dead stones one move at a time; pass when there are none left."""
        player = arguments.colour(last=True)
        position = self.session.with_turn(player)
        if self.session.go is None:
            return self._generate(player, play=True)
        from tengen.engines.go.mcts.dead_stones import cleanup_moves

        moves = cleanup_moves(position)
        if moves:
            return self._generate(player, play=True, only=tuple(moves))
        self.session.play(player, "pass")
        return "pass"

    @command("genmove")
    def genmove(self, arguments: Arguments) -> str:
        player = arguments.colour(last=True)
        return self._generate(player, play=True)

    @command("genmove_black")
    def genmove_black(self) -> str:
        return self._generate(0, play=True)

    @command("genmove_white")
    def genmove_white(self) -> str:
        return self._generate(1, play=True)

    @command("gg_genmove")
    def gg_genmove(self, arguments: Arguments) -> str:
        """As `reg_genmove`."""
        player = arguments.colour()
        arguments.finish_with_seed()
        return self._generate(player, play=False)

    @command("reg_genmove")
    def reg_genmove(self, arguments: Arguments) -> str:
        player = arguments.colour(last=True)
        return self._generate(player, play=False)

    @command("restricted_genmove")
    def restricted_genmove(self, arguments: Arguments) -> str:
        """The best of the listed moves, without playing it; a pass if none of them is legal."""
        player = arguments.colour()
        words = arguments.rest().split()
        if not words:
            raise GtpError("no allowed vertex")
        position = self.session.with_turn(player)
        moves = []
        for word in words:
            try:
                moves.append(self.session.notation.read(word, position))
            except GtpError as error:
                if str(error).startswith("syntax error"):
                    raise
        return self._generate(player, play=False, only=tuple(moves)) if moves else "PASS"

    def _generate(self, player: int, *, play: bool, only: tuple[Move, ...] | None = None) -> str:
        position = self.session.with_turn(player)
        with self.timing.move_limits(player, counts=play) as limits:
            try:
                report = self.session.search(position, replace(limits, moves=only), is_interrupt, use_book=True)
            except EngineResigned:
                return "resign"
        move = self.session.notation.rewrite(report.best, position)
        if play:
            self.session.play(player, move)
        return move

    @command("undo")
    def undo(self) -> None:
        self.session.undo()

    @command("gg-undo")
    def gg_undo(self, arguments: Arguments) -> None:
        count = arguments.integer("a number of moves") if arguments.left else 1
        arguments.finish()
        self.session.undo(count)

    @command("is_legal")
    def is_legal(self, arguments: Arguments) -> str:
        player, word = arguments.colour(), arguments.word("a vertex", last=True)
        try:
            self.session.notation.read(word, self.session.with_turn(player))
        except GtpError as error:
            if str(error).startswith("syntax error"):
                raise
            return "0"
        return "1"

    @command("all_legal")
    def all_legal(self, arguments: Arguments) -> str:
        player = arguments.colour(last=True)
        position = self.session.with_turn(player)
        return " ".join(map(self.session.notation.write, position.legal_moves))

    @command("last_move")
    def last_move(self) -> str:
        if not self.session.history:
            raise GtpError("no previous move known")
        last = self.session.history[-1]
        return f"{('black', 'white')[last.player]} {self.session.notation.write(last.move)}"

    @command("move_history")
    def move_history(self) -> str:
        notation = self.session.notation
        return "\n".join(
            f"{('black', 'white')[played.player]} {notation.write(played.move)}"
            for played in reversed(self.session.history)
        )

    # ---- files

    @command("loadsgf")
    def loadsgf(self, arguments: Arguments) -> str:
        """Load a game up to a move number. File names may contain spaces.

        As in GNU Go, a game of Go whose file does not say otherwise is scored by territory, with a komi of 5.5, or
        0.5 with handicap.
        """
        words = arguments.rest().split(" ")
        last = words.pop() if len(words) > 1 and words[-1].isascii() and words[-1].isdigit() else ""
        name = " ".join(words)
        if not name:
            raise GtpError("syntax error: expected a file name")
        count = max(0, int(last[:9]) - 1) if last else None
        try:
            record = next(iter(records.read(Path(name))))
            usual: dict[str, Any] = {
                "scoring": "territory",
                "komi": 0.5 if record.game.options().get("handicap") else 5.5,
            }
            record.game = replace(record.game, **{option: usual[option] for option in record.assumed})
            line = record.positions(max_moves=count)
        except (TengenError, OSError, ValueError, StopIteration) as error:
            raise GtpError(f"cannot load file: {error or 'it contains no game'}") from None
        if record.game.name != self.session.game.name:
            raise GtpError(f"cannot load file: it contains a game of {record.game.title}")
        self.session.load(line)
        return ("black", "white")[self.session.position.to_move]

    @command("printsgf")
    def printsgf(self, arguments: Arguments) -> str:
        """Write the game as SGF to a file, or return it."""
        name = arguments.rest()
        text = records.serialise([self.session.record()], "sgf").data
        if not name:
            return text.decode()
        try:
            Path(name).write_bytes(text)
        except (OSError, ValueError) as error:
            raise GtpError(f"cannot write file: {error}") from None
        return ""
