"""The rules of Go, compiled: known numbers, perft, random games against a second implementation, playouts."""

from __future__ import annotations

import itertools
import math
import os
import random
import subprocess
import sys
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tengen.core.compiled.kernel import kernel
from tengen.core.compiled.position_kernels import list_legal_moves
from tengen.core.compiled.rng import below, make_rng
from tengen.core.compiled.rules import (
    evaluate,
    is_over,
    play,
    playout_move,
    playout_score,
    random_move,
    repeat_key,
    score,
)
from tengen.core.errors import GameOver, IllegalMove
from tengen.core.position import Position
from tengen.games.go import PASS, Go, counting, rules
from tengen.search.kernels.perft import count_lines
from tengen.search.kernels.playout import random_games
from tests.helpers.paths import ROOT
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
def stone_key(width: int, height: int, colour: int, point: int) -> int:
    """The key of a board with this stone only, as the rules make it."""
    states = np.zeros(1, rules.RECORD)
    Go(width, height).set_up(states)
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
            key ^= stone_key(game.width, game.height, colour, point)
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
        counts[ply] = list_legal_moves(stack[ply : ply + 2], keys[: ply + 1], moves[ply])
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
        moves = np.zeros((length + 1, game.max_legal_moves), np.int32)
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
    moves = np.zeros((longest, game.max_legal_moves), np.int32)
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
    assert abs(guess) <= game.max_score
    return length


SMALL = ["1x1", "1x2", "2x1", "1x3", "2x2", "5x1", "3x2", "2x3", "3x3", "2x5", "4x3"]


@pytest.mark.parametrize("suicide", [False, True])
@pytest.mark.parametrize("ko", KO_RULES)
def test_small_random_games_agree_with_the_reference(ko, suicide):
    for size, seed in itertools.product(SMALL, range(15)):
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


@st.composite
def games(draw) -> Go:
    """Any size and any rules; small boards, where more happens in a few moves, more often."""
    sides = draw(st.sampled_from([st.integers(1, 3), st.integers(2, 6), st.integers(1, 25)]))
    width, height = draw(sides), draw(sides)
    most = min(width * height - 1, 6)
    free = most >= 2 and draw(st.booleans())
    return Go(
        width,
        height,
        komi=draw(st.integers(-20, 20)) / 2,
        scoring=draw(st.sampled_from(["area", "territory"])),
        ko=draw(st.sampled_from(KO_RULES)),
        suicide=draw(st.booleans()),
        handicap=draw(st.integers(2, most)) if free else 0,
        free_handicap=free,
        bonus=draw(st.sampled_from(["0", "N", "N-1"])),
    )


@settings(max_examples=80, deadline=None, derandomize=True)
@given(game=games(), choices=st.lists(st.integers(0, 10**6), min_size=5, max_size=60))
def test_positions_agree_with_the_reference_move_by_move(game, choices):
    position, play = game.start(), start_reference(game)
    for choice in choices:
        check_against(game, position.state, play)
        check_record(game, position.state)
        legal = position.legal_moves
        assert legal == tuple(to_move(game, place) for place in play.legal_moves())
        assert len(legal) <= game.max_legal_moves
        assert position.is_over == play.is_over
        assert position.to_move == play.turn
        if position.is_over:
            break
        # Look at one point, whatever stands there: a refusal must name the rule that the reference names.
        place = play.grid.points()[choice % game.area]
        reason = play.why_illegal(place)
        if reason:
            with pytest.raises(IllegalMove) as refusal:
                position.play(game.point(place))
            assert refusal.value.reason.startswith(REASONS[reason])
        move = legal[choice % len(legal)]
        position, play = position.play(move), play.after(to_place(game, move))
    while not position.is_over:
        move = PASS if PASS in position.legal_moves else position.legal_moves[0]
        position, play = position.play(move), play.after(to_place(game, move))
    assert play.is_over
    assert position.legal_moves == ()
    assert position.final_score == reference_score(game, play)
    assert position.outcome.score == reference_score(game, play) / 1000
    with pytest.raises(GameOver):
        position.play(PASS)


def test_the_order_of_moves_does_not_change_the_key():
    game = Go.create(size=5)
    black, white = ["A1", "B2", "C3", "C4", "E5"], ["A2", "C2", "D2", "D4", "A5"]
    keys = set()
    for seed in range(50):
        shuffle = random.Random(seed).shuffle
        shuffle(black)
        shuffle(white)
        position = game.start().play_all(itertools.chain(*zip(black, white, strict=True)))
        keys.add((position.key, position.repeat_key, int(position.state.stones_key)))
    assert len(keys) == 1


def test_different_boards_have_different_keys_and_the_same_board_has_one():
    game = Go.create(size="3x3", rules="tromp-taylor")
    boards: dict[reference.Board, int] = {}
    met_again = 0
    for seed in range(100):
        position, rng = game.start(), make_rng(seed)
        while not position.is_over and position.ply < 40:
            board, key = find_stones(game, position.state), int(position.state.stones_key)
            met_again += board in boards
            assert boards.setdefault(board, key) == key
            position = position.play(position.legal_moves[int(below(rng, len(position.legal_moves)))])
    assert len(boards) > 500
    assert met_again > 500
    assert len(set(boards.values())) == len(boards)


def test_the_key_of_a_position_tells_what_its_future_depends_on():
    start = Go.create(size=3, ko="simple", scoring="territory").start()
    lines = ["", "pass", "B2", "B2 pass", "pass B2", "B2 pass A1", "A1 A2 B2", "A1 A2 B2 A3"]
    keys = {start.play_all(line.split()).key for line in lines}
    assert len(keys) == len(lines)
    # The same stones and turn, with one White stone taken or none: prisoners count as territory does.
    taken, plain = "A2 A1 B1 C3 pass C2", "A2 pass B1 C3 pass C2"
    for scoring in ("territory", "area"):
        start = Go.create(size=3, ko="simple", scoring=scoring).start()
        one, other = start.play_all(taken.split()), start.play_all(plain.split())
        assert find_stones(start.game, one.state) == find_stones(start.game, other.state)
        assert (one.key == other.key) == (scoring == "area")
    # The same stones and turn, with a ko that may not be retaken now and without.
    start = Go.create(size="4x3", ko="simple").start()
    taken, plain = "B3 C3 A2 D2 B1 C1 pass B2 C2", "B3 C3 A2 D2 B1 C1 C2"
    one, other = start.play_all(taken.split()), start.play_all(plain.split())
    assert find_stones(start.game, one.state) == find_stones(start.game, other.state)
    assert one.key != other.key
    assert one.repeat_key == other.repeat_key


# ---- playouts and random moves


@pytest.mark.parametrize(
    ("size", "games_played", "known", "tolerance"),
    # With so many games the standard error of the mean is 0.08 on 9x9 and 0.31 on 19x19. A million and 200,000
    # games gave 111.05 +- 0.02 and 455.40 +- 0.06.
    [(9, 40_000, 110.9, 0.5), (19, 8_000, 454.9, 2.0)],
)
def test_light_playouts_have_the_known_length_and_end_by_themselves(size, games_played, known, tolerance):
    game = Go.create(size=size)
    stack = np.zeros(2, game.record)
    game.set_up(stack)
    rng, stop = make_rng(2024), np.zeros(1, np.int64)
    longest = game.max_playout_length
    lengths = np.array([random_games(stack, 1, longest, False, rng, stop)[0] for _ in range(games_played)])
    error = lengths.std() / math.sqrt(games_played)
    assert error < tolerance / 4
    assert abs(lengths.mean() - known) < tolerance
    assert lengths.max() < longest


@pytest.mark.parametrize("size", ["2x2", "3x3", "5x5", "4x7", "9x9"])
def test_playouts_fill_no_eye_and_pass_only_when_nothing_is_left(size):
    game = Go.create(size=size)
    longest = game.max_playout_length
    rng = make_rng(5)
    for _ in range(200 // game.area + 1):
        stack, played = np.zeros(longest + 1, game.record), np.zeros(longest, np.int32)
        game.set_up(stack)
        length = record_playout(stack, played, rng)
        play = reference.Play.start(game.width, game.height, "simple")
        for ply in range(length):
            check_against(game, stack[ply], play)
            good = [
                place
                for place in play.legal_moves()
                if place is not reference.PASS and not play.grid.is_eye(play.board, play.turn, place)
            ]
            move = to_place(game, int(played[ply]))
            assert move in good if good else move is reference.PASS
            play = play.after(move)
            check_record(game, stack[ply + 1])
        check_against(game, stack[length], play)


def check_uniform(counts: np.ndarray, moves: list[int]) -> None:
    """Chi-square: the sum stays within five standard deviations of its mean, the degrees of freedom."""
    assert {int(move) for move in np.flatnonzero(counts)} == set(moves)
    expected = counts.sum() / len(moves)
    freedom = len(moves) - 1
    assert ((counts[moves] - expected) ** 2 / expected).sum() < freedom + 5 * math.sqrt(2 * freedom)


# Black has just taken the ko at B2. For White A1 and A4 are suicide. When White passes, A1 and A4 are eyes for
# Black, B2 (two bad diagonals) is none, and D1 is suicide. White's D1 is no eye either.
#   4 . X . .
#   3 X X O .
#   2 X . X O
#   1 . X O .
KO_AND_EYES = "B4 C3 A3 B2 B3 D2 A2 C1 B1 pass C2"


@pytest.mark.parametrize("suicide", [False, True])
@pytest.mark.parametrize("passing", ["", "pass"])
def test_random_moves_are_uniform_over_the_legal_moves(suicide, passing):
    game = Go.create(size=4, ko="simple", suicide=suicide)
    position = game.start().play_all([*KO_AND_EYES.split(), *passing.split()])
    stack, counts = np.zeros(2, game.record), np.zeros(rules.POINTS, np.int64)
    stack[0] = position.state
    tally(stack, False, make_rng(7), counts)
    play = start_reference(game)
    for move in position.moves:
        play = play.after(to_place(game, move))
    check_uniform(counts, [to_move(game, place) for place in play.legal_moves()])


@pytest.mark.parametrize("passing", ["", "pass"])
def test_playout_moves_are_uniform_over_what_is_no_eye_and_no_suicide(passing):
    game = Go.create(size=4, ko="simple", suicide=True)
    position = game.start().play_all([*KO_AND_EYES.split(), *passing.split()])
    stack, counts = np.zeros(2, game.record), np.zeros(rules.POINTS, np.int64)
    stack[0] = position.state
    tally(stack, True, make_rng(8), counts)
    play = start_reference(Go.create(size=4, ko="simple"))
    for move in position.moves:
        play = play.after(to_place(game, move))
    good = [
        to_move(game, place)
        for place in play.legal_moves()
        if place is not reference.PASS and not play.grid.is_eye(play.board, play.turn, place)
    ]
    check_uniform(counts, good)


def test_random_moves_never_pass_while_black_places_handicap_stones():
    game = Go.create(size="2x2", handicap=3, free_handicap=True)
    stack, counts = np.zeros(2, game.record), np.zeros(rules.POINTS, np.int64)
    game.set_up(stack)
    tally(stack, False, make_rng(9), counts)
    check_uniform(counts, board_points(game).tolist())


# ---- compiled and plain


def trace() -> str:
    """A record of seeded games and counts, to be the same with and without compilation."""
    lines = []
    for seed, (size, options, light, longest) in enumerate(
        [
            ("1x1", {"rules": "tromp-taylor"}, False, 9),
            ("2x2", {"rules": "new-zealand"}, False, 60),
            ("3x4", {"rules": "tromp-taylor"}, False, 60),
            ("5x4", {"rules": "japanese", "suicide": True}, False, 90),
            ("5x5", {"rules": "aga", "handicap": 3, "free_handicap": True}, False, 60),
            ("7x7", {"rules": "chinese", "handicap": 4}, True, 80),
            ("25x2", {"rules": "japanese"}, True, 60),
        ]
    ):
        game = Go.create(size=size, **options)
        position, rng = game.start(), make_rng(seed)
        lines.append(game.describe())
        while not position.is_over and position.ply < longest:
            move = int(pick(np.array([position.state]), light, rng))
            if move not in position.legal_moves:  # a repetition, which a record alone cannot know
                move = position.legal_moves[int(below(rng, len(position.legal_moves)))]
            position = position.play(move)
            facts = (
                position.ply,
                game.write_move(move),
                position.to_move,
                len(position.legal_moves),
                f"{position.key:016x} {position.repeat_key:016x}",
                position.state.captured.tolist(),
            )
            lines.append(" ".join(map(str, facts)))
        lines.append(f"{game.count(position)} {list(map(int, judge(np.array([position.state]))))}")
    game = Go.create(size=4)
    stack, rng, stop = np.zeros(2, game.record), make_rng(1), np.zeros(1, np.int64)
    game.set_up(stack)
    for results in (random_games(stack, 3, 50, uniform, rng, stop) for uniform in (True, False)):
        lines.append(str(list(map(int, results))))
    sent = Go.create(size="4x3").start().play_all(SEND_TWO.split())
    lines.append(f"{perft(sent, 2)} {counting.count_games(1, 2)} {counting.count_legal_positions(2, 2)}")
    return "\n".join(lines)


def test_the_compiled_and_the_plain_form_agree_move_by_move():
    plain = subprocess.run(
        [sys.executable, "-W", "error", "-c", f"from {__name__} import trace; print(trace())"],
        cwd=ROOT,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert plain.stderr == ""
    assert plain.stdout.splitlines() == trace().splitlines()
    assert len(plain.stdout.splitlines()) > 200
