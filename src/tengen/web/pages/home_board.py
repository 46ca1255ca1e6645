"""The board of the home page: an unfinished game, the daily puzzle, or a new game that starts with a move."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from nicegui import ui

from tengen import games
from tengen.app.daily_puzzle import today
from tengen.app.game_options import describe_game
from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.web.board_data import board_data
from tengen.web.elements import Board
from tengen.web.game_session import GameSession
from tengen.web.game_sessions import GameSessions
from tengen.web.last_settings import last_game, last_settings
from tengen.web.pages.board_input import show_aim
from tengen.web.pages.daily_puzzle import build_daily_puzzle, load_record
from tengen.web.pages.game_start import OptionProblems, Players, check_options, start_game
from tengen.web.pages.layout import Visit
from tengen.web.pages.widgets import heading, text_link


class HomeBoard:
    """A board on which the visitor can move at once; the move opens the page of the game."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        self._sessions = visit.sessions
        self._is_shown = False
        self._place = ui.element("div").classes("tg-home-board tg-hero")
        with self._place:
            ui.element("div").classes("tg-skeleton tg-hero-wait")

    async def show(self, unfinished: str | None) -> None:
        """Show the unfinished game with this id, if given. Called at every connection of the page."""
        if self._is_shown:
            return
        self._is_shown = True
        client = self._place.client
        session = await self._open(unfinished) if unfinished else None
        if client.is_deleted:
            return
        if session is not None:
            self._place.clear()
            with self._place:
                self._build_game(session)
            return
        if not load_record(self._visit).is_solved(today()):
            self._place.clear()
            self._place.classes(remove="tg-hero")
            with self._place:
                await build_daily_puzzle(self._visit)
            return
        name = self._new_game_name()
        players = await Players.find(self._visit, name)
        if not client.is_deleted:
            self._place.clear()
            with self._place:
                self._build_new(name, players)

    async def _open(self, game_id: str) -> GameSession | None:
        try:
            session = await self._sessions.get(game_id)
        except TengenError:
            return None  # deleted meanwhile, or too many games are open
        return session if session.match.result is None else None

    def _new_game_name(self) -> str:
        name = last_game(self._sessions.visitors, self._visit.browser)
        return name if name in games.names() else games.names()[0]

    # ---- an unfinished game

    def _build_game(self, session: GameSession) -> None:
        match = session.match
        position = match.live
        mine = session.seating.sides(self._visit.browser)
        is_my_move = match.to_move in mine and session.seating.unclaimed_side is None
        names = [name or "?" for name in match.record.names]
        heading(_("Continue your game"), 2)
        if len(mine) == 1:
            (side,) = mine
            text = _("{game} against {opponent}").format(game=describe_game(match.game), opponent=names[1 - side])
        else:
            text = f"{describe_game(match.game)}: {names[0]} – {names[1]}"
        ui.label(text).classes("tg-quiet")

        async def play(move: str, arrived: float) -> str:
            await continue_game(self._sessions, session.id, self._visit.browser, move, position.ply, arrived)
            return session.id

        self._build_board(position, play, playable=is_my_move)
        with ui.element("div").classes("tg-row tg-spread"):
            if match.is_counting:
                status = _("Which stones are dead?")
            elif session.seating.unclaimed_side is not None:
                status = _("Waiting for your opponent")
            else:
                status = _("Your move") if is_my_move else _("Your opponent is to move")
            ui.label(status).classes("tg-status")
            text_link(_("Open the game"), f"/game/{session.id}", "tg-link-button")

    # ---- a new game

    def _build_new(self, name: str, players: Players) -> None:
        visitors = self._sessions.visitors
        settings = replace(
            last_settings(visitors, self._visit.browser, name), opponent="engine", colour="first", clock="none"
        )
        try:
            game = check_options(name, settings)
        except OptionProblems:  # of an earlier version
            settings = replace(settings, options={})
            game = check_options(name, settings)
        opponent = players.engine(settings.engine)

        async def play(move: str, arrived: float) -> str:
            session = await start_game(self._visit, name, settings, players, remember=False)
            await self._sessions.play(session, self._visit.browser, move, None, arrived)
            return session.id

        heading(_("Play now"), 2)
        ui.label(_("{game} against {opponent}").format(game=describe_game(game), opponent=opponent.name)).classes(
            "tg-quiet"
        )
        self._build_board(game.start(), play, playable=True)
        with ui.element("div").classes("tg-row tg-spread"):
            ui.label(_("Make a move to start")).classes("tg-status")
            text_link(_("Other settings"), f"/new?game={name}", "tg-link-button")

    # ---- both

    def _build_board(
        self, position: Position, play: Callable[[str, float], Awaitable[str]], *, playable: bool
    ) -> None:
        is_moving = False

        async def move(given: dict[str, Any]) -> None:
            nonlocal is_moving
            if is_moving:
                return  # a second click would start a second game
            is_moving, arrived = True, time.monotonic()
            try:
                game_id = await play(str(given.get("move", ""))[:100], arrived)
            except TengenError as error:
                is_moving = False
                board.show(board_data(position, playable=playable))
                board.reject(str(error))
            else:
                ui.navigate.to(f"/game/{game_id}")

        with ui.element("div").classes("tg-hero-board"):
            board = Board(
                board_data(position, playable=playable),
                self._visit.preferences.board_config(),
                move=move,
                aim=lambda given: show_aim(board, position, given),
            )


async def continue_game(
    sessions: GameSessions, game_id: str, who: str, move: str, ply: int, arrived: float
) -> None:
    """Make a move in an unfinished game. Its session may have been closed since the page was opened."""
    await sessions.play(await sessions.get(game_id), who, move, ply, arrived)
