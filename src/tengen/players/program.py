"""Another program that plays, as it is configured once and kept with the player."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from tengen.core.errors import OptionError

PROTOCOLS = ("gtp", "nboard", "gomocup")
PATIENCE = 30.0


@dataclass(frozen=True)
class ExternalProgram:
    """Everything that is needed to start another program as an engine. Plain data that fits into JSON.

    `command` is the program and its arguments, `folder` where it runs (empty: here), `setup` lines of its protocol
    that are sent to it first. `patience` is how many seconds it may take beyond the time of a move, or for an
    answer that needs no thought, before it is killed.
    """

    protocol: str
    command: tuple[str, ...]
    folder: str = ""
    setup: tuple[str, ...] = ()
    patience: float = PATIENCE

    def __post_init__(self) -> None:
        if self.protocol not in PROTOCOLS:
            raise OptionError(f"a protocol is {', '.join(PROTOCOLS)}, not {self.protocol!r}")
        if not self.command or not all(isinstance(word, str) and word for word in self.command):
            raise OptionError("a foreign engine needs a command: the program and its arguments")
        if any("\0" in word or "\n" in word for word in (*self.command, *self.setup, self.folder)):
            raise OptionError("the command, folder and lines of a foreign engine are single lines of text")
        if not 0 < self.patience <= 3600:
            raise OptionError(f"patience should be 0 to 3600 seconds, not {self.patience}")

    @classmethod
    def parse(cls, protocol: str, command: str, **others: Any) -> ExternalProgram:
        """A command as one writes it in a shell: `gnugo --mode gtp`."""
        try:
            return cls(protocol, tuple(shlex.split(command)), **others)
        except ValueError as error:
            raise OptionError(f"{command!r} is not a command: {error}") from None

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "command": list(self.command), "setup": list(self.setup)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ExternalProgram:
        """Read what `to_dict` wrote. Raises ValueError for anything else."""
        try:
            return cls(**{**data, "command": tuple(data["command"]), "setup": tuple(data["setup"])})
        except (KeyError, TypeError, OptionError) as error:
            raise ValueError(f"not a foreign engine: {error}") from None

    def __str__(self) -> str:
        return shlex.join(self.command)
