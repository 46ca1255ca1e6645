"""Built-in opponents of each game, from weak to strong, with their measured strength."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tengen import games
from tengen.core.errors import OptionError
from tengen.players.config import Level
from tengen.players.configure import config_name, configure
from tengen.players.player import EnginePlayer


@dataclass(frozen=True)
class Strength:
    """Elo above the weakest opponent of the game, and mean loss per move in the game's unit, if measured."""

    elo: int
    loss: float | None = None


@dataclass(frozen=True)
class _Opponent:
    """`id` never changes, so that games and ratings stay with their opponent whatever a setting is called."""

    id: str
    engine: str
    level: Level
    settings: Mapping[str, Any] = field(default_factory=dict)
    strength: Strength | None = None

    def player(self) -> EnginePlayer:
        config = configure(self.engine, self.level, **self.settings)
        return EnginePlayer(config_name(config), config, self.id)


_RESIGNS = {"resign": 0.05}

_GENERIC = (
    _Opponent("577f98da-b15b-5be6-9fe9-40afc3b60331", "random", Level(nodes=1)),
    _Opponent("8992890a-a924-56f7-94ee-acfba2e0f538", "flat", Level(nodes=500)),
    _Opponent("c7a3cb8f-4499-5ee6-b283-98d2ea9014e2", "uct", Level(nodes=2000)),
    _Opponent("4ff9fa2c-57e6-58f4-90e8-c31c0dc776bf", "uct", Level(seconds=1.0)),
    _Opponent("c17ceecd-17ab-5811-8b1c-86205192a6be", "uct", Level(seconds=5.0)),
)
# Measured by `tengen calibrate`; error bars are in docs/measurements. Opponents limited by time are not measured:
# their strength depends on the machine.
_BY_GAME: dict[str, tuple[_Opponent, ...]] = {
    "clobber": (
        _Opponent("577f98da-b15b-5be6-9fe9-40afc3b60331", "random", Level(nodes=1)),
        _Opponent("fb5c544a-a0bc-56a3-845f-b932e0af3496", "alphabeta", Level(depth=1)),
        _Opponent("86876a0e-bb24-5f94-aff7-089a4321ccbd", "alphabeta", Level(depth=3)),
        _Opponent("fd1a3096-37df-538b-90f8-26a3ecb96f65", "clobber", Level(seconds=1.0)),
        _Opponent("129943bf-a3e0-50c4-85c6-5f3b67814707", "clobber", Level(seconds=5.0)),
    ),
    "go": (
        _Opponent("577f98da-b15b-5be6-9fe9-40afc3b60331", "random", Level(nodes=1), strength=Strength(0)),
        _Opponent("8992890a-a924-56f7-94ee-acfba2e0f538", "flat", Level(nodes=500), strength=Strength(645)),
        _Opponent("c7a3cb8f-4499-5ee6-b283-98d2ea9014e2", "uct", Level(nodes=2000), strength=Strength(1290)),
        _Opponent(
            "a17ef124-3261-59f5-a8b9-c778138e7359",
            "go",
            Level(nodes=100),
            {"error": 0.15, **_RESIGNS},
            Strength(1470),
        ),
        _Opponent(
            "91d9f380-c0b8-53d0-9a44-67b290811248",
            "go",
            Level(nodes=200),
            {"error": 0.05, **_RESIGNS},
            Strength(1572),
        ),
        _Opponent("3009b997-da49-5f0a-833e-5c982e837fa9", "go", Level(nodes=400), _RESIGNS, Strength(1920)),
        _Opponent("59fc0a34-ddb0-5c55-a5c9-94a5523a0865", "go", Level(nodes=2000), _RESIGNS, Strength(2268)),
        _Opponent("1093b1c6-7a82-5eeb-a958-3949b0433544", "go", Level(nodes=10_000), _RESIGNS, Strength(2493)),
        _Opponent("cdc61e8a-a47b-51f7-9126-593b83b3b6a1", "go", Level(seconds=1.0), _RESIGNS),
        _Opponent("b91c9030-2495-5c8e-9716-ecc7ec33a096", "go", Level(seconds=5.0), _RESIGNS),
    ),
    "pente": (
        _Opponent("577f98da-b15b-5be6-9fe9-40afc3b60331", "random", Level(nodes=1)),
        _Opponent(
            "c0b8f241-e28e-556c-b7c9-79d5c63b43c0", "classic", Level(depth=1), {"vision": 60, "judgement": 60}
        ),
        _Opponent("de98e3a7-b07e-5395-8f28-7edf2235d6b1", "classic", Level(depth=1), {"vision": 70}),
        _Opponent("0970f029-c7e8-59b0-90e4-749d32ba8dfd", "classic", Level(depth=2), {"vision": 80}),
        _Opponent("d445cbff-da1c-5e0e-8283-c94ffd14cd2a", "classic", Level(depth=3), {"vision": 90}),
        _Opponent("64425875-4bca-54aa-bf10-f8e94941d2d3", "classic", Level(depth=4)),
        _Opponent("e99cb402-ece8-565c-88af-fd783df3297d", "classic", Level(depth=6)),
        _Opponent("a69a1b2e-404e-5d12-8dfa-bcf5cf74bbb8", "pente", Level(nodes=20_000)),
        _Opponent("5e5c6b1c-94e6-5213-b107-419cbaac9379", "pente", Level(nodes=200_000)),
        _Opponent("36110798-eadf-5ab9-9757-9afe4ffb195b", "pente", Level(seconds=1.0)),
        _Opponent("2bf2e98d-cde5-5963-8df2-fb63599aac12", "pente", Level(seconds=5.0)),
    ),
    "othello": (
        _Opponent("577f98da-b15b-5be6-9fe9-40afc3b60331", "random", Level(nodes=1), strength=Strength(0, 7.74)),
        _Opponent(
            "3814d25c-6865-5758-b0b8-e3078c438bc0",
            "othello",
            Level(depth=1),
            {"error": 12.0, "greed": 0.5},
            Strength(465, 6.42),
        ),
        _Opponent(
            "b1173a1b-2319-579e-86cf-087122329985",
            "othello",
            Level(depth=1),
            {"error": 6.0, "greed": 0.25},
            Strength(768, 3.82),
        ),
        _Opponent(
            "b5b996e8-c8ae-58cb-a940-dcb085db1684", "othello", Level(depth=2), {"error": 3.0}, Strength(1220, 2.07)
        ),
        _Opponent(
            "f17d4362-ad5f-5dde-8f91-5b38b18d415c", "othello", Level(depth=4), {"error": 1.5}, Strength(1715, 1.28)
        ),
        _Opponent(
            "a1e6dcd6-318d-5633-9994-1b4a0b6bfa19", "othello", Level(depth=6), strength=Strength(2229, 0.45)
        ),
        _Opponent(
            "f36a4882-6a53-5256-9062-658a19756999", "othello", Level(depth=10), strength=Strength(2539, 0.03)
        ),
        _Opponent("2c900651-c0ac-5e28-a104-f6f2d0438bfc", "othello", Level(seconds=1.0)),
        _Opponent("002cbafe-1c31-5613-a1ab-32328de19422", "othello", Level(seconds=5.0)),
    ),
}

CAPTURE_PREFERENCES = {"low": 200, "medium": 300, "high": 400}  # value of a captured stone to a Pente player
MAX_SPEED = 10


def pente_player(
    name: str, *, speed: int = 5, vision: int = 100, book: bool = True, width: int = 9, captures: str = "medium"
) -> EnginePlayer:
    """A Pente player described in everyday terms: the classic engine, slow and deep or fast and shallow.

    `speed` is from 1 to 10, each step costs a ply of depth; `captures` is a key of `CAPTURE_PREFERENCES`.
    """
    if not 1 <= speed <= MAX_SPEED:
        raise OptionError(f"the speed should be from 1 to {MAX_SPEED}, not {speed}")
    if captures not in CAPTURE_PREFERENCES:
        raise OptionError(f"the captures should be {', '.join(CAPTURE_PREFERENCES)}, not {captures!r}")
    settings = {"width": width, "capture": CAPTURE_PREFERENCES[captures]}
    level = Level(depth=MAX_SPEED + 1 - speed)
    return EnginePlayer(name, configure("classic", level, book=book, vision=vision, **settings))


def strengths(game: str) -> dict[str, Strength]:
    """Measured strengths of the built-in opponents by their ids."""
    return {one.id: one.strength for one in _BY_GAME.get(game, ()) if one.strength is not None}


def opponents(game: str) -> tuple[EnginePlayer, ...]:
    """The built-in opponents of a game, from weak to strong, with the same ids in every process."""
    games.game_class(game)  # raises for an unknown game
    return _players(game.lower())


@functools.cache
def _players(game: str) -> tuple[EnginePlayer, ...]:
    return tuple(one.player() for one in _BY_GAME.get(game, _GENERIC))
