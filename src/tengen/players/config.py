"""Engine configurations: which engine plays, with which settings, and how long it searches. Plain data, JSON-safe.

Nothing here imports an engine, so that games and players can be stored and read without loading one. A stored game
keeps the configuration that it was played with, even if this version no longer knows the engine or a setting.
`configure` makes configurations that this version can play.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, TypeAlias

from tengen.core.errors import OptionError
from tengen.core.resource_limits import resource_limits
from tengen.players.program import ExternalProgram
from tengen.search.limits import Limits
from tengen.search.tunables import JUDGEMENT, VISION, Tunable

THREADS = Tunable("threads", 1, 1, 1024, "search threads")
WEAKNESS_STEP_PERCENT = 5

Number: TypeAlias = int | float | bool


@dataclass(frozen=True)
class Level:
    """Limits of an engine's search for one move; the first one that is reached ends it.

    An empty level leaves the time to a clock or, without one, to `DEFAULT_LEVEL`.
    """

    seconds: float | None = None
    nodes: int | None = None
    depth: int | None = None

    def __post_init__(self) -> None:
        for name in ("nodes", "depth"):
            if getattr(self, name) is not None and type(getattr(self, name)) is not int:
                raise OptionError(f"the limit of {name} should be a whole number, not {getattr(self, name)!r}")
        self.limits()  # validates

    def check_machine_limits(self) -> None:
        """Raise `OptionError` for a level above this machine's limits. Stored levels are lowered when used."""
        most = resource_limits()
        if self.seconds is not None and self.seconds > most.level_seconds:
            raise OptionError(f"a level has at most {most.level_seconds:g} seconds a move, not {self.seconds:g}")
        if self.nodes is not None and self.nodes > most.level_nodes:
            raise OptionError(f"a level has at most {most.level_nodes:,} nodes a move, not {self.nodes:,}")

    def limits(self) -> Limits:
        return Limits(seconds=self.seconds, nodes=self.nodes, depth=self.depth)

    def __bool__(self) -> bool:
        return self != Level()

    def __str__(self) -> str:
        """`1 s`, `depth 4`, `200 nodes`."""
        parts = []
        if self.seconds is not None:
            parts.append(f"{write_number(self.seconds)} s")
        if self.depth is not None:
            parts.append(f"depth {self.depth}")
        if self.nodes is not None:
            parts.append(f"{self.nodes} node{'s' if self.nodes != 1 else ''}")
        return " ".join(parts)


DEFAULT_LEVEL = Level(seconds=1.0)


@dataclass(frozen=True)
class EngineConfig:
    """An engine, its settings as (name, value) pairs sorted by name, and its level.

    `engine` is a name, an import path (`my_package.greedy:Greedy`), or empty for the default engine of the game.
    For an external program it is the name of the protocol, and `program` says how to start it. Settings that are
    not given have the engine's defaults. Equal configurations play alike.
    """

    engine: str = ""
    level: Level = Level()
    settings: tuple[tuple[str, Any], ...] = ()
    book: bool = True
    vision: int = 100
    judgement: int = 100
    threads: int = 1
    program: ExternalProgram | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if isinstance(self.settings, Mapping):
            object.__setattr__(self, "settings", tuple(sorted(self.settings.items())))
        for tunable in (VISION, JUDGEMENT, THREADS):
            object.__setattr__(self, tunable.name, tunable.check(getattr(self, tunable.name)))
        for weakness in (VISION, JUDGEMENT):
            value, step = getattr(self, weakness.name), WEAKNESS_STEP_PERCENT
            if value % step:
                range_text = f"from {weakness.low} to {weakness.high} in steps of {step}"
                raise OptionError(f"{weakness.name} should be {range_text}, not {value}")

    @property
    def uses_book(self) -> bool:
        """Whether its moves may come from an opening book. External programs have their own."""
        return self.book and self.program is None

    def limits(self, *, has_clock: bool = False) -> Limits:
        """Search limits of its level. Without a level, those of `DEFAULT_LEVEL` unless a clock limits its time.

        An external program without a level searches as its own options say.
        """
        if self.level or has_clock or self.program is not None:
            return self.level.limits()
        return DEFAULT_LEVEL.limits()

    def for_analysis(self) -> EngineConfig:
        """The same engine as an analyst: it never resigns, errs on purpose or plays from a book."""
        kept = tuple((name, value) for name, value in self.settings if name not in ("resign", "error"))
        return replace(self, settings=kept, book=False)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON, with the keys of stored games and players: `program` is called "foreign" there."""
        data = {**asdict(self), "settings": dict(self.settings)}
        del data["program"]
        if not self.seed:
            del data["seed"]
        return data if self.program is None else {**data, "foreign": self.program.to_dict()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> EngineConfig:
        """Read what `to_dict` of this or an earlier version wrote. Raises ValueError for anything else."""
        try:
            settings = tuple(sorted(data["settings"].items()))
            if any(type(value) not in (int, float, bool) for _, value in settings):
                raise OptionError(f"settings should be numbers or on/off, not {settings}")
            program = ExternalProgram.from_dict(data["foreign"]) if "foreign" in data else None
            rest = {name: value for name, value in data.items() if name != "foreign"}
            if unknown := set(rest) - {one.name for one in fields(cls)}:
                raise OptionError(f"unknown fields {', '.join(sorted(unknown))}")
            return cls(**{**rest, "level": Level(**data["level"]), "settings": settings, "program": program})
        except (KeyError, TypeError, AttributeError, OptionError) as error:
            raise ValueError(f"not an engine configuration: {error}") from None


def write_number(value: Number) -> str:
    """Short text that differs for different numbers."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
