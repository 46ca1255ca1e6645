"""The engine behind a protocol: which one, how strong, and how long it thinks about a move."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tengen.core.compiled.cache import announcing
from tengen.core.errors import OptionError
from tengen.core.position import Position
from tengen.search.engine import Engine, OnProgress
from tengen.search.engines import create
from tengen.search.limits import Limits, StopFlag
from tengen.search.report import Report
from tengen.search.warm import prepare
from tengen.store.players import Level

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
    """What a user chose on the command line. Without a level the other program's clock decides, or USUAL."""

    engine: str
    level: Level | None = None
    threads: int = 1
    seed: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)

    def create(self, **others: Any) -> Engine:
        """The engine; `others` are settings that the other program gave."""
        return create(self.engine, seed=self.seed, threads=self.threads, **{**self.settings, **others})


class Thinker:
    """An engine that lasts as long as its game; a new game gets a fresh one."""

    def __init__(self, choice: Choice) -> None:
        self.choice = choice
        self._others: dict[str, Any] = {}
        self.engine = choice.create()

    def forget(self) -> None:
        """A new game: nothing that the engine learned in the last one."""
        self.engine = self.choice.create(**self._others)

    def set(self, **settings: Any) -> None:
        """Settings from the other program; those that this engine does not have are left out."""
        known = {tunable.name: tunable for tunable in self.engine.tunables}
        fitting = {name: known[name].check(value) for name, value in settings.items() if name in known}
        self._others.update(fitting)
        self.forget()

    def set_threads(self, threads: int) -> None:
        """As many of them as the engine can use."""
        self.choice = replace(self.choice, threads=max(1, min(threads, self.engine.most_threads)))
        self.forget()

    def own_limits(self, *, timed: bool = False) -> Limits:
        """What the user's level allows; where another program keeps the time, nothing if there is no level."""
        if self.choice.level is not None:
            return self.choice.level.limits()
        return Limits() if timed else USUAL.limits()

    def warm_up(self, position: Position) -> None:
        """Compile what a game from here needs, by an engine of its own; say so if it takes long."""
        told: list[str] = []

        def tell(kernel: str) -> None:
            if not told:
                print("tengen: compiling for this machine, once; this takes a minute", file=sys.stderr, flush=True)
            told.append(kernel)

        with announcing(tell):
            prepare(self.choice.create(), position)

    def search(
        self, position: Position, limits: Limits, stop: StopFlag, on_progress: OnProgress | None = None
    ) -> Report:
        return self.engine.search(position, limits, stop=stop, on_progress=on_progress)
