"""Screen of a game in progress: engine moves, clock, and the players' commands.

Leaving the screen for any reason closes the match runner: the search and the clock stop, and the game is saved.
"""

from __future__ import annotations

import time
from concurrent.futures import Future
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.timer import Timer
from textual.widgets import Static

from tengen.app.move_preview import point_name, string_at
from tengen.app.value_display import write_value
from tengen.core.diagram import Point, Stone
from tengen.core.errors import TengenError
from tengen.play import events
from tengen.play.match import Match
from tengen.play.match_runner import MatchRunner
from tengen.play.time_management import tick_interval
from tengen.players.opponents import opponents
from tengen.search.report import Report
from tengen.terminal.app.app_session import AppSession
from tengen.terminal.app.board_drawing import BoardMarks
from tengen.terminal.app.dialogs import ChoiceDialog
from tengen.terminal.app.match_screen import MatchScreen, expected_stones, positions_along
from tengen.terminal.app.side_panel import write_report

GHOST_DEPTHS = (0, 1, 3, 6)
AGREE = "agree"

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


class GameScreen(MatchScreen):
    """The game screen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("backspace,ctrl+z", "take_back", "Undo", key_display="⌫"),
        Binding("ctrl+g", "hint", "Hint"),
        Binding("exclamation_mark,ctrl+n", "move_now", "Now", key_display="!"),
        Binding("ctrl+d", "draw", "Draw", show=False),
        Binding("ctrl+r", "resign", "Resign"),
        Binding("ctrl+t", "ghosts", "Line", show=False),
        Binding("ctrl+o", "settings", "Settings", show=False),
        Binding("ctrl+b", "rematch", "Rematch", show=False),
        Binding("ctrl+e", "review", "Review", show=False),
    ]
    HELP = """\
Arrows, mouse    point at a move and see what it does; Enter or a second click makes it
letters, digits  write a move (or: undo hint now draw resign rematch settings help quit)
Ctrl+P           pass; agree when dead stones are counted
Backspace        take your last move back, and the answer to it
Ctrl+G  !        a hint; let the engine play what it has found so far
Ctrl+T           show the line that the engine expects: 0, 1, 3 or 6 moves of it
PgUp PgDn        look back and forward; Home the start, End the live position
<  >             other variations of this move; Del removes a variation
Ctrl+K           a comment on the move looked at
Ctrl+D  Ctrl+R   offer a draw; resign
Ctrl+O           settings: other players or another clock, while the search goes on
Ctrl+B  Ctrl+E   rematch; review
Ctrl+L           stones as letters, for screens without colours
Esc              leave; the game is kept and can be continued from the menu
Ctrl+C           leave Tengen; the game is kept as well"""

    def __init__(self, session: AppSession, match: Match, *, ponder: bool = False) -> None:
        super().__init__(session, match)
        self.runner = MatchRunner(match, session.host, ponder=ponder)
        self._ponder = ponder
        self._thinking: events.SearchProgress | None = None
        self._hint: tuple[int, Report] | None = None  # the ply it was given at, and the report
        self._depth = 0
        self._dead: set[Point] = set()
        self._ticker: Timer | None = None

    def on_mount(self) -> None:
        self.tengen.run_in_background(self._start)
        self._tick()

    def on_unmount(self) -> None:
        self.runner.close()
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
            self._dead.clear()
            self.side.say("")
        super().handle_event(event)
        if isinstance(event, events.Moved) and self.shown.is_engine(event.player):
            points = self.match.game.points(event.move)
            if points and self.shown.is_at_live:
                self.board.move_cursor_to(points[-1])
        elif isinstance(event, events.Ended):
            self.notify(self.shown.result_text, title="The game is over", timeout=8, markup=False)
        elif isinstance(event, events.EngineFailed):
            name = self.shown.names[event.player]
            self.tengen.show_error(f"{name} failed: {event.error}. Choose another player in the settings, Ctrl+O.")
        elif isinstance(event, events.PlayersChanged):
            self.notify("The players have changed", markup=False)
        elif isinstance(event, events.ClockChanged):
            self.notify("The time control has changed", markup=False)

    def show_board(self) -> None:
        super().show_board()
        if self.shown.is_counting and self.shown.is_at_live:
            self.query_one("#aim", Static).update(self._count_text())

    def expected_marks(self) -> dict[Point, tuple[Stone, str]]:
        if self._hint is not None and self._hint[0] == self.shown.position.ply and self.shown.can_play:
            return expected_stones(positions_along(self.shown.position, self._hint[1].line, max(1, self._depth)))
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
        diagram = self.shown.position.diagram()
        dead = frozenset[Point]().union(*(string_at(diagram, point) for point in self._dead))
        return BoardMarks(cursor=marks.cursor, dead=dead, letters=marks.letters)

    def _dead_names(self) -> list[str]:
        diagram = self.shown.position.diagram()
        return [point_name(diagram, point) for point in sorted(self._dead)]

    def _count_text(self) -> str:
        game = self.match.game
        outcome = game.count(self.shown.position, self._dead_names())
        result = game.write_outcome(outcome).partition(":")[0]
        return f"As marked {result}; Ctrl+P agrees"

    def act(self) -> None:
        if not self._counts_here:
            super().act()
            return
        string = string_at(self.shown.position.diagram(), self.board.cursor)
        if string & self._dead:
            self._dead -= string
        elif string:
            self._dead.add(self.board.cursor)
        self.show_board()

    def off_board_words(self) -> list[str]:
        return [AGREE] if self._counts_here else super().off_board_words()

    def choose_off_board(self, word: str) -> None:
        if word == AGREE and self._counts_here:
            dead = self._dead_names()
            self.tengen.run_in_background(lambda: self.match.count(dead))
        else:
            super().choose_off_board(word)

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
            self.tengen.show_error("Engines do not resign here: leave the game with Esc")
            return

        def answer(choice: int | None) -> None:
            if choice == 0:
                self.tengen.run_in_background(lambda: self.match.resign(person))

        self.app.push_screen(ChoiceDialog(f"{self.shown.names[person]}: resign?", ("Resign", "Play on")), answer)

    def action_draw(self) -> None:
        person = self.shown.person
        if person is None:
            self.tengen.show_error("Engines do not offer draws")
        elif not self.match.game.can_draw:
            self.tengen.run_in_background(self.match.draw)  # raises with the reason, which is shown
        elif self.shown.is_engine(1 - person):

            def told(accepted: bool) -> None:
                if not accepted:
                    self.notify(f"{self.shown.names[1 - person]} declines the draw", markup=False)

            self.tengen.run_in_background(lambda: self.runner.offer_draw(person), told)
        else:

            def answer(choice: int | None) -> None:
                if choice == 0:
                    self.tengen.run_in_background(self.match.draw)

            one, other = self.shown.names[person], self.shown.names[1 - person]
            self.app.push_screen(ChoiceDialog(f"{one} offers a draw. {other}:", ("Accept", "Decline")), answer)

    def action_hint(self) -> None:
        if self.shown.position.is_over:
            self.tengen.show_error("There is no move to look for here")
            return
        helper = opponents(self.match.game.name)[-2]
        position = self.shown.position
        ply, player = position.ply, self.match.game.players[self.shown.position.to_move]
        self.side.say(f"{helper.name} looks for a hint …")

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
        self.side.say(f"Hint: {write_report(report, player)}")
        self.notify(f"{report.best}, {write_value(report.value)}", title="Hint", markup=False)
        self.show_board()

    def action_move_now(self) -> None:
        self.tengen.run_in_background(self.runner.move_now)

    def action_ghosts(self) -> None:
        self._depth = GHOST_DEPTHS[(GHOST_DEPTHS.index(self._depth) + 1) % len(GHOST_DEPTHS)]
        self.watch_match(self._depth)
        moves = {0: "is not shown", 1: "is shown 1 move deep"}.get(
            self._depth, f"is shown {self._depth} moves deep"
        )
        self.notify(f"The line that a search expects {moves}", markup=False)
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
            self.tengen.show_error("The game goes on: it can be reviewed when it has ended")
        else:
            self.app.switch_screen(ReviewScreen(self.session, self.match, self.view))

    def go(self) -> None:
        unfinished = self.match.result is None

        def leave() -> None:
            try:
                self.runner.close()
                self.view.save()
            except TengenError as error:
                raise TengenError(f"Not saved: {error}") from error

        self.tengen.run_in_background(leave)
        self.app.pop_screen()
        if unfinished and not self.session.is_demo:
            self.notify("The game is kept: continue it from the menu or the library", markup=False)
