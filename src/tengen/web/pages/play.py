"""The page of a game in progress: the board, the players with their clocks, and the players' actions.

After each event the page is updated completely. Progress of a running search is frequent and limited to five
updates per second.
"""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import Future
from typing import Any

from nicegui import context, ui

from tengen.app.game_options import describe_game
from tengen.app.lessons import has_lesson
from tengen.app.move_preview import moves_off_board
from tengen.app.value_display import write_value
from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, translate
from tengen.play import events
from tengen.play.match_result import MatchResult
from tengen.players.opponents import hint_player
from tengen.search.report import Report
from tengen.web.board_data import board_data, describe_ending, ghost_stones
from tengen.web.elements import Board, MoveList
from tengen.web.game_session import GameSession
from tengen.web.game_sessions import GameSessions
from tengen.web.move_list import MoveListRows, annotate_losses
from tengen.web.pages.add_to_book import build_book_buttons
from tengen.web.pages.background_music import build_music_player
from tengen.web.pages.board_input import (
    OffBoardMoves,
    build_step_buttons,
    parse_point,
    show_aim,
    step_with_arrow_keys,
)
from tengen.web.pages.counting_panel import CountingPanel
from tengen.web.pages.game_actions import GameActions
from tengen.web.pages.game_status import search_text, status_text
from tengen.web.pages.layout import Visit, add_page, await_with_notice, frame
from tengen.web.pages.live_analysis_panel import LiveAnalysisPanel
from tengen.web.pages.offers_panel import OffersPanel
from tengen.web.pages.page_updates import ThrottledUpdate
from tengen.web.pages.player_card import PlayerCard
from tengen.web.pages.result_panel import ResultPanel
from tengen.web.pages.shortcuts import BOARD, STEPPING, add_shortcuts
from tengen.web.pages.teaching_panel import TeachingPanel
from tengen.web.pages.widgets import button, show_error, show_message, text_link
from tengen.web.permissions import may_claim
from tengen.web.session_events import Reviewed, SessionChanged, SessionEvent

MIN_UPDATE_INTERVAL_S = 0.2  # between two updates of a running search
MIN_REVIEW_INTERVAL_S = 0.5  # between two updates by a review


class GamePage:
    """One browser's view of a session."""

    def __init__(self, visit: Visit, session: GameSession) -> None:
        self._visit = visit
        self._sessions = visit.sessions
        self._session = session
        self._match = session.match
        self._client = context.client
        self._ply: int | None = None  # the position shown; None is the current one
        self._depth = visit.preferences.depth
        self._hint: tuple[int, Report] | None = None
        self._own_moves: MoveListRows | None = None  # with the losses that only this page shows
        self._search_updates = ThrottledUpdate(self._update_search, MIN_UPDATE_INTERVAL_S)
        self._updates = ThrottledUpdate(self.show)
        self._review_updates = ThrottledUpdate(self._show_review, MIN_REVIEW_INTERVAL_S)

    def build(self) -> None:
        visit, session, match = self._visit, self._session, self._match
        config = {**visit.preferences.board_config(), "marking": False}
        with ui.element("div").classes("tg-table"):
            with ui.element("section").classes("tg-stage").props(f'aria-label="{_("Board")}"') as self._stage:
                bottom, top = self._sides()
                mine = session.seating.sides(visit.browser)
                self._top = PlayerCard(match, top, is_own=top in mine)
                self.board = Board(
                    self._board_data(),
                    config,
                    move=self._move,
                    aim=self._show_aim,
                    mark=self._mark,
                    tap=lambda _: None,
                )
                self._bottom = PlayerCard(match, bottom, is_own=bottom in mine)
            with ui.element("section").classes("tg-side").props(f'aria-label="{_("Game")}"'):
                self._actions = GameActions(visit, session, self._ask_hint, self._watch_search)
                self._result = ResultPanel(visit, session, self._actions)
                self._counting = CountingPanel(session, visit.browser, self._actions)
                with ui.element("div").classes("tg-card"):
                    with ui.element("div").classes("tg-row tg-spread"):
                        ui.label(describe_game(match.game)).classes("tg-quiet")
                        if has_lesson(match.game.name):
                            how = text_link(_("How to play"), f"/learn/{match.game.name}", "tg-how-to-play")
                            how.props('target="_blank"')  # the game goes on
                        self._rated = ui.label("").classes("tg-rated-badge").mark("rated")
                    with ui.element("div").classes("tg-row tg-spread tg-status-line"):
                        self._status = ui.label("").classes("tg-status").props('role="status"').mark("status")
                        self._back = button(_("Back to the game"), lambda: self._step(9999), "last_page")
                        self._back.props("dense")
                    self._thought = ui.label("").classes("tg-thought")
                    self._captions = ui.label("").classes("tg-thought tg-captions").style("white-space: pre-line")
                    self._off_board = OffBoardMoves(self._move)
                    self._offers = OffersPanel(session, visit.browser, self._actions)
                with ui.element("div").classes("tg-card"), ui.element("div").classes("tg-tools"):
                    self._actions.build()
                with ui.element("div").classes("tg-card tg-fill tg-last-on-phone"):
                    self._list = MoveList([], -1, self._go)
                    build_step_buttons(self._step, _("Live"), self.board)
                self._analysis = LiveAnalysisPanel(
                    visit, session, self.board, self._update_overlays, self._go_to, self._try
                )
                self._teaching = TeachingPanel(visit, session, self._show_hint)
                self._teaching.build()
                self._analysis.build()
                self._books = ui.element("div").classes("tg-card")
                build_music_player(visit)
        step_with_arrow_keys(self._step)
        add_shortcuts(mark("Game"), {**STEPPING, **BOARD})
        self.show()

    async def load_ratings(self) -> None:
        """Show the ratings of people; call it after `build`."""
        found = await self._sessions.run_in_thread(self._session.store.ratings, self._match.game.name)
        ratings = {one.player: one.skill.rating for one in found}
        for card, side in zip((self._bottom, self._top), self._sides(), strict=True):
            player = self._match.players[side]
            card.set_rating(None if player is None else ratings.get(player.id))
            card.show(self._position)

    def close(self) -> None:
        self._analysis.close()
        self._teaching.close()

    def _sides(self) -> tuple[int, int]:
        """The sides at the bottom and at the top of the board: the visitor's side is at the bottom."""
        mine = self._session.seating.sides(self._visit.browser)
        bottom = 1 if mine == {1} else 0
        return bottom, 1 - bottom

    # ---- display

    @property
    def _position(self) -> Position:
        live = self._match.live
        if self._ply is None or self._ply >= live.ply:
            return live
        return next(position for position in live.line() if position.ply == self._ply)

    @property
    def _at_live(self) -> bool:
        return self._ply is None or self._ply >= self._match.live.ply

    @property
    def _is_my_move(self) -> bool:
        return self._session.seating.is_turn_of(self._visit.browser)

    def _board_data(self) -> dict[str, Any]:
        position, playable = self._position, self._is_my_move and self._at_live
        if position is not self._match.live:
            return board_data(position, playable=playable)
        return self._session.watchers.cached(("board", playable), lambda: board_data(position, playable=playable))

    def show(self) -> None:
        """Update everything."""
        match, session, at_live = self._match, self._session, self._at_live
        marking = match.is_counting and at_live and bool(session.seating.sides(self._visit.browser))
        self.board.configure(marking=marking)
        self.board.show(self._board_data())
        self._analysis.show(self._position)
        self._teaching.show()
        self._update_overlays()
        for card in (self._top, self._bottom):
            card.show(self._position)
        self._show_status()
        self._show_moves()
        self._show_off_board()
        self._offers.show()
        self._counting.show()
        self._actions.show()
        self._result.show()
        self._show_books(match.result is not None)
        if session.thinking is not None:
            self._show_search(session.thinking)
        else:
            self._thought.set_text("" if self._hint is None else self._thought.text)

    def _show_status(self) -> None:
        match, at_live = self._match, self._at_live
        total = match.live.ply
        viewing = _("Viewing move {number} of {total}").format(number=self._position.ply, total=total)
        self._status.set_text(status_text(self._session, self._visit.browser) if at_live else viewing)
        self._back.set_visibility(not at_live)
        self._thought.set_visibility(match.to_move is not None)
        self._stage.classes(add="" if at_live else "tg-looking-back", remove="tg-looking-back" if at_live else "")
        captions = [translate(caption) for caption in self._position.diagram().captions]
        # The first caption of a game with tallies writes what the cards draw.
        self._captions.set_text("\n".join(captions[1:] if match.game.tallies(self._position) else captions))
        self._rated.set_text(_("Rated") if match.is_rated else _("Unrated"))
        self._rated.classes(
            add="tg-is-rated" if match.is_rated else "", remove="" if match.is_rated else "tg-is-rated"
        )

    def _show_moves(self) -> None:
        live = self._match.live
        if self._analysis.is_on:
            moves = self._own_moves = self._own_moves or MoveListRows(self._match.tree, self._match.game)
            moves.update(self._match.tree, annotate_losses(self._analysis.losses()))
        else:
            moves = self._session.moves
            moves.update(self._match.tree)
        main = [row for row in moves.rows if row["kind"] == "pair"]
        self._main = [move["id"] for row in main for move in row["moves"]]
        ply = live.ply if self._at_live else (self._ply or 0)
        self._list.show(main, self._main[ply - 1] if 0 < ply <= len(self._main) else -1)

    def _show_off_board(self) -> None:
        """Moves without a point, such as a pass. In the opponent's turn they are disabled, but stay in place."""
        live = self._match.live
        can_move = self._is_my_move and self._at_live
        notes = {word: describe_ending(live, word) for word in moves_off_board(live)} if can_move else {}
        self._off_board.show(None if self._match.to_move is None else live, enabled=can_move, notes=notes)

    def _show_books(self, ended: bool) -> None:
        """Offer to add an ended game to the books; built once, because it shows progress."""
        offered = ended and self._session.is_in_library and self._match.live.ply > 0 and self._visit.may_edit_books
        offered = offered and self._session.seating.may_change(self._visit.browser)
        self._books.set_visibility(offered)
        if offered and not self._books.default_slot.children:
            with self._books:
                build_book_buttons(self._sessions, self._match)

    def _update_overlays(self) -> None:
        session = self._session
        overlays = self._analysis.overlays()
        if session.dead_stones.is_shown and self._at_live:
            overlays = {**self._counting.overlay(), **overlays}  # a selected overlay takes precedence
        elif self._hint is not None and self._hint[0] == self._position.ply:
            overlays["ghosts"] = ghost_stones(self._position, self._hint[1].line[: max(1, self._depth)])
        elif (
            session.thinking is not None
            and self._depth
            and self._at_live
            and session.thinking.progress.report is not None
        ):
            overlays["ghosts"] = ghost_stones(
                self._match.live, session.thinking.progress.report.line[: self._depth]
            )
        self.board.set_overlays(overlays)

    # ---- events

    def on_event(self, event: SessionEvent) -> None:
        """Called in the event loop for every event of the session."""
        with self._client:
            if isinstance(event, events.SearchProgress):
                self._search_updates.schedule()
                return
            if isinstance(event, events.TreeEdited):
                return
            if isinstance(event, Reviewed):
                self._review_updates.schedule()
                return
            if isinstance(event, events.Moved | events.TakenBack):
                self._hint = None
            if isinstance(event, events.Moved) and self._ply is not None and self._ply >= event.position.ply - 1:
                self._ply = None
            if isinstance(event, events.SaveFailed):
                show_error(
                    _("The game continues, but is not saved: {error}").format(error=translate(str(event.error)))
                )
            if isinstance(event, events.Saved):
                show_message(_("The game is saved again"))
            if isinstance(event, events.Ended):
                self._ply = None
                self.board.sound(self._ending_sound(event.result))
            if isinstance(event, SessionChanged):
                self._start_soon()
            pause = self._session.watchers.update_delay_s  # longer if there are many watchers
            if pause:
                self._updates.schedule(pause)
            else:
                self.show()

    def _show_review(self) -> None:
        """Show new values of positions. A review finds hundreds; each would redraw the graph and the list."""
        self._result.show_review()
        if self._analysis.is_on:
            self._analysis.show(self._position)
            self._show_moves()
            self._update_overlays()

    def _ending_sound(self, result: MatchResult) -> str:
        if result.winner is None:
            return "draw"
        mine = self._session.seating.sides(self._visit.browser)
        return "loss" if mine and result.winner not in mine else "win"

    def _start_soon(self) -> None:
        """Start the game after a player has joined."""
        if not self._match.is_running and self._match.live.ply == 0 and self._match.result is None:
            asyncio.ensure_future(self._sessions.run_for_player(self._session.start, self._visit.browser))  # noqa: RUF006

    def _update_search(self) -> None:
        if self._session.thinking is not None:
            self._show_search(self._session.thinking)
            if self._depth:
                self._update_overlays()

    def _show_search(self, thinking: events.SearchProgress) -> None:
        self._thought.set_text(search_text(thinking.progress, shows_plan=self._depth > 0))

    # ---- user actions

    async def _move(self, given: dict[str, Any]) -> None:
        arrived = time.monotonic()
        move, ply = str(given.get("move", ""))[:100], given.get("ply")
        ply = ply if isinstance(ply, int) else None
        if not await self._teaching.may_play(move):
            self.board.show(self._board_data())
            return
        try:
            await self._sessions.play(self._session, self._visit.browser, move, ply, arrived)
        except TengenError as error:
            self.board.show(self._board_data())
            self.board.reject(str(error))

    def _show_aim(self, given: dict[str, Any]) -> None:
        show_aim(self.board, self._position, given)

    async def _mark(self, given: dict[str, Any]) -> None:
        point = parse_point(given.get("point"))
        if point is not None:
            await self._actions.act(self._session.mark, self._visit.browser, point)

    def _go(self, given: dict[str, Any]) -> None:
        number = given.get("id")
        if number in self._main:
            self._show_ply(self._main.index(number) + 1)

    def _go_to(self, given: dict[str, Any]) -> None:
        ply = given.get("ply")
        if isinstance(ply, int):
            self._show_ply(max(0, min(self._match.live.ply, ply + next(iter(self._match.live.line())).ply)))

    async def _try(self, move: str) -> None:
        if self._at_live:
            await self._move({"move": move})

    def _step(self, step: int) -> None:
        live = self._match.live.ply
        now = live if self._ply is None else self._ply
        self._show_ply(max(0, min(live, now + step)))

    def _show_ply(self, ply: int) -> None:
        self._ply = None if ply >= self._match.live.ply else ply
        self.show()

    async def _watch_search(self, depth: int) -> None:
        self._depth = depth
        self._update_overlays()
        await self._sessions.run_in_thread(self._sessions.visitors.set_options, self._visit.browser, depth=depth)

    def _show_hint(self, ply: int, report: Report) -> None:
        self._hint = (ply, report)
        self._update_overlays()

    async def _ask_hint(self) -> None:
        helper, position = hint_player(self._match.game.name), self._match.live
        self._thought.set_text(_("Searching for a hint …"))

        def search() -> Future[Report]:
            return self._session.hint(self._visit.browser, helper.config).future

        try:
            report = await asyncio.wrap_future(await self._sessions.run_for_player(search))
        except TengenError as error:
            self._thought.set_text("")
            show_error(error)
            return
        if position is self._match.live and not self._client.is_deleted:
            self._show_hint(position.ply, report)
            text = _("Hint: {move}, {value}").format(move=report.best, value=write_value(report.value))
            self._thought.set_text(text)


def register(sessions: GameSessions) -> None:
    @add_page(sessions, "/game/{game_id}")
    async def game(visit: Visit, game_id: str) -> None:
        session = await await_with_notice(sessions.get(game_id))
        if session.seating.seats is None and await sessions.run_in_thread(
            may_claim, sessions.store, visit.visitor, session.match.players
        ):
            await sessions.run_for_player(session.seating.claim, visit.browser)
        shown = GamePage(visit, session)
        context.client.on_delete(session.watchers.add(shown.on_event))
        with frame(visit, f"{session.match.record.names[0]} – {session.match.record.names[1]}"):
            shown.build()
        context.client.on_delete(shown.close)
        await shown.load_ratings()
        await sessions.run_for_player(session.start, visit.browser)
