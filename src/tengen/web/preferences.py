"""Preferences of a visitor: language, theme, board, sound, analysis."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

from tengen.core.translation import LANGUAGES
from tengen.web.visitor_cache import VisitorCache

Theme = Literal["auto", "light", "dark"]
Confirm = Literal["never", "touch", "always"]
BoardTheme = Literal["classic", "night", "contrast", "paper"]
AUTOMATIC = "auto"  # the browser's language


@dataclass(frozen=True)
class Preferences:
    """`rotation` is in quarter turns clockwise; `preview` shows what a move captures before it is made.

    `depth` moves of a running search are shown on the board; `lines` and `seconds` are for analysis.
    """

    theme: Theme = "auto"
    confirm: Confirm = "touch"
    sound: bool = True
    coordinates: bool = True
    numbers: bool = False
    dots: bool = True
    letters: bool = False
    board_theme: BoardTheme = "classic"
    preview: bool = True
    rotation: int = 0
    depth: int = 0
    lines: int = 3
    seconds: int = 10
    music: bool = False
    volume: int = 40
    name: str = ""
    language: str = AUTOMATIC

    @classmethod
    def load(cls, visitors: VisitorCache, visitor_id: str) -> Preferences:
        """A visitor's preferences; values that are missing or invalid are replaced by the defaults."""
        defaults, stored = asdict(cls()), visitors.options(visitor_id)
        return cls(
            **{**defaults, **{name: stored[name] for name in defaults if _is_valid(cls, name, stored.get(name))}}
        )

    def board_config(self) -> dict[str, Any]:
        """The configuration of the board component."""
        return {
            "confirm": self.confirm,
            "sound": self.sound,
            "coordinates": self.coordinates,
            "numbers": self.numbers,
            "dots": None if self.dots else False,
            "letters": self.letters,
            "theme": self.board_theme,
            "preview": self.preview,
            "rotation": self.rotation,
        }


_CHOICES = {
    "theme": get_args(Theme),
    "confirm": get_args(Confirm),
    "board_theme": get_args(BoardTheme),
    "language": (AUTOMATIC, *LANGUAGES),
}
RANGES = {"rotation": (0, 3), "depth": (0, 12), "lines": (1, 10), "seconds": (1, 600), "volume": (0, 100)}


def _is_valid(kind: type[Preferences], name: str, value: Any) -> bool:
    if name in _CHOICES:
        return value in _CHOICES[name]
    default: Any = next(field.default for field in fields(kind) if field.name == name)
    if type(value) is not type(default):
        return False
    low, high = RANGES.get(name, (0, 80))
    return not isinstance(default, int) or isinstance(default, bool) or low <= value <= high
