"""A game against an engine, in the terminal."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass

from rich.console import Console

from tengen.core.errors import TengenError
from tengen.core.game import Game
from tengen.core.position import Position
from tengen.games.records.results import of_outcome
from tengen.search.engine import Engine
from tengen.search.limits import Limits
from tengen.search.report import Report
from tengen.terminal.board import draw

HELP = """\
  a move            as the game writes it
  hint              what the engine would play, and why
  undo              take your last move back, and the answer to it
  moves             all legal moves
  board             draw the board again
  resign            give up
  quit              leave; the command to go on is shown (so does Ctrl-C)"""


@dataclass
class Session:
    """One sitting: `people` are the players (0, 1) who sit at this terminal."""

    console: Console
    game: Game
    engine: Engine
    limits: Limits
    people: frozenset[int]
    position: Position
    words: tuple[str, ...]  # of the command line, to show how to go on
    save: Callable[[Position, str], None] = lambda position, result: None  # called after every change
    resume: tuple[str, ...] = ()  # how to go on, if the game is in a file

    def run(self) -> None:
        """Play until the game ends or the person leaves."""
        self.console.print(
            f"[bold]{self.game.title}[/bold]. Moves: {self.game.notation}. Type [bold]help[/bold] for more."
        )
        self.console.print(draw(self.position))
        try:
            while not self.position.is_over:
                if self.position.to_move in self.people:
                    if not self._ask():
                        return
                else:
                    self._answer()
            self._finish()
        except (KeyboardInterrupt, EOFError):
            self.console.print()
            self._leave()

    def _ask(self) -> bool:
        """One line from a person; False when they leave."""
        player = self.game.players[self.position.to_move]
        line = input(f"{player}> ").strip()
        command = line.lower()
        if command in ("help", "?"):
            self.console.print(f"  {'your move':<16}  {self.game.notation}\n{HELP}", highlight=False)
        elif command == "hint":
            self._show(self._think(), "Hint")
        elif command == "undo":
            self._undo()
        elif command == "moves":
            moves = self.position.write_moves(self.position.legal_moves)
            self.console.print(" ".join(moves), highlight=False)
        elif command == "board":
            self.console.print(draw(self.position))
        elif command == "resign":
            winner = self.game.players[1 - self.position.to_move]
            self.console.print(f"{winner} wins: {player} resigns")
            self.save(self.position, f"{'BW'[1 - self.position.to_move]}+R")
            return False
        elif command in ("quit", "exit"):
            self._leave()
            return False
        elif line:
            self._try(line)
        return True

    def _try(self, line: str) -> None:
        try:
            self.position = self.position.play(line)
        except TengenError as error:
            self.console.print(str(error), style="red", highlight=False, markup=False)
        else:
            self._changed()

    def _changed(self) -> None:
        self.save(self.position, "")
        self.console.print(draw(self.position))

    def _undo(self) -> None:
        """Back to where a person was last to move."""
        position = self.position.parent
        while position is not None and position.to_move not in self.people:
            position = position.parent
        if position is None:
            self.console.print("[red]There is no move of yours to take back.[/red]")
            return
        self.position = position
        self._changed()

    def _answer(self) -> None:
        report = self._think()
        self.position = self.position.play(report.best)
        self._show(report, "Answer")
        self._changed()

    def _think(self) -> Report:
        name = self.game.players[self.position.to_move]
        with self.console.status(f"{name} is thinking …") as waiting:
            return self.engine.search(
                self.position,
                self.limits,
                on_progress=lambda report: waiting.update(f"{name} is thinking: {report.best}, {report.value}"),
            )

    def _show(self, report: Report, title: str) -> None:
        line = " ".join(report.line[:8])
        self.console.print(
            f"{title}: [bold]{report.best}[/bold], {report.value}; {line}  "
            f"[dim]({report.nodes:,} nodes, {report.seconds:.1f} s)[/dim]",
            highlight=False,
        )

    def _finish(self) -> None:
        """What the board shows is the result, unless the players must first agree on dead stones."""
        if not self.game.counts_dead_stones:
            return
        if self.people:
            self._agree_on_dead()
        else:
            outcome = self.game.count(self.position)
            self.console.print(f"{self.game.write_outcome(outcome)}, all stones alive", highlight=False)

    def _agree_on_dead(self) -> None:
        """Stones that stay on the board but are dead come off before the count."""
        while True:
            line = input("Dead stones (one point of each string, as D4 Q16; Enter for none)> ")
            try:
                outcome = self.game.count(self.position, line.split())
            except TengenError as error:
                self.console.print(str(error), style="red", highlight=False, markup=False)
            else:
                self.console.print(f"[bold]{self.game.write_outcome(outcome)}[/bold]")
                self.save(self.position, of_outcome(outcome, counted=True))
                return

    def _leave(self) -> None:
        moves = " ".join(self.position.write_moves(self.position.moves))
        command = ["tengen", "play", self.game.name, *self.words]
        if moves:
            command += ["--moves", moves]
        if self.resume:
            command = ["tengen", "play", *self.resume]
        self.console.print(f"Good-bye. To go on: {shlex.join(command)}", highlight=False, soft_wrap=True)
