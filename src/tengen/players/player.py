"""Players: people, and engines with their configuration. Plain data, JSON-safe."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self, TypeAlias

from tengen.core.errors import OptionError
from tengen.core.translation import mark
from tengen.players.config import EngineConfig

MAX_NAME_LENGTH = 80
GUEST_NAME = "Guest"  # of the one person who stands for everybody who joined by an invite link


def is_guest_name(name: str) -> bool:
    return name.casefold() == GUEST_NAME.casefold()


def _new_id() -> str:
    return str(uuid.uuid4())


@dataclass(frozen=True)
class _Named:
    name: str

    def __post_init__(self) -> None:
        if not self.name or self.name != self.name.strip() or not self.name.isprintable():
            raise OptionError(
                mark("a name should be one line of text without spaces around it, not {name!r}").format(
                    name=self.name
                )
            )
        if len(self.name) > MAX_NAME_LENGTH:
            raise OptionError(
                mark("a name should have at most {max_name_length} characters, not {count}").format(
                    max_name_length=MAX_NAME_LENGTH, count=len(self.name)
                )
            )

    def renamed(self, name: str) -> Self:
        """The same player, with the same id, under another name."""
        return replace(self, name=name)


@dataclass(frozen=True)
class Person(_Named):
    """A human player."""

    id: str = field(default_factory=_new_id)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "person", "name": self.name, "id": self.id}


@dataclass(frozen=True)
class EnginePlayer(_Named):
    """An engine as a player. It has limits, unless it is an external program."""

    config: EngineConfig
    id: str = field(default_factory=_new_id)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.config.limits and self.config.program is None:
            raise OptionError(mark("a level should limit seconds, nodes or depth"))

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "engine", "name": self.name, "id": self.id, "config": self.config.to_dict()}


Player: TypeAlias = Person | EnginePlayer


def read_player(data: Mapping[str, Any]) -> Player:
    """Read what a player's `to_dict` wrote. Raises ValueError for anything else."""
    try:
        name, identity = data["name"], str(uuid.UUID(data["id"]))
        if data["kind"] == "person":
            return Person(name, id=identity)
        if data["kind"] == "engine":
            config = data["config"] if "config" in data else data["genome"]  # as version 0.1 called it
            return EnginePlayer(name, EngineConfig.from_dict(config), id=identity)
    except (KeyError, TypeError, AttributeError, OptionError) as error:
        raise ValueError(f"not a player: {error}") from None
    raise ValueError(f"not a player: kind {data['kind']!r} instead of person or engine")


def identity_key(player: Player) -> str:
    """Text that is equal for players with the same name (ignoring case) and configuration, for a unique index."""
    config = player.config.to_dict() if isinstance(player, EnginePlayer) else None
    return json.dumps([player.name.casefold(), config], sort_keys=True)
