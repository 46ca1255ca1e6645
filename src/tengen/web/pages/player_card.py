"""A player's card beside the board: stone, name, rating, captured stones or discs, clock, and whose turn it is."""

from __future__ import annotations

import time
from html import escape
from typing import Any

from nicegui import ui

from tengen.core.game import Tally
from tengen.core.locale_format import short_number
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.play.match import Match
from tengen.players.opponents import Opponent, opponent_with_id
from tengen.web.avatars import avatar_svg
from tengen.web.elements import ClockFace
from tengen.web.seating import player_name

MAX_DRAWN_STONES = 6  # of captured stones; the number says how many there are


class PlayerCard:
    """`show` updates it; between moves the clock ticks in the browser, and an own one warns of little time."""

    def __init__(self, match: Match, side: int, *, is_own: bool = False) -> None:
        self._is_own = is_own
        self._match = match
        self._side = side
        self._rating: float | None = None
        with ui.element("div").classes("tg-player") as self._box:
            opponent = self._opponent()
            if opponent is not None:
                ui.html(avatar_svg(opponent.avatar), sanitize=False).classes("tg-face")
            with ui.element("div").classes("tg-who"):
                self._name = ui.label("").classes("tg-name")
                with ui.element("div").classes("tg-row tg-colour"):
                    ui.element("span").classes(f"tg-chip tg-chip-{side}")
                    self._note = ui.label("").classes("tg-note")
            self._tallies = ui.html("", sanitize=False).classes("tg-tallies")
            self._face = ClockFace(self._clock())

    def show(self, position: Position) -> None:
        """`position` is the one on the board; the clock is that of the game."""
        self._name.set_text(player_name(self._match, self._side))
        self._note.set_text(self._description())
        drawn = "".join(_draw_tally(tally, self._side) for tally in self._match.game.tallies(position))
        self._tallies.set_content(drawn)
        self._face.show(self._clock())
        turn = self._match.to_move == self._side
        self._box.classes(add="tg-to-move" if turn else "", remove="" if turn else "tg-to-move")

    def set_rating(self, rating: float | None) -> None:
        """Show a person's rating beside the colour; built-in opponents show their own."""
        self._rating = rating

    def _opponent(self) -> Opponent | None:
        player = self._match.players[self._side]
        return None if player is None else opponent_with_id(self._match.game.name, player.id)

    def _description(self) -> str:
        """The colour, and the level or rating as far as it is known."""
        parts = [_(self._match.game.players[self._side])]
        opponent = self._opponent()
        if opponent is not None:
            parts.append(_("Level {level}").format(level=opponent.level))
        rating = self._rating if opponent is None else opponent.rating
        if rating is not None:
            parts.append(f"{rating:.0f}")
        return " · ".join(parts)

    def _clock(self) -> dict[str, Any]:
        clock, side = self._match.clock, self._side
        if clock.controls[side].is_none:
            return {"timed": False, "runs": False, "seconds": 0}
        left = clock.left_at(side, time.monotonic())
        note = ""
        if left.in_overtime:
            note = f"/{left.moves}" if left.moves > 1 else f"({left.periods})"
        runs = clock.is_running and clock.player == side
        seconds = round(left.seconds, 2)
        return {"timed": True, "runs": runs, "seconds": seconds, "note": note, "own": self._is_own}


def _draw_tally(tally: Tally, side: int) -> str:
    """The stones and their number, as HTML."""
    count = tally.counts[side]
    if tally.draws == "opponent" and not count:
        return ""
    words = escape(f"{_(tally.name)}: {short_number(count)}", quote=True)
    if tally.draws == "opponent":
        colour, shown = 1 - side, min(int(count), MAX_DRAWN_STONES)
    else:
        colour, shown = side, 1
    stones = f'<i class="tg-mini tg-chip-{colour}"></i>' * (shown if tally.draws else 0)
    number = f"<b>{short_number(count)}</b>"
    return f'<span class="tg-tally" role="img" aria-label="{words}" title="{words}">{stones}{number}</span>'
