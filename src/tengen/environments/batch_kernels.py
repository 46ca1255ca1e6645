"""Kernels that play many games at a time: see `batch`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled.kernel import helper, kernel
from tengen.core.compiled.rng import below
from tengen.core.compiled.rules import (
    is_over,
    play,
    repeat_key,
    score,
    to_move,
    write_stones,
)
from tengen.environments.repetition import permitted_moves


class Games(NamedTuple):
    """The games of a batch, and how they begin.

    states: a record for each game, then scratch space; keys: uint64, a row of repeat keys for each game; counts:
    int64, of the keys; moves: int32, the legal moves of each game; move_counts: int64.
    """

    states: Any
    keys: Any
    counts: Any
    moves: Any
    move_counts: Any
    start: Any  # one record
    start_keys: Any  # repeat keys of the moves before it, and its own
    codes: Any  # int32, the move of each action
    actions: Any  # int32, the action of each move


class Results(NamedTuple):
    """What a step tells, an entry for each game: the fields of `batch.Batch`."""

    boards: Any
    legal: Any
    to_move: Any
    rewards: Any
    scores: Any
    terminated: Any
    truncated: Any


@kernel
def reset_games(games, results):
    """Begin every game; return whether the rules can write boards."""
    can_write = True
    for i in range(len(games.counts)):
        _begin(games, i)
        can_write = _observe(games, results, i)
        _clear(results, i)
    return can_write


@kernel
def step_games(games, results, chosen, max_moves, auto_reset):
    """Play the chosen action in each game that is not over.

    Returns -1; or, without playing anything, the first game whose action is illegal.
    """
    for i in range(len(chosen)):
        if not (results.terminated[i] or results.truncated[i]) or auto_reset:
            action = chosen[i]
            if action < 0 or action >= len(games.codes) or not results.legal[i, action]:
                return i
    for i in range(len(chosen)):
        if (results.terminated[i] or results.truncated[i]) and not auto_reset:
            results.rewards[i, 0] = results.rewards[i, 1] = 0.0
            continue
        _clear(results, i)
        play(games.states[i], games.codes[chosen[i]])
        games.keys[i, games.counts[i]] = repeat_key(games.states[i])
        games.counts[i] += 1
        if is_over(games.states[i]):
            points = np.int64(score(games.states[i]))
            results.scores[i] = points / 1000.0
            winner = np.int64(points > 0) - np.int64(points < 0)
            results.rewards[i, 0], results.rewards[i, 1] = winner, -winner
            results.terminated[i] = True
        elif games.counts[i] - len(games.start_keys) >= max_moves:
            results.truncated[i] = True
        if auto_reset and (results.terminated[i] or results.truncated[i]):
            _begin(games, i)
        _observe(games, results, i)
    return -1


@kernel
def draw_actions(games, rng, out):
    """Write a random legal action of each game into `out`; 0 for games that are over."""
    for i in range(len(out)):
        out[i] = 0
        if games.move_counts[i] > 0:
            out[i] = games.actions[games.moves[i, below(rng, games.move_counts[i])]]


@helper
def _begin(games, i):
    games.states[i] = games.start[0]
    games.counts[i] = len(games.start_keys)
    for ply in range(len(games.start_keys)):
        games.keys[i, ply] = games.start_keys[ply]


@helper
def _clear(results, i):
    results.rewards[i, 0] = results.rewards[i, 1] = 0.0
    results.scores[i] = 0.0
    results.terminated[i] = results.truncated[i] = False


@helper
def _observe(games, results, i):
    """Describe a game, and list its moves; return whether the rules can write boards."""
    for action in range(results.legal.shape[1]):
        results.legal[i, action] = False
    count = permitted_moves(games.states, i, games.keys[i], games.counts[i], games.moves[i])
    for index in range(count):
        results.legal[i, games.actions[games.moves[i, index]]] = True
    games.move_counts[i] = count
    results.to_move[i] = to_move(games.states[i])
    return write_stones(games.states[i], results.boards[i])
