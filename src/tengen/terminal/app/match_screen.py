"""Common base of the game and review screens: board, side panel, input line, navigation, variations, comments.

Every change of the match runs outside the app's thread (`TengenApp.run_in_background`). The match reports changes
as events from any thread; they are posted to the screen as messages, which does not block.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widgets import Button, Footer, Input, Static

from tengen.app import move_preview as aiming
from tengen.core.diagram import Point, Stone
from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, translate
from tengen.play import events
from tengen.play.match import Match
from tengen.play.view import View
from tengen.store.rows import board_size, describe_rules
from tengen.terminal.app.app_screen import AppScreen
from tengen.terminal.app.app_session import AppSession
from tengen.terminal.app.board_drawing import BoardMarks
from tengen.terminal.app.board_view import BoardView
from tengen.terminal.app.dialogs import HelpDialog, TextDialog
from tengen.terminal.app.match_snapshot import MatchSnapshot
from tengen.terminal.app.side_panel import MoveClicked, SidePanel


class MatchEvent(Message):
    """An event of the match, posted to the screen."""

    def __init__(self, event: events.Event) -> None:
        super().__init__()
        self.event = event


class MatchScreen(AppScreen):
    """Base screen of a match."""

    CSS = """
    #body { height: 1fr; }
    #left { width: 1fr; height: 100%; }
    #choices { height: 1; align-horizontal: center; }
    #choices Button { margin: 0 1; }
    #aim { height: 1; padding: 0 1; }
    #aim.-problem { color: $text-error; }
    #write { height: 1; padding: 0 1; border: none; background: $boost; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pageup,left_square_bracket", "step(-1)", mark("Back"), key_display="PgUp"),
        Binding("pagedown,right_square_bracket", "step(1)", mark("Forward"), key_display="PgDn"),
        Binding("home", "go_to(0)", mark("First"), show=False),
        Binding("end", "live", mark("Live"), show=False),
        Binding("less_than_sign", "sibling(-1)", mark("Previous variation"), show=False),
        Binding("greater_than_sign", "sibling(1)", mark("Next variation"), show=False),
        Binding("delete", "delete_variation", mark("Delete variation"), show=False),
        Binding("ctrl+k", "comment", mark("Comment"), show=False),
        Binding("ctrl+p", "off_board", mark("Pass"), show=False),
        Binding("ctrl+l", "letters", mark("Letters"), show=False),
        Binding("f1,question_mark", "help", mark("Keys"), key_display="?"),
        Binding("escape", "leave", mark("Leave"), key_display="Esc"),
    ]
    HELP = ""
    letters: ClassVar[bool] = False  # X and O instead of colours, on all boards until the app exits

    def __init__(self, session: AppSession, match: Match, view: View | None = None) -> None:
        super().__init__()
        self.session = session
        self.match = match
        self.view = view or View.restore(match)
        self.shown = MatchSnapshot.from_view(self.view)
        self.chosen: Point | None = None  # the stone selected to move
        self.aim = aiming.Aim("")
        self._unwatch: Callable[[], None] = lambda: None

    @property
    def board(self) -> BoardView:
        return self.query_one(BoardView)

    @property
    def side(self) -> SidePanel:
        return self.query_one(SidePanel)

    # ---- the screen

    def compose(self) -> ComposeResult:
        with Horizontal(id="body"):
            with Vertical(id="left"):
                yield BoardView(self.shown.position.diagram())
                yield Horizontal(id="choices")
                yield Static("", id="aim", markup=False)
                yield Input(
                    placeholder=_("Move: {notation}").format(notation=translate(self.match.game.notation)),
                    id="write",
                    compact=True,
                    select_on_focus=False,  # the first letter, typed on the board, must not be overwritten
                )
            yield SidePanel()
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        self.watch_match()
        self.board.focus()
        self.show()

    def on_unmount(self) -> None:
        self._unwatch()

    def watch_match(self, depth: int = 0) -> None:
        """Subscribe to the match's events; search progress includes the expected line up to `depth` moves."""
        self._unwatch()

        def pass_on(event: events.Event) -> None:
            self.post_message(MatchEvent(event))

        self._unwatch = self.match.watch(pass_on, depth=depth)

    def on_match_event(self, news: MatchEvent) -> None:
        self.handle_event(news.event)

    def handle_event(self, event: events.Event) -> None:
        """Update the screen after an event of the match."""
        if isinstance(event, events.SaveFailed):
            self.tengen.show_error(_("Not saved: {error}").format(error=translate(str(event.error))))
        if isinstance(event, events.TakenBack):
            self.view.go_to_live()
        if not isinstance(event, events.SearchProgress):
            self.show()

    def show(self) -> None:
        """Redraw everything from the current state of the match."""
        before, self.shown = self.shown, MatchSnapshot.from_view(self.view)
        if before.position is not self.shown.position:
            self.chosen = None
        self.side.show(self.shown, self.title_text())
        self.show_choices()
        self.show_board()

    def title_text(self) -> str:
        game = self.match.game
        (width, height), rules = board_size(game), describe_rules(game)
        title = f"{_(game.title)} {width}x{height}" if width else _(game.title)
        title = title if rules == "standard" else f"{title}, {_(rules)}"
        return _("Demonstration: {title}").format(title=title) if self.session.is_demo else title

    def show_board(self) -> None:
        """Draw the board and describe the effect of a move at the cursor."""
        position = self.shown.position
        self.aim = aiming.Aim("")
        if self.shown.can_play:
            self.aim = aiming.aim(position, self.board.cursor, self.chosen)
        self.board.draw(position.diagram(), self.board_marks())
        line = self.query_one("#aim", Static)
        line.update(self.aim.text)
        line.set_class(self.aim.problem, "-problem")

    def board_marks(self) -> BoardMarks:
        """Marks to draw on the position."""
        position, aim = self.shown.position, self.aim
        ghosts = {point: (stone, "") for point, stone in aim.placed}
        targets: frozenset[Point] = frozenset()
        if self.shown.can_play and position.diagram().kind == "cells":
            if self.chosen is not None:
                targets = frozenset(aiming.aim(position, self.chosen).targets)
            else:
                points = map(position.game.points, position.legal_moves)
                targets = frozenset(point for ends in points for point in ends[-1:])
        return BoardMarks(
            cursor=self.board.cursor,
            ghosts=ghosts | self.expected_marks(),
            lost=aim.lost,
            targets=targets,
            chosen=self.chosen,
            letters=MatchScreen.letters,
        )

    def expected_marks(self) -> dict[Point, tuple[Stone, str]]:
        """Stones of the expected line, with their move numbers."""
        return {}

    def show_choices(self) -> None:
        """Show buttons for moves without a point, such as a pass."""
        row = self.query_one("#choices", Horizontal)
        words = self.off_board_words()
        row.display = bool(words)
        if [str(button.name) for button in row.query(Button)] != words:
            row.remove_children()
            row.mount(*(Button(_(word.capitalize()), name=word, compact=True) for word in words))

    def off_board_words(self) -> list[str]:
        return aiming.moves_off_board(self.shown.position) if self.shown.can_play else []

    # ---- moves

    @on(BoardView.CursorMoved)
    def cursor_moved(self) -> None:
        self.show_board()

    @on(BoardView.Activated)
    def activated(self) -> None:
        self.activate()

    def activate(self) -> None:
        """Handle Enter: play the previewed move, or select the stone to move."""
        if not self.shown.can_play:
            self.tengen.show_error(self.cannot_play_reason())
        elif self.aim.move is not None:
            self.play(self.shown.position.game.write_move(self.aim.move))
        elif self.aim.chooses is not None:
            self.chosen = None if self.aim.chooses == self.chosen else self.aim.chooses
            if self.chosen is not None:
                self.board.move_cursor_to(self.aim.targets[0])
            self.show_board()
        elif self.aim.problem and len(self.shown.position.legal_moves) == len(self.off_board_words()) == 1:
            self.play(self.off_board_words()[0])  # the only legal move, such as a pass
        elif self.aim.problem:
            self.tengen.show_error(self.aim.text)

    def cannot_play_reason(self) -> str:
        """Why no move can be made here."""
        if self.shown.position.is_over:
            return _("The game is over here: go back to try another move")
        return _("{turn}: wait, or go back to try a variation").format(turn=self.shown.turn)

    def play(self, text: str) -> None:
        """Play a move: in the game at the live position, elsewhere as a variation."""
        if not self.shown.can_play:
            self.tengen.show_error(self.cannot_play_reason())
        else:
            self.tengen.run_in_background(lambda: self.view.play(text), lambda _: self.show_if_attached())

    @on(BoardView.Typed)
    def typed(self, event: BoardView.Typed) -> None:
        line = self.query_one("#write", Input)
        line.focus()
        line.insert_text_at_cursor(event.character)

    @on(Input.Submitted, "#write")
    def written(self, event: Input.Submitted) -> None:
        text = event.value.strip()
        event.input.clear()
        self.board.focus()
        if text and not self.run_command(text.lower()):
            self.play(text)

    def run_command(self, word: str) -> bool:
        """Run a typed command; returns False if `word` is not a command."""
        action = {"help": "help", "quit": "leave", "exit": "leave", "back": "step(-1)", "forward": "step(1)"}.get(
            word
        )
        if action is not None:
            self.call_later(self.run_action, action)
        return action is not None

    @on(Button.Pressed, "#choices Button")
    def pressed(self, event: Button.Pressed) -> None:
        self.board.focus()
        self.choose_off_board(event.button.name or "")

    def choose_off_board(self, word: str) -> None:
        self.play(word)

    def action_off_board(self) -> None:
        words = self.off_board_words()
        if len(words) == 1:
            self.choose_off_board(words[0])
        elif words:
            self.tengen.show_error(_("Which one? {choices}").format(choices=", ".join(words)))

    # ---- navigation

    def navigate(self, move_cursor: Callable[[], None]) -> None:
        """Move the cursor and show the position there."""
        try:
            move_cursor()
        except TengenError as error:
            self.tengen.show_error(error)
        self.show()

    def show_if_attached(self) -> None:
        if self.is_attached:
            self.show()

    def action_step(self, step: int) -> None:
        ply = self.shown.position.ply + step
        if 0 <= ply < len(self.shown.line):
            self.action_go_to(ply)

    def action_go_to(self, ply: int) -> None:
        self.navigate(lambda: self.view.go_to(ply))

    def action_live(self) -> None:
        self.navigate(self.view.go_to_live)

    @on(MoveClicked)
    def clicked_move(self, event: MoveClicked) -> None:
        self.action_go_to(event.ply)

    def action_sibling(self, step: int) -> None:
        """Go to the next or previous alternative to this move."""
        self.navigate(lambda: self.view.enter_sibling(step))

    def action_delete_variation(self) -> None:
        node = self.view.node
        self.tengen.run_in_background(lambda: self.match.delete_variation(node))

    def action_comment(self) -> None:
        node = self.view.node

        def comment(text: str) -> None:
            self.tengen.run_in_background(lambda: self.match.set_comment(node, text))

        self.tengen.ask(
            TextDialog(_("Comment on this move:"), self.shown.node.comment, may_be_empty=True), comment
        )

    # ---- other actions

    def action_letters(self) -> None:
        MatchScreen.letters = not MatchScreen.letters
        self.show_board()

    def action_help(self) -> None:
        self.app.push_screen(HelpDialog(_(self.HELP)))

    def action_leave(self) -> None:
        if self.focused is not self.board:
            self.board.focus()
            return
        if self.chosen is not None:
            self.chosen = None
            self.show_board()
            return
        self.close_screen()

    def close_screen(self) -> None:
        """Save the view and leave this screen."""
        self.tengen.run_in_background(self.view.save)
        self.app.pop_screen()


def expected_stones(positions: Sequence[Position]) -> dict[Point, tuple[Stone, str]]:
    """Stones of an expected line, numbered from 1."""
    found: dict[Point, tuple[Stone, str]] = {}
    for number, position in enumerate(positions, 1):
        before = position.parent
        if before is None or position.move is None:
            continue
        for point in position.game.points(position.move)[-1:]:
            stone = position.diagram().stones[point[1]][point[0]]
            found.setdefault(point, (stone or Stone(before.to_move + 1), str(number % 10)))
    return found
