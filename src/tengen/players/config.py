"""Engine configurations: which engine plays, with which settings, and how long it searches. Plain data, JSON-safe.

Nothing here imports an engine, so that games and players can be stored and read without loading one. A stored game
keeps the configuration that it was played with, even if this version no longer knows the engine or a setting.
`configure` makes configurations that this version can play.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from tengen.core.errors import OptionError
from tengen.core.translation import mark
from tengen.players.program import ExternalProgram
from tengen.search.limits import Limits
from tengen.search.tunables import JUDGEMENT, VISION, Tunable

BOOK_VARIETY = Tunable("variety", 0.0, 0.0, 1000.0, mark("how many points a move from a valued book may lose"))
THREADS = Tunable("threads", 1, 1, 1024, mark("search threads"))
WEAKNESS_STEP_PERCENT = 5
ADAPTIVE = "adaptive"  # the engine that keeps games close
MAX_OPENING_LENGTH = 500  # characters
_UNLIMITED = Limits()
DEFAULT_LIMITS = Limits(seconds=1.0)  # of the search for one move


@dataclass(frozen=True)
class EngineConfig:
    """An engine, its settings as (name, value) pairs sorted by name, and the limits of its search for one move.

    `engine` is a name, an import path (`my_package.greedy:Greedy`), or empty for the default engine of the game.
    For an external program it is the name of the protocol, and `program` says how to start it. Settings that are
    not given have the engine's defaults. Without `limits`, a clock limits the time or, if there is none,
    `DEFAULT_LIMITS`. `variety` is how many points a move from a valued book may lose. `opening` are moves that it
    plays as long as the game follows them, for both sides in turn: `f5 d6 c3`. Equal configurations play alike.
    """

    engine: str = ""
    limits: Limits = _UNLIMITED
    settings: tuple[tuple[str, Any], ...] = ()
    book: bool = True
    vision: int = 100
    judgement: int = 100
    threads: int = 1
    program: ExternalProgram | None = None
    seed: int = 0
    variety: float = 0.0
    opening: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "variety", BOOK_VARIETY.check(self.variety))
        if self.limits != Limits(self.limits.seconds, self.limits.nodes, self.limits.depth):
            raise OptionError(mark("a configuration limits seconds, nodes and depth only"))
        if len(self.opening) > MAX_OPENING_LENGTH:
            raise OptionError(mark("an opening has at most {most} characters").format(most=MAX_OPENING_LENGTH))
        if isinstance(self.settings, Mapping):
            object.__setattr__(self, "settings", tuple(sorted(self.settings.items())))
        for tunable in (VISION, JUDGEMENT, THREADS):
            object.__setattr__(self, tunable.name, tunable.check(getattr(self, tunable.name)))
        for weakness in (VISION, JUDGEMENT):
            value, step = getattr(self, weakness.name), WEAKNESS_STEP_PERCENT
            if value % step:
                range_text = mark("from {low} to {high} in steps of {step}").format(
                    low=weakness.low, high=weakness.high, step=step
                )
                raise OptionError(
                    mark("{name} should be {range_text}, not {value}").format(
                        name=weakness.name, range_text=range_text, value=value
                    )
                )

    @property
    def adapts(self) -> bool:
        """Whether its strength depends on its opponent's: such games are not rated."""
        return self.engine == ADAPTIVE

    @property
    def uses_book(self) -> bool:
        """Whether its moves may come from an opening book. External programs have their own."""
        return self.book and self.program is None

    def search_limits(self, *, has_clock: bool = False) -> Limits:
        """Its own limits. Without any, `DEFAULT_LIMITS` unless a clock limits its time.

        An external program without limits searches as its own options say.
        """
        return self.limits if self.limits or has_clock or self.program is not None else DEFAULT_LIMITS

    def for_analysis(self) -> EngineConfig:
        """The same engine as an analyst: it never resigns, errs on purpose or plays from a book.

        An external program is asked for the values of its moves, if its protocol has that.
        """
        program = None if self.program is None else replace(self.program, analyses=True)
        kept = tuple((name, value) for name, value in self.settings if name not in ("resign", "error"))
        return replace(self, settings=kept, book=False, program=program, opening="")

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON, with the keys of stored games and players.

        `limits` is called "level" there, `program` "foreign".
        """
        data = {**asdict(self), "settings": dict(self.settings)}
        limits = data.pop("limits")
        data["level"] = {name: limits[name] for name in ("seconds", "nodes", "depth")}
        del data["program"]
        for name in ("seed", "variety", "opening"):
            if not data[name]:
                del data[name]
        return data if self.program is None else {**data, "foreign": self.program.to_dict()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> EngineConfig:
        """Read what `to_dict` of this or an earlier version wrote. Raises ValueError for anything else."""
        try:
            settings = tuple(sorted(data["settings"].items()))
            if any(type(value) not in (int, float, bool) for _, value in settings):
                raise OptionError(f"settings should be numbers or on/off, not {settings}")
            program = ExternalProgram.from_dict(data["foreign"]) if "foreign" in data else None
            rest = {name: value for name, value in data.items() if name not in ("foreign", "level")}
            if unknown := set(rest) - {one.name for one in fields(cls)}:
                raise OptionError(f"unknown fields {', '.join(sorted(unknown))}")
            return cls(**{**rest, "limits": Limits(**data["level"]), "settings": settings, "program": program})
        except (KeyError, TypeError, AttributeError, OptionError) as error:
            raise ValueError(f"not an engine configuration: {error}") from None
