"""The few things that make a player of Pente, read back from its settings: so that an editor can show them."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from tengen.players.opponents import CAPTURE_PREFERENCES, FASTEST, edited_player
from tengen.players.player import EngineConfig, EnginePlayer


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
        return edited_player(name, **asdict(self))

    @classmethod
    def of(cls, config: EngineConfig) -> Features | None:
        """Those of a player; None if it has settings that they do not tell of."""
        if config.engine != "classic" or config.level.depth is None or not 1 <= config.level.depth <= FASTEST:
            return None
        settings = dict(config.settings)
        liking = {stones: name for name, stones in CAPTURE_PREFERENCES.items()}.get(
            int(settings.get("capture", 300))
        )
        if liking is None:
            return None
        width = int(settings.get("width", 9))
        found = cls(FASTEST + 1 - config.level.depth, config.vision, config.book, width, liking)
        return found if found.player("x").config == config else None
