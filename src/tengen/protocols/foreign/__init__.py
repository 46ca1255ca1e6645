"""Other programs as engines of ours, over GTP, NBoard or Gomocup.

    >>> from tengen.protocols.foreign import ForeignSpec, foreign_engine
    >>> spec = ForeignSpec("gtp", ("gnugo", "--mode", "gtp"))
    >>> spec == ForeignSpec.from_dict(spec.to_dict())
    True

`ForeignSpec` is what is configured once and kept in a player's genome; `process` a program under supervision
(with `keeper` beside it, which ends it when we are gone); `engine` what all three protocols have in common;
`gtp`, `nboard` and `gomocup` the languages; `hosted` a foreign engine for the engine host.
"""

from tengen.players.program import ForeignSpec
from tengen.protocols.foreign.engine import ForeignEngine, foreign_engine
from tengen.protocols.foreign.errors import (
    CannotStart,
    EngineDied,
    EngineHung,
    ForeignError,
    IllegalAnswer,
    Refused,
    Resigned,
)
from tengen.protocols.foreign.trouble import Trouble

__all__ = [
    "CannotStart",
    "EngineDied",
    "EngineHung",
    "ForeignEngine",
    "ForeignError",
    "ForeignSpec",
    "IllegalAnswer",
    "Refused",
    "Resigned",
    "Trouble",
    "foreign_engine",
]
