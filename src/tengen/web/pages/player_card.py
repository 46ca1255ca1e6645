"""A player's card beside the board: stone, name, clock, and whether it is their turn."""

from __future__ import annotations

import time
from typing import Any

from nicegui import ui

from tengen.play.match import Match
from tengen.web.elements import ClockFace
from tengen.web.game_session import player_name


class PlayerCard:
    """`show` updates it; between moves the clock ticks in the browser."""

    def __init__(self, match: Match, side: int) -> None:
        self._match = match
        self._side = side
        with ui.element("div").classes("tg-player") as self._box:
            ui.element("span").classes(f"tg-chip tg-chip-{side}")
            self._name = ui.label("").classes("tg-name")
            ui.label(match.game.players[side]).classes("tg-note")
            self._face = ClockFace(self._clock())

    def show(self) -> None:
        self._name.set_text(player_name(self._match, self._side))
        self._face.show(self._clock())
        turn = self._match.to_move == self._side
        self._box.classes(add="tg-turn" if turn else "", remove="" if turn else "tg-turn")

    def _clock(self) -> dict[str, Any]:
        clock, side = self._match.clock, self._side
        if clock.controls[side].is_none:
            return {"timed": False, "runs": False, "seconds": 0}
        left = clock.left_at(side, time.monotonic())
        note = ""
        if left.in_overtime:
            note = f"/{left.moves}" if left.moves > 1 else f"({left.periods})"
        runs = clock.is_running and clock.player == side
        return {"timed": True, "runs": runs, "seconds": round(left.seconds, 2), "note": note}
