"""Positions for tests of search, and random games: the same for the same seed on every version of Python."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator, Sequence
from typing import TypeVar

from tengen.core.position import Position
from tengen.games import game
from tengen.games.go import PASS

Item = TypeVar("Item")


def pick(rng: random.Random, items: Sequence[Item]) -> Item:
    """A random item. Unlike `random.choice`, it is the same in all versions of Python."""
    return items[int(rng.random() * len(items))]


def after(start: Position, moves: str) -> Position:
    """The position after moves separated by spaces."""
    return start.play_all(moves.split())


def random_game(start: Position, seed: int, max_plies: int | None = None) -> Position:
    """The last position of a random game, which has at most `max_plies` moves."""
    rng = random.Random(seed)
    position = start
    while not position.is_over and (max_plies is None or position.ply < max_plies):
        position = position.play(pick(rng, position.legal_moves))
    return position


def after_random_moves(start: Position, plies: int, seed: int) -> Position:
    """The position after up to `plies` random moves; the game is not over."""
    rng = random.Random(seed)
    position = start
    for _ in range(plies):
        after = position.play(pick(rng, position.legal_moves))
        if after.is_over:
            break
        position = after
    return position


def small_clobber(count: int, seed: int, most: int = 10) -> Iterator[Position]:
    """Strips and two-row boards of up to `most` cells, either side to move, in which a move is left."""
    rng = random.Random(seed)
    while count:
        cells = 2 + int(rng.random() * (most - 1))
        board = "".join(pick(rng, "XXOO.") for _ in range(cells))
        if cells % 2 == 0 and rng.random() < 0.4:
            board = f"{board[: cells // 2]}/{board[cells // 2 :]}"
        position = game("clobber", board=board, first=pick(rng, "XO")).start()
        if not position.is_over:
            count -= 1
            yield position


def late_othello(count: int, seed: int, empties: int = 7) -> Iterator[Position]:
    """4x4 boards with few empty squares, from random games and from discs thrown at random."""
    rng = random.Random(seed)
    while count:
        if rng.random() < 0.5:
            position = after_random_moves(game("othello", size=4).start(), 12 - empties + 2, seed=count)
        else:
            discs = [pick(rng, "XO") for _ in range(16)]
            for _ in range(empties):
                discs[int(rng.random() * 16)] = "-"
            position = game("othello", size=4, board="".join(discs) + pick(rng, "XO")).start()
        if not position.is_over:
            count -= 1
            yield position


# Seeds of `late_go` from which all games can be followed to their end by plain minimax.
LATE_GO = {
    ("2x2", "situational", False): (10, 53, 91, 92, 132, 211, 218, 224, 270),
    ("2x2", "situational", True): (162, 171, 201, 234, 245, 370, 445, 485, 514, 522, 582, 624, 668),
    ("2x2", "positional", False): (24, 53, 131, 132, 206, 208, 211, 359, 370, 386, 396, 423, 427, 429),
    ("1x3", "situational", False): (0, 1, 3, 4, 5, 7, 14, 19, 29, 38, 45, 50, 51, 53, 54, 57, 61),
    ("1x3", "situational", True): (18, 24, 45, 54, 55, 57, 61, 81, 101, 109, 111, 118),
    ("1x4", "situational", False): (4, 7, 25, 31, 49, 59, 87, 91, 135, 138, 159, 162, 223, 229, 249, 261, 271),
    ("1x4", "situational", True): (107, 123, 129, 139, 140, 298, 301, 315, 395, 426, 442, 521, 580, 584),
    ("1x4", "positional", True): (7, 38, 48, 50, 59, 61, 62, 112, 120, 123, 135, 138, 196, 260),
    ("1x5", "situational", False): (1587, 3420, 3730, 3827),
    ("1x5", "positional", False): (36, 127, 766, 892, 1163, 1196, 1278, 2514),
    ("2x3", "situational", False): (517, 1751, 2318),
    ("2x3", "situational", True): (99, 356, 399, 792, 846, 1479, 2047, 2375, 3068),
}


def late_go(size: str, ko: str, suicide: bool, seed: int, komi: float = 0) -> Position:
    """A tiny board after so long a random game that superko forbids most of what is left to play."""
    rng = random.Random(seed)
    passing = pick(rng, (0, 0.05, 0.2))
    position = game("go", size=size, ko=ko, suicide=suicide, komi=komi, bonus="0").start()
    while position.ply < 80:
        moves = [move for move in position.legal_moves if move != PASS]
        if not moves or rng.random() < passing:
            if position.move == PASS:
                break
            moves = [PASS]
        position = position.play(pick(rng, moves))
    for _ in range(int(rng.random() * 12)):
        if position.ply > 1 and position.parent is not None:
            position = position.parent
    return position


@functools.cache
def all_late_go(ko: str) -> tuple[Position, ...]:
    return tuple(late_go(*rules, seed) for rules, seeds in LATE_GO.items() if rules[1] == ko for seed in seeds)


def handicap_go(size: str, stones: int, komi: float) -> Iterator[Position]:
    """Black places some stones before White may answer: the start and every position with one stone placed."""
    rules = {"ko": "situational", "handicap": stones, "free_handicap": True, "bonus": "0"}
    start = game("go", size=size, komi=komi, **rules).start()
    yield start
    for move in start.legal_moves:
        yield start.play(move)
