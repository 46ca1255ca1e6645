"""Which points a colour may play: the rule on the second stone, and renju's forbidden points for Black.

Only a stone that makes two threes, two fours or an overline can be forbidden, so a point's level decides almost
always; the exact rules are those of `games.pente.renju`.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import trailing_zeros
from tengen.core.compiled.kernel import inner
from tengen.engines.pente.kernels.board import EMPTIES, WORDS, level
from tengen.engines.pente.kernels.lines import STEPS
from tengen.engines.pente.kernels.moves import is_point_allowed
from tengen.engines.pente.patterns import ONE_FOUR, TWO_THREES, WINS
from tengen.games.pente.record import BLACK
from tengen.games.pente.renju import ALLOWED, why_forbidden

_0, _1, _4, _5, _6 = (np.uint64(n) for n in (0, 1, 4, 5, 6))
_WORDS, _EMPTIES = np.uint64(WORDS), np.uint64(EMPTIES)


@inner
def _makes_overline(board, point):
    for axis in range(_4):
        count = _0
        at = point + STEPS[axis]
        while board.stones[at] == BLACK:
            at += STEPS[axis]
            count += _1
        at = point - STEPS[axis]
        while board.stones[at] == BLACK:
            at -= STEPS[axis]
            count += _1
        if count >= _5:
            return True
    return False


@inner
def is_forbidden(board, colour, point):
    """Whether an empty point is forbidden by renju's rules."""
    if not board.renju or colour != _0:
        return False
    of_level = level(board, colour, point)
    if of_level == np.uint64(WINS):
        return False
    if of_level < np.uint64(TWO_THREES) or of_level == np.uint64(ONE_FOUR):
        return _makes_overline(board, point)
    return why_forbidden(board.stones, point) != ALLOWED


@inner
def may_play(board, colour, point):
    """Whether a colour may place a stone on an empty point."""
    return is_point_allowed(board, point) and not is_forbidden(board, colour, point)


@inner
def can_move(board, colour):
    """Whether renju's rules leave a colour any point; if not, the game is drawn."""
    if not board.renju or colour != _0:
        return True
    for word in range(_WORDS):
        bits = board.state_info[_EMPTIES + word]
        while bits != _0:
            if not is_forbidden(board, colour, (word << _6) + trailing_zeros(bits)):
                return True
            bits &= bits - _1
    return False
