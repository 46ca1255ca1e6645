"""An external program as an engine: how to start it. Plain data, stored with the player."""

from __future__ import annotations

import functools
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any

from tengen.core.errors import OptionError

PROTOCOL_GROUP = "tengen.protocols"  # entry points: name of the protocol -> class of the engine that speaks it
BUILT_IN_PROTOCOLS = ("gtp", "nboard", "gomocup", "katago")
DEFAULT_TIMEOUT_S = 30.0
MAX_TIMEOUT_S = 3600.0


@functools.cache
def protocol_names() -> tuple[str, ...]:
    """Protocols that external programs may speak: the built-in ones, then those of installed plugins."""
    plugins = sorted(point.name for point in entry_points(group=PROTOCOL_GROUP))
    return (*BUILT_IN_PROTOCOLS, *(name for name in plugins if name not in BUILT_IN_PROTOCOLS))


@dataclass(frozen=True)
class ExternalProgram:
    """How to start a program and which protocol it speaks.

    `command` is the program and its arguments, `folder` its working directory (empty: the current one), `setup`
    lines of its protocol that are sent first. The program is killed if it needs `timeout_s` longer than the time
    of a move, or that long for an answer that needs no search. With `analyses`, it is asked for the values of
    several moves where its protocol has a command for that, instead of for a move.
    """

    protocol: str
    command: tuple[str, ...]
    folder: str = ""
    setup: tuple[str, ...] = ()
    timeout_s: float = DEFAULT_TIMEOUT_S
    analyses: bool = False

    def __post_init__(self) -> None:
        if not self.protocol.isidentifier():
            raise OptionError(f"a protocol has a one-word name such as gtp, not {self.protocol!r}")
        if not self.command or not all(isinstance(word, str) and word for word in self.command):
            raise OptionError("an external program needs a command: the program and its arguments")
        if any("\0" in word or "\n" in word for word in (*self.command, *self.setup, self.folder)):
            raise OptionError("the command, folder and setup lines of a program are single lines of text")
        if not 0 < self.timeout_s <= MAX_TIMEOUT_S:
            raise OptionError(f"the timeout should be 0 to {MAX_TIMEOUT_S:g} seconds, not {self.timeout_s}")

    @classmethod
    def parse(cls, protocol: str, command: str, **others: Any) -> ExternalProgram:
        """From a command as typed in a shell: `gnugo --mode gtp`. Raises `OptionError` for an unknown protocol."""
        if protocol not in protocol_names():
            raise OptionError(f"a protocol is {', '.join(protocol_names())}, not {protocol!r}")
        try:
            return cls(protocol, tuple(shlex.split(command)), **others)
        except ValueError as error:
            raise OptionError(f"{command!r} is not a command: {error}") from None

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON. The names of the keys are those of stored players."""
        return {
            **({"analyses": True} if self.analyses else {}),
            "protocol": self.protocol,
            "command": list(self.command),
            "folder": self.folder,
            "setup": list(self.setup),
            "patience": self.timeout_s,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ExternalProgram:
        """Read what `to_dict` wrote. Raises ValueError for anything else."""
        try:
            fields = {**data, "command": tuple(data["command"]), "setup": tuple(data["setup"])}
            fields["timeout_s"] = fields.pop("patience", DEFAULT_TIMEOUT_S)
            return cls(**fields)
        except (KeyError, TypeError, AttributeError, OptionError) as error:
            raise ValueError(f"not an external program: {error}") from None

    def __str__(self) -> str:
        return shlex.join(self.command)
