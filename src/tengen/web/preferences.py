"""What a person sets once and finds again: kept for each browser."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

from tengen.web.visitor_cache import VisitorCache

Theme = Literal["auto", "light", "dark"]
Confirm = Literal["never", "touch", "always"]


@dataclass(frozen=True)
class Options:
    """`depth` is how many moves of a running search are shown; `lines` and `seconds` are for analysis."""

    theme: Theme = "auto"
    confirm: Confirm = "touch"
    sound: bool = True
    coordinates: bool = True
    numbers: bool = False
    dots: bool = True
    letters: bool = False
    depth: int = 0
    lines: int = 3
    seconds: int = 10
    music: bool = False
    volume: int = 40
    name: str = ""

    @classmethod
    def of(cls, memory: VisitorCache, browser: str) -> Options:
        """Those of a browser; what is not set, or was written by another version, is as usual."""
        usual, known = asdict(cls()), memory.options(browser)
        return cls(**{**usual, **{name: known[name] for name in usual if _fits(cls, name, known.get(name))}})

    def board(self) -> dict[str, Any]:
        """What the board component is told of them."""
        return {
            "confirm": self.confirm,
            "sound": self.sound,
            "coordinates": self.coordinates,
            "numbers": self.numbers,
            "dots": None if self.dots else False,
            "letters": self.letters,
        }


_CHOICES = {"theme": get_args(Theme), "confirm": get_args(Confirm)}
RANGES = {"depth": (0, 12), "lines": (1, 10), "seconds": (1, 600), "volume": (0, 100)}


def _fits(kind: type[Options], name: str, value: Any) -> bool:
    if name in _CHOICES:
        return value in _CHOICES[name]
    usual: Any = next(field.default for field in fields(kind) if field.name == name)
    if type(value) is not type(usual):
        return False
    low, high = RANGES.get(name, (0, 80))
    return not isinstance(usual, int) or isinstance(usual, bool) or low <= value <= high
