"""A match in the terminal, line by line: the board is drawn, a line is read, the engine answers."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from rich.console import Console

from tengen.core.errors import EngineResigned, TengenError
from tengen.play import events
from tengen.play.clock import TimeIsUp
from tengen.play.match import Match
from tengen.play.match_runner import accepts_draw
from tengen.play.time_management import limits_for
from tengen.play.view import View
from tengen.players.player import EnginePlayer, Person
from tengen.runtime.engine_runner import EngineRunner
from tengen.search.report import Report
from tengen.terminal.board import draw
from tengen.terminal.wait import patiently

HELP = """\
  a move            as the game writes it
  hint              what the engine would play, and why
  undo              take your last move back, and the answer to it
  moves             all legal moves
  board             draw the board again
  clock             the time that is left
  go 12             look at the position after move 12; what you play there is a variation
  back, forward     look one move back, or forward again
  live              look at where the game stands
  lines             the moves that were tried from here; line 1 enters one of them
  comment TEXT      say something about the move that you look at
  draw, resign      offer a draw, give up
  rematch           play again; the loser goes first
  quit              leave; the game is kept, and the command to go on is shown (so does Ctrl-C)"""


@dataclass
class Session:
    """One sitting. `engines` play for the players that are engines; `advisor` gives hints."""

    console: Console
    errors: Console
    match: Match
    engines: dict[int, EngineRunner]
    advisor: EngineRunner
    how_to_go_on: Callable[[Match], str]
    _last: dict[int, Report] = field(default_factory=dict)
    _following: Match | None = None
    _leaving: bool = False
    _trouble: bool = False  # the engine to move has failed: the person says what to do
    _complained: str = ""
    _view: View = field(init=False)

    def __post_init__(self) -> None:
        self._view = View.restore(self.match)

    def run(self) -> Match | None:
        """Play until the game ends or the person leaves; the next match, if a rematch is asked for."""
        match = self.match
        unwatch = match.watch(self._note)
        self._print(
            f"[bold]{match.game.title}[/bold]. Moves: {match.game.notation}. Type [bold]help[/bold] for more."
        )
        try:
            if match.result is None:
                match.start()
            self._draw()
            while not self._leaving and (player := match.to_move) is not None:
                if player not in self.engines or not self._view.is_at_live or self._trouble:
                    self._ask()
                else:
                    self._answer(player)
            if not self._leaving:
                self._after_the_end()
            return self._following
        except (KeyboardInterrupt, EOFError):
            self.console.print()
            self._leave()
            return None
        finally:
            unwatch()

    # ---- people

    def _ask(self) -> None:
        """One line from a person."""
        match, view = self.match, self._view
        line = input(self._prompt()).strip()
        command, _, rest = line.partition(" ")
        simple: dict[str, Callable[[], object]] = {
            "help": self._help,
            "?": self._help,
            "hint": self._hint,
            "undo": self._undo,
            "moves": lambda: self._say(" ".join(view.position.write_moves(view.position.legal_moves))),
            "board": self._draw,
            "clock": lambda: self._say(self._times()),
            "back": lambda: self._look(lambda: view.go_to(view.position.ply - 1)),
            "forward": lambda: self._look(lambda: view.go_to(view.position.ply + 1)),
            "live": lambda: self._look(view.go_to_live),
            "lines": self._lines,
            "draw": self._draw_offer,
        }
        try:
            if line.lower() in simple:
                simple[line.lower()]()
            elif command.lower() == "go" and rest.isdecimal() and len(rest) < 7:
                self._look(lambda: view.go_to(int(rest)))
            elif command.lower() == "line" and rest.isdecimal() and len(rest) < 7:
                self._look(lambda: view.enter(int(rest)))
            elif command.lower() == "comment":
                match.set_comment(view.node, rest)
            elif line.lower() == "resign" and match.result is None:
                match.resign(self._person())
            elif line.lower() == "rematch":
                self._following = match.rematch()
                self._leaving = True
            elif line.lower() in ("quit", "exit"):
                self._leave()
            elif line:
                view.play(line)
                self._draw()
            elif self._trouble:
                self._trouble = False
                match.start()
        except TimeIsUp:
            pass  # told by the match's end
        except TengenError as error:
            self._complain(str(error))

    def _prompt(self) -> str:
        match = self.match
        if not self._view.is_at_live:
            return f"(looking at move {self._view.position.ply})> "
        if match.result is not None:
            return "> "
        side = match.game.players[match.live.to_move]
        timed = not match.clock.controls[match.live.to_move].is_none
        return f"{side} {match.clock.left_at(match.live.to_move, time.monotonic())}> " if timed else f"{side}> "

    def _person(self) -> int:
        """The player who sits here: the one to move, if that is a person."""
        to_move = self.match.live.to_move
        return 1 - to_move if to_move in self.engines else to_move

    def _undo(self) -> None:
        if self.engines:
            self.match.take_back_for(self._person())
        else:
            self.match.take_back()
        self._view.go_to_live()
        self._trouble = False
        self.match.start()
        self._draw()

    def _draw_offer(self) -> None:
        match = self.match
        if not match.game.can_draw:
            match.draw()  # says why not
        other = 1 - self._person()
        if other in self.engines:
            if match.result is None and match.game.can_draw and not accepts_draw(self._last.get(other)):
                self._say(
                    f"{match.game.players[other]} declines: it thinks that it is ahead, or knows too little."
                )
                return
        elif input("Do both players agree on a draw? yes or no> ").strip().lower() not in ("yes", "y"):
            return
        match.draw()

    def _lines(self) -> None:
        found = self._view.node.moves()
        for number, child in enumerate(found):
            assert child.move is not None
            self._say(f"  line {number}  {self.match.game.write_move(child.move)}  {child.comment}".rstrip())
        if not found:
            self._say("No move was tried from here.")

    def _look(self, go: Callable[[], None]) -> None:
        go()
        self._draw()
        comment = self._view.node.node.comment
        if comment:
            self._say(comment)

    def _help(self) -> None:
        self._say(f"  {'your move':<16}  {self.match.game.notation}\n{HELP}")

    def _hint(self) -> None:
        if self.match.result is None:
            self.match.unrate()
        self._show(self._think(self.advisor, "Hint", hint=True), "Hint")

    # ---- engines

    def _answer(self, player: int) -> None:
        engine = self.match.players[player]
        assert isinstance(engine, EnginePlayer)
        try:
            report = self._think(self.engines[player], self.match.game.players[player])
        except EngineResigned:
            self.match.resign(player)
            return
        except TengenError as error:
            self.match.adjourn()
            self._trouble = True
            self._complain(f"{engine.name} failed: {error}")
            self._say("Press Enter to ask it again; undo, resign and quit work as ever.")
            return
        self._last[player] = report
        try:
            self.match.play(report.best)
        except TimeIsUp:
            return
        self._show(report, "Answer")
        self._draw()

    def _think(self, runner: EngineRunner, name: str, *, hint: bool = False) -> Report:
        match = self.match
        position = self._view.position if hint else match.live
        limits = runner.limits()
        if not hint:
            limits = limits_for(match.clock, time.monotonic(), limits)
        with self.console.status(f"{name}: thinking …") as waiting:
            ask = runner.search if hint else runner.play
            return ask(
                position,
                limits,
                on_progress=lambda report: waiting.update(f"{name}: thinking, {report.best}, {report.value}"),
            )

    def _show(self, report: Report, title: str) -> None:
        line = " ".join(report.line[:8])
        self._print(
            f"{title}: [bold]{report.best}[/bold], {report.value}; {line}  "
            f"[dim]({report.nodes:,} nodes, {report.seconds:.1f} s)[/dim]"
        )

    # ---- ends

    def _after_the_end(self) -> None:
        people = any(isinstance(player, Person) for player in self.match.players)
        if self.match.is_counting:
            if people:
                self._agree_on_dead()
            else:
                self.match.count(self._taken_for_dead())
        if people:
            self._say("Type rematch to play again, go 10 to look back, or quit.")
            while not self._leaving:
                self._ask()

    def _agree_on_dead(self) -> None:
        """Stones that stay on the board but are dead come off before the count: as the engine says, or others."""
        dead = self._taken_for_dead()
        words = " ".join(dead) or "none"
        while self.match.is_counting:
            line = input(
                f"Dead stones, one point of each string (Enter: {words}; or others, as D4 Q16; or none)> "
            )
            chosen = [word for word in line.split() if word.lower() != "none"] if line.strip() else dead
            try:
                self.match.count(chosen)
            except TengenError as error:
                self._complain(str(error))

    def _taken_for_dead(self) -> list[str]:
        """One point of each string that the Go player takes for dead."""
        from tengen.engines.dead_stones import estimate_dead_stones

        live = self.match.live
        return patiently(self.console, lambda: live.write_moves(estimate_dead_stones(live)))

    def _leave(self) -> None:
        self._leaving = True
        match = self.match
        match.adjourn()
        self._view.save()
        if match.result is None:
            self._say(f"Good-bye. To go on: {self.how_to_go_on(match)}")

    # ---- words

    def _note(self, event: events.Event) -> None:
        match = self.match
        if isinstance(event, events.Ended):
            winner = event.result.winner
            who = "Draw" if winner is None else f"{match.game.players[winner]} wins"
            outcome = match.live.outcome
            told_by_board = outcome is not None and not match.game.counts_dead_stones
            if not told_by_board:
                margin = event.result.code.partition("+")[2]
                by = f" by {margin} {match.game.unit}" if margin[:1].isdigit() else ""
                self._print(f"[bold]{who}{by}: {event.result.reason}[/bold]")
        elif isinstance(event, events.SaveFailed) and str(event.error) != self._complained:
            self._complained = str(event.error)
            self.errors.print(
                f"the game could not be saved: {event.error}",
                style="red",
                highlight=False,
                markup=False,
                soft_wrap=True,
            )

    def _times(self) -> str:
        clock, now = self.match.clock, time.monotonic()
        return ", ".join(
            f"{side}: {clock.left_at(player, now)}" for player, side in enumerate(self.match.game.players)
        )

    def _draw(self) -> None:
        self.console.print(draw(self._view.position))

    def _say(self, text: str) -> None:
        self.console.print(text, highlight=False, markup=False, soft_wrap=True)

    def _print(self, text: str) -> None:
        self.console.print(text, highlight=False)

    def _complain(self, text: str) -> None:
        self.console.print(text, style="red", highlight=False, markup=False, soft_wrap=True)
