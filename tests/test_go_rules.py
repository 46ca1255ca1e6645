"""The rules of Go, compiled: known numbers, perft, random games against a second implementation, playouts."""

from __future__ import annotations

import itertools
import math
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tengen.core.compiled.generic import (
    evaluate,
    is_over,
    play,
    playout_move,
    playout_score,
    random_move,
    repeat_key,
    score,
)
from tengen.core.compiled.kernel import kernel
from tengen.core.compiled.rng import below, make_rng
from tengen.core.compiled.walk import list_moves
from tengen.core.errors import GameOver, IllegalMove
from tengen.core.position import Position
from tengen.games.go import PASS, Go, counting, rules
from tengen.search.kernels.perft import count_lines
from tengen.search.kernels.playout import playouts, random_games
from tests.reference import go as reference

KO_RULES = ("simple", "positional", "situational")
REASONS = {
    "stone": "there is a stone",
    "ko": "the ko may not be retaken at once",
    "suicide": "it would be suicide",
    "handicap": "Black has handicap stones to place first",
    "superko": "it would repeat an earlier position",
}


# ---- from our game to the reference's and back


def start_reference(game: Go) -> reference.Play:
    stones = ()
    if game.handicap and not game.free_handicap:
        stones = find_stones(game, game.start().state)[0]
    free = game.handicap if game.free_handicap else 0
    return reference.Play.start(game.width, game.height, game.ko, game.suicide, stones=stones, free=free)


def to_place(game: Go, move: int) -> reference.Point | None:
    return reference.PASS if move == PASS else game.points(move)[0]


def to_move(game: Go, place: reference.Point | None) -> int:
    return PASS if place is reference.PASS else game.point(place)


@cache
def board_points(game: Go) -> np.ndarray:
    return np.array([game.point((column, row)) for row in range(game.height) for column in range(game.width)])


def find_stones(game: Go, state) -> reference.Board:
    points = board_points(game)
    contents = state.go_stones[points]
    black, white = (points[contents == colour] for colour in (rules.BLACK, rules.WHITE))
    return frozenset(game.points(int(move))[0] for move in black), frozenset(
        game.points(int(move))[0] for move in white
    )


# ---- everything in a record that follows from the stones, computed from scratch


@cache
def stone_key(game: Go, colour: int, point: int) -> int:
    """The key of a board with this stone only, as the rules make it."""
    states = np.zeros(1, rules.RECORD)
    game.set_up(states)
    rules.put_stones(states, np.array([point]), colour)
    return int(states[0].stones_key)


def check_record(game: Go, state) -> None:
    """Strings, their rings and pseudo-liberties, the list of empty points and the key fit the stones."""
    points = board_points(game)
    contents = dict(zip(points.tolist(), state.go_stones[points].tolist(), strict=True))
    assert np.count_nonzero(state.go_stones == rules.BORDER) == rules.POINTS - game.area

    key = 0
    heads = dict(zip(points.tolist(), state.head[points].tolist(), strict=True))
    links = dict(zip(points.tolist(), state.link[points].tolist(), strict=True))
    unseen = {point for point, content in contents.items() if content != rules.EMPTY}
    while unseen:
        first = unseen.pop()
        colour, string, waiting, liberties = contents[first], {first}, [first], 0
        while waiting:
            point = waiting.pop()
            key ^= stone_key(game, colour, point)
            for step in (1, -1, rules.STRIDE, -rules.STRIDE):
                content = contents.get(point + step)
                liberties += content == rules.EMPTY
                if content == colour and point + step not in string:
                    string.add(point + step)
                    waiting.append(point + step)
        unseen -= string
        assert liberties > 0
        assert {heads[point] for point in string} <= string, "the head is a stone of the string"
        assert len({heads[point] for point in string}) == 1, "all stones agree on it"
        assert int(state.liberties[heads[first]]) == liberties
        ring, point = [], first
        for _ in string:
            ring.append(point)
            point = links[point]
        assert point == first, "the ring closes"
        assert set(ring) == string, "and has every stone once"
    assert int(state.stones_key) == key

    count = int(state.empty_count)
    empties = state.empties[:count].tolist()
    assert sorted(empties) == [point for point in points.tolist() if contents[point] == rules.EMPTY]
    assert state.place[empties].tolist() == list(range(count))


def check_against(game: Go, state, play: reference.Play) -> None:
    """The record says what the reference says."""
    assert find_stones(game, state) == play.board
    assert state.turn == play.turn
    assert tuple(state.captured.tolist()) == play.captured
    assert state.passes == play.passes
    assert state.handicap == play.handicap


def reference_score(game: Go, play: reference.Play) -> int:
    """In thousandths, for Black."""
    points = play.area_score() if game.scoring == "area" else play.territory_score()
    bonus = {"0": 0, "N": game.handicap, "N-1": max(game.handicap - 1, 0)}[game.bonus]
    return round(1000 * (points - game.komi - bonus))


# ---- kernels that play and record


@kernel
def record_game(stack, keys, moves, counts, played, rng):
    """Play a random game that heeds every rule; returns its length.

    stack: the records of all positions; keys: their repeat keys; moves, counts: the legal moves of each;
    played: the moves; its length is that of the longest game.
    """
    ply = 0
    while ply < len(played) and not is_over(stack[ply]):
        keys[ply] = repeat_key(stack[ply])
        counts[ply] = list_moves(stack[ply : ply + 2], keys[: ply + 1], moves[ply])
        played[ply] = moves[ply, below(rng, counts[ply])]
        stack[ply + 1] = stack[ply]
        play(stack[ply + 1], played[ply])
        ply += 1
    return ply


@kernel
def record_playout(stack, played, rng):
    """Play a light playout, keeping all positions; returns its length."""
    ply = 0
    while ply < len(played) and not is_over(stack[ply]):
        stack[ply + 1] = stack[ply]
        played[ply] = playout_move(stack[ply + 1], rng)
        play(stack[ply + 1], played[ply])
        ply += 1
    return ply


@kernel
def pick(states, light, rng):
    """A move by `random_move`, or by `playout_move`."""
    if light:
        return np.int64(playout_move(states[0], rng))
    return np.int64(random_move(states[0], rng))


@kernel
def tally(stack, light, rng, counts):
    """Choose len(counts) x 1000 moves in the same position; count how often each was chosen."""
    for _ in range(1000 * len(counts)):
        stack[1] = stack[0]
        if light:
            counts[np.int64(playout_move(stack[1], rng))] += 1
        else:
            counts[np.int64(random_move(stack[1], rng))] += 1


@kernel
def judge(states):
    """(score, score of a playout, evaluation) of a position."""
    state = states[0]
    return np.int64(score(state)), np.int64(playout_score(state)), np.int64(evaluate(state))


def perft(position: Position, depth: int) -> list[int]:
    """How many lines of 1, 2, … `depth` moves there are."""
    game, past = position.game, position.ply + 1
    counts = []
    for length in range(1, depth + 1):
        stack = np.zeros(length + 1, game.record)
        stack[0] = position.state
        moves = np.zeros((length + 1, game.most_moves), np.int32)
        keys = np.zeros(past + length, np.uint64)
        keys[:past] = position.repeat_keys
        counts.append(int(count_lines(stack, moves, keys, past, length, np.zeros(1, np.int64))))
    return counts


# ---- known numbers


@pytest.mark.parametrize(("width", "height", "known"), [(1, 1, 1), (1, 2, 5), (2, 2, 57), (3, 3, 12675)])
def test_the_number_of_legal_positions_is_the_known_one(width, height, known):
    assert counting.count_legal_positions(width, height) == known
    assert reference.count_legal_positions(width, height) == known


def test_the_number_of_legal_positions_does_not_depend_on_the_way_the_board_lies():
    assert counting.count_legal_positions(2, 3) == 489 == reference.count_legal_positions(3, 2)
    assert counting.count_legal_positions(3, 2) == 489


@pytest.mark.parametrize(("width", "height", "known"), [(1, 1, 1), (1, 2, 9), (2, 1, 9), (1, 3, 907), (3, 1, 907)])
def test_the_number_of_games_with_positional_superko_is_the_known_one(width, height, known):
    assert counting.count_games(width, height) == known
    assert reference.count_games(width, height) == known


def test_counting_can_be_stopped():
    stop = np.ones(1, np.int64)
    assert counting.count_games(1, 4, stop) == -1
    assert counting.count_legal_positions(4, 4, stop) == -1


# Lines of 1, 2, 3 … moves from the empty board. That positional superko forbids the suicide of one stone as a
# repetition shows in 1x3 and 2x2, where no longer suicide happens so soon.
PERFT = {
    ("2x1", "simple", False): [3, 7, 9, 9, 9, 9, 9, 9, 9],
    ("2x1", "simple", True): [3, 7, 11, 19, 37, 65, 105, 181, 325],
    ("2x1", "positional", False): [3, 7, 9, 9, 9, 9, 9, 9, 9],
    ("2x1", "positional", True): [3, 7, 9, 9, 9, 9, 9, 9, 9],
    ("2x1", "situational", False): [3, 7, 9, 9, 9, 9, 9, 9, 9],
    ("2x1", "situational", True): [3, 7, 11, 15, 19, 21, 21, 21, 21],
    ("1x3", "simple", False): [4, 11, 23, 45, 77, 129, 221, 365, 589],
    ("1x3", "simple", True): [4, 13, 35, 81, 177, 415, 999, 2369, 5559],
    ("1x3", "positional", False): [4, 11, 23, 45, 69, 101, 143, 179, 217],
    ("1x3", "positional", True): [4, 11, 23, 45, 69, 101, 143, 179, 217],
    ("1x3", "situational", False): [4, 11, 23, 45, 71, 107, 151, 189, 231],
    ("1x3", "situational", True): [4, 13, 35, 77, 139, 255, 447, 777, 1229],
    ("4x1", "simple", False): [5, 19, 55, 125, 245, 483, 925],
    ("4x1", "simple", True): [5, 21, 73, 221, 615, 1601, 4109],
    ("4x1", "positional", False): [5, 19, 55, 125, 243, 473, 839],
    ("4x1", "positional", True): [5, 19, 59, 147, 307, 651, 1233],
    ("4x1", "situational", False): [5, 19, 55, 125, 243, 473, 849],
    ("4x1", "situational", True): [5, 21, 73, 217, 583, 1413, 3151],
    ("2x2", "simple", False): [5, 21, 69, 161, 337, 673, 1329],
    ("2x2", "simple", True): [5, 21, 69, 185, 449, 977, 2185],
    ("2x2", "positional", False): [5, 21, 69, 161, 337, 673, 1249],
    ("2x2", "positional", True): [5, 21, 69, 161, 337, 673, 1249],
    ("2x2", "situational", False): [5, 21, 69, 161, 337, 673, 1273],
    ("2x2", "situational", True): [5, 21, 69, 185, 449, 929, 1889],
    ("2x3", "simple", False): [7, 43, 223, 941, 3285, 8889],
    ("2x3", "simple", True): [7, 43, 223, 981, 3669, 12085],
    ("2x3", "positional", False): [7, 43, 223, 941, 3285, 8889],
    ("2x3", "positional", True): [7, 43, 223, 949, 3421, 10057],
    ("2x3", "situational", False): [7, 43, 223, 941, 3285, 8889],
    ("2x3", "situational", True): [7, 43, 223, 981, 3669, 12005],
    ("3x3", "simple", False): [10, 91, 739, 5291],
    ("3x3", "simple", True): [10, 91, 739, 5355],
    ("3x3", "positional", False): [10, 91, 739, 5291],
    ("3x3", "positional", True): [10, 91, 739, 5291],
    ("3x3", "situational", False): [10, 91, 739, 5291],
    ("3x3", "situational", True): [10, 91, 739, 5355],
}

# The same where Black can send two stones at A1 and White returns one at C1, so that each rule bans other moves:
#   3 . . . .
#   2 O O X .
#   1 . X . X
SEND_TWO = "C2 A2 D1 B2 B1 pass"
SEND_TWO_PERFT = {
    ("simple", False): [8, 44, 261, 1194, 5358],
    ("simple", True): [8, 50, 311, 1704, 8650],
    ("positional", False): [8, 44, 260, 1187, 5288],
    ("positional", True): [8, 44, 262, 1253, 5850],
    ("situational", False): [8, 44, 260, 1187, 5303],
    ("situational", True): [8, 50, 310, 1664, 8331],
}
FEASIBLE = 6000  # lines that the reference counts in half a second


def counted_by_both(position: Position, expected: list[int]) -> bool:
    """Compare all of a table with our count, and as much as is feasible with the reference's."""
    assert perft(position, len(expected)) == expected
    play = start_reference(position.game)
    for move in position.moves:
        play = play.after(to_place(position.game, move))
    feasible = [lines for lines in expected if lines <= FEASIBLE]
    return play.count_lines(len(feasible)) == feasible


@pytest.mark.parametrize(("size", "ko", "suicide"), PERFT, ids=str)
def test_perft_from_the_empty_board(size, ko, suicide):
    game = Go.create(size=size, ko=ko, suicide=suicide)
    assert counted_by_both(game.start(), PERFT[size, ko, suicide])


@pytest.mark.parametrize(("ko", "suicide"), SEND_TWO_PERFT, ids=str)
def test_perft_where_every_rule_on_ko_gives_another_number(ko, suicide):
    game = Go.create(size="4x3", ko=ko, suicide=suicide)
    assert counted_by_both(game.start().play_all(SEND_TWO.split()), SEND_TWO_PERFT[ko, suicide])
    assert len({table[-1] for table in SEND_TWO_PERFT.values()}) == len(SEND_TWO_PERFT)


def test_perft_counts_an_ended_game_once_and_can_be_stopped():
    game = Go.create(size="2x2")
    assert perft(game.start().play_all(["pass", "pass"]), 3) == [1, 1, 1]
    stack, keys = np.zeros(31, game.record), np.zeros(31, np.uint64)
    game.set_up(stack)
    assert count_lines(stack, np.zeros((31, 5), np.int32), keys, 1, 30, np.ones(1, np.int64)) == -1


# ---- random games against the reference


def compare_game(game: Go, seed: int, longest: int, step: int = 1) -> int:
    """Play a random game; compare all that it shows with the reference, the costly parts each `step` moves."""
    stack = np.zeros(longest + 2, game.record)
    game.set_up(stack)
    keys = np.zeros(longest, np.uint64)
    moves = np.zeros((longest, game.most_moves), np.int32)
    counts = np.zeros(longest, np.int64)
    played = np.zeros(longest, np.int32)
    length = record_game(stack, keys, moves, counts, played, make_rng(seed))
    play = start_reference(game)
    for ply in range(length + 1):
        check_against(game, stack[ply], play)
        if ply % step == 0 or ply == length:
            check_record(game, stack[ply])
            if ply < length:
                legal = [to_move(game, place) for place in play.legal_moves()]
                assert moves[ply, : counts[ply]].tolist() == legal
        assert is_over(stack[ply]) == play.is_over
        if ply < length:
            play = play.after(to_place(game, int(played[ply])))
    points, by_area, guess = judge(stack[length : length + 1].copy())
    assert points == reference_score(game, play)
    assert by_area == round(1000 * play.area_score() - stack[0].komi)
    assert abs(guess) <= game.best_score
    return length


SMALL = ["1x1", "1x2", "2x1", "1x3", "2x2", "5x1", "3x2", "2x3", "3x3", "2x5", "4x3"]


@pytest.mark.parametrize("suicide", [False, True])
@pytest.mark.parametrize("ko", KO_RULES)
def test_small_random_games_agree_with_the_reference(ko, suicide):
    for size, seed in itertools.product(SMALL, range(40)):
        scoring = "territory" if seed % 2 else "area"
        game = Go.create(size=size, ko=ko, suicide=suicide, scoring=scoring, komi=0.5 * (seed % 5))
        compare_game(game, seed, longest=50, step=3)


@pytest.mark.parametrize(
    ("size", "options"),
    [
        ("7x7", {"rules": "chinese", "handicap": 4}),
        ("9x9", {"rules": "tromp-taylor"}),
        ("9x9", {"rules": "japanese", "handicap": 5, "free_handicap": True}),
        ("13x6", {"rules": "new-zealand"}),
        ("3x25", {"rules": "aga", "handicap": 3, "free_handicap": True}),
        ("19x19", {"rules": "aga", "handicap": 9}),
        ("25x25", {"rules": "tromp-taylor"}),
    ],
)
def test_large_random_games_agree_with_the_reference(size, options):
    game = Go.create(size=size, **options)
    longest = 3 * game.area
    length = compare_game(game, seed=1, longest=min(longest, 700), step=1 + game.area // 5)
    assert length > game.area / 2


