"""The search space of tuning: some tunables of an engine, each with a range that is mapped to the scale from 0
to 1.

Methods work with points of the unit cube. Whole numbers and switches are rounded, so several points may give the
same configuration.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from tengen.core.errors import OptionError
from tengen.engines import registry
from tengen.players.config import EngineConfig
from tengen.search.tunables import Number, Tunable, with_current_names

Point: TypeAlias = tuple[float, ...]


@dataclass(frozen=True)
class Parameter:
    """A tunable and its range; with `log` on a logarithmic scale, on which 0 counts as 1."""

    tunable: Tunable
    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        name = self.tunable.name
        if not self.tunable.low <= self.low < self.high <= self.tunable.high:
            allowed = f"{self.tunable.low:g}..{self.tunable.high:g}"
            raise OptionError(f"{name} is tuned within {allowed}, not {self.low:g}..{self.high:g}")
        if self.log and self.low < 0:
            raise OptionError(f"{name}: a logarithmic scale has no negative numbers")
        if self.from_unit(0.0) == self.from_unit(1.0):
            raise OptionError(f"{name} has only one value within {self.low:g}..{self.high:g}")

    @classmethod
    def parse(cls, text: str, tunables: Sequence[Tunable]) -> Parameter:
        """`rave`, `rave=100..5000` or `rave=100..5000:log`."""
        name, _, span = text.partition("=")
        known = {tunable.name: tunable for tunable in tunables}
        name = next(iter(with_current_names("tuning", tunables, {name: span})))
        if name not in known:
            raise OptionError(f"there is no setting {name!r} to tune; there are: {', '.join(known) or 'none'}")
        tunable = known[name]
        span, _, scale = span.partition(":")
        low, dots, high = span.partition("..") if span else (str(tunable.low), "..", str(tunable.high))
        try:
            if not dots or scale not in ("", "log"):
                raise ValueError
            return cls(tunable, float(low), float(high), scale == "log")
        except ValueError:
            raise OptionError(
                f"a parameter is written as rave=100..5000 or rave=100..5000:log, not {text!r}"
            ) from None

    def to_unit(self, value: Number) -> float:
        """The position of a value on the scale, clipped to 0 and 1."""
        low, high, at = (self._scaled(one) for one in (self.low, self.high, float(value)))
        return min(1.0, max(0.0, (at - low) / (high - low)))

    def from_unit(self, at: float) -> Number:
        """The value at a position on the scale."""
        low, high = self._scaled(self.low), self._scaled(self.high)
        value = low + min(1.0, max(0.0, at)) * (high - low)
        if self.log:
            value = math.exp(value) - (1 if self.low < 1 else 0)
        value = min(self.high, max(self.low, value))
        kind = type(self.tunable.default)
        if kind is bool:
            return at >= 0.5
        return round(value) if kind is int else float(f"{value:.4g}")

    @property
    def resolution(self) -> float:
        """The smallest change on the scale that changes the value."""
        if isinstance(self.tunable.default, bool):
            return 1.0
        return 1 / (self.high - self.low) if isinstance(self.tunable.default, int) and not self.log else 0.0

    def _scaled(self, value: float) -> float:
        return math.log(value + (1 if self.low < 1 else 0)) if self.log else value

    def __str__(self) -> str:
        return self.write({})

    def write(self, names: Mapping[str, str]) -> str:
        """The text that `parse` reads, with other names of the settings in `names`."""
        name = names.get(self.tunable.name, self.tunable.name)
        return f"{name}={self.low:g}..{self.high:g}{':log' if self.log else ''}"


@dataclass(frozen=True)
class Space:
    """A configuration and the parameters of it that are tuned."""

    config: EngineConfig
    parameters: tuple[Parameter, ...]

    def __post_init__(self) -> None:
        if not self.parameters:
            raise OptionError("there is nothing to tune")
        names = [parameter.tunable.name for parameter in self.parameters]
        if len(set(names)) < len(names):
            raise OptionError("each setting can be tuned only once")

    @classmethod
    def from_config(cls, config: EngineConfig, words: Iterable[str] = ()) -> Space:
        """The space of the named tunables, by default all except memory sizes."""
        if config.program is not None:
            raise OptionError("external programs have no settings that can be tuned")
        tunables = registry.engine_class(config.engine).tunables
        named = list(words) or [tunable.name for tunable in tunables if not tunable.megabytes]
        return cls(config, tuple(Parameter.parse(word, tunables) for word in named))

    def start(self) -> Point:
        """The point of the configuration itself."""
        settings = self.with_current_names(dict(self.config.settings))
        return tuple(parameter.to_unit(settings[parameter.tunable.name]) for parameter in self.parameters)

    def values(self, point: Point) -> dict[str, Number]:
        """The values of the parameters at a point, by name."""
        return {
            parameter.tunable.name: parameter.from_unit(at)
            for parameter, at in zip(self.parameters, point, strict=True)
        }

    def at(self, point: Point) -> EngineConfig:
        """The configuration at a point; at the start exactly the given one."""
        if point == self.start():
            return self.config
        settings = {**self.with_current_names(dict(self.config.settings)), **self.values(point)}
        return replace(self.config, settings=tuple(sorted(settings.items())))

    def with_current_names(self, settings: Mapping[str, Number]) -> dict[str, Number]:
        """Settings of the engine with current names in place of former ones."""
        tunables = registry.engine_class(self.config.engine).tunables
        return with_current_names(self.config.engine, tunables, settings)
