"""The page of a game in progress: the board, the players with their clocks, and the players' actions.

After each event the page is updated completely. Progress of a running search is frequent and limited to five
updates per second.
"""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import Future
from functools import partial
from typing import Any

from fastapi import Request
from nicegui import context, ui

from tengen.app.move_preview import moves_off_board
from tengen.app.value_display import write_value
from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.play import events
from tengen.play.match_result import MatchResult
from tengen.players.opponents import opponents
from tengen.runtime.messages import Stage
from tengen.search.report import Report
from tengen.web.board_data import (
    board_data,
    dead_stone_overlay,
    describe_ending,
    describe_game,
    ghost_stones,
)
from tengen.web.elements import Board, MoveList
from tengen.web.game_session import GameSession, Reviewed, SessionChanged, SessionEvent, player_name
from tengen.web.game_sessions import GameSessions
from tengen.web.move_list import MoveListRows, annotate_losses
from tengen.web.pages.add_to_book import build_book_buttons
from tengen.web.pages.background_music import build_music_player
from tengen.web.pages.board_input import build_step_buttons, parse_point, show_aim, step_with_arrow_keys
from tengen.web.pages.game_actions import GameActions
from tengen.web.pages.layout import (
    PAGE_TIMEOUT_S,
    Visit,
    await_with_notice,
    button,
    chip,
    frame,
    show_error,
    show_message,
    show_unavailable,
)
from tengen.web.pages.live_analysis_panel import LiveAnalysisPanel
from tengen.web.pages.player_card import PlayerCard
from tengen.web.permissions import may_claim

MIN_UPDATE_INTERVAL_S = 0.2  # between two updates of a running search
_OFFER_TEXTS = {
    "draw": "offers a draw",
    "take back": "asks to take back a move",
    "pause": "asks for a pause",
}


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
        self._search_updated_at = 0.0
        self._own_moves: MoveListRows | None = None  # with the losses that only this page shows
        self._search_timer: asyncio.TimerHandle | None = None
        self._update_timer: asyncio.TimerHandle | None = None

    def build(self) -> None:
        config = {**self._visit.preferences.board_config(), "marking": False}
        with ui.element("div").classes("tg-table"):
            with ui.element("section").classes("tg-stage").props('aria-label="Board"'):
                bottom, top = self._sides()
                self._top = PlayerCard(self._match, top)
                self.board = Board(
                    self._board_data(),
                    config,
                    move=self._move,
                    aim=self._show_aim,
                    mark=self._mark,
                    tap=lambda _: None,
                )
                self._bottom = PlayerCard(self._match, bottom)
            with ui.element("section").classes("tg-side").props('aria-label="Game"'):
                with ui.element("div").classes("tg-card"):
                    self._title = ui.label(describe_game(self._match.game)).classes("tg-quiet")
                    self._status = ui.label("").classes("tg-status").props('role="status"').mark("status")
                    self._thought = ui.label("").classes("tg-thought")
                    self._captions = ui.label("").classes("tg-thought tg-captions").style("white-space: pre-line")
                    self._off_board = ui.element("div").classes("tg-row")
                    self._offers = ui.element("div").classes("tg-row")
                    self._invitation = ui.element("div")
                with ui.element("div").classes("tg-card tg-fill tg-last-on-phone"):
                    self._list = MoveList([], -1, self._go)
                    build_step_buttons(self._step, "Live")
                with ui.element("div").classes("tg-card"), ui.element("div").classes("tg-tools"):
                    self._actions = GameActions(self._visit, self._session, self._ask_hint, self._watch_search)
                    self._actions.build()
                self._analysis = LiveAnalysisPanel(
                    self._visit, self._session, self.board, self._update_overlays, self._go_to, self._try
                )
                self._analysis.build()
                self._books = ui.element("div").classes("tg-card")
                build_music_player(self._visit)
        step_with_arrow_keys(self._step)
        self.show()

    def close(self) -> None:
        self._analysis.close()

    def _sides(self) -> tuple[int, int]:
        """The sides at the bottom and at the top of the board: the visitor's side is at the bottom."""
        mine = self._session.sides(self._visit.browser)
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
        to_move = self._match.to_move
        return (
            to_move is not None
            and to_move in self._session.sides(self._visit.browser)
            and self._session.unclaimed_side is None
        )

    def _board_data(self) -> dict[str, Any]:
        position, playable = self._position, self._is_my_move and self._at_live
        if position is not self._match.live:
            return board_data(position, playable=playable)
        return self._session.cached(("board", playable), lambda: board_data(position, playable=playable))

    def show(self) -> None:
        """Update everything."""
        match, session = self._match, self._session
        self.board.configure(marking=match.is_counting and bool(session.sides(self._visit.browser)))
        self.board.show(self._board_data())
        self._analysis.show(self._position)
        self._update_overlays()
        self._top.show()
        self._bottom.show()
        self._status.set_text(self._status_text())
        self._captions.set_text("\n".join(self._position.diagram().captions))
        self._show_moves()
        self._show_off_board()
        self._show_offers()
        self._actions.show()
        self._show_books(match.result is not None)
        if session.thinking is not None:
            self._show_search(session.thinking)
        else:
            self._thought.set_text("" if self._hint is None else self._thought.text)

    def _status_text(self) -> str:
        match, session = self._match, self._session
        if match.result is not None:
            return self._result_text(match.result)
        if session.engine_error:
            return f"{player_name(self._match, match.live.to_move)} failed: {session.engine_error}"
        if session.unclaimed_side is not None:
            return "Waiting for your opponent"
        if match.is_counting:
            return "Mark the dead stones, then agree"
        assert match.to_move is not None
        name = player_name(self._match, match.to_move)
        if not match.is_running:
            return f"Paused; {name} is to move"
        if session.is_engine(match.to_move):
            return f"{name} is thinking …"
        mine = match.to_move in session.sides(self._visit.browser)
        return f"Your move, {name}" if mine else f"{name} is to move"

    def _result_text(self, result: MatchResult) -> str:
        text = f"{result.describe(self._match.game)} ({result.code})"
        mine = self._session.sides(self._visit.browser)
        if result.winner is None or len(mine) != 1:
            return text
        verdict = "You won" if result.winner in mine else "You lost"
        margin = result.code.partition("+")[2]
        if margin[:1].isdigit():
            verdict += f" by {margin} {self._match.game.unit}"
        return f"{verdict}. {text}"

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
        self._off_board.clear()
        if self._match.is_counting and self._session.sides(self._visit.browser):
            outcome = self._match.game.count(self._match.live, self._session.dead_stones.names())
            with self._off_board:
                ui.label(self._match.game.write_outcome(outcome).partition(":")[0])
                seen = self._session.dead_stones.points()
                button(
                    "Agree", partial(self._act, self._session.agree, self._visit.browser, seen), "check", main=True
                )
                if self._session.dead_stones.is_engine_marking:
                    ui.label("The engine is marking dead stones…").classes("tg-quiet")
                elif self._session.dead_stones.agreed:
                    ui.label("Your opponent agrees").classes("tg-quiet")
        elif self._is_my_move and self._at_live:
            with self._off_board:
                for word in moves_off_board(self._match.live):
                    chip(word.capitalize(), partial(self._move, {"move": word}))
                    ending = describe_ending(self._match.live, word)
                    if ending:
                        ui.label(ending).classes("tg-quiet")

    def _show_offers(self) -> None:
        session, offer = self._session, self._session.offer
        self._offers.clear()
        self._invitation.clear()
        mine = session.sides(self._visit.browser)
        if offer is not None:
            with self._offers:
                text = f"{player_name(self._match, offer.side)} {_OFFER_TEXTS[offer.kind]}"
                ui.label(text).style("font-weight: 600")
                if 1 - offer.side in mine:
                    button("Accept", lambda: self._act(session.answer_offer, self._visit.browser, True), main=True)
                    button("Decline", lambda: self._act(session.answer_offer, self._visit.browser, False))
        seats = session.seats
        if session.unclaimed_side is not None and seats is not None and seats.owner == self._visit.browser:
            path = f"/join/{session.id}/{seats.keys[session.unclaimed_side]}"
            with self._invitation, ui.element("div").classes("tg-link"):
                link = ui.link("Invite link", path).mark("invitation")
                link.props(f'data-path="{path}"')
                button("Copy", lambda: self._copy(path), "content_copy").props("dense")

    def _show_books(self, ended: bool) -> None:
        """Offer to add an ended game to the books; built once, because it shows progress."""
        offered = ended and self._session.is_in_library and self._match.live.ply > 0 and self._visit.may_edit_books
        offered = offered and self._session.may_change(self._visit.browser)
        self._books.set_visibility(offered)
        if offered and not self._books.default_slot.children:
            with self._books:
                build_book_buttons(self._sessions, self._match)

    def _update_overlays(self) -> None:
        session = self._session
        overlays = self._analysis.overlays()
        if session.dead_stones.is_shown and self._at_live:
            overlays = {
                **dead_stone_overlay(session.match.live, session.dead_stones.points()),
                **overlays,
            }  # a selected overlay takes precedence
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
                self._schedule_search_update()
                return
            if isinstance(event, events.TreeEdited):
                return
            if isinstance(event, Reviewed):
                if self._analysis.is_on:
                    self._analysis.show(self._position)
                    self._show_moves()
                    self._update_overlays()
                return
            if isinstance(event, events.Moved | events.TakenBack):
                self._hint = None
            if isinstance(event, events.Moved) and self._ply is not None and self._ply >= event.position.ply - 1:
                self._ply = None
            if isinstance(event, events.SaveFailed):
                show_error(f"The game continues, but is not saved: {event.error}")
            if isinstance(event, events.Saved):
                show_message("The game is saved again")
            if isinstance(event, events.Ended):
                show_message(event.result.describe(self._match.game))
            if isinstance(event, SessionChanged):
                self._start_soon()
            self._schedule_update()

    def _schedule_update(self) -> None:
        """Update now, or after a delay if there are many watchers."""
        pause = self._session.update_delay_s
        if not pause:
            self.show()
        elif self._update_timer is None:
            self._update_timer = asyncio.get_running_loop().call_later(pause, self._update)

    def _update(self) -> None:
        self._update_timer = None
        if not self._client.is_deleted:
            with self._client:
                self.show()

    def _start_soon(self) -> None:
        """Start the game after a player has joined."""
        if not self._match.is_running and self._match.live.ply == 0 and self._match.result is None:
            asyncio.ensure_future(self._sessions.run_for_player(self._session.start, self._visit.browser))  # noqa: RUF006

    def _schedule_search_update(self) -> None:
        if self._search_timer is not None:
            return
        pause = max(0.0, self._search_updated_at + MIN_UPDATE_INTERVAL_S - time.monotonic())
        self._search_timer = asyncio.get_running_loop().call_later(pause, self._update_search)

    def _update_search(self) -> None:
        self._search_timer = None
        self._search_updated_at = time.monotonic()
        thinking = self._session.thinking
        if thinking is not None and not self._client.is_deleted:
            with self._client:
                self._show_search(thinking)
                if self._depth:
                    self._update_overlays()

    def _show_search(self, thinking: events.SearchProgress) -> None:
        progress = thinking.progress
        if progress.report is not None and self._depth:
            report = progress.report
            depth = f"depth {report.depth}, " if report.depth else ""
            text = f"{report.best}: {write_value(report.value)} · {depth}{report.nodes:,} nodes"
        elif progress.report is not None:  # the opponent's evaluation is shown only on request
            text = f"{progress.report.nodes:,} nodes, {progress.report.seconds:.1f} s"
        elif progress.stage is Stage.COMPILING:
            text = f"Preparing the engine (first time only): {progress.note} …"
        else:
            text = f"{progress.stage.value} {progress.note}".strip() + " …"
        self._thought.set_text(text)

    # ---- user actions

    async def _act(self, work: Any, *args: Any) -> None:
        try:
            await self._sessions.run_for_player(work, *args)
        except TengenError as error:
            show_error(error)

    async def _move(self, given: dict[str, Any]) -> None:
        arrived = time.monotonic()
        move, ply = str(given.get("move", ""))[:100], given.get("ply")
        ply = ply if isinstance(ply, int) else None
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
            await self._act(self._session.mark, self._visit.browser, point)

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

    def _copy(self, path: str) -> None:
        ui.run_javascript(f"navigator.clipboard && navigator.clipboard.writeText(location.origin + {path!r})")
        show_message("Copied")

    async def _ask_hint(self) -> None:
        helper, position = opponents(self._match.game.name)[-2], self._match.live
        self._thought.set_text(f"{helper.name} is searching for a hint …")

        def search() -> Future[Report]:
            return self._session.hint(self._visit.browser, helper.config).future

        try:
            report = await asyncio.wrap_future(await self._sessions.run_for_player(search))
        except TengenError as error:
            self._thought.set_text("")
            show_error(error)
            return
        if position is self._match.live and not self._client.is_deleted:
            self._hint = (position.ply, report)
            self._update_overlays()
            self._thought.set_text(f"Hint: {report.best}, {write_value(report.value)}")


def register(sessions: GameSessions) -> None:
    @ui.page("/game/{game_id}", response_timeout=PAGE_TIMEOUT_S)
    async def game(request: Request, game_id: str) -> None:
        visit = Visit.from_request(sessions, request)
        try:
            session = await await_with_notice(sessions.get(game_id))
            if session.seats is None and await sessions.run_in_thread(
                may_claim, sessions.store, visit.visitor, session.match.players
            ):
                await sessions.run_for_player(session.claim, visit.browser)
            shown = GamePage(visit, session)
            context.client.on_delete(session.watch(shown.on_event))
        except TengenError as error:
            show_unavailable(visit, error)
            return
        with frame(visit, f"{session.match.record.names[0]} – {session.match.record.names[1]}"):
            shown.build()
        context.client.on_delete(shown.close)
        await sessions.run_for_player(session.start, visit.browser)
