"""Built-in opponents of each game, from weak to strong, with their measured ratings."""

from __future__ import annotations

import functools
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tengen import games
from tengen.core.errors import OptionError
from tengen.core.translation import mark
from tengen.players.config import ADAPTIVE, EngineConfig
from tengen.players.configure import config_name, configure, configured
from tengen.players.opponent_tables import (
    AVATARS,
    FORMER,
    GENERIC_IDS,
    GENERIC_LEVELS,
    LEVELS,
    MEASURED,
    FormerEntry,
)
from tengen.players.player import MAX_NAME_LENGTH, EnginePlayer
from tengen.players.syntax import parse_config
from tengen.search.limits import Limits

CAPTURE_PREFERENCES = {
    mark("low"): 200,
    mark("medium"): 300,
    mark("high"): 400,
}  # value of a captured stone to a Pente player
MAX_SPEED = 10
DEFAULT_GAME = "othello"  # that front ends suggest
DEFAULT_LEVEL = 3  # of the opponent that front ends suggest to newcomers
TEACHER_NAME = "Sensei"
TEACHER_NODES = 2000
DEMO_LEVELS = 3  # demos show the strongest levels
_IDS = uuid.UUID("2f1f3a49-7c1a-5b0e-9a53-5d2f7a0f6c11")  # namespace of the ids of levels


@dataclass(frozen=True)
class Opponent:
    """A built-in opponent: a level of a game with a name, a picture and a character.

    `character` is one line in English, translated where it is shown. `avatar` is a key of `web.avatars`.
    `rating` and `rating_error` (half the 95 % interval) are Elo on the scale of the game, None if not measured;
    `loss` is the mean loss per move in the game's unit. `details` describes the engine configuration.
    """

    level: int
    player: EnginePlayer
    character: str
    avatar: str
    rating: int | None
    rating_error: int | None
    loss: float | None
    details: str

    @property
    def name(self) -> str:
        return self.player.name

    @property
    def id(self) -> str:
        return self.player.id


def levels(game: str) -> tuple[Opponent, ...]:
    """The built-in opponents of a game, from weak to strong, with the same ids in every process."""
    games.game_class(game)  # raises for an unknown game
    return _levels(game.lower())


def opponents(game: str) -> tuple[EnginePlayer, ...]:
    """The built-in opponents of a game as players, from weak to strong."""
    return tuple(opponent.player for opponent in levels(game))


def opponent_with_id(game: str, identity: str) -> Opponent | None:
    """The built-in opponent of a game that has this player id."""
    return next((opponent for opponent in levels(game) if opponent.id == identity), None)


@functools.cache
def built_in_opponent(identity: str) -> Opponent | None:
    """The built-in opponent with this player id, of any game."""
    return next((opponent for opponent in _all_levels() if opponent.id == identity), None)


def built_in_players() -> Iterator[EnginePlayer]:
    """The built-in opponents of all games, also those of earlier versions."""
    yield from (opponent.player for opponent in _all_levels())
    yield from (player for game in FORMER for player in _former(game))
    yield from (teacher(game) for game in LEVELS)


def default_opponent(game: str) -> EnginePlayer:
    """The opponent that front ends suggest to newcomers."""
    return levels(game)[DEFAULT_LEVEL - 1].player


@functools.cache
def teacher(game: str) -> EnginePlayer:
    """The opponent that keeps games close. Its games are not rated."""
    identity = str(uuid.uuid5(_IDS, f"{game.lower()} teacher"))
    return EnginePlayer(TEACHER_NAME, configured(EngineConfig(ADAPTIVE, Limits(nodes=TEACHER_NODES))), identity)


def with_opening(player: EnginePlayer, opening: str) -> EnginePlayer:
    """The same player with a chosen opening, as a player of its own: it may be stronger or weaker with it."""
    name = f"{player.name} ({opening})"
    shown = name if len(name) <= MAX_NAME_LENGTH else f"{name[: MAX_NAME_LENGTH - 2]}…)"
    identity = str(uuid.uuid5(_IDS, f"{player.id} opening {opening}"))
    return EnginePlayer(shown, replace(player.config, opening=opening), identity)


def demo_opponents(game: str) -> tuple[EnginePlayer, ...]:
    """The strong opponents that play in demos."""
    return opponents(game)[-DEMO_LEVELS:]


def former_opponents(game: str) -> tuple[EnginePlayer, ...]:
    """The built-in opponents of earlier versions, from weak to strong. Stored games and ratings refer to them."""
    games.game_class(game)
    return _former(game.lower())


def hint_player(game: str) -> EnginePlayer:
    """The engine that gives hints: full strength, one second per move."""
    return (former_opponents(game) or opponents(game))[-2]


def analysis_player(game: str) -> EnginePlayer:
    """The engine that analyses and reviews: full strength, five seconds per position."""
    return (former_opponents(game) or opponents(game))[-1]


def pente_player(
    name: str, *, speed: int = 5, vision: int = 100, book: bool = True, width: int = 9, captures: str = "medium"
) -> EnginePlayer:
    """A Pente player described in everyday terms: the classic engine, slow and deep or fast and shallow.

    `speed` is from 1 to 10, each step costs a ply of depth; `captures` is a key of `CAPTURE_PREFERENCES`.
    """
    if not 1 <= speed <= MAX_SPEED:
        raise OptionError(
            mark("the speed should be from 1 to {max_speed}, not {speed}").format(max_speed=MAX_SPEED, speed=speed)
        )
    if captures not in CAPTURE_PREFERENCES:
        raise OptionError(
            mark("the captures should be {choices}, not {captures!r}").format(
                choices=", ".join(CAPTURE_PREFERENCES), captures=captures
            )
        )
    settings = {"width": width, "capture": CAPTURE_PREFERENCES[captures]}
    limits = Limits(depth=MAX_SPEED + 1 - speed)
    return EnginePlayer(name, configure("classic", limits, book=book, vision=vision, **settings))


def _all_levels() -> Iterator[Opponent]:
    """The opponents of all games. Loads no game: that of a plugin may be broken."""
    return (opponent for game in (*LEVELS, "") for opponent in _levels(game))


@functools.cache
def _levels(game: str) -> tuple[Opponent, ...]:
    entries = LEVELS.get(game, GENERIC_LEVELS)
    strengths = MEASURED.get(game, (None,) * len(entries))
    found = []
    for index, (entry, strength) in enumerate(zip(entries, strengths, strict=True)):
        config = configured(parse_config(entry.config))
        identity = str(uuid.uuid5(_IDS, f"{game} level {index + 1}")) if game in LEVELS else GENERIC_IDS[index]
        found.append(
            Opponent(
                level=index + 1,
                player=EnginePlayer(entry.name, config, identity),
                character=entry.character,
                avatar=AVATARS[index * (len(AVATARS) - 1) // max(1, len(entries) - 1)],
                rating=strength and strength.rating,
                rating_error=strength and strength.error,
                loss=strength and strength.loss,
                details=config_name(config),
            )
        )
    return tuple(found)


@functools.cache
def _former(game: str) -> tuple[EnginePlayer, ...]:
    return tuple(_former_player(entry) for entry in FORMER.get(game, ()))


def _former_player(entry: FormerEntry) -> EnginePlayer:
    config = configured(parse_config(entry.config))
    return EnginePlayer(config_name(config), config, entry.id)
