"""Ready-made opponents for each game, from weak to strong, and players made by the few things that people set."""

from __future__ import annotations

import functools
import uuid
from dataclasses import dataclass
from typing import Any

from tengen import games
from tengen.core.errors import OptionError
from tengen.players.player import EngineConfig, EnginePlayer, Level, likeness

_FAMILY = uuid.UUID("6f2b1d0e-5f0c-4d6e-9a55-2b7d8f7f2c11")  # ids are made from this and the likeness

# (engine, level, settings). Alpha-beta where the game's own evaluation tells enough, else Monte-Carlo.
_Row = tuple[str, Level, dict[str, Any]]
_ANY_GAME: tuple[_Row, ...] = (
    ("random", Level(nodes=1), {}),
    ("flat", Level(nodes=500), {}),
    ("uct", Level(nodes=2000), {}),
    ("uct", Level(seconds=1.0), {}),
    ("uct", Level(seconds=5.0), {}),
)
_GIVES_UP = {"resign": 0.05}
_BY_GAME: dict[str, tuple[_Row, ...]] = {
    "clobber": (
        ("random", Level(nodes=1), {}),
        ("alphabeta", Level(depth=1), {}),
        ("alphabeta", Level(depth=3), {}),
        ("clobber", Level(seconds=1.0), {}),
        ("clobber", Level(seconds=5.0), {}),
    ),
    "go": (
        ("random", Level(nodes=1), {}),
        ("flat", Level(nodes=500), {}),
        ("uct", Level(nodes=2000), {}),
        ("go", Level(nodes=100), {"error": 0.15, **_GIVES_UP}),
        ("go", Level(nodes=200), {"error": 0.05, **_GIVES_UP}),
        ("go", Level(nodes=400), _GIVES_UP),
        ("go", Level(nodes=2000), _GIVES_UP),
        ("go", Level(nodes=10_000), _GIVES_UP),
        ("go", Level(seconds=1.0), _GIVES_UP),
        ("go", Level(seconds=5.0), _GIVES_UP),
    ),
    "pente": (
        ("random", Level(nodes=1), {}),
        ("classic", Level(depth=1), {"vision": 60, "judgement": 60}),
        ("classic", Level(depth=1), {"vision": 70}),
        ("classic", Level(depth=2), {"vision": 80}),
        ("classic", Level(depth=3), {"vision": 90}),
        ("classic", Level(depth=4), {}),
        ("classic", Level(depth=6), {}),
        ("pente", Level(nodes=20_000), {}),
        ("pente", Level(nodes=200_000), {}),
        ("pente", Level(seconds=1.0), {}),
        ("pente", Level(seconds=5.0), {}),
    ),
    "othello": (
        ("random", Level(nodes=1), {}),
        ("othello", Level(depth=1), {"error": 12.0, "greed": 0.5}),
        ("othello", Level(depth=1), {"error": 6.0, "greed": 0.25}),
        ("othello", Level(depth=2), {"error": 3.0}),
        ("othello", Level(depth=4), {"error": 1.5}),
        ("othello", Level(depth=6), {}),
        ("othello", Level(depth=10), {}),
        ("othello", Level(seconds=1.0), {}),
        ("othello", Level(seconds=5.0), {}),
    ),
}


@dataclass(frozen=True)
class Strength:
    """Elo over the weakest opponent of the game; and what a move loses on the mean, in the game's own unit."""

    elo: int
    loss: float | None = None  # not where it was judged too roughly


# Measured by `tengen calibrate`: see docs/measurements/othello.md and go.md. Opponents that search for a time
# are not measured: their strength depends on the machine.
_MEASURED: dict[str, tuple[Strength, ...]] = {
    "othello": (
        Strength(0, 7.74),
        Strength(465, 6.42),
        Strength(768, 3.82),
        Strength(1220, 2.07),
        Strength(1715, 1.28),
        Strength(2229, 0.45),
        Strength(2539, 0.03),
    ),
    "go": tuple(Strength(elo) for elo in (0, 645, 1290, 1470, 1572, 1920, 2268, 2493)),
}


CAPTURE_PREFERENCES = {"low": 200, "medium": 300, "high": 400}
"""What a captured stone is worth to players of Pente who like to capture more or less."""
FASTEST = 10


def edited_player(
    name: str, *, speed: int = 5, vision: int = 100, book: bool = True, width: int = 9, captures: str = "medium"
) -> EnginePlayer:
    """A player of Pente by the few things that people set: the classic player, slow and deep or fast and shallow.

    `speed` is from 1 to 10, a ply of depth less each; `captures` one of the preferences.
    """
    if not 1 <= speed <= FASTEST:
        raise OptionError(f"the speed should be from 1 to {FASTEST}, not {speed}")
    if captures not in CAPTURE_PREFERENCES:
        raise OptionError(f"the captures should be {', '.join(CAPTURE_PREFERENCES)}, not {captures!r}")
    settings = {"width": width, "capture": CAPTURE_PREFERENCES[captures]}
    level = Level(depth=FASTEST + 1 - speed)
    return EnginePlayer(name, EngineConfig.create("classic", level, book=book, vision=vision, **settings))


def strengths(game: str) -> dict[str, Strength]:
    """What was measured of the ready-made opponents, from the weakest up, by their ids."""
    players = opponents(game)
    return {player.id: strength for player, strength in zip(players, _MEASURED.get(game, ()), strict=False)}


def opponents(game: str) -> tuple[EnginePlayer, ...]:
    """The ready-made opponents for a game. The same opponent has the same id in every game and at every start."""
    games.game_class(game)  # for its error
    return _ready_made(game.lower())


@functools.cache
def _ready_made(game: str) -> tuple[EnginePlayer, ...]:
    found = []
    for engine, level, settings in _BY_GAME.get(game, _ANY_GAME):
        player = EnginePlayer.of(EngineConfig.create(engine, level, **settings))
        found.append(EnginePlayer(player.name, player.config, str(uuid.uuid5(_FAMILY, likeness(player)))))
    return tuple(found)
