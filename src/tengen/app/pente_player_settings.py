"""The few settings that define a Pente player, read back from an engine configuration for an editor."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from tengen.players.config import EngineConfig
from tengen.players.opponents import CAPTURE_PREFERENCES, MAX_SPEED, pente_player
from tengen.players.player import EnginePlayer


@dataclass(frozen=True)
class PentePlayerSettings:
    """Settings as `tengen pente player` takes them."""

    speed: int = 5
    vision: int = 100
    book: bool = True
    width: int = 9
    captures: str = "medium"

    def to_player(self, name: str) -> EnginePlayer:
        """Raises `OptionError` for values out of range."""
        return pente_player(name, **asdict(self))

    @classmethod
    def from_config(cls, config: EngineConfig) -> PentePlayerSettings | None:
        """The settings of a player; None if its configuration differs in other settings."""
        if config.engine != "classic" or config.limits.depth is None or not 1 <= config.limits.depth <= MAX_SPEED:
            return None
        settings = dict(config.settings)
        capture_preference = {stones: name for name, stones in CAPTURE_PREFERENCES.items()}.get(
            int(settings.get("capture", 300))
        )
        if capture_preference is None:
            return None
        width = int(settings.get("width", 9))
        found = cls(MAX_SPEED + 1 - config.limits.depth, config.vision, config.book, width, capture_preference)
        return found if found.to_player("x").config == config else None
