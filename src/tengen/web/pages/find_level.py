"""Find my level: a few rated games against suggested opponents, and the estimate after them."""

from __future__ import annotations

from dataclasses import replace

from nicegui import ui

from tengen import games
from tengen.app.player_level import MAX_TEST_GAMES, Suggestion
from tengen.core.errors import TengenError
from tengen.core.translation import gettext as _
from tengen.core.translation import ngettext
from tengen.web.game_sessions import GameSessions
from tengen.web.last_settings import GameSettings, first_settings
from tengen.web.pages.game_start import Players, start_game
from tengen.web.pages.layout import Visit, add_page, page
from tengen.web.pages.player_face import build_avatar
from tengen.web.pages.widgets import button, card, note, show_error, text_link

_INTERVAL = 1.96  # standard deviations


class LevelPage:
    """One visitor at the level test of a game. Its state is the list of the visitor's rated games."""

    def __init__(self, visit: Visit, game: str, players: Players) -> None:
        self._visit = visit
        self._game = game
        self._players = players

    @property
    def _suggestion(self) -> Suggestion:
        return self._players.suggestion

    def build(self) -> None:
        with ui.element("div").classes("tg-level-page"):
            with card(), ui.element("div").classes("tg-level-next"):
                build_avatar(self._suggestion.opponent.avatar)
                with ui.element("div").classes("tg-grow"):
                    for text in self._texts():
                        with ui.element("p"):
                            ui.label(text)
                    with ui.element("p"):
                        note(f"{self._suggestion.opponent.name}: {_(self._suggestion.opponent.character)}")
                    with ui.element("div").classes("tg-row"):
                        name = self._suggestion.opponent.name
                        self._play = button(_("Play {name}").format(name=name), self._start, main=True)
                        text_link(_("Other settings"), f"/new?game={self._game}")
            with card(_("Opponents")):
                self._build_ladder()

    def _texts(self) -> list[str]:
        """What is known about the visitor, and what comes next."""
        suggestion, estimate = self._suggestion, self._suggestion.estimate
        opponent = suggestion.opponent
        title = _(games.game_class(self._game).title)
        if not estimate.games:
            about = _("Play a few rated games of {game}. After each one, the next opponent suits you better.")
            first = _("{name}, level {level}, is a good start.")
            return [about.format(game=title), first.format(name=opponent.name, level=opponent.level)]
        texts = [
            _("Your rating is {rating} ± {error}.").format(
                rating=round(estimate.rating), error=round(_INTERVAL * estimate.error)
            )
        ]
        if not estimate.is_settled:
            left = MAX_TEST_GAMES - estimate.games
            texts.append(
                ngettext(
                    "At most {count} more game for a good estimate. Next: {name}, level {level}.",
                    "At most {count} more games for a good estimate. Next: {name}, level {level}.",
                    left,
                ).format(count=left, name=opponent.name, level=opponent.level)
            )
            return texts
        texts.append(
            _("You play at level {level}: {name} suits you.").format(level=opponent.level, name=opponent.name)
        )
        if suggestion.handicap:
            texts.append(_("Take {count} handicap stones to begin with.").format(count=suggestion.handicap))
        return texts

    def _build_ladder(self) -> None:
        with ui.element("ol").classes("tg-ladder"):
            for opponent in reversed(self._players.levels):
                is_next = opponent == self._suggestion.opponent
                row = ui.element("li").classes("tg-ladder-next" if is_next else "")
                with row:
                    build_avatar(opponent.avatar)
                    with ui.element("div").classes("tg-grow"):
                        with ui.element("b"):
                            ui.label(_("Level {level}: {name}").format(level=opponent.level, name=opponent.name))
                        note(_(opponent.character))
                    if opponent.rating is not None:
                        ui.label(str(opponent.rating)).classes("tg-ladder-rating")
                if is_next:
                    row.props('aria-current="true"')

    def _settings(self) -> GameSettings:
        """Short games with the usual rules; with a handicap the visitor is Black."""
        suggestion = self._suggestion
        settings = replace(first_settings(self._game), engine=suggestion.opponent.id, colour="random")
        if not suggestion.handicap:
            return settings
        options = {**settings.options, "handicap": str(suggestion.handicap)}
        return replace(settings, colour="first", options=options)

    async def _start(self) -> None:
        self._play.disable()
        try:
            session = await start_game(self._visit, self._game, self._settings(), self._players, remember=False)
        except TengenError as error:
            self._play.enable()
            show_error(error)
            return
        ui.navigate.to(f"/game/{session.id}")


def register(sessions: GameSessions) -> None:
    @add_page(sessions, "/level/{name}")
    async def level(visit: Visit, name: str) -> None:
        games.game_class(name)  # raises for an unknown game
        players = await Players.find(visit, name)
        title = _("{game}: find my level").format(game=_(games.game_class(name).title))
        with page(visit, title, "/new"):
            LevelPage(visit, name, players).build()
