"""Evaluation of a position by the classic formula.

For each colour: a window of five with n own stones and no enemy stone counts `line`**(n-1). Enclosed fours,
captured stones in excess of the other side's, runs that can be captured, and threats to capture count according to
the settings, the last three times a scale that grows with the difference of captures; having all stones on one
shade of a chequered board counts a little. Early in the game a score is multiplied by the side's stones, and
always by `initiative` for the side to move. The utility is the difference of the scores, or their quotient (each
at least 1).

A *verdict* means that one side wins by force, or that the game is drawn. Its value is finite and decreases with
the move number, so that the losing side resists and the winning side hurries.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import popcount
from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.rng import mix
from tengen.core.compiled.rules import key
from tengen.engines.pente.classic.kernels.counts import FOUR, LEVELS, WORDS
from tengen.games.pente.record import GOES_ON, NOBODY

FORCED_SCALE = 1e33
"""A forced win at move m is worth FORCED_SCALE / m**2; no other value comes close."""
FORCED_WIN_VALUE = 1e25
"""Larger values are forced wins."""
UNDECIDED = -1
MIN_DRAW_MOVE = 30
"""A draw is recognised only after this move."""
JUDGEMENT_STEP_PERCENT = 8.0
"""Each reduction of judgement by this many per cent allows another error factor of 4."""


@inner
def score_of(counts, state, colour, settings):
    """A colour's score, as an integer."""
    at = 6 * colour
    score = counts.windows[at + 5]
    for missing in range(1, 5):
        score = settings.line * score + counts.windows[at + 5 - missing]
    score += settings.enclosed * counts.enclosed[colour]
    if state.longest > 0:
        net = state.captured[colour] - state.captured[1 - colour]
        scale = settings.scale[min(abs(net // 2), 5)]
        of_runs = settings.take_value * counts.takes[colour] + settings.threat * counts.threats[colour]
        score += scale * (settings.capture * net + of_runs)
    light, dark = counts.shades[2 * colour], counts.shades[2 * colour + 1]
    score += settings.chequer * abs(light - dark) // (light + dark + 1)
    if state.number < settings.early:
        score *= light + dark
    if state.colour == colour:
        score *= settings.initiative
    return score


@inner
def count_serving(counts, colour, level):
    """Number of empty points that serve a colour at a level."""
    count = 0
    at = (colour * LEVELS + level) * WORDS
    for i in range(WORDS):
        count += popcount(counts.sets[at + i] & counts.vacant[i])
    return count


@inner
def wins_by_taking(counts, state, colour):
    """Whether a colour has a capture that reaches the goal."""
    if state.goal == 0 or counts.takes[colour] == 0:
        return False
    captured = state.captured[colour]
    return captured + 2 >= state.goal or (captured + 3 >= state.goal and counts.triples[colour] > 0)


@inner
def verdict(counts, state):
    """(winner, move, certain): who wins by force and at which move; NOBODY for a draw, UNDECIDED for neither.

    An uncertain verdict may have a defence. If rows can be broken by capture (boat), a four wins only if the other
    side has no captures.
    """
    number = state.number
    if state.end != GOES_ON:
        return state.winner, number, True
    us = state.colour
    them = 1 - us
    if state.five == np.uint64(0):
        if counts.windows[6 * us + 4] > 0 and not (state.boat and counts.takes[them] > 0):
            return us, number + 1, True
        if wins_by_taking(counts, state, us):
            return us, number + 1, True
    if counts.takes[us] == 0 and counts.windows[6 * them + 4] > 1 and count_serving(counts, them, FOUR) > 1:
        return them, number + 2, not state.boat
    if counts.takes[them] > 2 and wins_by_taking(counts, state, them):
        return them, number + 2, False
    if number > MIN_DRAW_MOVE and counts.open == 0 and counts.takes[0] == 0 and counts.takes[1] == 0:
        lines = 0
        for i in range(12):
            lines += counts.windows[i]
        if lines == 0:
            return NOBODY, number, True
    return UNDECIDED, number, False


@inner
def balance(ours, theirs, settings):
    """Utility of two scores."""
    if settings.divide == 0:
        return np.float64(ours - theirs)
    return np.float64(max(ours, 1)) / np.float64(max(theirs, 1))


@inner
def forced_value(winner, move, viewer, settings):
    """Value of a verdict for `viewer`."""
    if winner == NOBODY:
        return 0.0 if settings.divide == 0 else 1.0
    value = FORCED_SCALE / (np.float64(move) * np.float64(move))
    return value if winner == viewer else -value


@inner
def misjudge(value, state, settings):
    """A value as seen with weak judgement: always the same for one position, and smaller than any verdict."""
    if settings.judgement == 100:
        return value
    luck = np.float64(mix(np.uint64(key(state)) ^ settings.judgement_seed) >> np.uint64(11)) / 9007199254740992.0
    return value * 4.0 ** (luck * np.float64(100 - settings.judgement) / JUDGEMENT_STEP_PERCENT)


@inner
def utility(counts, state, viewer, settings):
    """(value for the viewer, whether it is a verdict)."""
    winner, move, _ = verdict(counts, state)
    if winner != UNDECIDED:
        return forced_value(winner, move, viewer, settings), True
    ours, theirs = score_of(counts, state, viewer, settings), score_of(counts, state, 1 - viewer, settings)
    return misjudge(balance(ours, theirs, settings), state, settings), False


@kernel
def evaluate(boards, states, viewer, settings, out):
    """Utility of states[0], counted in boards[0]; out: int64[5] gets both scores, winner, move, certain."""
    counts, state, setting = boards[0], states[0], settings[0]
    out[0], out[1] = score_of(counts, state, 0, setting), score_of(counts, state, 1, setting)
    out[2], out[3], out[4] = verdict(counts, state)
    value, _ = utility(counts, state, viewer, setting)
    return value
