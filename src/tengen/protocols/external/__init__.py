"""External programs as engines, over GTP, NBoard, Gomocup or KataGo's JSON protocol.

    >>> from tengen.protocols.external import ExternalProgram
    >>> program = ExternalProgram("gtp", ("gnugo", "--mode", "gtp"))
    >>> program == ExternalProgram.from_dict(program.to_dict())
    True

`ExternalProgram` describes a program and is stored in a player's configuration. `process` runs a program, with
`supervisor` as a helper that kills it when we exit. `engine` is the base class of the drivers `gtp`, `nboard`,
`gomocup` and `katago`; `analysis` has what they share for reporting several moves with their values.
"""

from tengen.players.program import ExternalProgram
from tengen.protocols.external.engine import ExternalEngine
from tengen.protocols.external.errors import (
    CannotStart,
    EngineDied,
    EngineHung,
    ExternalEngineError,
    IllegalAnswer,
    Refused,
    Resigned,
)
from tengen.protocols.external.incidents import Incident

__all__ = [
    "CannotStart",
    "EngineDied",
    "EngineHung",
    "ExternalEngine",
    "ExternalEngineError",
    "ExternalProgram",
    "IllegalAnswer",
    "Incident",
    "Refused",
    "Resigned",
]
