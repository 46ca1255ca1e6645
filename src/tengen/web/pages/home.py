"""The home page: a board to play on at once, the games, unfinished games and games to review."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from nicegui import context, ui

from tengen import games
from tengen.core.errors import TengenError
from tengen.core.translation import gettext as _
from tengen.store.listing import Filter
from tengen.store.rows import ListedGame
from tengen.web.game_sessions import GameSessions
from tengen.web.icons import drawing, navigation_icon
from tengen.web.last_settings import GameSettings, last_settings
from tengen.web.pages.clock_choice import describe_clock
from tengen.web.pages.game_start import Players, start_game
from tengen.web.pages.game_tiles import about_game, list_game
from tengen.web.pages.home_board import HomeBoard
from tengen.web.pages.layout import Visit, add_page, frame
from tengen.web.pages.option_fields import size_text
from tengen.web.pages.widgets import card, heading, note, show_error, text_link

LISTED = 6
_SEARCHED = 30  # unfinished games among which the visitor's own are looked for


@dataclass(frozen=True)
class _Lists:
    """Games for the lists; the visitor's own unfinished games come first in `unfinished`."""

    own: list[ListedGame]
    unfinished: list[ListedGame]
    finished: list[ListedGame]


def _load_lists(visit: Visit) -> _Lists:
    store = visit.sessions.store
    found = store.list_games(Filter(finished=False, imported=False), order="changed", limit=_SEARCHED).games
    seats = store.all_seats([game.id for game in found])
    waiting = {game_id for game_id, one in seats.items() if any(one.open)}
    started = [game for game in found if game.moves or game.id in waiting]
    own = [game for game in started if game.id in seats and seats[game.id].sides(visit.browser)]
    others = [game for game in started if game not in own]
    finished = store.list_games(Filter(finished=True), order="changed", limit=LISTED).games
    return _Lists(own, [*own, *others][:LISTED], list(finished))


def _describe_settings(game: str, settings: GameSettings, players: Players) -> str:
    """`Yuzu · 9 × 9 · No limit`."""
    if settings.opponent == "engine":
        opponent = players.engine(settings.engine).name
    elif settings.opponent == "friend":
        opponent = players.friend(settings.friend).name
    else:
        opponent = _("invite link")
    size = str(settings.all_options(game).get("size", ""))
    parts = [opponent, size_text(game, size) if size else "", describe_clock(settings.clock)]
    return " · ".join(part for part in parts if part)


class _GameCard:
    """A game with one-click play, its lesson, and the visitor's level."""

    def __init__(self, visit: Visit, game: str, players: Players) -> None:
        self._visit = visit
        self._game = game
        self._players = players
        self._settings = last_settings(visit.sessions.visitors, visit.browser, game)
        self._is_starting = False

    def build(self) -> None:
        title = _(games.game_class(self._game).title)
        with ui.element("article").classes("tg-card tg-game-card"):
            with ui.element("div").classes("tg-game-head"):
                ui.html(drawing(self._game), sanitize=False)
                with ui.element("div").classes("tg-grow"):
                    with ui.element("div").classes("tg-row tg-spread"):
                        heading(title, 2)
                        level = text_link(self._level(), f"/level/{self._game}", "tg-level")
                        level.props(f'title="{_("Find my level")}"')
                    note(about_game(self._game))
            change = ui.element("a").classes("tg-next-game").props(f'href="/new?game={self._game}"')
            change.props(f'title="{_("Choose opponent, board and time")}"')
            with change:
                ui.label(_describe_settings(self._game, self._settings, self._players))
                ui.html(navigation_icon("settings"), sanitize=False)
            with ui.element("div").classes("tg-game-actions"):
                self._play = ui.element("button").classes("tg-main-button").props('type="button"')
                self._play.props(f'aria-label="{_("Play {game}").format(game=title)}"')
                self._play.on("click", self._start, [])
                with self._play:
                    ui.label(_("Play"))
                text_link(_("Learn in two minutes"), f"/learn/{self._game}", "tg-link-button")

    def _level(self) -> str:
        estimate = self._players.suggestion.estimate
        if not estimate.games:
            return _("New to you")
        return _("Your level: {level}").format(level=self._players.suggestion.opponent.level)

    async def _start(self) -> None:
        if self._is_starting:  # a double click
            return
        self._is_starting = True
        self._play.props("disabled")
        try:
            session = await start_game(self._visit, self._game, self._settings, self._players)
        except TengenError as error:
            self._is_starting = False
            self._play.props(remove="disabled")
            show_error(error)
            ui.navigate.to(f"/new?game={self._game}")
            return
        ui.navigate.to(f"/game/{session.id}")


def _build_empty(text: str, link: str, target: str) -> None:
    with ui.element("div").classes("tg-empty"):
        ui.label(text)
        text_link(link, target)


def register(sessions: GameSessions) -> None:
    @add_page(sessions, "/")
    async def start(visit: Visit) -> None:
        lists = await sessions.run_in_thread(_load_lists, visit)
        players = {name: await Players.find(visit, name) for name in games.names()}
        with frame(visit, "", "/", show_title=True), ui.element("div").classes("tg-page tg-home"):
            with ui.element("h1").classes("tg-sr"):
                ui.label(_("Tengen: play, learn and analyse board games"))
            board = HomeBoard(visit)
            with ui.element("div").classes("tg-game-cards"):
                for name in games.names():
                    _GameCard(visit, name, players[name]).build()
            with ui.element("div").classes("tg-home-lists"):
                with card(_("Continue")), ui.element("div").classes("tg-list"):
                    for game in lists.unfinished:
                        list_game(game, f"/game/{game.id}")
                    if not lists.unfinished:
                        text = _("No unfinished games. A game that you leave waits for you here.")
                        _build_empty(text, _("New game"), "/new")
                with card(_("Review")), ui.element("div").classes("tg-list"):
                    for game in lists.finished:
                        list_game(game, f"/analysis/{game.id}")
                    if not lists.finished:
                        text = _("After a game, see here where it was won and lost. You can also paste one.")
                        _build_empty(text, _("Analyse a game"), "/analysis")
        # After the page is sent: opening a game may take a moment.
        context.client.on_connect(partial(board.show, lists.own[0].id if lists.own else None))
