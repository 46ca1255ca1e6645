"""Pente and its family on 5x5 to 19x19.

Read in this order: `record` (what a state is), `lines` (rows and captures), `rules` (turns, ends, openings),
`evaluation` (a guess at the winner), `variants` (which rules go together), `game` (what people see).
"""

from tengen.games.pente import rules  # noqa: F401  registers them
from tengen.games.pente.game import TAKE_BLACK, TAKE_WHITE, TWO_MORE, Pente
from tengen.games.pente.variants import VARIANTS

__all__ = ["TAKE_BLACK", "TAKE_WHITE", "TWO_MORE", "VARIANTS", "Pente"]
