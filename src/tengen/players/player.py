"""Players: people, and engines with their configuration. Plain data, JSON-safe."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self, TypeAlias

from tengen.core.errors import OptionError
from tengen.players.config import EngineConfig

MAX_NAME_LENGTH = 80


def _new_id() -> str:
    return str(uuid.uuid4())


@dataclass(frozen=True)
class _Named:
    name: str

    def __post_init__(self) -> None:
        if not self.name or self.name != self.name.strip() or not self.name.isprintable():
            raise OptionError(f"a name should be one line of text without spaces around it, not {self.name!r}")
        if len(self.name) > MAX_NAME_LENGTH:
            raise OptionError(f"a name should have at most {MAX_NAME_LENGTH} characters, not {len(self.name)}")

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
    """An engine as a player. Its level is not empty, unless it is an external program."""

    config: EngineConfig
    id: str = field(default_factory=_new_id)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.config.level and self.config.program is None:
            raise OptionError("a level should limit seconds, nodes or depth")

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
    raise ValueError(f"not a player: kind {data['kind']!r} instead of person or engine")


def identity_key(player: Player) -> str:
    """Text that is equal for players with the same name (ignoring case) and configuration, for a unique index."""
    config = player.config.to_dict() if isinstance(player, EnginePlayer) else None
    return json.dumps([player.name.casefold(), config], sort_keys=True)


def check_unique(player: Player, others: Iterable[Player]) -> None:
    """Raise `OptionError` if another player has the same name and configuration."""
    mine = identity_key(player)
    for other in others:
        if other.id != player.id and identity_key(other) == mine:
            what = "with the same settings " if isinstance(player, EnginePlayer) else ""
            raise OptionError(f"there is a player {other.name!r} {what}already: choose another name")
