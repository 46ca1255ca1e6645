"""Players: people and engines, their settings and rating histories."""

from __future__ import annotations

from functools import partial
from typing import Any

from fastapi import Request
from nicegui import ui

from tengen import games
from tengen.app.pente_player_settings import PentePlayerSettings
from tengen.core.errors import OptionError, TengenError
from tengen.engines import registry
from tengen.players.config import THREADS, WEAKNESS_STEP_PERCENT, EngineConfig, Level
from tengen.players.configure import config_name, configure
from tengen.players.player import EnginePlayer, Person, Player
from tengen.search.tunables import JUDGEMENT, VISION, Tunable, with_current_names
from tengen.store.ratings import Rating, RatingChange
from tengen.web.elements import Graph
from tengen.web.game_sessions import GameSessions
from tengen.web.pages.layout import (
    PAGE_TIMEOUT_S,
    Visit,
    button,
    card,
    page,
    show_error,
    show_message,
    show_unavailable,
)
from tengen.web.permissions import check_edit, may_add_players, may_edit_player, save_player

_PER_CENT = list(range(100, 55, -WEAKNESS_STEP_PERCENT))


class Editor:
    """The editor of an engine player. Games already played keep their settings."""

    def __init__(self, visit: Visit, player: EnginePlayer | None) -> None:
        self._sessions = visit.sessions
        self._visitor = visit.visitor
        self._player = player
        self._config = player.config if player is not None else configure("uct", Level(seconds=1.0))
        self._engine = self._config.engine
        self._fields: dict[str, Any] = {}

    def build(self) -> None:
        config = self._config
        with card("Player"), ui.element("div").classes("tg-columns"):
            self._name = ui.input("Name", value=self._player.name if self._player else "").props(
                'outlined dense hint="empty: generated from the settings"'
            )
            labels = {name: f"{name}: {registry.engine_class(name).summary}" for name in registry.names()}
            labels.setdefault(self._engine, self._engine)
            choose = ui.select(labels, label="Engine", value=self._engine, on_change=self._choose)
            choose.props("outlined dense options-dense")
            if config.program is not None:
                choose.disable()
        with card("Strength"), ui.element("div").classes("tg-columns"):
            level = config.level
            for name, value, hint in (
                ("seconds", level.seconds, "per move; set at least one of these three limits"),
                ("nodes", level.nodes, "positions or playouts per move"),
                ("depth", level.depth, "search depth in moves, if the engine supports it"),
            ):
                self._fields[name] = ui.input(name.capitalize(), value=_text(value)).props(
                    f'outlined dense hint="{hint}"'
                )
            for weakness in (VISION, JUDGEMENT):
                self._fields[weakness.name] = ui.select(
                    _PER_CENT, label=f"{weakness.name.capitalize()} %", value=getattr(config, weakness.name)
                ).props(f'outlined dense options-dense hint="{weakness.help}"')
            self._fields["book"] = ui.switch("Uses the opening book", value=config.book)
        with card("Advanced"):
            self._advanced = ui.element("div").classes("tg-columns")
            self._show_advanced(dict(config.settings))
        with ui.element("div").classes("tg-row"):
            button("Save", self._save, "save", main=True)
            button("Back", lambda: ui.navigate.to("/players"))

    def _choose(self, event: Any) -> None:
        self._engine = event.value
        self._show_advanced({})

    def _show_advanced(self, settings: dict[str, Any]) -> None:
        self._advanced.clear()
        is_built_in = self._engine in registry.names()
        tunables = (THREADS, *(registry.engine_class(self._engine).tunables if is_built_in else ()))
        settings = with_current_names(self._engine, tunables, settings)
        self._tunables = {}
        with self._advanced:
            for tunable in tunables:
                value = self._config.threads if tunable is THREADS else settings.get(tunable.name, tunable.default)
                self._tunables[tunable.name] = (tunable, self._tunable(tunable, value))

    def _tunable(self, tunable: Tunable, value: Any) -> Any:
        if isinstance(tunable.default, bool):
            return ui.switch(f"{tunable.name}: {tunable.help}", value=bool(value))
        hint = f"{tunable.low:g} to {tunable.high:g}: {tunable.help}".replace('"', "'")
        return ui.input(tunable.name, value=_text(value)).props(f'outlined dense hint="{hint}"')

    def _read(self) -> EnginePlayer:
        """The player described by the fields. Raises `OptionError`."""
        numbers: dict[str, Any] = {}
        for name, kind in (("seconds", float), ("nodes", int), ("depth", int)):
            text = str(self._fields[name].value or "").strip()
            try:
                numbers[name] = kind(text) if text else None
            except ValueError:
                raise OptionError(f"{name} should be a number, not {text!r}") from None
        settings: dict[str, Any] = {
            name: tunable.check(field.value) for name, (tunable, field) in self._tunables.items()
        }
        threads = int(settings.pop("threads"))
        common: dict[str, Any] = {
            "book": bool(self._fields["book"].value),
            "vision": int(self._fields["vision"].value),
            "judgement": int(self._fields["judgement"].value),
            "threads": threads,
        }
        if self._config.program is not None or self._engine not in registry.names():
            old = self._config
            config = EngineConfig(old.engine, Level(**numbers), old.settings, program=old.program, **common)
            config.level.check_machine_limits()
        else:
            config = configure(self._engine, Level(**numbers), **common, **settings)
        name = str(self._name.value or "").strip() or config_name(config)
        return EnginePlayer(name, config) if self._player is None else EnginePlayer(name, config, self._player.id)

    async def _save(self) -> None:
        try:
            player = self._read()
            await self._sessions.run_in_thread(save_player, self._sessions.store, self._visitor, player)
        except TengenError as error:
            show_error(error)
            return
        ui.navigate.to("/players")


def _text(value: object) -> str:
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _rating_graph(history: list[RatingChange]) -> None:
    ratings = [change.skill.rating for change in history]
    low, high = min(ratings) - 20, max(ratings) + 20
    values = [
        {
            "ply": index,
            "share": round(2 * (rating - low) / (high - low) - 1, 3),
            "mark": "",
            "text": f"{history[index].time:%Y-%m-%d}: {rating:.0f}",
        }
        for index, rating in enumerate(ratings)
    ]
    data = {"length": len(values), "values": values, "at": None}
    Graph(data, "The rating over time", lambda given: _to_game(history, given))
    ui.label(
        f"{ratings[-1]:.0f} after {len(ratings)} rated games, from {low + 20:.0f} to {high - 20:.0f}"
    ).classes("tg-quiet")


def _to_game(history: list[RatingChange], given: dict[str, Any]) -> None:
    index = given.get("ply")
    if isinstance(index, int) and 0 <= index < len(history):
        ui.navigate.to(f"/analysis/{history[index].game_id}")


class Players:
    """The list of players."""

    def __init__(self, visit: Visit) -> None:
        self._sessions = visit.sessions
        self._visitor = visit.visitor

    async def build(self) -> None:
        store = self._sessions.store
        players = await self._sessions.run_in_thread(store.players)
        ratings: dict[str, list[Rating]] = {}
        for game in games.names():
            for rating in await self._sessions.run_in_thread(store.ratings, game):
                ratings.setdefault(rating.player, []).append(rating)
        with ui.element("div").classes("tg-columns"):
            with card("People"):
                self._list([player for player in players if isinstance(player, Person)], ratings)
                if may_add_players(self._visitor):
                    with ui.element("div").classes("tg-row"):
                        name = ui.input("Name").props("outlined dense").mark("person")
                        button("Add a person", lambda: self._add(name.value), "person_add", main=True)
            with card("Engines"):
                self._list([player for player in players if isinstance(player, EnginePlayer)], ratings)
                if may_add_players(self._visitor):
                    with ui.element("div").classes("tg-row"):
                        button("New engine player", lambda: ui.navigate.to("/players/new"), "add", main=True)
                        button("New Pente player", lambda: ui.navigate.to("/pente"), "add")
                ui.label(
                    "Built-in opponents are offered with every new game, and listed here after their first game."
                )

    def _list(self, players: list[Any], ratings: dict[str, list[Rating]]) -> None:
        if not players:
            ui.label("None yet").classes("tg-quiet")
        with ui.element("div").classes("tg-list"):
            for player in players:
                with ui.element("a").classes("tg-item").props(f'href="/players/{player.id}"'):
                    ui.icon("person" if isinstance(player, Person) else "memory", size="20px", color="primary")
                    with ui.element("span").classes("tg-grow"):
                        ui.label(player.name)
                    if player.id in ratings:
                        with ui.element("span").classes("tg-row tg-tags"):
                            for rating in ratings[player.id]:
                                with ui.element("span").classes("tg-tag"):
                                    ui.label(f"{rating.game} {rating.skill.rating:.0f}")

    async def _add(self, name: str) -> None:
        try:
            await self._sessions.run_in_thread(
                save_player, self._sessions.store, self._visitor, Person((name or "").strip())
            )
        except TengenError as error:
            show_error(error)
            return
        ui.navigate.to("/players")


async def _show_player(visit: Visit, player: Player) -> None:
    sessions, store = visit.sessions, visit.sessions.store

    async def rename(name: str) -> None:
        try:
            await sessions.run_in_thread(check_edit, store, visit.visitor, player.id)
            await sessions.run_in_thread(store.rename_player, player.id, (name or "").strip())
            show_message("Renamed")
        except TengenError as error:
            show_error(error)

    async def remove() -> None:
        try:
            await sessions.run_in_thread(check_edit, store, visit.visitor, player.id)
            await sessions.run_in_thread(store.remove_player, player.id)
        except TengenError as error:
            show_error(error)
            return
        ui.navigate.to("/players")

    for game in games.names():
        history = await sessions.run_in_thread(store.rating_history, player.id, game)
        if history:
            with card(f"Rating in {games.game_class(game).title}"):
                _rating_graph(history)
    if not may_edit_player(visit.visitor, await sessions.run_in_thread(store.player_owner, player.id)):
        ui.label("Only its owner can change this player.").classes("tg-quiet")
        return
    if isinstance(player, EnginePlayer):
        if PentePlayerSettings.from_config(player.config) is not None:
            ui.link("Edit as a Pente player", f"/pente?player={player.id}#player")
        Editor(visit, player).build()
    else:
        with card("Name"), ui.element("div").classes("tg-row"):
            field = ui.input("Name", value=player.name).props("outlined dense")
            button("Rename", lambda: rename(field.value), "edit", main=True)
    with ui.element("div").classes("tg-row"):
        button("Remove from the list", partial(remove), "delete")


def register(sessions: GameSessions) -> None:
    @ui.page("/players", response_timeout=PAGE_TIMEOUT_S)
    async def players(request: Request) -> None:
        visit = Visit.from_request(sessions, request)
        with page(visit, "Players", "/players"):
            await Players(visit).build()

    @ui.page("/players/new", response_timeout=PAGE_TIMEOUT_S)
    async def new(request: Request) -> None:
        visit = Visit.from_request(sessions, request)
        with page(visit, "New engine player", "/players"):
            if may_add_players(visit.visitor):
                Editor(visit, None).build()
            else:
                ui.label("Only the owner of this server can add players.")

    @ui.page("/players/{player_id}", response_timeout=PAGE_TIMEOUT_S)
    async def one(request: Request, player_id: str) -> None:
        visit = Visit.from_request(sessions, request)
        try:
            player = await sessions.run_in_thread(sessions.store.player, player_id)
        except TengenError as error:
            show_unavailable(visit, error)
            return
        with page(visit, player.name, "/players"):
            await _show_player(visit, player)
