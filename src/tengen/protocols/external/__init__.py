"""Other programs as engines of ours, over GTP, NBoard or Gomocup.

    >>> from tengen.protocols.external import ExternalProgram, external_engine
    >>> spec = ExternalProgram("gtp", ("gnugo", "--mode", "gtp"))
    >>> spec == ExternalProgram.from_dict(spec.to_dict())
    True

`ExternalProgram` is what is configured once and kept in a player's config; `process` a program under supervision
(with `keeper` beside it, which ends it when we are exited); `engine` what all three protocols have in common;
`gtp`, `nboard` and `gomocup` the languages; `hosted` a foreign engine for the engine host.
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
