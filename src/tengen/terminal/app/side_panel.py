"""Panel beside the board: players, clocks, side to move, move list and search reports."""

from __future__ import annotations

import time

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from tengen.app.value_display import write_value
from tengen.core.locale_format import number
from tengen.core.translation import gettext as _
from tengen.core.translation import ngettext, translate
from tengen.play.events import SearchProgress
from tengen.runtime.messages import Stage
from tengen.search.report import Report
from tengen.terminal.app.match_snapshot import MatchSnapshot

_LONGEST_LINE = 12  # moves shown of a principal variation


class MoveClicked(Message):
    """A move was clicked; `ply` is the position to show."""

    def __init__(self, ply: int) -> None:
        super().__init__()
        self.ply = ply


class MoveList(Widget):
    """Moves of the current line, two per row, scrolled to the move shown. A click goes to a move."""

    DEFAULT_CSS = "MoveList { height: 1fr; min-height: 1; width: 100%; }"

    def __init__(self) -> None:
        super().__init__()
        self._moves: list[str] = []
        self._at = 0
        self._live = 0
        self._top = 0

    def show(self, shown: MatchSnapshot) -> None:
        game = shown.position.game
        self._moves = [game.write_move(place.move) for place in shown.line[1:] if place.move is not None]
        self._at = shown.position.ply
        self._live = shown.live.ply
        self.refresh()

    def render(self) -> Text:
        rows, height = (len(self._moves) + 1) // 2, max(1, self.size.height)
        at = max(0, self._at - 1) // 2
        self._top = max(0, min(at - height // 2, rows - height))
        text = Text(no_wrap=True)
        for row in range(self._top, min(rows, self._top + height)):
            text.append(f"{2 * row + 1:>4} ", "dim")
            for ply in (2 * row + 1, 2 * row + 2):
                if ply <= len(self._moves):
                    style = "reverse bold" if ply == self._at else "dim" if ply > self._at else ""
                    text.append(self._moves[ply - 1], style)
                    text.append(" " * max(1, 9 - len(self._moves[ply - 1])))
            text.append("\n")
        if not self._moves:
            text.append(_("No moves yet"), "dim")
        return text

    def on_click(self, event: events.Click) -> None:
        ply = 2 * (self._top + event.y) + (1 if event.x < 14 else 2)
        if ply <= len(self._moves):
            self.post_message(MoveClicked(ply))


class SidePanel(Vertical):
    """The side panel of a match screen."""

    DEFAULT_CSS = """
    SidePanel { width: 34; height: 100%; padding: 0 1; border-left: vkey $primary; }
    SidePanel Static { height: auto; }
    SidePanel #title { color: $text-muted; }
    SidePanel .player { height: 1; }
    SidePanel .player.-moves { background: $primary 40%; text-style: bold; }
    SidePanel #turn { margin: 1 0; color: $accent; text-style: bold; max-height: 4; }
    SidePanel #thought { max-height: 9; margin-top: 1; }
    SidePanel #remark { max-height: 6; margin-top: 1; color: $text-muted; }
    """

    def compose(self) -> ComposeResult:
        yield Static("", id="title", markup=False)
        yield Static("", id="first", classes="player", markup=False)
        yield Static("", id="second", classes="player", markup=False)
        yield Static("", id="captions", markup=False)
        yield Static("", id="turn", markup=False)
        yield MoveList()
        yield Static("", id="thought", markup=False)
        yield Static("", id="remark", markup=False)

    def show(self, shown: MatchSnapshot, title: str) -> None:
        """Update everything except the search report."""
        self.query_one("#title", Static).update(title)
        self.tick(shown)
        captions = list(map(translate, shown.position.diagram().captions))
        if name := shown.position.game.opening_name(shown.position):
            captions.append(_("Opening: {name}").format(name=_(name)))
        self.query_one("#captions", Static).update("\n".join(captions))
        self.query_one("#turn", Static).update(shown.turn)
        self.query_one(MoveList).show(shown)
        self.query_one("#remark", Static).update(_remark(shown))

    def tick(self, shown: MatchSnapshot) -> None:
        """Update the players and clocks; an earlier position shows the times at that move."""
        clock, now = shown.clock, time.monotonic()
        if not shown.is_at_live and shown.position.ply < len(clock.moves):
            clock = clock.at(shown.position.ply)
        for player, name in enumerate(("first", "second")):
            card = self.query_one(f"#{name}", Static)
            left = "" if clock.controls[player].is_none else str(clock.left_at(player, now))
            stone, width = "●○"[player], max(8, self.content_size.width - 3 - len(left))
            who = shown.names[player]
            who = who if len(who) <= width else f"{who[: width - 1]}…"
            card.update(f"{stone} {who:<{width}} {left}")
            card.set_class(player == shown.to_move, "-moves")

    def think(self, shown: MatchSnapshot, thinking: SearchProgress | None) -> None:
        """Show the search progress of the engine to move."""
        if thinking is None:
            self.say("")
            return
        progress = thinking.progress
        if progress.report is not None:
            self.say(write_report(progress.report, _(shown.position.game.players[thinking.player])))
        elif progress.stage is Stage.COMPILING:
            self.say(translate(progress.note))
        else:
            self.say(f"{_(progress.stage.value)} {translate(progress.note)} …".replace("  ", " "))

    def say(self, text: str) -> None:
        self.query_one("#thought", Static).update(text)


def write_report(report: Report, player: str) -> str:
    """Summary of a search: best move, value, principal variation, depth, nodes and time."""
    line = " ".join(report.line[:_LONGEST_LINE])
    effort = ngettext("{count} node", "{count} nodes", report.nodes).format(count=number(report.nodes))
    if report.depth:
        depth = _("depth {depth}") if report.trust == 100 else _("depth {depth} at {trust} %")
        effort = f"{depth.format(depth=report.depth, trust=report.trust)}, {effort}"
    return _("{move}  {value}\nfor {player}: {line}\n{effort}, {seconds} s").format(
        move=report.best,
        value=write_value(report.value),
        player=player,
        line=line,
        effort=effort,
        seconds=number(report.seconds, 1),
    )


def _remark(shown: MatchSnapshot) -> str:
    lines = []
    if not shown.is_at_live:
        lines.append(_("Move {number} of {total}").format(number=shown.position.ply, total=len(shown.line) - 1))
    if len(shown.variations) > 1 or (shown.variations and shown.is_at_live):
        lines.append(_("Variations: {moves}").format(moves=" ".join(shown.variations[:8])))
    if shown.node.comment:
        lines.append(f"“{shown.node.comment}”")
    return "\n".join(lines)
