"""Line-based play in the terminal: print the board, read a command, let the engine move."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from rich.console import Console

from tengen.app.dead_stones import Judgement, dispute, disputed_points, judge_dead, points_named
from tengen.app.move_preview import point_name
from tengen.core.errors import EngineResigned, TengenError
from tengen.core.locale_format import number
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, ngettext, translate
from tengen.games.go.territory import dead_stones
from tengen.play import events
from tengen.play.clock import TimeIsUp
from tengen.play.match import Match
from tengen.play.match_runner import accepts_draw
from tengen.play.time_management import limits_for
from tengen.play.view import View
from tengen.players.player import EnginePlayer
from tengen.runtime.engine_runner import EngineRunner
from tengen.runtime.messages import Request
from tengen.runtime.preparing import preparing_listener
from tengen.search.report import Report
from tengen.terminal.board import draw
from tengen.terminal.progress import run_with_progress

HELP = mark("""\
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
  quit              leave (also Ctrl-C); the game is saved and can be continued""")


_YES = ("yes", "y", "ja", "j", "oui", "o", "はい")


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
        self.console.print(
            _("[bold]{title}[/bold]. Moves: {notation}. Type [bold]help[/bold] for more.").format(
                title=_(match.game.title), notation=translate(match.game.notation)
            ),
            markup=True,
        )
        try:
            if match.result is None:
                match.start()
            self._draw()
            while not self._leaving and match.result is None:
                player = match.to_move
                if player is None:
                    self._count()  # or play on
                elif player not in self.engines or not self._view.is_at_live or self._engine_failed:
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
        command, _space, rest = line.partition(" ")
        simple: dict[str, Callable[[], object]] = {
            "help": self._help,
            "?": self._help,
            "hint": self._hint,
            "undo": self._undo,
            "moves": lambda: self.console.print(" ".join(view.position.write_moves(view.position.legal_moves))),
            "board": self._draw,
            "clock": lambda: self.console.print(self._times()),
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
            self.console.print(translate(str(error)), style="red")

    def _prompt(self) -> str:
        match = self.match
        if not self._view.is_at_live:
            return _("(showing move {number})> ").format(number=self._view.position.ply)
        if match.result is not None:
            return "> "
        side = _(match.game.players[match.live.to_move])
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
                self.console.print(
                    _("{player} declines the draw: it is ahead or has not searched yet.").format(
                        player=_(match.game.players[other])
                    )
                )
                return
        elif input(_("Do both players agree to a draw? yes or no> ")).strip().lower() not in _YES:
            return
        match.draw()

    def _lines(self) -> None:
        found = self._view.node.moves()
        for index, child in enumerate(found):
            assert child.move is not None
            self.console.print(
                _("  line {number}  {move}  {comment}")
                .format(number=index, move=self.match.game.write_move(child.move), comment=child.comment)
                .rstrip()
            )
        if not found:
            self.console.print(_("No moves from here yet."))

    def _navigate(self, go: Callable[[], None]) -> None:
        go()
        self._draw()
        comment = self._view.node.node.comment
        if comment:
            self.console.print(comment)

    def _help(self) -> None:
        self.console.print(f"  {_('your move'):<16}  {translate(self.match.game.notation)}\n{_(HELP)}")

    def _hint(self) -> None:
        if self.match.result is None:
            self.match.unrate()
        self._show(self._search(self.advisor, _("Hint"), hint=True), _("Hint"))

    # ---- engines

    def _play_engine_move(self, player: int) -> None:
        engine = self.match.players[player]
        assert isinstance(engine, EnginePlayer)
        try:
            report = self._search(self.engines[player], _(self.match.game.players[player]))
        except EngineResigned:
            self.match.resign(player)
            return
        except TengenError as error:
            self.match.adjourn()
            self._engine_failed = True
            self.console.print(
                _("{name} failed: {error}").format(name=engine.name, error=translate(str(error))), style="red"
            )
            self.console.print(_("Press Enter to try again, or use undo, resign or quit."))
            return
        self._last[player] = report
        try:
            self.match.play(report.best)
        except TimeIsUp:
            return
        self._show(report, _("Answer"))
        self._draw()

    def _search(self, runner: EngineRunner, name: str, *, hint: bool = False) -> Report:
        match = self.match
        position = self._view.position if hint else match.live
        limits = runner.limits()
        if not hint:
            limits = limits_for(match.clock, time.monotonic(), limits)
        with (
            self.console.status(_("{name}: searching …").format(name=name)) as waiting,
            preparing_listener(lambda text: waiting.update(f"{translate(text)} …")),
        ):
            ask = runner.search if hint else runner.play
            return ask(
                position,
                limits,
                on_progress=lambda report: waiting.update(
                    _("{name}: searching, {best}, {value}").format(
                        name=name, best=report.best, value=translate(str(report.value))
                    )
                ),
            )

    def _show(self, report: Report, title: str) -> None:
        line = " ".join(report.line[:8])
        effort = ngettext("{count} node, {seconds} s", "{count} nodes, {seconds} s", report.nodes).format(
            count=number(report.nodes), seconds=number(report.seconds, 1)
        )
        self.console.print(
            f"{title}: [bold]{report.best}[/bold], {translate(str(report.value))}; {line}  [dim]({effort})[/dim]",
            markup=True,
        )

    # ---- end of the game

    def _finish(self) -> None:
        if self.match.has_person:
            self.console.print(_("Type rematch to play again, go 10 to see an earlier position, or quit."))
            while not self._leaving:
                self._read_command()

    def _count(self) -> None:
        """Count the game. People are asked which stones are dead; the engine's marks are suggested."""
        live = self.match.live
        diagram = live.diagram()
        judged = run_with_progress(self.console, lambda: judge_dead(Request.from_position(live)))
        dead = [point_name(diagram, one.point) for one in judged if one.is_dead]
        if not self.match.has_person:
            self.match.finish_counting(dead)
            return
        unsure = [point_name(diagram, one.point) for one in judged if not one.is_sure]
        if unsure:
            text = _("The engine is not sure about {points}.").format(points=" ".join(unsure))
            self.console.print(text)
        words = " ".join(dead) or _("none")
        while self.match.is_counting:
            line = input(
                _(
                    "Dead stones, one point of each string (Enter: {words}; or others, such as D4 Q16; or none; "
                    "or play on)> "
                ).format(words=words)
            )
            try:
                if line.strip().lower() in ("play on", _("play on")):
                    self.match.resume_play()
                    self._view.go_to_live()
                    self._draw()
                    return
                chosen = [word for word in line.split() if word.lower() not in ("none", _("none"))]
                if not line.strip():
                    chosen = dead
                self._check_engine_agrees(judged, chosen)
                self.match.finish_counting(chosen)
            except TengenError as error:
                self.console.print(translate(str(error)), style="red")

    def _check_engine_agrees(self, judged: list[Judgement], chosen: list[str]) -> None:
        """Raise `MatchError` if a person marks against what the engine opponent is sure of."""
        if len(self.engines) != 1:
            return
        diagram = self.match.live.diagram()
        marked = dead_stones(diagram, points_named(diagram, chosen))
        disputed = disputed_points(judged, marked, 1 - next(iter(self.engines)))
        if disputed:
            raise dispute(diagram, disputed)

    def _leave(self) -> None:
        self._leaving = True
        match = self.match
        match.adjourn()
        self._view.save()
        if match.result is None:
            self.console.print(_("Good-bye. To continue: {command}").format(command=self.resume_command(match)))

    # ---- output

    def _on_event(self, event: events.Event) -> None:
        match = self.match
        if isinstance(event, events.Ended):
            winner = event.result.winner
            outcome = match.live.outcome
            shown_by_board = outcome is not None and not match.agrees_on_dead_stones
            if not shown_by_board:
                margin = event.result.code.partition("+")[2]
                if winner is not None and margin[:1].isdigit():
                    text = mark("{player} wins by {score:g} {unit}: {reason}").format(
                        player=match.game.players[winner],
                        score=float(margin),
                        unit=match.game.unit,
                        reason=event.result.reason,
                    )
                else:
                    text = event.result.describe(match.game)
                self.console.print(translate(text), style="bold")
        elif isinstance(event, events.SaveFailed) and str(event.error) != self._reported_error:
            self._reported_error = str(event.error)
            self.errors.print(
                _("the game could not be saved: {error}").format(error=translate(str(event.error))), style="red"
            )

    def _times(self) -> str:
        clock, now = self.match.clock, time.monotonic()
        return ", ".join(
            f"{_(side)}: {clock.left_at(player, now)}" for player, side in enumerate(self.match.game.players)
        )

    def _draw(self) -> None:
        self.console.print(draw(self._view.position, is_counted_later=self.match.agrees_on_dead_stones))
