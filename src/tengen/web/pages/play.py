"""A game being played: the board, the players with their clocks, and what a player can do.

The page shows what its session is like now: after each event all of it is read again. Thoughts of a running search
come often, so they are shown five times a second at most.
"""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import Future
from functools import partial
from typing import Any

from fastapi import Request
from nicegui import context, ui

from tengen.app.move_preview import aim, moves_off_board
from tengen.app.value_display import write_value
from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.play import events
from tengen.players.opponents import opponents
from tengen.runtime.messages import Stage
from tengen.search.report import Report
from tengen.web.board_data import answer, dead_stone_overlay, describe, end_by, ghosts, picture
from tengen.web.elements import Board, MoveList
from tengen.web.game_session import GameSession, Reviewed, SessionChanged, SessionEvent
from tengen.web.game_sessions import GameSessions
from tengen.web.move_tree import MoveTree
from tengen.web.pages.add_to_book import build_book_buttons
from tengen.web.pages.background_music import build_music_player
from tengen.web.pages.game_actions import GameActions
from tengen.web.pages.layout import (
    PAGE_TIMEOUT_S,
    Visit,
    await_with_notice,
    button,
    chip,
    frame,
    parse_point,
    show_error,
    show_message,
    show_unavailable,
)
from tengen.web.pages.live_analysis_panel import LiveAnalysisPanel
from tengen.web.pages.player_card import PlayerCard, player_name
from tengen.web.permissions import may_claim
from tengen.web.tree import loss_annotations

LEAST_PAUSE = 0.2  # seconds between two pictures of a search


class GamePage:
    """One browser's look at a session."""

    def __init__(self, visit: Visit, session: GameSession) -> None:
        self._visit = visit
        self._sessions = visit.sessions
        self._session = session
        self._match = session.match
        self._client = context.client
        self._ply: int | None = None  # which move is looked at; None is the live position
        self._depth = visit.preferences.depth
        self._hint: tuple[int, Report] | None = None
        self._thought_at = 0.0
        self._own_moves: MoveTree | None = None  # the move list with the losses that this page shows
        self._thinks_later: asyncio.TimerHandle | None = None
        self._shows_later: asyncio.TimerHandle | None = None

    def build(self) -> None:
        config = {**self._visit.preferences.board_config(), "marking": False}
        with ui.element("div").classes("tg-table"):
            with ui.element("section").classes("tg-stage").props('aria-label="Board"'):
                bottom, top = self._sides()
                self._top = PlayerCard(self._match, top)
                self.board = Board(
                    self._picture(), config, move=self._move, ask=self._ask, mark=self._mark, tap=lambda _: None
                )
                self._bottom = PlayerCard(self._match, bottom)
            with ui.element("section").classes("tg-side").props('aria-label="Game"'):
                with ui.element("div").classes("tg-card"):
                    self._title = ui.label(describe(self._match.game)).classes("tg-quiet")
                    self._status = ui.label("").classes("tg-status").props('role="status"').mark("status")
                    self._thought = ui.label("").classes("tg-thought")
                    self._captions = ui.label("").classes("tg-thought tg-captions").style("white-space: pre-line")
                    self._off_board = ui.element("div").classes("tg-row")
                    self._offers = ui.element("div").classes("tg-row")
                    self._invitation = ui.element("div")
                with ui.element("div").classes("tg-card tg-fill tg-last-on-phone"):
                    self._list = MoveList([], -1, self._go)
                    with ui.element("div").classes("tg-steps"):
                        for icon, name, step in (
                            ("first_page", "Start", -9999),
                            ("chevron_left", "Back", -1),
                            ("chevron_right", "Forward", 1),
                            ("last_page", "Live", 9999),
                        ):
                            button("", partial(self._step, step), icon, aria_label=name).props("dense")
                with ui.element("div").classes("tg-card"), ui.element("div").classes("tg-tools"):
                    self._tools = GameActions(self._visit, self._session, self._ask_hint, self._watch_search)
                    self._tools.build()
                self._helper = LiveAnalysisPanel(
                    self._visit, self._session, self.board, self._dress, self._go_to, self._try
                )
                self._helper.build()
                self._books = ui.element("div").classes("tg-card")
                build_music_player(self._visit)
        ui.keyboard(on_key=self._key, ignore=["input", "select", "textarea"])
        self.show()

    def close(self) -> None:
        self._helper.close()

    def _sides(self) -> tuple[int, int]:
        """Who sits at the bottom and at the top: whoever looks sits at the bottom."""
        mine = self._session.sides(self._visit.browser)
        bottom = 1 if mine == {1} else 0
        return bottom, 1 - bottom

    # ---- what is shown

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
            and self._session.waits_for is None
        )

    def _picture(self) -> dict[str, Any]:
        position, playable = self._position, self._is_my_move and self._at_live
        if position is not self._match.live:
            return picture(position, playable=playable)
        return self._session.shared(("picture", playable), lambda: picture(position, playable=playable))

    def show(self) -> None:
        """All of it, as it is now."""
        match, session = self._match, self._session
        self.board.configure(marking=match.is_counting and bool(session.sides(self._visit.browser)))
        self.board.show(self._picture())
        self._helper.show(self._position)
        self._dress()
        self._top.show()
        self._bottom.show()
        self._status.set_text(self._turn())
        self._captions.set_text("\n".join(self._position.diagram().captions))
        self._show_moves()
        self._show_off_board()
        self._show_offers()
        self._tools.show()
        self._show_books(match.result is not None)
        if session.thinking is not None:
            self._think(session.thinking)
        else:
            self._thought.set_text("" if self._hint is None else self._thought.text)

    def _turn(self) -> str:
        match, session = self._match, self._session
        if match.result is not None:
            return f"{match.result.describe(match.game)} ({match.result.code})"
        if session.trouble:
            return f"{player_name(self._match, match.live.to_move)} failed: {session.trouble}"
        if session.waits_for is not None:
            return f"Waiting for {player_name(self._match, session.waits_for)} to come"
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

    def _show_moves(self) -> None:
        live = self._match.live
        if self._helper.is_on:
            moves = self._own_moves = self._own_moves or MoveTree(self._match.tree, self._match.game)
            moves.update(self._match.tree, loss_annotations(self._helper.losses()))
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
                    ui.label("The engine is still marking dead stones").classes("tg-quiet")
                elif self._session.dead_stones.agreed:
                    ui.label("The other player agrees to this").classes("tg-quiet")
        elif self._is_my_move and self._at_live:
            with self._off_board:
                for word in moves_off_board(self._match.live):
                    chip(word.capitalize(), partial(self._move, {"move": word}))
                    ending = end_by(self._match.live, word)
                    if ending:
                        ui.label(ending).classes("tg-quiet")

    def _show_offers(self) -> None:
        session, offer = self._session, self._session.offer
        self._offers.clear()
        self._invitation.clear()
        mine = session.sides(self._visit.browser)
        if offer is not None:
            with self._offers:
                words = {"draw": "a draw", "take back": "to take a move back", "pause": "a pause"}[offer.kind]
                ui.label(f"{player_name(self._match, offer.side)} asks for {words}").style("font-weight: 600")
                if 1 - offer.side in mine:
                    button("Accept", lambda: self._act(session.answer, self._visit.browser, True), main=True)
                    button("Decline", lambda: self._act(session.answer, self._visit.browser, False))
        seats = session.seats
        if session.waits_for is not None and seats is not None and seats.owner == self._visit.browser:
            path = f"/join/{session.id}/{seats.keys[session.waits_for]}"
            with self._invitation, ui.element("div").classes("tg-link"):
                link = ui.link("The link for your opponent", path).mark("invitation")
                link.props(f'data-path="{path}"')
                button("Copy", lambda: self._copy(path), "content_copy").props("dense")

    def _show_books(self, ended: bool) -> None:
        """An ended game can go into the books; built once, because it tells how that goes."""
        offered = ended and self._session.is_kept and self._match.live.ply > 0 and self._visit.keeps_books
        offered = offered and self._session.may_change(self._visit.browser)
        self._books.set_visibility(offered)
        if offered and not self._books.default_slot.children:
            with self._books:
                build_book_buttons(self._sessions, self._match)

    def _dress(self) -> None:
        session = self._session
        dressing = self._helper.dressing()
        if session.dead_stones.is_shown and self._at_live:
            dressing = {
                **dead_stone_overlay(session.match.live, session.dead_stones.points()),
                **dressing,
            }  # a layer that somebody chose stays
        elif self._hint is not None and self._hint[0] == self._position.ply:
            dressing["ghosts"] = ghosts(self._position, self._hint[1].line[: max(1, self._depth)])
        elif (
            session.thinking is not None
            and self._depth
            and self._at_live
            and session.thinking.progress.report is not None
        ):
            dressing["ghosts"] = ghosts(self._match.live, session.thinking.progress.report.line[: self._depth])
        self.board.dress(dressing)

    # ---- what happens

    def hear(self, news: SessionEvent) -> None:
        """Called in the server's thread, of everything in the session."""
        with self._client:
            if isinstance(news, events.SearchProgress):
                self._think_soon()
                return
            if isinstance(news, events.TreeEdited):
                return
            if isinstance(news, Reviewed):
                if self._helper.is_on:
                    self._helper.show(self._position)
                    self._show_moves()
                    self._dress()
                return
            if isinstance(news, events.Moved | events.TakenBack):
                self._hint = None
            if isinstance(news, events.Moved) and self._ply is not None and self._ply >= news.position.ply - 1:
                self._ply = None
            if isinstance(news, events.SaveFailed):
                show_error(f"The game goes on, but is not saved: {news.error}")
            if isinstance(news, events.Saved):
                show_message("The game is saved again")
            if isinstance(news, events.Ended):
                show_message(news.result.describe(self._match.game))
            if isinstance(news, SessionChanged):
                self._begin_soon()
            self._show_soon()

    def _show_soon(self) -> None:
        """Show all of it: at once, or a moment later if many pages have to."""
        pause = self._session.pause_s
        if not pause:
            self.show()
        elif self._shows_later is None:
            self._shows_later = asyncio.get_running_loop().call_later(pause, self._show_now)

    def _show_now(self) -> None:
        self._shows_later = None
        if not self._client.is_deleted:
            with self._client:
                self.show()

    def _begin_soon(self) -> None:
        """Somebody has come: the game can begin."""
        if not self._match.is_running and self._match.live.ply == 0 and self._match.result is None:
            asyncio.ensure_future(self._sessions.run_for_player(self._session.begin, self._visit.browser))  # noqa: RUF006

    def _think_soon(self) -> None:
        if self._thinks_later is not None:
            return
        pause = max(0.0, self._thought_at + LEAST_PAUSE - time.monotonic())
        self._thinks_later = asyncio.get_running_loop().call_later(pause, self._think_now)

    def _think_now(self) -> None:
        self._thinks_later = None
        self._thought_at = time.monotonic()
        thinking = self._session.thinking
        if thinking is not None and not self._client.is_deleted:
            with self._client:
                self._think(thinking)
                if self._depth:
                    self._dress()

    def _think(self, thinking: events.SearchProgress) -> None:
        progress = thinking.progress
        if progress.report is not None and self._depth:
            report = progress.report
            depth = f"depth {report.depth}, " if report.depth else ""
            text = f"{report.best}: {write_value(report.value)} · {depth}{report.nodes:,} nodes"
        elif progress.report is not None:  # what the opponent thinks of the game is for who wants to see it
            text = f"{progress.report.nodes:,} nodes, {progress.report.seconds:.1f} s"
        elif progress.stage is Stage.COMPILING:
            text = f"Compiling for this machine, once: {progress.note} …"
        else:
            text = f"{progress.stage.value} {progress.note}".strip() + " …"
        self._thought.set_text(text)

    # ---- what somebody does

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
            self.board.show(self._picture())
            self.board.refuse(str(error))

    def _ask(self, given: dict[str, Any]) -> None:
        point, chosen = parse_point(given.get("point")), parse_point(given.get("from"))
        position = self._position
        diagram = position.diagram()
        if point is not None and point[0] < len(diagram.columns) and point[1] < len(diagram.rows):
            self.board.answer(answer(aim(position, point, chosen), point))

    async def _mark(self, given: dict[str, Any]) -> None:
        point = parse_point(given.get("point"))
        if point is not None:
            await self._act(self._session.mark, self._visit.browser, point)

    def _go(self, given: dict[str, Any]) -> None:
        number = given.get("id")
        if number in self._main:
            self._look(self._main.index(number) + 1)

    def _go_to(self, given: dict[str, Any]) -> None:
        ply = given.get("ply")
        if isinstance(ply, int):
            self._look(max(0, min(self._match.live.ply, ply + next(iter(self._match.live.line())).ply)))

    async def _try(self, move: str) -> None:
        if self._at_live:
            await self._move({"move": move})

    def _step(self, step: int) -> None:
        live = self._match.live.ply
        now = live if self._ply is None else self._ply
        self._look(max(0, min(live, now + step)))

    def _look(self, ply: int) -> None:
        self._ply = None if ply >= self._match.live.ply else ply
        self.show()

    def _key(self, event: Any) -> None:
        if event.action.keydown and not event.modifiers.alt:
            if event.key.arrow_left:
                self._step(-1)
            elif event.key.arrow_right:
                self._step(1)

    async def _watch_search(self, depth: int) -> None:
        self._depth = depth
        self._dress()
        await self._sessions.run_in_thread(self._sessions.visitors.set_options, self._visit.browser, depth=depth)

    def _copy(self, path: str) -> None:
        ui.run_javascript(f"navigator.clipboard && navigator.clipboard.writeText(location.origin + {path!r})")
        show_message("Copied")

    async def _ask_hint(self) -> None:
        helper, position = opponents(self._match.game.name)[-2], self._match.live
        self._thought.set_text(f"{helper.name} looks for a hint …")

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
            self._dress()
            self._thought.set_text(f"Hint: {report.best}, {write_value(report.value)}")


def register(sessions: GameSessions) -> None:
    @ui.page("/game/{game_id}", response_timeout=PAGE_TIMEOUT_S)
    async def game(request: Request, game_id: str) -> None:
        visit = Visit.of(sessions, request)
        try:
            session = await await_with_notice(sessions.get(game_id))
            if session.seats is None and await sessions.run_in_thread(
                may_claim, sessions.store, visit.visitor, session.match.players
            ):
                await sessions.run_for_player(session.claim, visit.browser)
            shown = GamePage(visit, session)
            context.client.on_delete(session.watch(shown.hear))
        except TengenError as error:
            show_unavailable(visit, error)
            return
        with frame(visit, f"{session.match.record.names[0]} – {session.match.record.names[1]}"):
            shown.build()
        context.client.on_delete(shown.close)
        await sessions.run_for_player(session.begin, visit.browser)
