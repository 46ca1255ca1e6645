"""The page for a new game: game, rules, players, clock."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

from fastapi import Request
from nicegui import ui

from tengen import games
from tengen.app.game_options import options_of, read_options
from tengen.core.errors import OptionError, TengenError
from tengen.core.game import Game
from tengen.core.game_option import GameOption
from tengen.play.player_lookup import candidates
from tengen.play.time_control import TimeControl
from tengen.players.opponents import opponents
from tengen.players.player import Person, Player
from tengen.web.game_sessions import GameSessions
from tengen.web.icons import drawing
from tengen.web.pages.layout import (
    PAGE_TIMEOUT_S,
    PREPARING_BOARD,
    Visit,
    button,
    card,
    chip,
    page,
    prop_text,
    show_error,
)
from tengen.web.permissions import add_person, check_players, may_play_as

BY_LINK = "by link"
_LEVEL_NAMES = (
    "Beginner", "Easy", "Casual", "Intermediate", "Club player", "Strong", "Expert", "Master", "Maximum",
)  # fmt: skip
_CLOCKS = ("none", "5m+3s", "10m", "10m+3x30s", "30s/move")
_FIRST = {"one": "Player 1", "two": "Player 2", "lot": "Random"}


class Form:
    """The form and the choices made in it."""

    def __init__(self, visit: Visit, game: str) -> None:
        self._visit = visit
        self._sessions = visit.sessions
        self._name = game
        self._given: dict[str, str | bool] = {}
        self._fields: dict[str, Any] = {}
        self._players: list[Player] = []
        self._chosen: list[str] = ["", ""]
        self._first = "one"
        self._time = "none"
        self._rated = True
        self._ponder = False

    async def build(self) -> None:
        with ui.element("div").classes("tg-games"):
            self._tiles = {}
            for game in games.names():
                tile = ui.element("button").classes("tg-tile").props('type="button"')
                tile.on("click", partial(self._choose, game), [])
                with tile:
                    ui.html(drawing(game), sanitize=False)
                    with ui.element("b"):
                        ui.label(games.game_class(game).title)
                self._tiles[game] = tile
        with ui.element("div").classes("tg-columns"):
            with card("Rules"):
                self._rules = ui.element("div").style("display: flex; flex-direction: column; gap: 10px")
            with card("Players"):
                self._seats = ui.element("div").style("display: flex; flex-direction: column; gap: 10px")
                with ui.element("div").classes("tg-row"):
                    ui.label("First move:")
                    ui.toggle(
                        _FIRST, value="one", on_change=lambda event: setattr(self, "_first", event.value)
                    ).props("no-caps unelevated toggle-color=primary")
                button("New person", self._new_person, "person_add")
            with card("Time"):
                self._clock = ui.input("Time", value="none", on_change=self._check_time).props(
                    'outlined dense hint="For example 5m+3s: 5 min + 3 s per move"'
                )
                with ui.element("div").classes("tg-row"):
                    for text in _CLOCKS:
                        chip(text, partial(self._clock.set_value, text))
                ui.switch(
                    "Rated", value=True, on_change=lambda event: setattr(self, "_rated", event.value)
                ).tooltip("Only between different players, without take-backs and hints")
                ui.switch(
                    "Opponent thinks during your turn",
                    on_change=lambda event: setattr(self, "_ponder", event.value),
                )
        with ui.element("div").classes("tg-row"):
            self._start = button("Start", self._begin, "play_arrow", main=True).props("size=lg").mark("start")
            self._waiting = ui.label("").classes("tg-quiet")
        await self._choose(self._name)

    async def _choose(self, game: str) -> None:
        self._name = game
        for name, tile in self._tiles.items():
            tile.classes(add="tg-picked" if name == game else "", remove="" if name == game else "tg-picked")
        self._given = {option.name: option.default for option in options_of(game)}
        self._rules.clear()
        with self._rules:
            for option in options_of(game):
                self._fields[option.name] = self._field(option)
        self._players = await self._find_players()
        self._show_seats()

    async def _find_players(self) -> list[Player]:
        """All engines, and the people that the visitor may play as."""
        store, visitor = self._sessions.store, self._visit.visitor
        found = await self._sessions.run_in_thread(candidates, store, self._name)
        owners = await self._sessions.run_in_thread(store.player_owners)
        allowed = [
            one for one in found if may_play_as(visitor, one, owners.get(one.id), is_stored=one.id in owners)
        ]
        if any(isinstance(one, Person) for one in allowed):
            return allowed
        return [Person(self._visit.name), *allowed]

    def _field(self, option: GameOption) -> Any:
        def changed(event: Any) -> None:
            self._given[option.name] = (
                event.value if isinstance(event.value, bool) else str(event.value or "").strip()
            )
            self._check()

        if option.choices:
            field: Any = ui.select(
                list(option.choices), label=option.label, value=option.default, on_change=changed
            )
            return field.props("outlined dense options-dense")
        if isinstance(option.default, bool):
            return ui.switch(option.label, value=option.default, on_change=changed)
        field = ui.input(option.label, value=option.default, on_change=changed).props("outlined dense")
        if option.help:
            field.props(f'hint="{option.help}"')
        if option.suggestions:
            with ui.element("div").classes("tg-row"):
                for value in option.suggestions:
                    chip(value, partial(field.set_value, value))
        return field

    def _show_seats(self, newcomer: str = "") -> None:
        built_in = [player.id for player in opponents(self._name)]
        labels = {player.id: _label(player, built_in) for player in self._players}
        me = next(
            (player for player in self._players if player.name.casefold() == self._visit.name.casefold()), None
        )
        people = [player for player in self._players if isinstance(player, Person)]
        engines = [player for player in self._players if not isinstance(player, Person)]
        default = [(me or people[0]).id, engines[min(2, len(engines) - 1)].id]
        for side, identity in enumerate(self._chosen):
            if identity not in labels and identity != BY_LINK:
                self._chosen[side] = default[side]
        if newcomer:
            self._chosen[1] = newcomer
        labels[BY_LINK] = "🔗 A friend (invite link)"
        self._seats.clear()
        with self._seats:
            for side in (0, 1):

                def changed(event: Any, side: int = side) -> None:
                    self._chosen[side] = event.value

                ui.select(labels, label=f"Player {side + 1}", value=self._chosen[side], on_change=changed).props(
                    "outlined dense options-dense"
                ).mark(f"player-{side + 1}")

    def _check(self) -> Game | None:
        game, problems = read_options(self._name, self._given)
        for name, field in self._fields.items():
            if isinstance(field, ui.input):
                problem = problems.get(name)
                field.props(
                    f'error error-message="{prop_text(problem)}"' if problem else "",
                    remove="" if problem else "error",
                )
        if game is None and "" in problems:
            show_error(problems[""])
        return game

    def _check_time(self) -> TimeControl | None:
        try:
            control = TimeControl.parse(self._clock.value)
        except OptionError as error:
            self._clock.props(f'error error-message="{prop_text(str(error))}"')
            return None
        self._clock.props(remove="error")
        return control

    async def _new_person(self) -> None:
        with ui.dialog() as dialog, ui.card():
            name = ui.input("Name").props("autofocus outlined dense")
            with ui.row():
                button("Add", lambda: dialog.submit(name.value), main=True)
                button("Cancel", lambda: dialog.submit(None))
        name.on("keydown.enter", lambda: dialog.submit(name.value))
        answer = await dialog
        if answer:
            try:
                person = Person(answer.strip())
                await self._sessions.run_in_thread(add_person, self._sessions.store, self._visit.visitor, person)
            except TengenError as error:
                show_error(error)
                return
            self._players = await self._find_players()
            self._show_seats(person.id)

    async def _begin(self) -> None:
        game, control = self._check(), self._check_time()
        if game is None or control is None:
            show_error("Please fix the marked fields")
            return
        if self._chosen == [BY_LINK, BY_LINK]:
            show_error("Only one player can be invited: choose yourself or an engine for the other side")
            return
        known = {player.id: player for player in self._players}
        one, two = (known.get(identity) or Person("Guest") for identity in self._chosen)
        swap = self._first == "two" or (self._first == "lot" and random.random() < 0.5)
        order = (1, 0) if swap else (0, 1)
        guest = next((side for side in (0, 1) if self._chosen[order[side]] == BY_LINK), None)
        invited = None if guest is None else (two, one)[guest] if swap else (one, two)[guest]
        self._start.disable()
        self._waiting.set_text(PREPARING_BOARD)
        try:
            await self._sessions.run_in_thread(
                check_players, self._sessions.store, self._visit.visitor, (one, two), invited
            )
            session = await self._sessions.create(
                game,
                (two, one) if swap else (one, two),
                self._visit.browser,
                control=control,
                rated=self._rated,
                ponder=self._ponder,
                invited_side=guest,
            )
        except TengenError as error:
            show_error(error)
            self._start.enable()
            self._waiting.set_text("")
            return
        ui.navigate.to(f"/game/{session.id}")


def _label(player: Player, built_in: list[str]) -> str:
    """The label of a player in the list; built-in opponents are labelled by strength."""
    if player.id in built_in:
        index = built_in.index(player.id)
        name = _LEVEL_NAMES[index * (len(_LEVEL_NAMES) - 1) // max(1, len(built_in) - 1)]
        return f"Level {index + 1} · {name} ({player.name})"
    return f"☺ {player.name}" if isinstance(player, Person) else player.name


def register(sessions: GameSessions) -> None:
    @ui.page("/new", response_timeout=PAGE_TIMEOUT_S)
    async def new(request: Request, game: str = "othello") -> None:
        visit = Visit.from_request(sessions, request)
        with page(visit, "New game", "/new"):
            await Form(visit, game if game in games.names() else "othello").build()
