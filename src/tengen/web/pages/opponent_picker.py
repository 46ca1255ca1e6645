"""Choosing a built-in opponent by avatar and name; who it is, is shown below."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from nicegui import ui

from tengen.core.translation import gettext as _
from tengen.players.opponents import Opponent
from tengen.web.pages.choices import ChoiceButtons
from tengen.web.pages.game_start import Players
from tengen.web.pages.player_face import build_avatar, rating_text
from tengen.web.pages.widgets import note


class OpponentPicker:
    """The opponents of a game. `on_change` is called with the id of the one chosen."""

    def __init__(self, on_change: Callable[[str], object]) -> None:
        self._on_change = on_change
        self._players: Players | None = None
        self._buttons = ChoiceButtons(_("Opponent"), self._choose, "tg-opponents")
        self._about = ui.element("div").classes("tg-opponent-about").props('aria-live="polite"')

    def show(self, players: Players, chosen: str) -> None:
        """Offer the opponents of a game; `chosen` is the id of one, or of another player."""
        self._players = players
        self._buttons.clear()
        for opponent in players.levels:
            made = self._buttons.add(opponent.id, partial(_build_face, opponent), "tg-opponent")
            made.props(f'title="{opponent.name}: {_(opponent.character)}"')
        self.press(chosen)

    def press(self, chosen: str) -> None:
        self._buttons.press(chosen)
        assert self._players is not None
        opponent = next((one for one in self._players.levels if one.id == chosen), None)
        self._about.clear()
        if opponent is None:
            return
        with self._about:
            build_avatar(opponent.avatar)
            with ui.element("div"):
                with ui.element("b"):
                    ui.label(opponent.name)
                note(rating_text(opponent))
                ui.label(_(opponent.character))
                if opponent.id == self._players.suggestion.opponent.id:
                    ui.label(_("Suggested for you")).classes("tg-level")
                with ui.element("details"):
                    with ui.element("summary"):
                        ui.label(_("Details"))
                    for text in _details(opponent):
                        note(text)

    def _choose(self, chosen: str) -> object:
        self.press(chosen)
        return self._on_change(chosen)


def _details(opponent: Opponent) -> list[str]:
    """The engine behind an opponent, and how exactly the rating is known."""
    texts = [_("Engine: {settings}").format(settings=opponent.details)]
    if opponent.rating_error:
        texts.append(
            _("Rating: {rating} ± {error} relative to level 1").format(
                rating=opponent.rating, error=opponent.rating_error
            )
        )
    return texts


def _build_face(opponent: Opponent) -> None:
    build_avatar(opponent.avatar)
    with ui.element("span"):
        ui.label(opponent.name)
    with ui.element("small").props('aria-hidden="true"'):
        ui.label(str(opponent.level))
