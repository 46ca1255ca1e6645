"""The end of a game: who won and by how much, the rating change, the turning points, and what to do next.

It is a card beside the board, so that the final position stays visible, and can be closed.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import NamedTuple

from nicegui import context, ui

from tengen.app.review import summarise
from tengen.app.value_graph import write_loss
from tengen.core.errors import TengenError
from tengen.core.resource_limits import resource_limits
from tengen.core.translation import gettext as _
from tengen.players.opponents import analysis_player
from tengen.store.glicko import INITIAL_RATING
from tengen.store.store import Store
from tengen.web.game_session import GameSession
from tengen.web.pages.game_actions import GameActions
from tengen.web.pages.game_status import result_headline, result_reason
from tengen.web.pages.layout import Visit
from tengen.web.pages.offers_panel import copy_link
from tengen.web.pages.score_table import build_score_table
from tengen.web.pages.widgets import button, note
from tengen.web.seating import player_name

MAX_TURNING_POINTS = 3
MIN_REVIEWED_MOVES = 6


class RatingStep(NamedTuple):
    """A player's rating before and after a game."""

    before: float
    after: float


def rating_step(store: Store, player: str, game: str, game_id: str) -> RatingStep | None:
    """How a game has changed a player's rating; None if it was not rated."""
    before = INITIAL_RATING
    for change in store.rating_history(player, game):
        if change.game_id == game_id:
            return RatingStep(before, change.skill.rating)
        before = change.skill.rating
    return None


class ResultPanel:
    """Shown once the game has ended."""

    def __init__(self, visit: Visit, session: GameSession, actions: GameActions) -> None:
        self._visit = visit
        self._session = session
        self._actions = actions
        self._client = context.client
        self._is_closed = False
        self._is_built = False
        self._shown_review: object = None
        self._card = ui.element("section").classes("tg-card tg-result").props(f'aria-label="{_("Result")}"')
        self._card.mark("result")
        self._card.set_visibility(False)

    def show(self) -> None:
        """Build the panel when the game has ended; its content does not change afterwards."""
        ended = self._session.match.result is not None
        self._card.set_visibility(ended and not self._is_closed)
        if ended and not self._is_built:
            self._is_built = True
            with self._card:
                self._build()

    def _build(self) -> None:
        session, match = self._session, self._session.match
        assert match.result is not None
        mine = session.seating.sides(self._visit.browser)
        won = len(mine) == 1 and match.result.winner in mine
        lost = len(mine) == 1 and match.result.winner is not None and not won
        self._card.classes("tg-won" if won else "tg-lost-game" if lost else "")
        with ui.element("div").classes("tg-row tg-spread tg-result-head"):
            with ui.element("div"):
                with ui.element("h2"):
                    ui.label(result_headline(match, mine)).mark("headline")
                note(result_reason(match))
            button("", self._close, "close", aria_label=_("Close")).props("dense round")
        if not match.result.is_void:
            if match.live.is_over:
                build_score_table(match, match.live, match.dead_stones or ())
            self._ratings = ui.element("div")
            self._turning = ui.element("div").classes("tg-turning")
            asyncio.ensure_future(self._show_ratings())  # noqa: RUF006
            if mine:
                asyncio.ensure_future(self._start_review())  # noqa: RUF006
            self.show_review()
        self._build_buttons(bool(mine))

    def _build_buttons(self, plays: bool) -> None:
        session = self._session
        with ui.element("div").classes("tg-row"):
            if session.match.live.ply > 0:
                button(_("Review"), self._actions.analyse, "insights", main=True)
            if plays:
                button(_("Rematch"), self._actions.rematch, "replay", main=session.match.live.ply == 0)
            if session.is_in_library:
                with button(_("Share"), lambda: None, "share"), ui.menu():
                    ui.menu_item(_("Copy link"), lambda: copy_link(f"/game/{session.id}"))
                    ui.menu_item(_("Save image"), self._save_image)

    # ---- turning points

    async def _start_review(self) -> None:
        """Start a quick review in the background, so that the panel can name the turning points."""
        sessions, session, who = self._visit.sessions, self._session, self._visit.browser
        reports = session.game_reports
        running = [one for one in sessions.open_sessions() if one.game_reports.is_reviewing]
        mine = [one for one in running if one.game_reports.reviewer == who]
        if (
            session.match.live.ply >= MIN_REVIEWED_MOVES
            and not (reports.is_reviewing or reports.is_reviewed())
            and len(mine) < resource_limits().analyses_per_visitor
        ):
            config = analysis_player(session.match.game.name).config
            with suppress(TengenError):  # without a review, the panel has no turning points
                await sessions.run_in_thread(reports.start_review, config, who)

    def show_review(self) -> None:
        """Show the turning points, as far as the review knows them."""
        if not self._is_built or self._session.match.result is None or self._session.match.result.is_void:
            return
        reports, game = self._session.game_reports, self._session.match.game
        line = list(self._session.match.live.line())
        summary = summarise(line, reports.index.for_line(line))
        points = [] if reports.is_reviewing and not summary.known else summary.turning_points(MAX_TURNING_POINTS)
        shown = (points, reports.is_reviewing)
        if shown == self._shown_review:
            return
        self._shown_review = shown
        self._turning.clear()
        with self._turning:
            if reports.is_reviewing:
                note(_("Looking for the turning points…"))
            elif points:
                note(_("Turning points"))
            for one in points:
                mover = _(game.players[one.player])
                text = f"{one.number}. {mover} {one.move} {one.judgement.sign}".strip()
                parts = [write_loss(one, summary.unit).words] if one.loss else []
                if one.best and one.best != one.move:
                    parts.append(_("better: {move}").format(move=one.best))
                with ui.link(target=f"/analysis/{self._session.id}?ply={one.number}").mark("turning-point"):
                    ui.label(text).classes(f"tg-was-{one.judgement}")
                    note(" · ".join(parts))

    def _close(self) -> None:
        self._is_closed = True
        self._card.set_visibility(False)

    def _save_image(self) -> None:
        ui.run_javascript(_SAVE_IMAGE % (f"/record/{self._session.id}.svg", f"tengen-{self._session.id[:8]}.png"))

    async def _show_ratings(self) -> None:
        match, store = self._session.match, self._session.store
        steps = []
        for side in (0, 1):
            player = match.players[side]
            if player is not None and match.is_rated:
                step = await self._visit.sessions.run_in_thread(
                    rating_step, store, player.id, match.game.name, match.id
                )
                if step is not None and self._session.seating.is_person(side):
                    steps.append((side, step))
        if self._client.is_deleted:
            return
        with self._client, self._ratings:
            for side, step in steps:
                change = round(step.after) - round(step.before)
                text = _("{name}: rating {before} → {after} ({change})").format(
                    name=player_name(match, side),
                    before=round(step.before),
                    after=round(step.after),
                    change=f"{change:+d}".replace("-", "−"),
                )
                ui.label(text).mark("rating")
            if not match.is_rated:
                note(_("This game is not rated."))


# The picture is drawn by the server; the browser turns it into a bitmap of twice its size.
_SAVE_IMAGE = """
(async () => {
  const picture = new Image();
  picture.src = URL.createObjectURL(new Blob([await (await fetch('%s')).text()], {type: 'image/svg+xml'}));
  await picture.decode();
  const canvas = document.createElement('canvas');
  canvas.width = 2 * picture.width; canvas.height = 2 * picture.height;
  const paint = canvas.getContext('2d');
  paint.fillStyle = '#ffffff'; paint.fillRect(0, 0, canvas.width, canvas.height);
  paint.drawImage(picture, 0, 0, canvas.width, canvas.height);
  const link = document.createElement('a');
  link.href = canvas.toDataURL('image/png'); link.download = '%s'; link.click();
  URL.revokeObjectURL(picture.src);
})()
"""
