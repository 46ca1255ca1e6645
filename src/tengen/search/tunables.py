"""The numbers that an engine can be tuned by, each declared in one place with its range."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tengen.core.errors import OptionError


@dataclass(frozen=True)
class Tunable:
    """A number (or a switch, if the default is a bool) from `low` to `high`.

    `megabytes` marks an amount of memory, which whoever runs the engine may cut down.
    """

    name: str
    default: int | float | bool
    low: float
    high: float
    help: str
    megabytes: bool = False

    def check(self, value: Any) -> int | float | bool:
        """The value as a number of the right kind, from a number or its text. Raises `OptionError`."""
        kind = type(self.default)
        try:
            if kind is bool:
                number: int | float | bool = {"true": True, "yes": True, "on": True, "1": True}.get(
                    str(value).lower(), False
                )
                if not number and str(value).lower() not in ("false", "no", "off", "0"):
                    raise ValueError
            else:
                number = kind(value)
                if not isinstance(value, str) and number != value:
                    raise ValueError
        except (TypeError, ValueError, OverflowError):
            raise OptionError(f"{self.name} should be {self._range()}, not {value!r}") from None
        if not self.low <= number <= self.high:
            raise OptionError(f"{self.name} should be {self._range()}, not {value!r}")
        return number

    def _range(self) -> str:
        if isinstance(self.default, bool):
            return "yes or no"
        what = "a whole number" if isinstance(self.default, int) else "a number"
        return f"{what} from {self.low:g} to {self.high:g}"


def settle(owner: str, tunables: Sequence[Tunable], given: Mapping[str, Any]) -> dict[str, Any]:
    """A value for every tunable: what is given, checked, and the defaults for the rest."""
    known = {tunable.name: tunable for tunable in tunables}
    for name in given:
        if name not in known:
            raise OptionError(f"{owner} has no setting {name!r}; it has: {', '.join(known) or 'none'}")
    return {
        name: tunable.check(given[name]) if name in given else tunable.default for name, tunable in known.items()
    }


VISION = Tunable("vision", 100, 60, 100, "the share of candidate moves that the engine sees, in per cent")
JUDGEMENT = Tunable("judgement", 100, 60, 100, "how true its values are, in per cent")
"""What a player may be weak in: engines that know how declare these as their weaknesses."""
