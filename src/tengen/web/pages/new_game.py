"""The page for a new game, in one column: game, opponent, colour, board, time; everything else under *Details*."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, cast

from nicegui import ui

from tengen import games
from tengen.app.chosen_opening import opening_names, read_opening
from tengen.app.lessons import has_lesson
from tengen.core.errors import OptionError, TengenError
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, translate
from tengen.players.config import MAX_OPENING_LENGTH
from tengen.players.player import MAX_NAME_LENGTH, EnginePlayer, Player
from tengen.web.game_sessions import GameSessions
from tengen.web.icons import drawing
from tengen.web.last_settings import Colour, GameSettings, Opponent, last_game, last_settings
from tengen.web.pages.choices import ChoiceButtons, problem_label, show_problem
from tengen.web.pages.clock_choice import ClockChoice, describe_clock
from tengen.web.pages.game_start import OptionProblems, Players, check_options, start_game
from tengen.web.pages.layout import Visit, add_page, page
from tengen.web.pages.opponent_picker import OpponentPicker
from tengen.web.pages.option_fields import OptionFields, size_text
from tengen.web.pages.widgets import button, card, note, show_error, text_link

_OPPONENTS = {
    "engine": mark("Computer"),
    "friend": mark("A friend here"),
    "link": mark("A friend (invite link)"),
}


class Form:
    """The form and the choices made in it."""

    def __init__(self, visit: Visit, game: str, opponent: str = "", handicap: str = "") -> None:
        """`opponent` is the id of an engine player, `handicap` a number of stones: instead of the last choices."""
        self._visit = visit
        self._sessions = visit.sessions
        self._name = game
        self._given = (opponent, handicap)
        self._settings = GameSettings()
        self._players: Players
        self._me: Player | None = None
        self._is_filling = False  # fields are being set by the program

    async def build(self) -> None:
        self._games = ChoiceButtons(_("Game"), self._choose_game, "tg-games tg-games-small")
        for game in games.names():
            self._games.add(game, partial(_build_tile, game), "tg-tile")
        more = {name: _(games.game_class(name).title) for name in games.more_names()}
        chosen = self._name if self._name in more else None
        self._more = ui.select(more, value=chosen, label=_("More games"), on_change=self._choose_more)
        self._more.props("outlined dense options-dense clearable").mark("more-games")
        self._rules = ui.label()  # of these games, which have no lessons
        self._how_to_play = text_link(_("How to play"), "/learn", "tg-link-button tg-how-to-play")
        with card(_("Opponent")):
            self._kinds = ChoiceButtons(_("Opponent"), self._choose_opponent)
            self._kinds.add_texts({value: _(text) for value, text in _OPPONENTS.items()})
            with ui.element("div").classes("tg-stack") as self._engine_part:
                self._picker = OpponentPicker(self._choose_engine)
                self._find_level = text_link(_("Find my level"), "/level/go", "tg-link-button")
                self._others = ui.select({}, label=_("Other engine players"), on_change=self._choose_other)
                self._others.props("outlined dense options-dense clearable").mark("other-engines")
            self._friend = ui.input(_("Your friend's name"), on_change=lambda _event: self._update())
            self._friend.props("outlined dense").style("max-width: 340px")
            self._link_note = note(_("You get a link to send. The game starts when your friend opens it."))
        with card(_("You play")):
            self._colours = ChoiceButtons(_("You play"), self._choose_colour)
        with card() as self._board_card:
            board = ui.element("div").classes("tg-stack")
        with card(_("Time")):
            self._clock = ClockChoice(self._update)
        with card(), ui.expansion(_("Details")).props("dense").classes("tg-details"):
            with ui.element("div").classes("tg-fields"):
                details = ui.element("div").style("display: contents")
                self._as = ui.select({}, label=_("You play as"), on_change=self._choose_me)
                self._as.props("outlined dense options-dense").mark("play-as")
                with ui.element("div"):
                    self._opening = ui.input(
                        _("Opening of the opponent"), on_change=lambda _event: self._update()
                    ).props("outlined dense debounce=400")
                    self._opening.tooltip(_("Moves, or a name; it plays them as long as you follow"))
                    self._opening.mark("opening")
                    self._opening_problem = problem_label()
            self._rated = ui.switch(_("Rated"), on_change=lambda _event: self._update())
            self._rated.tooltip(_("Only between different players, without take-backs and hints"))
            self._ponder = ui.switch(
                _("Opponent thinks during your turn"), on_change=lambda _event: self._update()
            )
        self._options = OptionFields(board, details, self._update)
        with ui.element("div").classes("tg-start-bar"):
            with ui.element("div").classes("tg-grow"):
                self._summary = ui.label("").classes("tg-summary")
                self._problem = problem_label()
            self._start = button(_("Start"), self._begin, main=True).props("size=lg").mark("start")
        await self._choose_game(self._name)

    # ---- choices

    async def _choose_more(self, event: Any) -> None:
        if event.value and event.value != self._name:
            await self._choose_game(event.value)

    async def _choose_game(self, game: str) -> None:
        self._name = game
        is_small = game in self._more.options
        if not is_small:
            self._more.set_value(None)
        self._rules.set_text(_(games.game_class(game).__doc__ or "") if is_small else "")
        self._rules.set_visibility(is_small)
        self._sessions.host.local_host.prefer_kernels(game)
        players = await Players.find(self._visit, game)
        if game != self._name:
            return  # another game was chosen meanwhile
        self._players = players
        settings = last_settings(self._sessions.visitors, self._visit.browser, game)
        opponent, handicap = self._given
        if opponent and any(one.id == opponent for one in self._players.engines):
            settings = replace(settings, opponent="engine", engine=opponent)
        if handicap:
            settings = replace(settings, options={**settings.options, "handicap": handicap})
        self._given = ("", "")
        self._show(settings)

    def _show(self, settings: GameSettings) -> None:
        self._is_filling = True
        self._fill(settings)
        self._is_filling = False
        self._show_opponent()
        self._update()

    def _fill(self, settings: GameSettings) -> None:
        """Show settings in all fields."""
        game, players = self._name, self._players
        self._settings = settings
        self._games.press(game)
        self._kinds.press(settings.opponent)
        engine = players.engine(settings.engine).id
        self._picker.show(players, engine)
        self._find_level.props(f'href="/level/{game}"')
        self._how_to_play.props(f'href="/learn/{game}"').set_visibility(has_lesson(game))
        self._others.set_options({one.id: _other_name(one) for one in players.other_engines})
        self._others.set_visibility(bool(players.other_engines))
        self._others.set_value(engine if engine in self._others.options else None)
        self._friend.set_value(settings.friend)
        first, second = (_(name) for name in games.game_class(game).players)
        self._colours.clear()
        self._colours.add_texts({"first": first, "second": second, "random": _("Random")})
        self._colours.press(settings.colour)
        self._options.show(game, settings.all_options(game))
        self._clock.show(settings.clock)
        self._as.set_options({one.id: one.name for one in players.everyone})
        self._as.set_value(players.me.id)
        self._opening.set_autocomplete(opening_names(game))
        self._opening.set_value(settings.opening)
        self._rated.set_value(settings.rated)
        self._ponder.set_value(settings.ponder)

    def _choose_opponent(self, value: str) -> None:
        self._settings = replace(self._settings, opponent=cast(Opponent, value))
        self._show_opponent()
        self._update()

    def _choose_engine(self, identity: str) -> None:
        self._settings = replace(self._settings, engine=identity)
        self._others.set_value(None)
        self._show_opponent()
        self._update()

    def _choose_other(self, event: Any) -> None:
        if event.value and not self._is_filling:
            self._settings = replace(self._settings, engine=str(event.value))
            self._picker.press(self._settings.engine)
            self._show_opponent()
            self._update()

    def _choose_colour(self, value: str) -> None:
        self._settings = replace(self._settings, colour=cast(Colour, value))
        self._update()

    def _choose_me(self, event: Any) -> None:
        self._me = next((one for one in self._players.everyone if one.id == event.value), None)

    def _show_opponent(self) -> None:
        kind = self._settings.opponent
        self._engine_part.set_visibility(kind == "engine")
        self._friend.set_visibility(kind == "friend")
        self._link_note.set_visibility(kind == "link")
        self._ponder.set_visibility(kind == "engine")
        self._opening.set_visibility(kind == "engine")

    # ---- checking and starting

    def _current(self) -> GameSettings:
        return replace(
            self._settings,
            friend=str(self._friend.value or "").strip()[: MAX_NAME_LENGTH + 1],  # a longer name is refused
            options=self._options.values,
            clock=self._clock.value or "none",
            opening=str(self._opening.value or "").strip()[:MAX_OPENING_LENGTH],
            rated=bool(self._rated.value),
            ponder=bool(self._ponder.value),
        )

    def _update(self) -> bool:
        """Check all fields, show errors next to them, and describe the game beside *Start*."""
        if self._is_filling:
            return False
        settings = self._current()
        problems: dict[str, str] = {}
        try:
            check_options(self._name, settings)
        except OptionProblems as error:
            problems = error.problems
        self._options.show_problems(problems)
        if not problems:
            problems = self._check_opening(settings)
        is_valid = not problems and self._clock.value is not None
        if is_valid:
            show_problem(self._problem, None)
        self._summary.set_text(_summary(self._name, settings, self._players) if is_valid else "")
        return is_valid

    def _check_opening(self, settings: GameSettings) -> dict[str, str]:
        """Show whether the opening can be played; returns its problem."""
        problem = ""
        if settings.opponent == "engine" and settings.opening:
            try:
                read_opening(check_options(self._name, settings), settings.opening)
            except TengenError as error:
                problem = translate(str(error))
        show_problem(self._opening_problem, problem or None)
        return {"opening": problem} if problem else {}

    async def _begin(self) -> None:
        if not self._update():
            show_problem(self._problem, _("Please fix the marked fields"))
            return
        self._start.disable()
        try:
            session = await start_game(
                self._visit, self._name, self._current(), self._players, me=self._me or self._players.me
            )
        except TengenError as error:
            self._start.enable()
            if isinstance(error, OptionError):
                show_problem(self._problem, translate(str(error)))
            else:
                show_error(error)
            return
        ui.navigate.to(f"/game/{session.id}")


def _other_name(player: EnginePlayer) -> str:
    if player.config.adapts:
        return _("{name} – keeps the game close, unrated").format(name=player.name)
    return player.name


def _build_tile(game: str) -> None:
    ui.html(drawing(game), sanitize=False)
    with ui.element("b"):
        ui.label(_(games.game_class(game).title))


def _summary(game: str, settings: GameSettings, players: Players) -> str:
    title = _(games.game_class(game).title)
    size = str(settings.all_options(game).get("size", ""))
    board = f"{title} {size_text(game, size)}" if size else title
    if settings.opponent == "engine":
        text = _("{game} against {opponent}").format(game=board, opponent=players.engine(settings.engine).name)
    elif settings.opponent == "friend":
        text = _("{game} against {opponent}").format(game=board, opponent=players.friend(settings.friend).name)
    else:
        text = _("{game} by invite link").format(game=board)
    return f"{text} · {describe_clock(settings.clock)}"


def register(sessions: GameSessions) -> None:
    @add_page(sessions, "/new")
    async def new(visit: Visit, game: str = "", opponent: str = "", handicap: str = "") -> None:
        name = game if game in games.all_names() else last_game(sessions.visitors, visit.browser)
        with page(visit, _("New game"), "/new"), ui.element("div").classes("tg-one-column"):
            await Form(visit, name if name in games.all_names() else games.names()[0], opponent, handicap).build()
