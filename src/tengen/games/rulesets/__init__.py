"""Combinatorial games on grids that share one foundation: read `ruleset` first, then any game.

`playable` makes each of them a game for players. For players, Clobber has faster rules in `games/clobber`.
"""

from __future__ import annotations

from tengen.core.errors import OptionError
from tengen.games.rulesets.amazons import AMAZONS
from tengen.games.rulesets.clobber import CANNIBAL_CLOBBER, CLOBBER
from tengen.games.rulesets.domineering import DOMINEERING
from tengen.games.rulesets.heaps import KAYLES, NIM
from tengen.games.rulesets.nogo import NOGO
from tengen.games.rulesets.ruleset import Board, Ruleset, impartial
from tengen.games.rulesets.strips import ELEPHANTS, TOADS_AND_FROGS
from tengen.games.rulesets.toppling_dominoes import TOPPLING_DOMINOES

__all__ = ["RULESETS", "Board", "Ruleset", "impartial", "register", "ruleset"]

RULESETS: dict[str, Ruleset] = {
    one.name: one
    for one in (
        CLOBBER,
        CANNIBAL_CLOBBER,
        NOGO,
        DOMINEERING,
        AMAZONS,
        ELEPHANTS,
        TOADS_AND_FROGS,
        TOPPLING_DOMINOES,
        KAYLES,
        NIM,
    )
}


def ruleset(name: str) -> Ruleset:
    """A ruleset by name; `impartial NAME` is its impartial version. Raises `OptionError`."""
    words = name.lower().split()
    versions = words[:-1]
    if not words or words[-1] not in RULESETS or versions not in ([], ["impartial"]):
        raise OptionError(
            f"there is no game {name!r}; there are: {', '.join(RULESETS)}, and impartial versions of them"
        )
    found = RULESETS[words[-1]]
    return impartial(found) if versions else found


def register(one: Ruleset) -> None:
    """Add a ruleset in this process."""
    RULESETS[one.name] = one
