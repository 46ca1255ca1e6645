"""The settings with which a visitor last started a game of each kind, and those offered the first time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

from tengen.app.game_options import options_of
from tengen.core.errors import OptionError
from tengen.play.time_control import TimeControl
from tengen.players.opponents import DEFAULT_GAME
from tengen.web.visitor_cache import VisitorCache

Opponent = Literal["engine", "friend", "link"]
Colour = Literal["first", "second", "random"]
_FOR_NEWCOMERS: dict[str, dict[str, str]] = {"go": {"size": "9"}, "pente": {"size": "13"}}
_KEY, _GAME_KEY = "last_game_{}", "last_game"
_LONGEST_TEXT = 5000


@dataclass(frozen=True)
class GameSettings:
    """How to start a game.

    `opponent` is the kind of opponent: an engine, a friend at the same screen or a friend by invite link. `engine`
    is the id of the engine player, empty for the one that suits the visitor; `friend` is a name. `colour` is the
    visitor's side, by the order of moves. `opening` are moves that the engine is to play. `options` are options of
    the game; missing ones have their defaults.
    """

    opponent: Opponent = "engine"
    engine: str = ""
    friend: str = ""
    colour: Colour = "first"
    options: dict[str, str | bool] = field(default_factory=dict)
    clock: str = "none"
    opening: str = ""
    rated: bool = True
    ponder: bool = False

    def all_options(self, game: str) -> dict[str, str | bool]:
        """The options of the game with defaults for missing ones."""
        return {option.name: self.options.get(option.name, option.default) for option in options_of(game)}


def first_settings(game: str) -> GameSettings:
    """The settings for somebody who never played this game here."""
    return GameSettings(options={**_FOR_NEWCOMERS.get(game, {})})


def last_settings(visitors: VisitorCache, visitor_id: str, game: str) -> GameSettings:
    """The settings with which the visitor last started this game; invalid values are replaced by defaults."""
    stored = visitors.options(visitor_id).get(_KEY.format(game))
    return _read(game, stored) if isinstance(stored, Mapping) else first_settings(game)


def last_game(visitors: VisitorCache, visitor_id: str) -> str:
    """The game that the visitor started last, or the one suggested to newcomers."""
    name = visitors.options(visitor_id).get(_GAME_KEY)
    return name if isinstance(name, str) else DEFAULT_GAME


def remember_settings(visitors: VisitorCache, visitor_id: str, game: str, settings: GameSettings) -> None:
    visitors.set_options(visitor_id, **{_KEY.format(game): asdict(settings), _GAME_KEY: game})


def _read(game: str, stored: Mapping[str, Any]) -> GameSettings:
    usual = first_settings(game)
    given = stored.get("options")
    known = {option.name: option for option in options_of(game)}
    options = {
        name: value
        for name, value in (given.items() if isinstance(given, Mapping) else ())
        if name in known and type(value) is type(known[name].default) and len(str(value)) <= _LONGEST_TEXT
    }

    def choice(name: str, allowed: tuple[str, ...]) -> Any:
        return stored.get(name) if stored.get(name) in allowed else getattr(usual, name)

    def text(name: str) -> str:
        value = stored.get(name)
        return value if isinstance(value, str) and len(value) <= 100 else ""

    return GameSettings(
        opponent=choice("opponent", get_args(Opponent)),
        engine=text("engine"),
        friend=text("friend"),
        colour=choice("colour", get_args(Colour)),
        options={**usual.options, **options},
        clock=_valid_clock(text("clock")),
        opening=text("opening"),
        rated=stored.get("rated") is not False,
        ponder=stored.get("ponder") is True,
    )


def _valid_clock(text: str) -> str:
    try:
        return str(TimeControl.parse(text or "none"))
    except OptionError:
        return "none"
