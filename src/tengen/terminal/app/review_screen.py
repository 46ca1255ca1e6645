"""Review of a finished game: an evaluator for the position shown, and a graph of values.

The evaluator searches at background priority. Its reports are stored with the game; a position with a report is
searched again only on request.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import ClassVar

from rich.text import Text
from textual import events as textual_events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widget import Widget

from tengen.app.go_groups import GroupFacts, has_groups, read_group_facts, write_groups
from tengen.app.move_preview import positions_along
from tengen.app.value_display import for_first
from tengen.core.diagram import Point, Stone
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, ngettext
from tengen.jobs.helper_pool import HelperPool
from tengen.play.match import Match
from tengen.play.view import View
from tengen.players.opponents import hint_player
from tengen.runtime.host import SearchHandle
from tengen.runtime.messages import Progress, Request
from tengen.search.report import Kind, Report
from tengen.store.reports import StoredReport
from tengen.terminal.app.app_session import AppSession
from tengen.terminal.app.dialogs import HelpDialog
from tengen.terminal.app.match_screen import MatchScreen, expected_stones
from tengen.terminal.app.side_panel import MoveClicked, write_report

PAUSE = 0.3  # seconds a position must be shown before it is searched
POLL_INTERVAL_S = 0.2  # between two looks at whether a reading was cancelled
GROUPS_HELP = mark("F2               life of all groups, and the moves that decide it")
_BARS = " ▁▂▃▄▅▆▇█"


class Graph(Widget):
    """Values by move for the first player, who is ahead above the middle. A click goes to a move."""

    DEFAULT_CSS = "Graph { height: 5; width: 100%; margin-top: 1; }"

    def __init__(self) -> None:
        super().__init__()
        self._values: dict[int, tuple[float, bool]] = {}
        self._length, self._at = 1, 0

    def show(self, values: dict[int, tuple[float, bool]], length: int, at: int) -> None:
        """Show `values` by ply: a value from -1 to 1, and whether it is proved."""
        self._values, self._length, self._at = values, max(1, length), at
        self.refresh()

    def _ply(self, column: int) -> int:
        return min(self._length - 1, column * self._length // max(1, self.size.width))

    def render(self) -> Text:
        width, height = self.size
        columns = min(width, self._length)
        text = Text(no_wrap=True)
        for row in range(height):
            for column in range(columns):
                low = column if self._length <= width else self._ply(column)
                high = low + 1 if self._length <= width else max(low + 1, self._ply(column + 1))
                plies = [ply for ply in range(low, high) if ply in self._values]
                here = "reverse" if low <= self._at < high else ""
                if not plies:
                    text.append("·" if row == height // 2 else " ", f"dim {here}")
                    continue
                value, proved = self._values[plies[-1]]
                eighths = round((value + 1) / 2 * 8 * height)
                bar = _BARS[max(0, min(8, eighths - 8 * (height - 1 - row)))]
                text.append(
                    bar if bar != " " or row != height // 2 else "·", f"{'green' if proved else 'cyan'} {here}"
                )
            text.append("\n")
        return text

    def on_click(self, event: textual_events.Click) -> None:
        ply = event.x if self._length <= self.size.width else self._ply(event.x)
        if 0 <= ply < self._length:
            self.post_message(MoveClicked(ply))


class ReviewScreen(MatchScreen):
    """The review screen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+e", "evaluator", mark("Evaluator")),
        Binding("ctrl+a", "analyse", mark("Whole game")),
        Binding("ctrl+g", "deeper", mark("Deeper")),
        Binding("f2", "groups", mark("Groups")),
        Binding("ctrl+t", "ghosts", mark("Line"), show=False),
        Binding("ctrl+b", "rematch", mark("Rematch"), show=False),
    ]
    HELP = mark("""\
PgUp PgDn        one move back, forward (also [ and ]); Home the start, End the end
<  >             other variations of this move; Del deletes a variation
Enter, letters   try a move: it becomes a variation, the game does not change
Ctrl+E           evaluator on or off: searches the position shown and stores its value
Ctrl+G           search this position again, longer
Ctrl+A           search every position of the line, for the graph
Ctrl+T           show the expected line on the board
Ctrl+K           comment on the move shown
Ctrl+B           rematch
Esc              leave""")

    class Valued(Message):
        """A search has reported a value of a position; `done` marks the final report."""

        def __init__(self, position: Position, report: Report, done: bool) -> None:
            super().__init__()
            self.position, self.report, self.done = position, report, done

    def __init__(self, session: AppSession, match: Match, view: View | None = None) -> None:
        super().__init__(session, match, view)
        self.evaluator = hint_player(match.game.name)
        self._is_on = True
        self._ghosts = False
        self._reports: dict[tuple[str, ...], Report] = {}  # by the moves from the start
        self._search: tuple[Position, SearchHandle] | None = None
        self._queue: list[Position] = []  # positions still to be searched by the analysis of the whole game
        self._visit = 0
        self._pool = HelperPool("groups")

    def on_mount(self) -> None:
        self.side.mount(Graph(), before="#thought")
        self.tengen.run_in_background(lambda: self.session.store.reports(self.match.id), self._remember)

    def on_unmount(self) -> None:
        self._give_up()
        self._pool.close()

    def _remember(self, stored: list[StoredReport]) -> None:
        for found in stored:
            self._reports.setdefault(found.moves, found.report)
        self.show()

    # ---- the evaluator

    def show(self) -> None:
        before = self.shown.position
        super().show()
        report = self._known(self.shown.position)
        player = _(self.match.game.players[self.shown.position.to_move])
        if report is not None:
            self.side.say(write_report(report, player))
        elif self.shown.position.is_over:
            self.side.say("")
        else:
            self.side.say(
                _("Searching …") if self._is_on else _("Not analysed yet: Ctrl+E turns the evaluator on")
            )
        self._show_graph()
        if before is not self.shown.position or self._search is None:
            self._visit += 1
            visit = self._visit
            self.set_timer(PAUSE, lambda: self._value(visit))

    def _show_graph(self) -> None:
        for graph in self.query(Graph):
            values = {}
            for position in self.shown.line:
                report = self._known(position)
                if report is not None:
                    exact = report.value.kind is not Kind.HEURISTIC
                    values[position.ply] = (for_first(report, position.to_move), exact)
            graph.show(values, len(self.shown.line), self.shown.position.ply)

    def _known(self, position: Position) -> Report | None:
        return self._reports.get(tuple(position.write_moves(position.moves)))

    def _value(self, visit: int) -> None:
        """Search the position shown if it is still the same visit and has no report yet."""
        position = self.shown.position
        wanted = self._is_on and visit == self._visit and not position.is_over and self._known(position) is None
        if wanted and not (self._search is not None and self._search[0] is position):
            self._begin(position)

    def _begin(self, position: Position, seconds: float | None = None) -> None:
        self._give_up()
        config = self.evaluator.config
        limits = config.search_limits()
        if seconds is not None:
            limits = type(limits)(seconds=seconds)

        def progress(news: Progress) -> None:
            if news.report is not None:
                self.post_message(self.Valued(position, news.report, False))

        handle = self.session.host.search(
            config.for_analysis(),
            position,
            limits,
            game_id=f"{self.match.id} review",
            background=True,
            on_progress=progress,
        )
        self._search = (position, handle)

        def found(future: Future[Report]) -> None:
            if future.cancelled():
                return
            error = future.exception()
            if error is None:
                self.post_message(self.Valued(position, future.result(), True))
            else:
                self.tengen.run_in_background(future.result)  # raises the error, which is shown

        handle.future.add_done_callback(found)

    def on_review_screen_valued(self, event: Valued) -> None:
        moves = tuple(event.position.write_moves(event.position.moves))
        if event.done:
            self._reports[moves] = event.report
            self.tengen.run_in_background(
                lambda: self.session.store.save_report(self.match.id, moves, self.evaluator.config, event.report)
            )
            if self._search is not None and self._search[0] is event.position:
                self._search = None
            self._show_graph()
            self._next()
        if event.position == self.shown.position:
            self.side.say(write_report(event.report, _(self.match.game.players[event.position.to_move])))
            self.show_board()

    def _give_up(self) -> None:
        if self._search is not None:
            self._search[1].cancel()
            self._search = None

    def _next(self) -> None:
        """Search the next queued position without a report."""
        while self._queue:
            position = self._queue.pop(0)
            if self._known(position) is None:
                self._begin(position)
                return

    def expected_marks(self) -> dict[Point, tuple[Stone, str]]:
        report = self._known(self.shown.position)
        if not self._ghosts or report is None:
            return {}
        return expected_stones(positions_along(self.shown.position, report.line[:6]))

    def action_evaluator(self) -> None:
        self._is_on = not self._is_on
        self._queue.clear()
        self._give_up()
        self.show()

    def action_deeper(self) -> None:
        if not self.shown.position.is_over:
            self._queue.clear()
            self.side.say(_("searching longer …"))
            self._begin(self.shown.position, seconds=10.0)

    def action_analyse(self) -> None:
        self._is_on = True
        self._queue = [place for place in self.shown.line if not place.is_over and self._known(place) is None]
        count = len(self._queue)
        text = ngettext("{count} position to search", "{count} positions to search", count)
        self.notify(text.format(count=count), markup=False)
        self._next()

    def action_ghosts(self) -> None:
        self._ghosts = not self._ghosts
        self.show_board()

    # ---- groups of Go

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "groups" or has_groups(self.match.game)

    def action_help(self) -> None:
        lines = [_(self.HELP)]
        if has_groups(self.match.game):
            lines.append(_(GROUPS_HELP))
        self.app.push_screen(HelpDialog("\n".join(lines)))

    def action_groups(self) -> None:
        """Read the life of all groups in a helper process and show it; Escape cancels."""
        request = Request.from_position(self.shown.position)
        players = self.match.game.players

        def read(say: Callable[[str], None]) -> tuple[GroupFacts, ...]:
            future = self._pool.submit(read_group_facts, request)
            try:
                while True:
                    try:
                        return future.result(timeout=POLL_INTERVAL_S)
                    except TimeoutError:
                        say("")
            finally:
                future.cancel()

        def show(groups: tuple[GroupFacts, ...]) -> None:
            text = "\n".join(write_groups(groups, players)) or _("There are no groups yet.")
            self.app.push_screen(HelpDialog(text))

        self.tengen.run_with_dialog(_("Read the life of groups"), read, show)

    def action_rematch(self) -> None:
        from tengen.terminal.app.game_screen import GameScreen

        def switch(match: Match) -> None:
            self.app.switch_screen(GameScreen(self.session, match))

        self.tengen.run_in_background(self.match.rematch, switch)
