"""Screen of a game in progress: engine moves, clock, and the players' commands.

Leaving the screen for any reason closes the match runner: the search and the clock stop, and the game is saved.
"""

from __future__ import annotations

import time
from concurrent.futures import Future
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Static

from tengen.app.dead_stones import DeadStones
from tengen.app.move_preview import positions_along
from tengen.app.value_display import write_value
from tengen.core.diagram import Point, Stone
from tengen.core.errors import TengenError
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, ngettext, translate
from tengen.jobs.helper_pool import HelperPool
from tengen.play import events
from tengen.play.match import Match
from tengen.play.match_runner import MatchRunner
from tengen.play.time_management import tick_interval
from tengen.players.opponents import hint_player
from tengen.search.report import Report
from tengen.terminal.app.app_session import AppSession
from tengen.terminal.app.board_drawing import BoardMarks
from tengen.terminal.app.match_screen import MatchScreen, expected_stones
from tengen.terminal.app.side_panel import write_report

GHOST_DEPTHS = (0, 1, 3, 6)
AGREE = "agree"
PLAY_ON = "play on"

_COMMANDS = {
    "undo": "take_back",
    "resign": "resign",
    "draw": "draw",
    "hint": "hint",
    "now": "move_now",
    "rematch": "rematch",
    "settings": "settings",
    "live": "live",
}


class MarksChanged(Message):
    """The marked dead stones have changed."""


class GameScreen(MatchScreen):
    """The game screen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("backspace,ctrl+z", "take_back", mark("Undo"), key_display="⌫"),
        Binding("ctrl+g", "hint", mark("Hint")),
        Binding("exclamation_mark,ctrl+n", "move_now", mark("Now"), key_display="!"),
        Binding("ctrl+d", "draw", mark("Draw"), show=False),
        Binding("ctrl+r", "resign", mark("Resign")),
        Binding("ctrl+t", "ghosts", mark("Line"), show=False),
        Binding("ctrl+o", "settings", mark("Settings"), show=False),
        Binding("ctrl+b", "rematch", mark("Rematch"), show=False),
        Binding("ctrl+e", "review", mark("Review"), show=False),
    ]
    HELP = mark("""\
Arrows, mouse    preview a move; Enter or a second click plays it
letters, digits  type a move (or: undo hint now draw resign rematch settings help quit)
Ctrl+P           pass; agree when dead stones are counted
Backspace        take back your last move and the reply
Ctrl+G  !        hint; let the engine play its best move so far
Ctrl+T           show the line that the engine expects: 0, 1, 3 or 6 moves
PgUp PgDn        one move back, forward; Home the start, End the current position
<  >             other variations of this move; Del deletes a variation
Ctrl+K           comment on the move shown
Ctrl+D  Ctrl+R   offer a draw; resign
Ctrl+O           settings: change players or clock
Ctrl+B  Ctrl+E   rematch; review
Ctrl+L           stones as letters, for screens without colours
Esc              leave; the game is saved and can be continued from the menu
Ctrl+C           quit Tengen; the game is saved as well""")

    def __init__(self, session: AppSession, match: Match, *, ponder: bool = False) -> None:
        super().__init__(session, match)
        self.runner = MatchRunner(match, session.host, ponder=ponder)
        self._ponder = ponder
        self._thinking: events.SearchProgress | None = None
        self._hint: tuple[int, Report] | None = None  # the ply it was given at, and the report
        self._depth = 0
        self._pool = HelperPool("dead stones")
        self._marks = DeadStones(match, self._pool, lambda: self.post_message(MarksChanged()))
        self._ticker: Timer | None = None

    def on_mount(self) -> None:
        self.tengen.run_in_background(self._start)
        self._tick()

    def on_unmount(self) -> None:
        self.runner.close()
        self._pool.close()
        self.view.save()

    def _start(self) -> None:
        if self.match.result is None:
            self.runner.start()

    def _tick(self) -> None:
        """Update the clock and schedule the next update."""
        if not self.is_attached:
            return
        self.side.tick(self.shown)
        self._ticker = self.set_timer(tick_interval(self.shown.clock, time.monotonic()), self._tick)

    # ---- events

    def handle_event(self, event: events.Event) -> None:
        if isinstance(event, events.SearchProgress):
            self._thinking = event
            self.side.think(self.shown, event)
            if self._depth:
                self.show_board()
            return
        if isinstance(event, events.Moved | events.TakenBack | events.Ended):
            self._thinking = self._hint = None
            if isinstance(event, events.Ended):
                self._marks.clear_unless_counted()
            else:
                self._marks.clear()
            self.side.say("")
        if isinstance(event, events.CountingStarted):
            self._marks.start_marking()
        super().handle_event(event)
        if isinstance(event, events.Moved) and self.shown.is_engine(event.player):
            points = self.match.game.points(event.move)
            if points and self.shown.is_at_live:
                self.board.move_cursor_to(points[-1])
        elif isinstance(event, events.Ended):
            self.notify(self.shown.result_text, title=_("The game is over"), timeout=8, markup=False)
        elif isinstance(event, events.EngineFailed):
            name = self.shown.names[event.player]
            self.tengen.show_error(
                _("{name} failed: {error}. Choose another player in the settings, Ctrl+O.").format(
                    name=name, error=translate(str(event.error))
                )
            )
        elif isinstance(event, events.PlayersChanged):
            self.notify(_("The players have changed"), markup=False)
        elif isinstance(event, events.ClockChanged):
            self.notify(_("The time control has changed"), markup=False)

    def show_board(self) -> None:
        super().show_board()
        if self.shown.is_counting and self.shown.is_at_live:
            self.query_one("#aim", Static).update(self._count_text())

    def expected_marks(self) -> dict[Point, tuple[Stone, str]]:
        if self._hint is not None and self._hint[0] == self.shown.position.ply and self.shown.can_play:
            return expected_stones(positions_along(self.shown.position, self._hint[1].line[: max(1, self._depth)]))
        if self._thinking is not None and self._depth and self._thinking.position is self.shown.position:
            return expected_stones(self._thinking.line)
        return {}

    # ---- dead stones

    @property
    def _counts_here(self) -> bool:
        return self.shown.is_counting and self.shown.is_at_live

    def board_marks(self) -> BoardMarks:
        marks = super().board_marks()
        if not self._counts_here:
            return marks
        return BoardMarks(cursor=marks.cursor, dead=frozenset(self._marks.points()), letters=marks.letters)

    def on_marks_changed(self) -> None:
        if self.is_attached:
            self.show_board()

    def _count_text(self) -> str:
        game = self.match.game
        if self._marks.is_engine_marking:
            return _("Looking for dead stones…")
        outcome = game.count(self.shown.position, self._marks.names())
        result = game.write_outcome(outcome).partition(":")[0]
        text = _("As marked: {result}. Ctrl+P agrees.").format(result=translate(result))
        unsure = self._marks.unsure_names()
        if unsure:
            text += " " + _("The engine is not sure about {points}.").format(points=" ".join(unsure))
        return text

    def activate(self) -> None:
        if not self._counts_here:
            super().activate()
            return
        self._marks.toggle(self.board.cursor)

    def off_board_words(self) -> list[str]:
        return [AGREE, PLAY_ON] if self._counts_here else super().off_board_words()

    def action_off_board(self) -> None:
        if self._counts_here:
            self.choose_off_board(AGREE)
        else:
            super().action_off_board()

    def choose_off_board(self, word: str) -> None:
        if word == AGREE and self._counts_here:
            self.tengen.run_in_background(self._agree)
        elif word == PLAY_ON and self._counts_here:
            self.tengen.run_in_background(self.match.resume_play)
        else:
            super().choose_off_board(word)

    def _agree(self) -> None:
        """Count, unless an engine opponent is sure of something else."""
        person = self.shown.person
        if person is not None and self.shown.is_engine(1 - person):
            self._marks.check_engine_agrees(person)
        self._marks.agree((0, 1), (0, 1))

    # ---- commands

    def run_command(self, word: str) -> bool:
        if word in _COMMANDS:
            self.call_later(self.run_action, _COMMANDS[word])
            return True
        return super().run_command(word)

    def action_take_back(self) -> None:
        person = self.shown.person
        alone = person is not None and not self.shown.is_person(1 - person)
        if alone and not self.shown.is_counting:
            assert person is not None
            self.tengen.run_in_background(lambda: self.match.take_back_for(person))
        else:
            self.tengen.run_in_background(self.match.take_back)

    def action_resign(self) -> None:
        person = self.shown.person
        if person is None:
            self.tengen.show_error(_("Engines do not resign here: leave the game with Esc"))
            return

        self.tengen.confirm(
            _("{name}: resign?").format(name=self.shown.names[person]),
            (_("Resign"), _("Play on")),
            lambda: self.tengen.run_in_background(lambda: self.match.resign(person)),
        )

    def action_draw(self) -> None:
        person = self.shown.person
        if person is None:
            self.tengen.show_error(_("Engines do not offer draws"))
        elif not self.match.game.can_draw:
            self.tengen.run_in_background(self.match.draw)  # raises with the reason, which is shown
        elif self.shown.is_engine(1 - person):

            def answered(accepted: bool) -> None:
                if not accepted:
                    self.notify(
                        _("{name} declines the draw").format(name=self.shown.names[1 - person]), markup=False
                    )

            self.tengen.run_in_background(lambda: self.runner.offer_draw(person), answered)
        else:
            one, other = self.shown.names[person], self.shown.names[1 - person]
            self.tengen.confirm(
                _("{one} offers a draw. {other}:").format(one=one, other=other),
                (_("Accept"), _("Decline")),
                lambda: self.tengen.run_in_background(self.match.draw),
            )

    def action_hint(self) -> None:
        if self.shown.position.is_over:
            self.tengen.show_error(_("The game is over here: there is no move to suggest"))
            return
        helper = hint_player(self.match.game.name)
        position = self.shown.position
        ply, player = position.ply, _(self.match.game.players[self.shown.position.to_move])
        self.side.say(_("{name} is searching for a hint …").format(name=helper.name))

        def found(future: Future[Report]) -> None:
            if not future.cancelled():
                self.tengen.run_in_background(future.result, lambda report: self._show_hint(ply, player, report))

        self.tengen.run_in_background(
            lambda: self.runner.hint(helper.config, position).future.add_done_callback(found)
        )

    def _show_hint(self, ply: int, player: str, report: Report) -> None:
        if not self.is_attached or ply != self.shown.position.ply:
            return
        self._hint = (ply, report)
        self.side.say(_("Hint: {report}").format(report=write_report(report, player)))
        self.notify(f"{report.best}, {write_value(report.value)}", title=_("Hint"), markup=False)
        self.show_board()

    def action_move_now(self) -> None:
        self.tengen.run_in_background(self.runner.move_now)

    def action_ghosts(self) -> None:
        self._depth = GHOST_DEPTHS[(GHOST_DEPTHS.index(self._depth) + 1) % len(GHOST_DEPTHS)]
        self.watch_match(self._depth)
        moves = ngettext("Expected line: {count} move", "Expected line: {count} moves", self._depth)
        text = moves.format(count=self._depth) if self._depth else _("Expected line: hidden")
        self.notify(text, markup=False)
        self.show_board()

    def action_settings(self) -> None:
        from tengen.terminal.app.settings_screen import SettingsScreen

        self.app.push_screen(SettingsScreen(self.session, self.match))

    def action_rematch(self) -> None:
        """Start a rematch. If this game is unfinished, it is stored as such."""

        def make() -> Match:
            self.runner.close()
            return self.match.rematch()

        self.tengen.run_in_background(make, self._switch)

    def _switch(self, match: Match) -> None:
        self.app.switch_screen(GameScreen(self.session, match, ponder=self._ponder))

    def action_review(self) -> None:
        from tengen.terminal.app.review_screen import ReviewScreen

        if self.match.result is None:
            self.tengen.show_error(_("The game can be reviewed after it has ended"))
        else:
            self.app.switch_screen(ReviewScreen(self.session, self.match, self.view))

    def close_screen(self) -> None:
        unfinished = self.match.result is None

        def leave() -> None:
            try:
                self.runner.close()
                self.view.save()
            except TengenError as error:
                raise TengenError(mark("Not saved: {error}").format(error=error)) from error

        self.tengen.run_in_background(leave)
        self.app.pop_screen()
        if unfinished and not self.session.is_demo:
            self.notify(_("The game is saved: continue it from the menu or the library"), markup=False)
