"""The engine that somebody chose: which one, how strong, with which settings; else the default of the game."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tengen.core.errors import OptionError
from tengen.core.game import Game
from tengen.engines import registry
from tengen.players.player import EngineConfig, Level
from tengen.search.engine import Engine

USUAL = Level(seconds=1.0)

_PART = re.compile(r"(?:(?P<seconds>\d{1,9}(?:\.\d{1,9})?)s|(?P<nodes>\d{1,12})nodes?|depth(?P<depth>\d{1,9}))")


def read_level(text: str) -> Level:
    """`1s`, `500nodes`, `depth4`, or several with commas, whichever comes first."""
    values: dict[str, Any] = {}
    for part in "".join(text.lower().split()).split(","):
        found = _PART.fullmatch(part)
        name = found.lastgroup if found else None
        if found is None or name is None or name in values:
            raise OptionError(f"a level is written as 1s, 500nodes, depth4 or 2s,500nodes, not {text!r}")
        values[name] = float(found[name]) if name == "seconds" else int(found[name])
    return Level(**values)


@dataclass(frozen=True)
class Choice:
    """An engine as a user chose it on the command line. Without a level a clock decides, or USUAL."""

    engine: str = ""  # the default of the game that is played
    level: Level | None = None
    threads: int = 1
    seed: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)

    def name_for(self, game: Game) -> str:
        """The engine's name. Raises `OptionError` if it does not play this game."""
        if self.engine:
            registry.check(self.engine, game)
        return self.engine or registry.default_engine(game)

    def create(self, game: Game, **others: Any) -> Engine:
        """The engine; of `others`, settings that the other program gave, it takes those that it has."""
        name = self.name_for(game)
        known = {tunable.name for tunable in registry.engine_class(name).tunables}
        fitting = {setting: value for setting, value in others.items() if setting in known}
        return registry.create(name, seed=self.seed, threads=self.threads, **{**self.settings, **fitting})

    def config(self, game: Game) -> EngineConfig:
        """The engine as a player."""
        level = USUAL if self.level is None else self.level
        return EngineConfig.create(self.name_for(game), level, threads=self.threads, **self.settings)
