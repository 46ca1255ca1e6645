"""A review as a document: an annotated record, plain text, or a page to print or share that needs no server.

document = ReviewDocument(record, line, reports)
records.write([document.annotated()], Path("reviewed.sgf"))
document.text()          # for a terminal
document.html()          # one file with pictures of the boards
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from itertools import groupby

from tengen.app.explanations import Explanation, FindReasons, describe, explain
from tengen.app.game_options import describe_game
from tengen.app.review import Judgement, Phase, summarise
from tengen.app.value_graph import write_loss
from tengen.core.board_svg import board_svg
from tengen.core.errors import TengenError
from tengen.core.locale_format import number
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.core.translation import language, mark
from tengen.games.records import Node, Record
from tengen.play.review import annotated, review_moves
from tengen.search.report import Kind, Report

MAX_DIAGRAMS = 12  # the worst mistakes have a picture
_PHASES = {Phase.OPENING: mark("Opening"), Phase.MIDDLE: mark("Middle game"), Phase.END: mark("Endgame")}
_JUDGEMENTS = {
    Judgement.INACCURACY: mark("Inaccuracies"),
    Judgement.MISTAKE: mark("Mistakes"),
    Judgement.BLUNDER: mark("Blunders"),
}
_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;color:#1d2125;background:#fff;max-width:900px}
body{margin:24px auto;padding:0 16px}
h1{font-size:1.5rem;margin:0 0 4px}h2{font-size:1.15rem;margin:28px 0 8px}table{border-collapse:collapse}
td,th{padding:3px 14px 3px 0;text-align:left;border-bottom:1px solid #ddd}.quiet{color:#5b6470}
section.mistake{display:grid;grid-template-columns:minmax(0,300px) 1fr;gap:18px;margin:18px 0;break-inside:avoid}
section.mistake svg{width:100%;height:auto}section.mistake p{margin:0 0 6px}.proved{color:#1c5c2e;font-weight:600}
.graph svg{width:100%;height:auto}@media(max-width:600px){section.mistake{grid-template-columns:1fr}}
@media print{body{margin:0;max-width:none}.noprint{display:none}}
"""


class ReviewDocument:
    """A reviewed game, with explanations of its mistakes. Texts are in the current language."""

    def __init__(
        self,
        record: Record,
        line: Sequence[Position],
        reports: Mapping[int, Report],
        find: FindReasons | None = None,
    ) -> None:
        """`find` finds the reasons for moves, by default by all that is known of the game."""
        self.record = record
        self.line = list(line)
        self.reports = reports
        self.summary = summarise(self.line, reports)
        self.explanations: dict[int, Explanation] = explain(self.line, self.summary, reports, find)
        self._by_ply = {position.ply: position for position in self.line}

    # ---- a record

    def annotated(self) -> Record:
        """The record with values, explanations as comments, and better lines as variations."""
        made = annotated(self.record, self.line, review_moves(self.line, self.reports))
        node, before = made.root, None
        for position in self.line[1:]:
            found = next((child for child in node.children[:1] if child.move == position.move), None)
            if found is None:  # a pass that the record omits
                continue
            before, node = node, found
            if position.ply in self.explanations:
                self._annotate(before, node, self.explanations[position.ply])
        return made

    def _annotate(self, before: Node, node: Node, found: Explanation) -> None:
        position = self._by_ply[found.judged.number - 1]
        kept = [line for line in node.comment.split("\n") if not line.startswith("Better: ")]
        node.comment = "\n".join([*kept, *describe(found, position)]).strip()
        if not any(child.move is not None and child is not node for child in before.children):
            variation = self._variation(position, found.line)
            if variation is not None:
                before.children.append(variation)

    def _variation(self, position: Position, moves: Sequence[str]) -> Node | None:
        """The better line as a branch; shorter if one of its moves is not legal."""
        first = last = None
        for text in moves:
            try:
                after = position.play(text)
            except TengenError:
                break
            node = Node(after.move, position.to_move)
            if last is None:
                first = node
                node.comment = _("Better")
            else:
                last.children.append(node)
            position, last = after, node
            if after.is_over:
                break
        return first

    # ---- text

    def heading(self) -> str:
        names = [
            name or _(player) for name, player in zip(self.record.names, self.record.game.players, strict=True)
        ]
        return f"{names[0]} – {names[1]}{f', {self.record.result}' if self.record.result else ''}"

    def figures(self) -> list[tuple[str, str, str]]:
        """Rows of a table: name, first player, second player."""
        totals = [player.total for player in self.summary.players]
        rows = [(_("Accuracy"), *(_percent(one.accuracy) for one in totals))]
        for judgement, name in _JUDGEMENTS.items():
            rows.append((f"{_(name)} {judgement.sign}", *(str(one.counts.get(judgement, 0)) for one in totals)))
        for phase, name in _PHASES.items():
            found = [player.phases[phase] for player in self.summary.players]
            if any(one.moves for one in found):
                rows.append((_(name), *(_percent(one.accuracy) for one in found)))
        return [(row[0], row[1], row[2]) for row in rows]

    def turning_points(self) -> list[str]:
        """The moves that decided the game, most important first."""
        players = [_(name) for name in self.record.game.players]
        found = []
        for one in self.summary.turning_points():
            loss = f": {write_loss(one, self.summary.unit).words}" if one.loss else ""
            found.append(f"{one.number}. {players[one.player]} {one.move}{one.judgement.sign}{loss}")
        return found

    def text(self) -> str:
        """The review as plain text."""
        players = [_(name) for name in self.record.game.players]
        rows = [("", *players), *self.figures()]
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        lines = [self.heading(), ""]
        lines += [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
        ]
        if self.turning_points():
            lines += ["", _("Turning points, most important first"), *self.turning_points()]
        if self.explanations:
            lines += ["", _("Mistakes")]
            for ply, found in self.explanations.items():
                first, *more = describe(found, self._by_ply[ply - 1])
                lines += [first, *(f"   {one}" for one in more)]
        if self.summary.exact_from is not None:
            lines += ["", self._exact_from()]
        return "\n".join(lines) + "\n"

    def _exact_from(self) -> str:
        return _("From move {number} on, all values are proved.").format(number=self.summary.exact_from)

    # ---- a page

    def html(self, address: str = "") -> str:
        """A page with everything in one file. `address` is a link to the game."""
        title = escape(self.heading())
        players = [escape(_(name)) for name in self.record.game.players]
        rows = "".join(
            f"<tr><th>{escape(name)}</th><td>{escape(one)}</td><td>{escape(other)}</td></tr>"
            for name, one, other in self.figures()
        )
        points = "".join(f"<li>{escape(one)}</li>" for one in self.turning_points())
        turning = (
            f"<h2>{escape(_('Turning points, most important first'))}</h2><ul>{points}</ul>" if points else ""
        )
        proved = "" if self.summary.exact_from is None else f'<p class="proved">{escape(self._exact_from())}</p>'
        link = (
            f'<p class="noprint"><a href="{escape(address, quote=True)}">{escape(address)}</a></p>'
            if address
            else ""
        )
        engines = ", ".join(sorted({report.engine for report in self.reports.values()}))
        made = _(
            "Values by {engine}. Estimates are marked as such; proved values hold against every answer."
        ).format(engine=engines)
        return (
            f'<!doctype html><html lang="{language()}"><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{title}</title><style>{_STYLE}</style><h1>{title}</h1>"
            f'<p class="quiet">{escape(describe_game(self.record.game))}</p>{link}'
            f'<div class="graph">{self._graph()}</div>{proved}'
            f"<table><tr><th></th><th>{players[0]}</th><th>{players[1]}</th></tr>{rows}</table>{turning}"
            f'{self._mistakes_html()}<p class="quiet">{escape(made)}</p></html>\n'
        )

    def _mistakes_html(self) -> str:
        if not self.explanations:
            return ""
        worst = sorted(self.explanations.values(), key=lambda one: -(one.judged.loss or 0.0))[:MAX_DIAGRAMS]
        pictured = {one.judged.number for one in worst}
        parts = [f"<h2>{escape(_('Mistakes'))}</h2>"]
        for ply, found in self.explanations.items():
            lines = "".join(f"<p>{escape(one)}</p>" for one in describe(found, self._by_ply[ply - 1]))
            picture = self._picture(ply) if ply in pictured else ""
            parts.append(f'<section class="mistake"><div>{picture}</div><div>{lines}</div></section>')
        return "".join(parts)

    def _picture(self, ply: int) -> str:
        """The position after a mistake, which is the last move and therefore marked."""
        return board_svg(replace(self._by_ply[ply].diagram(), captions=()))

    def _graph(self) -> str:
        """The values for the first player as a line; where they are proved it is thicker."""
        from tengen.app.value_display import for_first

        first, last = self.line[0].ply, max(self.line[-1].ply, self.line[0].ply + 1)
        width, height = 860, 160

        def place(ply: int, share: float) -> tuple[float, float]:
            return (
                round(10 + (width - 20) * (ply - first) / (last - first), 1),
                round(height / 2 - share * (height / 2 - 8), 1),
            )

        points = [
            (place(ply, for_first(report, self._by_ply[ply].to_move)), report.value.kind is Kind.EXACT)
            for ply, report in sorted(self.reports.items())
            if ply in self._by_ply
        ]
        if len(points) < 2:
            return ""
        path = " ".join(f"{x},{y}" for (x, y), _proved in points)
        proved = "".join(
            f'<polyline points="{" ".join(f"{x},{y}" for (x, y), _exact in run)}" fill="none" stroke="#1c5c2e" '
            'stroke-width="3"/>'
            for is_exact, run in ((key, list(group)) for key, group in groupby(points, key=lambda one: one[1]))
            if is_exact
        )
        dots = "".join(
            f'<circle cx="{place(ply, 0)[0]}" cy="{height - 6}" r="4" fill="#b3480a">'
            f"<title>{escape(found.judged.move)}</title></circle>"
            for ply, found in self.explanations.items()
        )
        label = escape(_("Values over the game"))
        return (
            f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{label}">'
            f'<line x1="0" x2="{width}" y1="{height / 2}" y2="{height / 2}" stroke="#ccc"/>'
            f'<polyline points="{path}" fill="none" stroke="#2a6fbb" stroke-width="1.5"/>'
            f"{proved}{dots}</svg>"
        )


def _percent(accuracy: float | None) -> str:
    return "–" if accuracy is None else f"{number(accuracy)} %"
