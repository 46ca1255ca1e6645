"""The review of a game beside its analysis: graph, progress, the next mistake, and a summary for each player."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from html import escape
from typing import Any

from nicegui import background_tasks, context, ui

from tengen.app.explanations import Explanation, describe, explain_move, explained_moves
from tengen.app.game_reports import GameReports
from tengen.app.go_groups import GroupReason, read_group_reasons
from tengen.app.mistakes import mistakes
from tengen.app.move_reasons import move_reasons, supporting
from tengen.app.review import Figures, JudgedMove, Judgement, Phase, ReviewSummary, summarise
from tengen.app.value_graph import graph, write_loss
from tengen.core.errors import TengenError
from tengen.core.locale_format import number
from tengen.core.position import Position
from tengen.core.resource_limits import resource_limits
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, ngettext, translate
from tengen.play.review import WIN_RATE
from tengen.runtime.messages import Request
from tengen.web.analysis_session import AnalysisSession
from tengen.web.elements import Graph
from tengen.web.pages.layout import Visit
from tengen.web.pages.widgets import (
    button,
    download_formats,
    download_text,
    errors_shown,
    note,
    show_message,
    text_link,
)

MIN_REVIEWED_MOVES = 2
ReadReasons = Callable[[Sequence[tuple[Request, str]]], list[tuple[GroupReason, ...]]]
READ_REASONS: dict[str, ReadReasons] = {"go": read_group_reasons}  # run in a helper process
READ_DELAY_S = 0.4  # positions that the user only passes are not read
_COUNTED = (
    (Judgement.INACCURACY, mark("Inaccuracies")),
    (Judgement.MISTAKE, mark("Mistakes")),
    (Judgement.BLUNDER, mark("Blunders")),
)
_PHASES = {Phase.OPENING: mark("Opening"), Phase.MIDDLE: mark("Middle game"), Phase.END: mark("Endgame")}


class ReviewPanel:
    """`go_to_move` shows the position after a move of the game, `go` one on the line shown, by its index."""

    def __init__(
        self,
        visit: Visit,
        analysis: AnalysisSession,
        go_to_move: Callable[[int], None],
        go: Callable[[dict[str, Any]], None],
    ) -> None:
        self._visit = visit
        self._sessions = visit.sessions
        self._analysis = analysis
        self._go_to_move = go_to_move
        self._go = go
        self._drawn: Any = None  # content of the summary, to update it only if it has changed
        self._table: ui.html | None = None
        self._client = context.client
        self._downloads: list[ui.element] = []  # of the annotated record
        self._explained: Any = None  # the mistake that `_why` is about
        self.summary = self._summarise()

    @property
    def _reports(self) -> GameReports:
        return self._analysis.session.game_reports

    def _summarise(self) -> ReviewSummary:
        line = list(self._analysis.match.live.line())
        return summarise(line, self._reports.index.for_line(line))

    # ---- building

    def build(self) -> None:
        """The card with graph, progress and buttons."""
        with ui.element("div").classes("tg-card tg-review") as self._card:
            self._graph = Graph({"length": 1, "values": [], "at": 0}, _("Values over the game"), self._go)
            with ui.element("div").classes("tg-row tg-spread tg-small-row"):
                self._button = button(_("Review the game"), self._toggle, "auto_graph").props("dense")
                self._note = note("")
                with ui.element("div").classes("tg-row tg-small-row") as self._steps:
                    for icon, name, way in (
                        ("keyboard_double_arrow_left", _("Previous mistake (p)"), -1),
                        ("keyboard_double_arrow_right", _("Next mistake (n)"), 1),
                    ):
                        button("", partial(self.step, way), icon, aria_label=name, title=name).props("dense")
            self._why = ui.label("").classes("tg-explanation").mark("why")
            self._progress = ui.linear_progress(0, show_value=False).props(f'aria-label="{_("Progress")}"')
            self._progress.set_visibility(False)

    def build_summary(self) -> None:
        """The tab with figures for each player and the turning points."""
        self._table = ui.html("", sanitize=False).style("width: 100%").mark("summary")
        self._turning = ui.element("div").classes("tg-turning")
        with ui.element("div").classes("tg-row"):
            self._print = text_link(_("Print or share"), f"/review/{self._analysis.session.id}", "tg-link-button")
            self._print.props('target="_blank"')
            for form in download_formats(self._analysis.match.game.name):
                target = f"/review/{self._analysis.session.id}.{form}"
                self._downloads.append(text_link(download_text(form), target, "tg-link-button"))
        self._practise = button(_("Add the mistakes to my deck"), self._add_to_deck, "style").props("dense")

    # ---- display

    @property
    def is_offered(self) -> bool:
        """Whether the game may be reviewed: in a game in progress that would help a player."""
        analysis = self._analysis
        over = analysis.session.match.result is not None
        return (analysis.is_own or over) and analysis.match.live.ply > 0

    def show(self, *, tree_changed: bool = True) -> None:
        """Update everything; without `tree_changed`, values are as before and only the position has changed."""
        if tree_changed:
            self.summary = self._summarise()
        analysis = self._analysis
        line = analysis.view.line
        own = self.summary if line[-1].line_key == analysis.match.live.line_key else None
        at = analysis.position.ply - line[0].ply
        self._graph.show(graph(line, self._reports.index, analysis.match, at, own))
        self._card.set_visibility(self.is_offered)
        self._show_explanation(own)
        if tree_changed:
            self._show_progress()
            self._show_summary()

    def _show_explanation(self, own: ReviewSummary | None) -> None:
        """What the move shown cost and why, if it is a mistake of the game."""
        position = self._analysis.position
        mistakes_made = [] if own is None else explained_moves(own)
        found = next((one for one in mistakes_made if one.number == position.ply), None)
        self._why.set_visibility(found is not None and position.parent is not None)
        if found is None or position.parent is None or own is None:
            return
        key = (found, position.line_key)
        if key != self._explained:
            self._explained = key
            reports = self._reports.index.for_line([position.parent, position])
            explanation = explain_move(found, position, own.unit, reports, move_reasons)
            self._why.set_text("\n".join(describe(explanation, position.parent)))
            if read := READ_REASONS.get(position.game.name):
                background_tasks.create(self._add_reasons(explanation, position, read), name="reasons")

    async def _add_reasons(self, explanation: Explanation, position: Position, read: ReadReasons) -> None:
        """Add what a helper process reads about the better move and the reply, such as the life of groups."""
        before, key = position.parent, self._explained
        assert before is not None
        await asyncio.sleep(READ_DELAY_S)
        if self._explained != key:
            return
        asked = [(before, explanation.line[:1]), (position, explanation.reply[:1])]
        moves = [(Request.from_position(where), move) for where, first in asked for move in first]
        try:
            found = await self._sessions.helper_pool.run(read, moves)
        except TengenError:
            return  # a reason less
        if self._explained != key or self._client.is_deleted or not any(found):
            return
        with self._client:  # whose language the texts have
            reasons = iter([supporting(one.write() for one in about) for about in found])
            better = next(reasons) if explanation.line else ()
            reply = next(reasons) if explanation.reply else ()
            explanation = replace(
                explanation,
                for_better=(*explanation.for_better, *better),
                for_reply=(*explanation.for_reply, *reply),
            )
            self._why.set_text("\n".join(describe(explanation, before)))

    def _show_progress(self) -> None:
        review, running = self._reports.review, self._reports.is_reviewing
        self._progress.set_visibility(running)
        program = None if self._analysis.config is None else self._analysis.config.program
        by = _("Review the game") if program is None else _("Review the game with this engine")
        self._button.set_text(_("Stop") if running else by)
        self._button.props(f"icon={'stop' if running else 'auto_graph'}")
        is_open = not self._reports.is_reviewed() or self._failed or program is not None
        self._button.set_visibility(running or is_open)
        self._steps.set_visibility(bool(self.summary.mistakes))
        words = ""
        if running and review is not None:
            self._progress.set_value(review.done / max(1, review.total))
            text = (
                _("Quick review: {done} of {total}") if review.pass_number < 2 else _("Checking {done} of {total}")
            )
            words = text.format(done=review.done, total=review.total)
        elif review is not None and review.error is not None:
            words = translate(str(review.error))
        elif self._reports.is_reviewed() and self.summary.moves:
            count = len(self.summary.mistakes)
            words = ngettext(
                "Reviewed: {count} move to look at", "Reviewed: {count} moves to look at", count
            ).format(count=count)
        self._note.set_text(words)

    @property
    def _failed(self) -> bool:
        review = self._reports.review
        return review is not None and review.error is not None and not self._reports.is_reviewing

    def _show_summary(self) -> None:
        if self._table is None:
            return
        summary, players = self.summary, [_(name) for name in self._analysis.match.game.players]
        turning = summary.turning_points()
        content = (summary.players, turning, summary.unit)
        if content == self._drawn:
            return
        self._drawn = content
        for link in (self._print, *self._downloads):
            link.set_visibility(bool(summary.known))
        self._practise.set_visibility(bool(mistakes(self._line(), summary, self._own_sides())))
        self._table.set_content(_summary_html(summary, players))
        self._turning.clear()
        with self._turning:
            if turning:
                note(_("Turning points, most important first"))
            for one in turning:
                self._build_turning_point(one, players)

    def _build_turning_point(self, one: JudgedMove, players: list[str]) -> None:
        text = f"{one.number}. {players[one.player]} {one.move} {one.judgement.sign}".strip()
        with ui.element("button").classes("tg-turn").props("type=button") as row:
            ui.label(text).classes(f"tg-was-{one.judgement}")
            parts = [write_loss(one, self.summary.unit).words] if one.loss else []
            if one.best and one.best != one.move:
                parts.append(_("better: {move}").format(move=one.best))
            ui.label(" · ".join(parts)).classes("tg-quiet")
        row.on("click", lambda: self._go_to_move(one.number))

    # ---- user actions

    def step(self, way: int) -> None:
        """Go to the next mistake of the game, or with -1 to the previous one."""
        here = self._analysis.position.ply
        numbers = [one.number for one in self.summary.mistakes]
        found = [number for number in numbers if (number > here if way > 0 else number < here)]
        if found:
            self._go_to_move(found[0] if way > 0 else found[-1])

    def _line(self) -> list[Position]:
        return list(self._analysis.match.live.line())

    def _own_sides(self) -> list[int]:
        """The sides whose mistakes this visitor may practise: their own, or both if they played none or both."""
        own = sorted(self._analysis.session.seating.sides(self._visit.browser))
        return own if len(own) == 1 else [0, 1]

    async def _add_to_deck(self) -> None:
        self._practise.disable()
        collector = self._sessions.mistake_collector
        with errors_shown():
            work = collector.collect(self._analysis.session, self._visit.browser, self._own_sides())
            added = await asyncio.wrap_future(work)
            if not self._client.is_deleted:
                show_message(
                    ngettext(
                        "{count} position added to your deck", "{count} positions added to your deck", added
                    ).format(count=added)
                    if added
                    else _("These positions are in your deck already.")
                )
        if not self._client.is_deleted:
            self._practise.enable()

    async def _toggle(self) -> None:
        if self._reports.is_reviewing:
            await self._sessions.run_in_thread(self._reports.stop_review)
        else:
            await self.start()

    async def start(self) -> None:
        """Start a review with the engine selected."""
        config = self._analysis.config
        if config is not None and self.is_offered:
            with errors_shown():
                await self._sessions.run_in_thread(self._reports.start_review, config, self._visit.browser)

    @property
    def should_start(self) -> bool:
        """Whether a page should review the game by itself: it has ended or was pasted, and has no values yet."""
        analysis = self._analysis
        session = analysis.session
        complete = session.match.result is not None or (analysis.is_own and not session.is_in_library)
        running = sum(
            one.game_reports.is_reviewing and one.game_reports.reviewer == self._visit.browser
            for one in self._sessions.open_sessions()
        )
        return (
            self.is_offered
            and complete
            and analysis.match.live.ply >= MIN_REVIEWED_MOVES
            and not self._reports.is_reviewed()
            and not self._reports.is_reviewing
            and running < resource_limits().analyses_per_visitor
        )


def _summary_html(summary: ReviewSummary, players: list[str]) -> str:
    """A table with the figures of both players; all text is escaped."""
    if not summary.known:
        return f'<div class="tg-quiet">{escape(_("Not reviewed yet"))}</div>'
    totals = [player.total for player in summary.players]
    rows = [(_("Accuracy"), [f"<b>{_percent(one.accuracy)}</b>" for one in totals])]
    is_proved = all(one.is_exact for one in summary.moves if one.loss is not None)
    shows_loss = not (is_proved and summary.unit == WIN_RATE)  # then a loss is a whole win or nothing
    if shows_loss:
        rows.append((_("Average loss"), [_loss(one, summary.unit) for one in totals]))
    for judgement, name in _COUNTED:
        sign = f'<span class="tg-was-{judgement}">{judgement.sign}</span>'
        rows.append((f"{escape(_(name))} {sign}", [str(one.counts.get(judgement, 0)) for one in totals]))
    for phase, name in _PHASES.items():
        figures = [player.phases[phase] for player in summary.players]
        if any(one.moves for one in figures):
            losses = [f" <small>{_loss(one, summary.unit)}</small>" if shows_loss else "" for one in figures]
            cells = [f"{_percent(one.accuracy)}{loss}" for one, loss in zip(figures, losses, strict=True)]
            rows.append((escape(_(name)), cells))
    head = "".join(
        f'<th><i class="tg-chip tg-chip-{side}"></i>{escape(name)}</th>' for side, name in enumerate(players)
    )
    body = "".join(
        f"<tr><th>{name}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>" for name, cells in rows
    )
    return f'<table class="tg-review-table"><tr><td></td>{head}</tr>{body}</table>'


def _percent(accuracy: float | None) -> str:
    return "–" if accuracy is None else f"{number(accuracy)} %"


def _loss(figures: Figures, unit: str) -> str:
    if figures.mean_loss is None:
        return "–"
    if unit == WIN_RATE:
        return escape(_("{amount} % wins").format(amount=number(100 * figures.mean_loss, 1)))
    text = _("{amount} discs") if unit == "discs" else _("{amount} points")
    return escape(text.format(amount=number(figures.mean_loss, 1)))
