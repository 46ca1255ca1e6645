"""What a position is worth, by the classic formula.

For each colour: windows of five with n own stones and no enemy stone count `line`**(n-1); an enclosed four,
captured stones more than the other side's, runs that can be taken and threats to take count what the genome
says, the last three by a scale that grows with the difference of captures; stones all on one shade of a
chequered board a little. Early in the game a score is multiplied by the side's stones, always by `initiative`
for the side to move. The utility is one score minus the other, or divided by it (each at least 1 then).

A *verdict* says that one side wins by force, or that nothing is left to play for. Its value is finite and
smaller the later it comes, so that a lost side resists and a won one hurries.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import popcount
from tengen.core.compiled.generic import key
from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.rng import mix
from tengen.engines.pente.classic.kernels.counts import FOUR, LEVELS, WORDS
from tengen.engines.pente.classic.tunables import AT
from tengen.games.pente.record import GOES_ON, NOBODY

FORCED = 1e33
"""A win by force at move m is worth FORCED / m**2; no other value comes near."""
SURELY = 1e25
"""What is worth more is a win by force."""
NOT_YET = -1
LATE = 30
"""A game is drawn only after so many moves."""
MISJUDGED = 8.0
"""So many per cent of judgement less let a value be wrong by up to a factor of 4."""

_LINE, _ENCLOSED, _CAPTURE, _TAKE, _THREAT = (AT[n] for n in ("line", "enclosed", "capture", "take", "threat"))
_SCALE, _CHEQUER, _EARLY = AT["scale0"], AT["chequer"], AT["early"]
_INITIATIVE, _DIVIDE, _JUDGEMENT = AT["initiative"], AT["divide"], AT["judgement"]


@inner
def score_of(counts, state, colour, genome):
    """A colour's score, as an integer."""
    at = 6 * colour
    score = counts.windows[at + 5]
    for missing in range(1, 5):
        score = genome[_LINE] * score + counts.windows[at + 5 - missing]
    score += genome[_ENCLOSED] * counts.enclosed[colour]
    if state.longest > 0:
        net = state.captured[colour] - state.captured[1 - colour]
        scale = genome[_SCALE + min(abs(net // 2), 5)]
        of_runs = genome[_TAKE] * counts.takes[colour] + genome[_THREAT] * counts.threats[colour]
        score += scale * (genome[_CAPTURE] * net + of_runs)
    light, dark = counts.shades[2 * colour], counts.shades[2 * colour + 1]
    score += genome[_CHEQUER] * abs(light - dark) // (light + dark + 1)
    if state.number < genome[_EARLY]:
        score *= light + dark
    if state.colour == colour:
        score *= genome[_INITIATIVE]
    return score


@inner
def serving(counts, colour, level):
    """How many empty points serve a colour at a level."""
    count = 0
    at = (colour * LEVELS + level) * WORDS
    for i in range(WORDS):
        count += popcount(counts.sets[at + i] & counts.vacant[i])
    return count


@inner
def wins_by_taking(counts, state, colour):
    """Whether one take more wins for a colour, and there is one."""
    if state.goal == 0 or counts.takes[colour] == 0:
        return False
    captured = state.captured[colour]
    return captured + 2 >= state.goal or (captured + 3 >= state.goal and counts.triples[colour] > 0)


@inner
def verdict(counts, state):
    """(winner, move, sure): who wins by force and at which move; NOBODY for a draw, NOT_YET for neither.

    Not sure is what a good defence might refute. Where a row can be broken by capture (boat), a four wins only if
    the other side has nothing to take.
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
    if counts.takes[us] == 0 and counts.windows[6 * them + 4] > 1 and serving(counts, them, FOUR) > 1:
        return them, number + 2, not state.boat
    if counts.takes[them] > 2 and wins_by_taking(counts, state, them):
        return them, number + 2, False
    if number > LATE and counts.open == 0 and counts.takes[0] == 0 and counts.takes[1] == 0:
        lines = 0
        for i in range(12):
            lines += counts.windows[i]
        if lines == 0:
            return NOBODY, number, True
    return NOT_YET, number, False


@inner
def balance(ours, theirs, genome):
    """The utility of two scores."""
    if genome[_DIVIDE] == 0:
        return np.float64(ours - theirs)
    return np.float64(max(ours, 1)) / np.float64(max(theirs, 1))


@inner
def forced_value(winner, move, viewer, genome):
    """What a verdict is worth to a viewer."""
    if winner == NOBODY:
        return 0.0 if genome[_DIVIDE] == 0 else 1.0
    value = FORCED / (np.float64(move) * np.float64(move))
    return value if winner == viewer else -value


@inner
def misjudge(value, state, genome, seed):
    """A value as a weak judgement sees it: of one position always the same, and never as large as a verdict."""
    if genome[_JUDGEMENT] == 100:
        return value
    luck = np.float64(mix(np.uint64(key(state)) ^ seed) >> np.uint64(11)) / 9007199254740992.0
    return value * 4.0 ** (luck * np.float64(100 - genome[_JUDGEMENT]) / MISJUDGED)


@inner
def utility(counts, state, viewer, genome, seed):
    """(value to the viewer, whether it is a verdict)."""
    winner, move, _ = verdict(counts, state)
    if winner != NOT_YET:
        return forced_value(winner, move, viewer, genome), True
    ours, theirs = score_of(counts, state, viewer, genome), score_of(counts, state, 1 - viewer, genome)
    return misjudge(balance(ours, theirs, genome), state, genome, seed), False


@kernel
def evaluate(boards, states, viewer, genome, seed, out):
    """The utility of states[0], counted in boards[0]; out: int64[5], gets both scores, winner, move, sure."""
    counts, state = boards[0], states[0]
    out[0], out[1] = score_of(counts, state, 0, genome), score_of(counts, state, 1, genome)
    out[2], out[3], out[4] = verdict(counts, state)
    value, _ = utility(counts, state, viewer, genome, seed)
    return value
