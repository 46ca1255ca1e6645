"""Line-based play in the terminal: print the board, read a command, let the engine move."""

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
from tengen.terminal.progress import run_with_progress

HELP = """\
  a move            in the notation of the game
  hint              show the move that the engine suggests
  undo              take back your last move and the reply
  moves             list all legal moves
  board             draw the board again
  clock             show the remaining time
  go 12             show the position after move 12; moves played there become variations
  back, forward     go one move back or forward
  live              return to the current position
  lines             list the moves tried from here; line 0 follows the first one
  comment TEXT      comment on the move shown
  draw, resign      offer a draw, resign
  rematch           play again; the loser moves first
  quit              leave (also Ctrl-C); the game is saved and can be continued"""


@dataclass
class MatchPrompt:
    """Runs one match. `engines` move for the engine players by side; `advisor` gives hints."""

    console: Console
    errors: Console
    match: Match
    engines: dict[int, EngineRunner]
    advisor: EngineRunner
    resume_command: Callable[[Match], str]
    _last: dict[int, Report] = field(default_factory=dict)
    _following: Match | None = None
    _leaving: bool = False
    _engine_failed: bool = False  # the engine to move has failed; the user decides what to do
    _reported_error: str = ""
    _view: View = field(init=False)

    def __post_init__(self) -> None:
        self._view = View.restore(self.match)

    def run(self) -> Match | None:
        """Play until the game ends or the user quits; returns the rematch if there is one."""
        match = self.match
        unwatch = match.watch(self._on_event)
        self._print(
            f"[bold]{match.game.title}[/bold]. Moves: {match.game.notation}. Type [bold]help[/bold] for more."
        )
        try:
            if match.result is None:
                match.start()
            self._draw()
            while not self._leaving and (player := match.to_move) is not None:
                if player not in self.engines or not self._view.is_at_live or self._engine_failed:
                    self._read_command()
                else:
                    self._play_engine_move(player)
            if not self._leaving:
                self._finish()
            return self._following
        except (KeyboardInterrupt, EOFError):
            self.console.print()
            self._leave()
            return None
        finally:
            unwatch()

    # ---- commands

    def _read_command(self) -> None:
        """Read and run one line of input."""
        match, view = self.match, self._view
        line = input(self._prompt()).strip()
        command, _, rest = line.partition(" ")
        simple: dict[str, Callable[[], object]] = {
            "help": self._help,
            "?": self._help,
            "hint": self._hint,
            "undo": self._undo,
            "moves": lambda: self._print_line(" ".join(view.position.write_moves(view.position.legal_moves))),
            "board": self._draw,
            "clock": lambda: self._print_line(self._times()),
            "back": lambda: self._navigate(lambda: view.go_to(view.position.ply - 1)),
            "forward": lambda: self._navigate(lambda: view.go_to(view.position.ply + 1)),
            "live": lambda: self._navigate(view.go_to_live),
            "lines": self._lines,
            "draw": self._draw_offer,
        }
        try:
            if line.lower() in simple:
                simple[line.lower()]()
            elif command.lower() == "go" and rest.isdecimal() and len(rest) < 7:
                self._navigate(lambda: view.go_to(int(rest)))
            elif command.lower() == "line" and rest.isdecimal() and len(rest) < 7:
                self._navigate(lambda: view.enter(int(rest)))
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
            elif self._engine_failed:
                self._engine_failed = False
                match.start()
        except TimeIsUp:
            pass  # the end of the match is reported by its event
        except TengenError as error:
            self._print_error(str(error))

    def _prompt(self) -> str:
        match = self.match
        if not self._view.is_at_live:
            return f"(showing move {self._view.position.ply})> "
        if match.result is not None:
            return "> "
        side = match.game.players[match.live.to_move]
        timed = not match.clock.controls[match.live.to_move].is_none
        return f"{side} {match.clock.left_at(match.live.to_move, time.monotonic())}> " if timed else f"{side}> "

    def _person(self) -> int:
        """The side of the user: the side to move unless that is an engine."""
        to_move = self.match.live.to_move
        return 1 - to_move if to_move in self.engines else to_move

    def _undo(self) -> None:
        if self.engines:
            self.match.take_back_for(self._person())
        else:
            self.match.take_back()
        self._view.go_to_live()
        self._engine_failed = False
        self.match.start()
        self._draw()

    def _draw_offer(self) -> None:
        match = self.match
        if not match.game.can_draw:
            match.draw()  # raises with the reason
        other = 1 - self._person()
        if other in self.engines:
            if match.result is None and match.game.can_draw and not accepts_draw(self._last.get(other)):
                self._print_line(
                    f"{match.game.players[other]} declines the draw: it is ahead or has not searched yet."
                )
                return
        elif input("Do both players agree to a draw? yes or no> ").strip().lower() not in ("yes", "y"):
            return
        match.draw()

    def _lines(self) -> None:
        found = self._view.node.moves()
        for number, child in enumerate(found):
            assert child.move is not None
            self._print_line(
                f"  line {number}  {self.match.game.write_move(child.move)}  {child.comment}".rstrip()
            )
        if not found:
            self._print_line("No moves from here yet.")

    def _navigate(self, go: Callable[[], None]) -> None:
        go()
        self._draw()
        comment = self._view.node.node.comment
        if comment:
            self._print_line(comment)

    def _help(self) -> None:
        self._print_line(f"  {'your move':<16}  {self.match.game.notation}\n{HELP}")

    def _hint(self) -> None:
        if self.match.result is None:
            self.match.unrate()
        self._show(self._search(self.advisor, "Hint", hint=True), "Hint")

    # ---- engines

    def _play_engine_move(self, player: int) -> None:
        engine = self.match.players[player]
        assert isinstance(engine, EnginePlayer)
        try:
            report = self._search(self.engines[player], self.match.game.players[player])
        except EngineResigned:
            self.match.resign(player)
            return
        except TengenError as error:
            self.match.adjourn()
            self._engine_failed = True
            self._print_error(f"{engine.name} failed: {error}")
            self._print_line("Press Enter to try again, or use undo, resign or quit.")
            return
        self._last[player] = report
        try:
            self.match.play(report.best)
        except TimeIsUp:
            return
        self._show(report, "Answer")
        self._draw()

    def _search(self, runner: EngineRunner, name: str, *, hint: bool = False) -> Report:
        match = self.match
        position = self._view.position if hint else match.live
        limits = runner.limits()
        if not hint:
            limits = limits_for(match.clock, time.monotonic(), limits)
        with self.console.status(f"{name}: searching …") as waiting:
            ask = runner.search if hint else runner.play
            return ask(
                position,
                limits,
                on_progress=lambda report: waiting.update(f"{name}: searching, {report.best}, {report.value}"),
            )

    def _show(self, report: Report, title: str) -> None:
        line = " ".join(report.line[:8])
        self._print(
            f"{title}: [bold]{report.best}[/bold], {report.value}; {line}  "
            f"[dim]({report.nodes:,} nodes, {report.seconds:.1f} s)[/dim]"
        )

    # ---- end of the game

    def _finish(self) -> None:
        people = any(isinstance(player, Person) for player in self.match.players)
        if self.match.is_counting:
            if people:
                self._ask_dead_stones()
            else:
                self.match.count(self._estimated_dead())
        if people:
            self._print_line("Type rematch to play again, go 10 to see an earlier position, or quit.")
            while not self._leaving:
                self._read_command()

    def _ask_dead_stones(self) -> None:
        """Ask which stones are dead, suggesting the engine's estimate, and count."""
        dead = self._estimated_dead()
        words = " ".join(dead) or "none"
        while self.match.is_counting:
            line = input(
                f"Dead stones, one point of each string (Enter: {words}; or others, such as D4 Q16; or none)> "
            )
            chosen = [word for word in line.split() if word.lower() != "none"] if line.strip() else dead
            try:
                self.match.count(chosen)
            except TengenError as error:
                self._print_error(str(error))

    def _estimated_dead(self) -> list[str]:
        """One point of each string that playouts estimate as dead."""
        from tengen.engines.dead_stones import estimate_dead_stones

        live = self.match.live
        return run_with_progress(self.console, lambda: live.write_moves(estimate_dead_stones(live)))

    def _leave(self) -> None:
        self._leaving = True
        match = self.match
        match.adjourn()
        self._view.save()
        if match.result is None:
            self._print_line(f"Good-bye. To continue: {self.resume_command(match)}")

    # ---- output

    def _on_event(self, event: events.Event) -> None:
        match = self.match
        if isinstance(event, events.Ended):
            winner = event.result.winner
            who = "Draw" if winner is None else f"{match.game.players[winner]} wins"
            outcome = match.live.outcome
            shown_by_board = outcome is not None and not match.game.counts_dead_stones
            if not shown_by_board:
                margin = event.result.code.partition("+")[2]
                by = f" by {margin} {match.game.unit}" if margin[:1].isdigit() else ""
                self._print(f"[bold]{who}{by}: {event.result.reason}[/bold]")
        elif isinstance(event, events.SaveFailed) and str(event.error) != self._reported_error:
            self._reported_error = str(event.error)
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

    def _print_line(self, text: str) -> None:
        self.console.print(text, highlight=False, markup=False, soft_wrap=True)

    def _print(self, text: str) -> None:
        self.console.print(text, highlight=False)

    def _print_error(self, text: str) -> None:
        self.console.print(text, style="red", highlight=False, markup=False, soft_wrap=True)
