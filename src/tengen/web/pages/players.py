"""Players: people and engines, their settings and rating histories."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from nicegui import ui

from tengen import games
from tengen.app.pente_player_settings import PentePlayerSettings
from tengen.app.player_form import (
    FIELD_NAMES,
    LIMIT_FIELDS,
    PERCENTAGES,
    read_player_form,
    setting_fields,
    write_field,
)
from tengen.core.errors import OptionError
from tengen.core.locale_format import day, number
from tengen.core.translation import gettext as _
from tengen.core.translation import ngettext, translate
from tengen.engines import registry
from tengen.players.configure import config_name, configure
from tengen.players.opponents import levels
from tengen.players.player import EnginePlayer, Person, Player
from tengen.search.limits import Limits
from tengen.search.tunables import JUDGEMENT, VISION
from tengen.store.listing import Filter
from tengen.store.ratings import Rating, RatingChange
from tengen.web.elements import Graph
from tengen.web.game_sessions import GameSessions
from tengen.web.pages.game_tiles import list_game
from tengen.web.pages.layout import Visit, add_page, page
from tengen.web.pages.player_face import build_avatar, build_face, rating_text
from tengen.web.pages.widgets import button, card, errors_shown, heading, note, prop_text, show_message, text_link
from tengen.web.permissions import check_edit, may_add_players, may_edit_player, save_player

LISTED_GAMES = 8  # of a player


class Editor:
    """The editor of an engine player. Games already played keep their settings."""

    def __init__(self, visit: Visit, player: EnginePlayer | None) -> None:
        self._sessions = visit.sessions
        self._visitor = visit.visitor
        self._player = player
        self._config = player.config if player is not None else configure("uct", Limits(seconds=1.0))
        self._engine = self._config.engine
        self._fields: dict[str, Any] = {}

    def build(self) -> None:
        config = self._config
        with card(_("Player")), ui.element("div").classes("tg-columns"):
            self._name = ui.input(_("Name"), value=self._player.name if self._player else "").props(
                f'outlined dense hint="{_("empty: generated from the settings")}"'
            )
            labels = {name: f"{name}: {_(registry.engine_class(name).summary)}" for name in registry.names()}
            labels.setdefault(self._engine, self._engine)
            choose = ui.select(labels, label=_("Engine"), value=self._engine, on_change=self._choose)
            choose.props("outlined dense options-dense")
            if config.program is not None:
                choose.disable()
        with card(_("Strength")), ui.element("div").classes("tg-columns"):
            for name, hint in LIMIT_FIELDS.items():
                text = write_field(getattr(config.limits, name))
                self._fields[name] = ui.input(_(FIELD_NAMES[name]), value=text).props(
                    f'outlined dense hint="{_(hint)}"'
                )
            for weakness in (VISION, JUDGEMENT):
                self._fields[weakness.name] = ui.select(
                    list(PERCENTAGES),
                    label=f"{_(FIELD_NAMES[weakness.name])} %",
                    value=getattr(config, weakness.name),
                ).props(f'outlined dense options-dense hint="{_(weakness.help)}"')
            self._fields["book"] = ui.switch(_("Uses the opening book"), value=config.book)
        with card(_("Advanced")):
            self._advanced = ui.element("div").classes("tg-columns")
            self._show_advanced()
        with ui.element("div").classes("tg-row"):
            button(_("Save"), self._save, "save", main=True)
            button(_("Back"), lambda: ui.navigate.to("/players"))

    def _choose(self, event: Any) -> None:
        self._engine = event.value
        self._show_advanced()

    def _show_advanced(self) -> None:
        self._advanced.clear()
        self._settings: dict[str, Any] = {}
        with self._advanced:
            for field in setting_fields(self._engine, self._config):
                name = field.tunable.name
                if isinstance(field.value, bool):
                    self._settings[name] = ui.switch(f"{name}: {translate(field.help)}", value=field.value)
                else:
                    made = ui.input(name, value=write_field(field.value))
                    self._settings[name] = made.props(f'outlined dense hint="{prop_text(translate(field.help))}"')

    def _read(self) -> EnginePlayer:
        """The player described by the fields. Raises `OptionError`."""
        config, problems = read_player_form(
            self._config,
            self._engine,
            {name: str(self._fields[name].value or "") for name in LIMIT_FIELDS},
            {name: field.value for name, field in self._settings.items()},
            book=bool(self._fields["book"].value),
            **{name: int(self._fields[name].value) for name in ("vision", "judgement")},
        )
        if config is None:
            raise OptionError("; ".join(map(translate, problems.values())))
        name = str(self._name.value or "").strip() or config_name(config)
        return EnginePlayer(name, config) if self._player is None else EnginePlayer(name, config, self._player.id)

    async def _save(self) -> None:
        with errors_shown():
            player = self._read()
            await self._sessions.run_in_thread(save_player, self._sessions.store, self._visitor, player)
            ui.navigate.to("/players")


def _rating_graph(history: list[RatingChange]) -> None:
    ratings = [change.skill.rating for change in history]
    low, high = min(ratings) - 20, max(ratings) + 20
    values = [
        {
            "ply": index,
            "share": round(2 * (rating - low) / (high - low) - 1, 3),
            "mark": "",
            "text": f"{day(history[index].time)}: {number(rating)}",
        }
        for index, rating in enumerate(ratings)
    ]
    data = {"length": len(values), "values": values, "at": None}
    Graph(data, _("The rating over time"), lambda given: _to_game(history, given))
    note(
        ngettext(
            "{rating} after {count} rated game",
            "{rating} after {count} rated games, from {low} to {high}",
            len(ratings),
        ).format(rating=number(ratings[-1]), count=len(ratings), low=number(low + 20), high=number(high - 20))
    )


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
            with card(_("People")):
                people = [player for player in players if isinstance(player, Person)]
                self._list(people, ratings, _("None yet. You are added with your first game."))
                if may_add_players(self._visitor):
                    with ui.element("div").classes("tg-row"):
                        name = ui.input(_("Name")).props("outlined dense").mark("person")
                        button(_("Add a person"), lambda: self._add(name.value), "person_add", main=True)
            with card(_("Engines")):
                engines = [player for player in players if isinstance(player, EnginePlayer)]
                self._list(engines, ratings, _("None yet. The built-in opponents are listed below."))
                if may_add_players(self._visitor):
                    with ui.element("div").classes("tg-row"):
                        button(_("New engine player"), lambda: ui.navigate.to("/players/new"), "add", main=True)
                        button(_("New Pente player"), lambda: ui.navigate.to("/pente"), "add")
                        if self._visitor.is_owner and self._sessions.arena.allow_programs:
                            target = "/players/program"
                            button(_("Add an external engine"), lambda: ui.navigate.to(target), "memory")
        self._build_levels()

    def _build_levels(self) -> None:
        """The built-in opponents of every game."""
        heading(_("Built-in opponents"), 2)
        with ui.element("div").classes("tg-columns tg-narrow"):
            for game in games.names():
                with card(_(games.game_class(game).title)), ui.element("div").classes("tg-list"):
                    for opponent in levels(game):
                        target = f"/new?game={game}&opponent={opponent.id}"
                        with ui.element("a").classes("tg-item").props(f'href="{target}"'):
                            build_avatar(opponent.avatar)
                            with ui.element("span").classes("tg-grow"):
                                ui.label(opponent.name).style("font-weight: 600")
                                with ui.element("small"):
                                    ui.label(f"{rating_text(opponent)} · {_(opponent.character)}")

    def _list(self, players: Sequence[Player], ratings: dict[str, list[Rating]], if_empty: str) -> None:
        if not players:
            note(if_empty)
        with ui.element("div").classes("tg-list"):
            for player in players:
                with ui.element("a").classes("tg-item").props(f'href="/players/{player.id}"'):
                    build_face(player)
                    with ui.element("span").classes("tg-grow"):
                        ui.label(player.name)
                    if player.id in ratings:
                        with ui.element("span").classes("tg-row tg-tags"):
                            for rating in ratings[player.id]:
                                with ui.element("span").classes("tg-tag"):
                                    ui.label(
                                        f"{_(games.game_class(rating.game).title)} {number(rating.skill.rating)}"
                                    )

    async def _add(self, name: str) -> None:
        with errors_shown():
            await self._sessions.run_in_thread(
                save_player, self._sessions.store, self._visitor, Person((name or "").strip())
            )
            ui.navigate.to("/players")


async def _show_player(visit: Visit, player: Player) -> None:
    sessions, store = visit.sessions, visit.sessions.store

    async def rename(name: str) -> None:
        with errors_shown():
            await sessions.run_in_thread(check_edit, store, visit.visitor, player.id)
            await sessions.run_in_thread(store.rename_player, player.id, (name or "").strip())
            show_message(_("Renamed"))

    async def remove() -> None:
        with errors_shown():
            await sessions.run_in_thread(check_edit, store, visit.visitor, player.id)
            await sessions.run_in_thread(store.remove_player, player.id)
            ui.navigate.to("/players")

    with ui.element("div").classes("tg-columns"):
        for game in games.names():
            history = await sessions.run_in_thread(store.rating_history, player.id, game)
            if history:
                with card(_("Rating in {game}").format(game=_(games.game_class(game).title))):
                    _rating_graph(history)
        played = await sessions.run_in_thread(
            store.list_games, Filter(player=player.id), order="changed", limit=LISTED_GAMES
        )
        with card(_("Latest games")), ui.element("div").classes("tg-list"):
            for one in played.games:
                list_game(one, f"/analysis/{one.id}" if one.finished else f"/game/{one.id}")
            if not played.games:
                with ui.element("div").classes("tg-empty"):
                    ui.label(_("No games yet."))
                    text_link(_("New game"), "/new")
    if not may_edit_player(visit.visitor, await sessions.run_in_thread(store.player_owner, player.id)):
        note(_("Only its owner can change this player."))
        return
    if isinstance(player, EnginePlayer):
        if PentePlayerSettings.from_config(player.config) is not None:
            ui.link(_("Edit as a Pente player"), f"/pente?player={player.id}#player")
        Editor(visit, player).build()
    else:
        with card(_("Name")), ui.element("div").classes("tg-row"):
            field = ui.input(_("Name"), value=player.name).props("outlined dense")
            button(_("Rename"), lambda: rename(field.value), "edit", main=True)
    with ui.element("div").classes("tg-row"):
        button(_("Remove from the list"), partial(remove), "delete")


def register(sessions: GameSessions) -> None:
    @add_page(sessions, "/players")
    async def players(visit: Visit) -> None:
        with page(visit, _("Players"), "/players"):
            await Players(visit).build()

    @add_page(sessions, "/players/new")
    async def new(visit: Visit) -> None:
        with page(visit, _("New engine player"), "/players"):
            if may_add_players(visit.visitor):
                Editor(visit, None).build()
            else:
                ui.label(_("Only the owner of this server can add players."))

    @add_page(sessions, "/players/{player_id}")
    async def one(visit: Visit, player_id: str) -> None:
        player = await sessions.run_in_thread(sessions.store.player, player_id)
        with page(visit, player.name, "/players"):
            await _show_player(visit, player)
