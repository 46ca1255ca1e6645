"""Checks shared by the tests of every game's rules, and kernels that visit thousands of positions.

Each game's test module calls them with its own positions.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numba
import numpy as np
import pytest

from tengen.core.compiled.kernel import kernel
from tengen.core.compiled.rng import below, make_rng
from tengen.core.compiled.rules import evaluate, is_over, key, play, random_move, score
from tengen.core.errors import IllegalMove
from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.games import game
from tengen.search.kernels.perft import count_lines
from tests.helpers.paths import ROOT

compiled_only = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="there is no compiled form to compare with"
)


@kernel
def draw_moves(states, rng, out):
    for i in range(len(out)):
        out[i] = random_move(states[0], rng)


@kernel
def largest_guess(stack, games, rng):
    """Play random games from `stack[0]`; returns the number of positions and the largest absolute estimate."""
    positions, largest = 0, np.int64(0)
    for _ in range(games):
        stack[1] = stack[0]
        while not is_over(stack[1]):
            positions += 1
            largest = max(largest, abs(evaluate(stack[1])))
            play(stack[1], random_move(stack[1], rng))
    return positions, largest


@kernel
def trace_game(states, rng, moves, keys, guesses):
    """Play `states[0]` at random until `moves` is full; returns the number of moves and the score."""
    for i in range(len(moves)):
        keys[i] = key(states[0])
        guesses[i] = evaluate(states[0])
        if is_over(states[0]):
            return i, score(states[0])
        moves[i] = random_move(states[0], rng)
        play(states[0], moves[i])
    return len(moves), np.int64(0)


def perft(position: Position, depth: int) -> int:
    """The number of lines of `depth` moves."""
    stack = np.zeros(depth + 1, position.game.record)
    stack[0] = position.state
    moves = np.empty((depth + 1, position.game.max_legal_moves), np.int32)
    return count_lines(stack, moves, np.zeros(depth + 1, np.uint64), 0, depth, np.zeros(1, np.int64))


def random_moves(position: Position, count: int, rng: Any = None) -> list[Move]:
    """`count` random moves drawn by the rules in this position."""
    out = np.empty(count, np.int64)
    draw_moves(np.array([position.state], position.game.record), make_rng(1) if rng is None else rng, out)
    return out.tolist()


def assert_drawn_evenly(position: Position, rounds: int = 50, each: int = 100) -> None:
    """Check that all legal moves are drawn with equal probability: chi-square within four standard deviations."""
    legal = position.legal_moves
    rng = make_rng(1)
    chi_square = 0.0
    for _ in range(rounds):
        counts = Counter(random_moves(position, each * len(legal), rng))
        assert set(counts) == set(legal)
        chi_square += sum((counts[move] - each) ** 2 / each for move in legal)
    freedom = rounds * (len(legal) - 1)
    assert abs(chi_square - freedom) < 4 * math.sqrt(2 * freedom)


def trace(start: Position, seed: int, most: int) -> list[str]:
    """A seeded game move by move, with the key and the estimate of every position."""
    states = np.array([start.state], start.game.record)
    moves, guesses = np.zeros((2, most), np.int64)
    keys = np.zeros(most, np.uint64)
    count, points = trace_game(states, make_rng(seed), moves, keys, guesses)
    lines = [f"{start.game.describe()}: {count} moves, {points}"]
    return lines + [f"{move} {name:016x} {guess}" for move, name, guess in zip(moves, keys, guesses, strict=True)]


def assert_plain_form_agrees(module: str, traces: Callable[[], str]) -> None:
    """Check that `traces()` of a module gives the same in a process without JIT compilation."""
    plain = subprocess.run(
        [sys.executable, "-W", "error", "-c", f"from {module} import traces; print(traces())"],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert plain.returncode == 0, plain.stderr
    assert plain.stdout.splitlines() == traces().splitlines()


def golden_text(position: Position, module: str) -> str:
    """A random game as text: number, move, number of legal moves, and the key of the position after it."""
    rng = make_rng(2026)
    lines = [f"# number, move, legal moves, key after it; made by: python -m {module}"]
    while not position.is_over:
        legal = position.legal_moves
        position = position.play(legal[int(below(rng, len(legal)))])
        lines.append(f"{position.ply} {position.game.write_move(position.move)} {len(legal)} {position.key:016x}")
    lines.append(position.game.write_outcome(position.outcome))
    return "\n".join(lines) + "\n"


def assert_refused(position: Position, move: str | Move, error: type[Exception], message: str) -> Exception:
    """Check that a move is refused with `message`, which contains the reason if the move is illegal."""
    with pytest.raises(error) as caught:
        position.play(move)
    assert str(caught.value) == message
    if error is IllegalMove:
        assert caught.value.reason == message.partition("illegal: ")[2]
    return caught.value


def assert_survives_json(name: str, options: Mapping[str, Any]) -> Game:
    """Check that a game and its start are the same after its options were written to JSON and read back."""
    rules_of_game = game(name, **options)
    again = game(name, **json.loads(json.dumps(rules_of_game.options())))
    assert again == rules_of_game
    assert again.start().key == rules_of_game.start().key
    return rules_of_game
