"""Declarations of engine settings: name, default and range of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from tengen.core.errors import OptionError
from tengen.core.translation import mark

Number: TypeAlias = int | float | bool


@dataclass(frozen=True)
class Tunable:
    """A numeric setting from `low` to `high`, or a switch if the default is a bool.

    `megabytes` marks an amount of memory, which the worker that runs the engine may reduce.
    `former_names` are still accepted, so that stored settings and old command lines keep working.
    """

    name: str
    default: Number
    low: float
    high: float
    help: str
    megabytes: bool = False
    former_names: tuple[str, ...] = ()

    def check(self, value: Any) -> Number:
        """Convert a number or its text to the type of the default. Raises `OptionError`."""
        kind = type(self.default)
        try:
            if kind is bool:
                number: Number = {"true": True, "yes": True, "on": True, "1": True}.get(str(value).lower(), False)
                if not number and str(value).lower() not in ("false", "no", "off", "0"):
                    raise ValueError
            else:
                number = kind(value)
                if not isinstance(value, str) and number != value:
                    raise ValueError
        except (TypeError, ValueError, OverflowError):
            raise OptionError(
                mark("{name} should be {range}, not {value!r}").format(
                    name=self.name, range=self._range(), value=value
                )
            ) from None
        if not self.low <= number <= self.high:
            raise OptionError(
                mark("{name} should be {range}, not {value!r}").format(
                    name=self.name, range=self._range(), value=value
                )
            )
        return number

    def _range(self) -> str:
        if isinstance(self.default, bool):
            return mark("yes or no")
        what = mark("a whole number") if isinstance(self.default, int) else mark("a number")
        return mark("{what} from {low:g} to {high:g}").format(what=what, low=self.low, high=self.high)


def write_number(value: Number) -> str:
    """Short text that differs for different numbers."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(int(value)) if abs(value) < 1e15 and value == int(value) else repr(value)


def with_current_names(owner: str, tunables: Sequence[Tunable], given: Mapping[str, Any]) -> dict[str, Any]:
    """`given` with each former name replaced by the current one. Unknown names stay as they are.

    Raises `OptionError` if a setting is given under two of its names.
    """
    current = {former: tunable.name for tunable in tunables for former in tunable.former_names}
    renamed: dict[str, Any] = {}
    for name, value in given.items():
        now = current.get(name, name)
        if now in renamed:
            raise OptionError(
                mark("{owner}: {now!r} is given twice, also under its former name").format(owner=owner, now=now)
            )
        renamed[now] = value
    return renamed


def settle(owner: str, tunables: Sequence[Tunable], given: Mapping[str, Any]) -> dict[str, Any]:
    """A value for every tunable: the given one, checked, or the default. Former names are accepted."""
    known = {tunable.name: tunable for tunable in tunables}
    given = with_current_names(owner, tunables, given)
    for name in given:
        if name not in known:
            raise OptionError(f"{owner} has no setting {name!r}; it has: {', '.join(known) or 'none'}")
    return {
        name: tunable.check(given[name]) if name in given else tunable.default for name, tunable in known.items()
    }


# Deliberate weaknesses of a player. Engines that support one list it in `Engine.weaknesses`.
VISION = Tunable("vision", 100, 60, 100, mark("percentage of candidate moves that the engine considers"))
JUDGEMENT = Tunable("judgement", 100, 60, 100, mark("accuracy of its evaluation, in per cent"))
