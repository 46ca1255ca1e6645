"""Positions, options and random games of Pente."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

import tengen
from tengen.core.compiled.kernel import kernel
from tengen.core.position import Position
from tengen.games import game
from tengen.games.pente import Pente, rules

OPENINGS = ("none", "d-pente", "swap", "swap2", "soosorv-8", "taraguchi-10")


@kernel
def put_stones(states, points, colour):
    for point in points:
        rules._put_on(states[0], np.uint64(point), colour)


def colour_after(rules_of_game: Pente, number: int) -> int:
    """The colour of the next stone when `number` have been placed."""
    return number % 2 if rules_of_game.stones == 1 else (0, 1, 1, 0)[number % 4]


def set_up(
    rules_of_game: Pente,
    black: str = "",
    white: str = "",
    *,
    to_move: int = 0,
    captured: tuple[int, int] = (0, 0),
    number: int | None = None,
) -> Position:
    """A position in the middle of a game with stones anywhere; `number` counts those placed so far."""
    states = np.zeros(1, rules_of_game.record)
    rules_of_game.set_up(states)
    start = rules_of_game.start()
    for colour, names in enumerate((black, white)):
        points = [rules_of_game.read_move(name, start) for name in names.split()]
        put_stones(states, np.array(points, np.uint64), colour)
    if number is None:
        number = 1000 + to_move if rules_of_game.stones == 1 else 1003 + 2 * to_move
    assert colour_after(rules_of_game, number) == to_move
    state = states[0]
    state.turn = state.colour = to_move
    state.number, state.left = number, 0
    state.captured[:] = captured
    return Position(rules_of_game, states, None, None)


def random_options(rng: random.Random) -> dict[str, Any]:
    """Any mix of options that makes sense, with goals that are soon reached."""
    captures = rng.choice(["none", "pairs", "triples", "pairs", "triples"])
    stones = rng.choice([1, 1, 1, 2])
    options = {
        "size": rng.choice([5, 6, 7, 8, 9, 11]),
        "row": rng.choice([5, 6]),
        "exact": rng.random() < 0.5,
        "captures": captures,
        "goal": 0 if captures == "none" else rng.choice([0, 2, 4, 6, 10, 15]),
        "poof": captures != "none" and rng.random() < 0.6,
        "boat": captures != "none" and stones == 1 and rng.random() < 0.6,
        "stones": stones,
        "first": rng.choice(["centre", "anywhere"]),
        "second": rng.choice(["anywhere", "tournament", "g-pente"]),
        "opening": rng.choice(("none", "d-pente", "swap2")) if stones == 1 else "none",
    }
    is_renju = captures == "none" and stones == 1 and options["row"] == 5 and not options["exact"]
    is_caro = captures == "none" and stones == 1 and options["row"] == 5 and options["second"] == "g-pente"
    return options | {"renju": is_renju and not is_caro, "caro": is_caro}


def free(size: int = 19, **options: Any) -> Pente:
    return game("pente", size=size, first="anywhere", **options)


BOAT = game("pente", variant="boat")
FOUR = {"black": "K10 L10 M10 N10 M11", "white": "M12 A1"}  # M10 and M11 can be taken at M9

MIXED = {
    "keryo poof": {"captures": "triples", "goal": 15, "poof": True},
    "keryo boat": {"captures": "triples", "goal": 15, "boat": True},
    "poof boat": {"poof": True, "boat": True},
}


def game_of(variant: str, size: int):
    options = MIXED.get(variant, {"variant": variant})
    return tengen.game("pente", **options, size=size, first="anywhere")


def random_walk(game, seed: int, most: int) -> list[Position]:
    """Positions of a random game with stones close together, so that rows and captures occur."""
    rng = np.random.default_rng(seed)
    positions = [game.start()]
    while not positions[-1].is_over and len(positions) <= most:
        position = positions[-1]
        moves = np.array(position.legal_moves)
        stones = np.flatnonzero((position.state.pente_stones == 1) | (position.state.pente_stones == 2))
        if len(stones):
            gaps = np.abs(moves[:, None] % 20 - stones % 20) + np.abs(moves[:, None] // 20 - stones // 20)
            moves = moves[gaps.min(axis=1) <= 2]
        positions.append(position.play(int(rng.choice(moves if len(moves) else np.array(position.legal_moves)))))
    return positions
