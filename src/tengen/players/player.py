"""Who plays: people, and engines with their config. Plain data that fits into JSON, without a store.

A *config* is everything that makes an engine play as it does: the engine, a value for each of its tunables, its
level, its book and its weaknesses. A game keeps the config that it was played with, so one that is read from a
file is not judged by what this version's engines know; `EngineConfig.create` does that.
"""

from __future__ import annotations

import hashlib
import json
import shlex
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Self, TypeAlias

from tengen.core.errors import OptionError
from tengen.core.resource_limits import resource_limits
from tengen.engines import registry
from tengen.players.program import ExternalProgram
from tengen.search.limits import Limits
from tengen.search.tunables import JUDGEMENT, VISION, Tunable, settle, with_current_names

THREADS = Tunable("threads", 1, 1, 1024, "threads that it searches with")
STEP = 5  # weaknesses are set in steps of so many per cent
LONGEST_NAME = 80

Number: TypeAlias = int | float | bool


@dataclass(frozen=True)
class Level:
    """How long an engine thinks about a move, whichever comes first.

    Only another program may have none at all: it then thinks as it was started to.
    """

    seconds: float | None = None
    nodes: int | None = None
    depth: int | None = None

    def __post_init__(self) -> None:
        for name in ("nodes", "depth"):
            if getattr(self, name) is not None and type(getattr(self, name)) is not int:
                raise OptionError(f"the limit of {name} should be a whole number, not {getattr(self, name)!r}")
        self.limits()  # for its checks

    def check_limits(self) -> None:
        """Refuse a new level beyond the limits of this machine. Stored ones are kept, and lowered for a search."""
        most = resource_limits()
        if self.seconds is not None and self.seconds > most.level_seconds:
            raise OptionError(f"a level has at most {most.level_seconds:g} seconds a move, not {self.seconds:g}")
        if self.nodes is not None and self.nodes > most.level_nodes:
            raise OptionError(f"a level has at most {most.level_nodes:,} nodes a move, not {self.nodes:,}")

    def limits(self) -> Limits:
        return Limits(seconds=self.seconds, nodes=self.nodes, depth=self.depth)

    def __str__(self) -> str:
        """`1 s`, `depth 4`, `200 nodes`."""
        parts = []
        if self.seconds is not None:
            parts.append(f"{_number(self.seconds)} s")
        if self.depth is not None:
            parts.append(f"depth {self.depth}")
        if self.nodes is not None:
            parts.append(f"{self.nodes} node{'s' if self.nodes != 1 else ''}")
        return " ".join(parts)


@dataclass(frozen=True)
class EngineConfig:
    """An engine with its settings, as (name, value) in the order of their names. Make one with `create`.

    Another program's engine is the name of its protocol, and `foreign` says how it is started; see `of_program`.
    """

    engine: str
    level: Level
    settings: tuple[tuple[str, Number], ...] = ()
    book: bool = True
    vision: int = 100
    judgement: int = 100
    threads: int = 1
    program: ExternalProgram | None = None

    def __post_init__(self) -> None:
        if self.level == Level() and self.program is None:
            raise OptionError("a level should limit seconds, nodes or depth")
        for tunable in (VISION, JUDGEMENT, THREADS):
            object.__setattr__(self, tunable.name, tunable.check(getattr(self, tunable.name)))
        for weakness in (VISION, JUDGEMENT):
            value = getattr(self, weakness.name)
            if value % STEP:
                raise OptionError(f"{weakness.name} should be from 60 to 100 in steps of {STEP}, not {value}")

    @classmethod
    def create(
        cls,
        engine: str,
        level: Level,
        *,
        book: bool = True,
        vision: int = 100,
        judgement: int = 100,
        threads: int = 1,
        **settings: Any,
    ) -> EngineConfig:
        """A config that this version can play: settings are checked, and those not given have their defaults."""
        settled = settle(engine, registry.engine_class(engine).tunables, settings)
        made = cls(engine, level, tuple(sorted(settled.items())), book, vision, judgement, threads)
        made.check_level()
        return made

    def check_level(self) -> None:
        """Refuse a level beyond the limits of this machine, and a depth that the engine cannot search to."""
        self.level.check_limits()
        if self.program is not None:
            return
        level, kind = self.level, registry.engine_class(self.engine)
        if level.seconds is None and level.nodes is None and not kind.deepens:
            raise OptionError(f"{self.engine} ignores depth: set seconds or nodes")
        if level.depth is not None and kind.max_depth is not None and level.depth > kind.max_depth:
            raise OptionError(f"{self.engine} searches at most {kind.max_depth} plies deep, not {level.depth}")

    @classmethod
    def of_program(cls, program: ExternalProgram, level: Level | None = None) -> EngineConfig:
        """Another program, which is given the level's limits as far as its protocol can tell it.

        Without one a program of GTP thinks as its own options say: told of a second a move, GNU Go at `--level 10`
        would quietly play at a lower level. The other protocols have no such options, and it gets a second.
        """
        usual = Level() if program.protocol == "gtp" else Level(seconds=1.0)
        made = cls(program.protocol, usual if level is None else level, program=program)
        made.check_level()
        return made

    def name(self) -> str:
        """A name made from all that differs from the defaults: `Uct 1 s`, `Uct 1 s, rave 500, no book`.

        Different configs have different names. Where that gets too long, as after tuning, a digest stands for the
        differences: `Uct 1 s, tuned 5f3c81d2`.
        """
        # Of somebody's own engine the defaults are not asked for: a name must not need that engine's package.
        known = registry.engine_class(self.engine).tunables if self.engine in registry.names() else ()
        defaults = {tunable.name: tunable.default for tunable in known}
        engine = Path(self.program.command[0]).name if self.program else self.engine
        parts = [f"{engine[:1].upper()}{engine[1:]} {self.level}".rstrip()]
        if self.program and len(self.program.command) > 1:
            parts.append(shlex.join(self.program.command[1:]))
        settings = sorted(with_current_names(engine, known, dict(self.settings)).items())
        parts += [f"{name} {_number(value)}" for name, value in settings if value != defaults.get(name)]
        if not self.book:
            parts.append("no book")
        for weakness in (VISION, JUDGEMENT):
            if getattr(self, weakness.name) != weakness.default:
                parts.append(f"{weakness.name} {getattr(self, weakness.name)}")
        if self.threads > 1:
            parts.append(f"{self.threads} threads")
        name = ", ".join(parts)
        if len(name) > LONGEST_NAME:
            digest = hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()
            name = f"{parts[0]}, tuned {digest[:8]}"
        return name

    def to_dict(self) -> dict[str, Any]:
        data = {**asdict(self), "settings": dict(self.settings)}
        del data["program"]
        return data if self.program is None else {**data, "foreign": self.program.to_dict()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> EngineConfig:
        """Read what `to_dict` wrote, of this version or another. Raises ValueError for anything else."""
        try:
            settings = tuple(sorted(data["settings"].items()))
            if any(type(value) not in (int, float, bool) for _, value in settings):
                raise OptionError(f"a setting is a number or a switch, not as in {settings}")
            program = ExternalProgram.from_dict(data["foreign"]) if "foreign" in data else None
            fields = {name: value for name, value in data.items() if name != "foreign"}
            return cls(**{**fields, "level": Level(**data["level"]), "settings": settings, "program": program})
        except (KeyError, TypeError, AttributeError, OptionError) as error:
            raise ValueError(f"not a config: {error}") from None


def weaknesses_of(config: EngineConfig) -> dict[str, Number]:
    """The weaknesses that a config has and its engine knows how to show, as settings of that engine."""
    weak = {name: getattr(config, name) for name in ("vision", "judgement") if getattr(config, name) < 100}
    if not weak:
        return {}
    known = {weakness.name for weakness in registry.engine_class(config.engine).weaknesses}
    return {name: value for name, value in weak.items() if name in known}


def _number(value: Number) -> str:
    """Short, and different for different numbers."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _new_id() -> str:
    return str(uuid.uuid4())


@dataclass(frozen=True)
class _Named:
    name: str

    def __post_init__(self) -> None:
        if not self.name or self.name != self.name.strip() or not self.name.isprintable():
            raise OptionError(f"a name should be one line of text without spaces around it, not {self.name!r}")
        if len(self.name) > LONGEST_NAME:
            raise OptionError(f"a name should have at most {LONGEST_NAME} characters, not {len(self.name)}")

    def renamed(self, name: str) -> Self:
        """The same player, by its id, under another name."""
        return replace(self, name=name)


@dataclass(frozen=True)
class Person(_Named):
    """Somebody who plays."""

    id: str = field(default_factory=_new_id)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "person", "name": self.name, "id": self.id}


@dataclass(frozen=True)
class EnginePlayer(_Named):
    """An engine that plays."""

    config: EngineConfig
    id: str = field(default_factory=_new_id)

    @classmethod
    def of(cls, config: EngineConfig) -> EnginePlayer:
        """A player with a name made from its config."""
        return cls(config.name(), config)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "engine", "name": self.name, "id": self.id, "genome": self.config.to_dict()}


Player: TypeAlias = Person | EnginePlayer


def read_player(data: Mapping[str, Any]) -> Player:
    """Read what a player's `to_dict` wrote. Raises ValueError for anything else."""
    try:
        name, identity = data["name"], str(uuid.UUID(data["id"]))
        if data["kind"] == "person":
            return Person(name, id=identity)
        if data["kind"] == "engine":
            return EnginePlayer(name, EngineConfig.from_dict(data["genome"]), id=identity)
    except (KeyError, TypeError, AttributeError, OptionError) as error:
        raise ValueError(f"not a player: {error}") from None
    raise ValueError(f"not a player: a kind {data['kind']!r} instead of person or engine")


def likeness(player: Player) -> str:
    """What no two players share: the name, in whatever case, and the config. As text, for a store's index."""
    config = player.config.to_dict() if isinstance(player, EnginePlayer) else None
    return json.dumps([player.name.casefold(), config], sort_keys=True)


def check_unique(player: Player, others: Iterable[Player]) -> None:
    """Raise `OptionError` if another player has the same name and config. The player itself may be among them."""
    mine = likeness(player)
    for other in others:
        if other.id != player.id and likeness(other) == mine:
            what = "with the same settings " if isinstance(player, EnginePlayer) else ""
            raise OptionError(f"there is a player {other.name!r} {what}already: choose another name")
