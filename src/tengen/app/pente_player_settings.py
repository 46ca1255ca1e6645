"""The few things that make a player of Pente, read back from its settings: so that an editor can show them."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from tengen.players.config import EngineConfig
from tengen.players.opponents import CAPTURE_PREFERENCES, MAX_SPEED, pente_player
from tengen.players.player import EnginePlayer


@dataclass(frozen=True)
class Features:
    """As `tengen pente player` takes them."""

    speed: int = 5
    vision: int = 100
    book: bool = True
    width: int = 9
    captures: str = "medium"

    def player(self, name: str) -> EnginePlayer:
        """Raises `OptionError` for what no player can have."""
        return pente_player(name, **asdict(self))

    @classmethod
    def of(cls, config: EngineConfig) -> Features | None:
        """Those of a player; None if it has settings that they do not tell of."""
        if config.engine != "classic" or config.level.depth is None or not 1 <= config.level.depth <= MAX_SPEED:
            return None
        settings = dict(config.settings)
        liking = {stones: name for name, stones in CAPTURE_PREFERENCES.items()}.get(
            int(settings.get("capture", 300))
        )
        if liking is None:
            return None
        width = int(settings.get("width", 9))
        found = cls(MAX_SPEED + 1 - config.level.depth, config.vision, config.book, width, liking)
        return found if found.player("x").config == config else None
