"""UCT for every game, by its rules: see `kernels.mcts`, whose declarations are implemented here."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled.dispatch import rule
from tengen.core.compiled.kernel import inner
from tengen.core.compiled.pointers import pointer
from tengen.core.compiled.position_kernels import is_repetition
from tengen.core.compiled.records import record_type
from tengen.core.compiled.references import whole
from tengen.core.compiled.rules import (
    evaluate,
    forbids_repetition,
    is_over,
    legal_moves,
    play,
    playout_move,
    playout_score,
    repeat_key,
    resume_play,
    score,
    to_move,
)
from tengen.search.kernels.mcts import (
    BASE_SETTINGS,
    DISPUTED,
    OPEN,
    TRY_AT_ONCE,
    inverse_root,
    log_root,
    result_of,
)

PRIOR_ONE = 1_000_000  # a node's prior is the game's evaluation, from 0 to this for the mover
_UNVISITED = 1.0e6  # with priors, each child is visited once first, in the order of their priors

SETTINGS = record_type(
    *BASE_SETTINGS,
    ("bias", np.float64),  # weight of the prior
    ("score_scale", np.float64),  # score that counts as nearly won in a prior
)


class Search(NamedTuple):
    """The data of a thread: the root (one record), two states for scratch, and the fields of all searches."""

    root: Any
    states: Any
    base: Any


@rule(SETTINGS.names)
def begin_simulation(settings, search):
    search.states[0] = search.root[0]


@rule(SETTINGS.names)
def outcome(settings, search):
    state = search.states[0]
    if not is_over(state):
        return OPEN
    return DISPUTED if resume_play(state) else result_of(score(state))


@rule(SETTINGS.names)
def list_children(settings, search):
    return legal_moves(search.states[0], whole(search.base.moves))


@rule(SETTINGS.names)
def set_up_children(settings, search, node, start, count):
    state, after = search.states[0], search.states[1]
    player = to_move(state)
    for i in range(count):
        child = search.base.tree[start + i]
        child.move = search.base.moves[i]
        child.mover = player
        if settings.bias > 0.0:
            search.states[1] = state
            play(after, np.int64(search.base.moves[i]))
            guess = np.float64(score(after) if is_over(after) else evaluate(after))
            good = 0.5 + 0.5 * math.tanh((guess if player == 0 else -guess) / settings.score_scale)
            child.prior = np.int32(good * PRIOR_ONE)


@rule(SETTINGS.names)
def selection_terms(settings, node):
    return settings.exploration * log_root(node.visits), settings.rave, settings.bias


@rule(SETTINGS.names)
def child_value(settings, child, terms):
    explore, rave, bias = terms
    tried = child.visits
    if rave > 0.0:
        value = _rave_mean(child, rave) + explore * inverse_root(tried + 1)
    elif tried > 0:
        root = inverse_root(tried)
        value = 0.5 * root * root * np.float64(child.wins) + explore * root
    elif bias > 0.0:
        value = _UNVISITED
    else:
        return TRY_AT_ONCE
    if bias > 0.0:
        value += bias / PRIOR_ONE * child.prior / (tried + 1.0)
    return value


@inner
def _rave_mean(child, equivalence):
    """The win rate of a node, blended with its AMAF win rate."""
    tried, others = np.float64(child.visits), np.float64(child.amaf_visits)
    mean = child.wins / (2.0 * tried) if tried > 0.0 else 1.1
    if others > 0.0:
        share = others / (others + tried + tried * others / equivalence)
        mean = (1.0 - share) * mean + share * child.amaf_wins / (2.0 * others)
    return mean


@rule(SETTINGS.names)
def play_in_tree(settings, search, move, depth):
    state, at = search.states[0], search.base.past + depth
    banned = forbids_repetition(state)
    play(state, move)
    if banned and is_repetition(state, search.base.keys, at):
        return False
    search.base.keys[at] = repeat_key(state)
    return True


@rule(SETTINGS.names)
def play_out(settings, search, depth):
    state, played, rng = search.states[0], search.base.played, pointer(search.base.rng)
    length = depth
    limit = min(np.int64(played.size), depth + settings.playout_length)
    while length < limit and not is_over(state):
        move = np.int64(playout_move(state, rng))
        played[length] = 2 * move + to_move(state)
        play(state, move)
        length += 1
    # Use the playout score even if the game has ended: only ends inside the tree are proofs.
    return np.int64(result_of(playout_score(state))), length
