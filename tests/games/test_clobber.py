"""Clobber: the rules against a second, simple implementation, known outcomes, board operations, a golden game.

After an intended change, `python -m tests.games.test_clobber` rewrites the golden games.
"""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tengen.core.compiled.rng import make_rng
from tengen.core.compiled.rules import evaluate
from tengen.core.errors import AmbiguousMove, GameOver, IllegalMove, OptionError, PositionError, UnreadableMove
from tengen.core.game import Move
from tengen.core.outcome import Outcome
from tengen.core.position import Position
from tengen.games import game
from tengen.games.clobber import Clobber, colour_swapped, mirror_images, normal_form, rules, subgames
from tengen.games.clobber.board import alternating, read_board
from tests.helpers.paths import GOLDEN
from tests.helpers.rules_checks import (
    assert_drawn_evenly,
    assert_plain_form_agrees,
    assert_refused,
    assert_survives_json,
    compiled_only,
    golden_text,
    largest_guess,
    perft,
    trace,
)
from tests.reference import clobber as reference

# More than 64 cells (two to four words), more than 256 (five and more); rows that end anywhere within a word.
LARGE = [
    "1x65",
    "65x1",
    "3x30",
    "13x5",
    "64x2",
    "2x64",
    "4x64",
    "1x256",
    "1x257",
    "257x1",
    "7x37",
    "3x128",
    "20x20",
]


# ---- two forms of one position


def start_of(board: str, first: str = "X") -> Position:
    return Clobber(board=board, first=first).start()


def random_board(rng: random.Random, rows: int, columns: int) -> str:
    """Stones anywhere, few or many gaps."""
    symbols = rng.choice(["XO", "XXXOOO.", "XO."])
    return "/".join("".join(rng.choice(symbols) for _ in range(columns)) for _ in range(rows))


def moves_by_points(position: Position) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """The legal moves as the simple implementation tells them: (row, column) from and to."""
    both = [position.game.points(move) for move in position.legal_moves]
    return [
        ((from_row, from_column), (to_row, to_column)) for (from_column, from_row), (to_column, to_row) in both
    ]


def assert_same(position: Position, other: reference.Clobber) -> None:
    """Everything that the rules know of a position is what the simple implementation says."""
    moves = other.moves()
    assert position.game.text(position) == other.board()
    assert "XO"[position.to_move] == other.mover
    assert sorted(moves_by_points(position)) == sorted(moves)
    assert position.is_over == (not moves)
    if not moves:
        assert position.outcome.winner == 1 - "XO".index(other.mover)
        assert position.final_score == (-1000 if other.mover == "X" else 1000)
    assert position.state.move_count == len(moves)
    # All that the record keeps up to date, and the key, depend on the stones and the side to move only.
    fresh = start_of(other.board(), other.mover)
    assert position.key == fresh.key
    for field in position.state.dtype.names:
        assert np.array_equal(position.state[field], fresh.state[field])


def play_along(position: Position, other: reference.Clobber, rng: random.Random, check_every: int = 1) -> Position:
    """Play both to the end with the same random moves, comparing them."""
    assert_same(position, other)
    while not position.is_over:
        index = rng.randrange(len(position.legal_moves))
        other.play(moves_by_points(position)[index])
        position = position.play(position.legal_moves[index])
        if position.ply % check_every == 0 or position.is_over:
            assert_same(position, other)
        else:
            assert sorted(moves_by_points(position)) == sorted(other.moves())
    return position


# ---- counts of lines


# Board, who begins, lines of 1, 2, … moves; the last count is that of all games.
PERFT = [
    ("XOXO", "X", [3]),
    ("XOXOX", "X", [4, 6]),
    ("XOXOXO", "X", [5, 12, 14]),
    ("XOXOXOX", "X", [6, 20, 30, 32]),
    ("XOXOXOXO", "X", [7, 30, 65, 84, 88]),
    ("XOXOXOXOX", "X", [8, 42, 126, 200, 230]),
    ("XOXOXOXOXO", "X", [9, 56, 217, 456, 654, 720]),
    ("XOXOXOXOXOX", "X", [10, 72, 344, 966, 1708, 2110, 2140]),
    ("XOXOXOXOXOX", "O", [10, 72, 344, 966, 1708, 2110, 2140]),
    ("XOXOXOXOXOXO", "X", [11, 90, 513, 1848, 4086, 6264, 7434, 7602]),
    ("XOX/OXO", "X", [7, 22, 34, 46]),
    ("XOX/OXO/XOX", "X", [12, 88, 376, 952, 1856, 1856, 1888]),
    ("XOX/OXO/XOX", "O", [12, 88, 376, 936, 1848, 2048, 2080]),
    ("XOXO/OXOX/XOXO", "X", [17, 204, 1671, 8974, 34506, 99330, 190992, 273316, 285848, 290192]),
    ("XXOO", "X", [1]),
    ("OXX.XOO.XXOX", "X", [4, 11, 23, 36, 42]),
    ("OXX.XOO.XXOX", "O", [4, 12, 25, 40, 50]),
    ("XXX/XOX/XXX", "X", [4]),
    ("XXX/XOX/XXX", "O", [4, 8]),
    ("XX.O/OXO./.XOX", "O", [5, 20, 48, 96, 96, 97]),
    ("X/O/O/X/O", "X", [3, 6]),
    ("XO/OX/.X/OO", "O", [5, 15, 30]),
    ("O.O/.X./OXO", "X", [2]),
    ("XXXX", "O", [1]),  # over at once: the one line of no moves
    ("...", "X", [1]),
]


@pytest.mark.parametrize(("board", "first", "lines"), PERFT)
def test_the_number_of_lines_is_that_of_the_simple_implementation(board, first, lines):
    counts = [perft(start_of(board, first), depth + 1) for depth in range(len(lines) + 2)]
    assert counts == [*lines, lines[-1], lines[-1]]
    assert counts == reference.count_lines(reference.Clobber(board, first), len(lines) + 2)


@pytest.mark.parametrize("size", ["1x70", "9x8", "1x260", "20x14"])
def test_lines_on_boards_of_several_words_are_counted_alike(size):
    rng = random.Random(size)
    rows, columns = map(int, size.split("x"))
    symbols = "XO." if rows * columns < 100 else "XO......"  # few enough moves for the simple implementation
    board = "/".join("".join(rng.choice(symbols) for _ in range(columns)) for _ in range(rows))
    lines = [perft(start_of(board), depth) for depth in (1, 2, 3)]
    assert lines == reference.count_lines(reference.Clobber(board), 3)
    assert lines[2] > lines[0] > 3


# ---- random games


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 7), st.integers(1, 9), st.sampled_from("XO"), st.data())
def test_random_games_agree_with_the_simple_implementation_at_every_move(rows, columns, first, data):
    row = st.text("XO.", min_size=columns, max_size=columns)
    board = "/".join(data.draw(st.lists(row, min_size=rows, max_size=rows)))
    position, other = start_of(board, first), reference.Clobber(board, first)
    assert_same(position, other)
    while not position.is_over:
        index = data.draw(st.integers(0, len(position.legal_moves) - 1))
        other.play(moves_by_points(position)[index])
        position = position.play(position.legal_moves[index])
        assert_same(position, other)


@pytest.mark.parametrize("size", ["1x20", "1x64", "64x1", "6x5", "5x6", "8x8", "2x32", "1x1", "1x2", "2x1"])
def test_random_games_from_the_usual_start_agree_with_the_simple_implementation(size):
    rng = random.Random(size)
    for first in "XOXO":
        start = Clobber.create(size=size, first=first).start()
        end = play_along(start, reference.Clobber(start.game.board, first), rng)
        # Every move takes one stone off the board.
        assert start.game.text(end).count(".") == end.ply


@pytest.mark.parametrize("size", LARGE)
def test_games_on_boards_of_several_words_agree_with_the_simple_implementation(size):
    rng = random.Random(size)
    rows, columns = map(int, size.split("x"))
    for board in (alternating(rows, columns), random_board(rng, rows, columns)):
        first = rng.choice("XO")
        end = play_along(start_of(board, first), reference.Clobber(board, first), rng, check_every=25)
        assert end.ply > rows * columns // 20


def test_the_largest_board_is_played_by_the_same_rules():
    start = Clobber.create(size="64x64").start()
    other = reference.Clobber(start.game.board)
    assert len(start.legal_moves) == 2 * 64 * 63 == len(other.moves())
    # The last stone of the last row clobbers, then the first one.
    position = start.play("bl1-bk1").play("a1-a2")
    for move in (((63, 63), (63, 62)), ((63, 0), (62, 0))):
        other.play(move)
    assert_same(position, other)


def test_shifts_reach_across_words():
    # Of 4 x 40 cells, b3 is number 41 and b2 number 81, in the next word; o2 is 94 and o1 134, two words on.
    rows = ["." * 40, ".X" + "." * 38, ".O" + "." * 12 + "X" + "." * 25, "." * 14 + "O" + "." * 25]
    position = start_of("/".join(rows))
    assert sorted(position.write_moves(position.legal_moves)) == ["b3-b2", "o2-o1"]
    assert position.game.text(position.play("o2-o1")).split("/")[2:] == [
        ".O" + "." * 38,
        "." * 14 + "X" + "." * 25,
    ]
    position = start_of("/".join(rows), "O")
    assert sorted(position.write_moves(position.legal_moves)) == ["b2-b3", "o1-o2"]
    # A strip, from the last cell of one word to the first of the next.
    for first, move in (("X", "64-65"), ("O", "65-64")):
        position = start_of("." * 63 + "XO" + "." * 10, first)
        assert position.write_moves(position.legal_moves) == [move]
        assert position.play(move).is_over


# ---- outcomes


def mover_wins(position: Position, known: dict[int, bool]) -> bool:
    """The whole tree, each position once, known by its key."""
    if position.key not in known:
        known[position.key] = any(not mover_wins(position.play(move), known) for move in position.legal_moves)
    return known[position.key]


def outcome(board: str) -> str:
    """L, R, N or P, by the package's rules."""
    known: dict[int, bool] = {}
    wins = tuple(mover_wins(start_of(board, first), known) for first in "XO")
    return {(True, True): "N", (True, False): "L", (False, True): "R", (False, False): "P"}[wins]


@pytest.mark.parametrize("n", range(1, 7))
def test_alternating_strips_are_won_by_the_player_to_move_except_for_three_pairs(n):
    expected = "P" if n == 3 else "N"
    assert outcome("XO" * n) == expected
    assert reference.outcome("XO" * n) == expected


@pytest.mark.parametrize("m", range(2, 6))
@pytest.mark.parametrize("n", range(2, 6))
def test_two_blocks_that_face_each_other_are_worth_nothing(m, n):
    assert outcome("X" * m + "O" * n) == "P"
    assert reference.outcome("X" * m + "O" * n) == "P"


@pytest.mark.parametrize("n", range(1, 5))
def test_repeated_two_to_one_strips_are_won_by_the_majority(n):
    assert outcome("XXO" * n) == "L"
    assert outcome("OOX" * n) == "R"
    assert reference.outcome("XXO" * n) == "L"


@pytest.mark.parametrize("n", range(1, 6))
def test_two_rows_are_lost_by_the_player_to_move_just_when_three_divides_their_length(n):
    assert outcome(alternating(2, n)) == ("P" if n % 3 == 0 else "N")


# Boards of at most twelve cells, which the brute-force solver finishes at once.
small_boards = st.one_of(
    st.text("XO.", min_size=1, max_size=11),
    st.integers(1, 4)
    .flatmap(lambda columns: st.lists(st.text("XO.", min_size=columns, max_size=columns), min_size=1, max_size=3))
    .map("/".join),
)


@settings(max_examples=60, deadline=None)
@given(small_boards)
def test_outcomes_are_those_of_the_simple_implementation(board):
    assert outcome(board) == reference.outcome(board)


@settings(max_examples=60, deadline=None)
@given(small_boards)
def test_mirror_images_have_the_same_outcome_and_a_colour_swap_exchanges_it(board):
    expected = reference.outcome(board)
    assert {reference.outcome(image) for image in mirror_images(board)} == {expected}
    assert reference.outcome(normal_form(board)) == expected
    assert reference.outcome(colour_swapped(board)) == {"L": "R", "R": "L"}.get(expected, expected)


@settings(max_examples=60, deadline=None)
@given(small_boards)
def test_a_board_is_the_sum_of_its_subgames(board):
    parts = subgames(board)
    whole = reference.side_by_side(parts) if parts else "."
    assert reference.outcome(whole) == reference.outcome(board)


# ---- operations on boards


@pytest.mark.parametrize(
    ("board", "parts"),
    [
        ("XO", ["XO"]),
        ("XO.OX", ["XO", "OX"]),
        ("..XXO..OOX.X", ["XXO", "OOX"]),  # the last stone has no neighbour
        ("XX.OO.XXOO", ["XXOO"]),  # parts of one colour have no moves
        ("...", []),
        ("X.O", []),
        ("X./.O", []),  # corners do not touch
        ("XO./..X/OXO", ["XO", "..X/OXO"]),
        ("XOX/O.O/XOX", ["XOX/O.O/XOX"]),
        ("XXXXX/X...X/X.XOX/X...X/OXXXX", ["XXXXX/X...X/X.XOX/X...X/OXXXX"]),
        ("XXXXXX/X....X/X.XO.X/X....X/OXXXXX", ["XXXXXX/X....X/X....X/X....X/OXXXXX", "XO"]),
        ("X.X/O.O", ["X/O", "X/O"]),
        ("X.O/OXX", ["X.O/OXX"]),  # from the top left, one end is reached upwards,
        ("..X/OXO", ["..X/OXO"]),  # leftwards
    ],
)
def test_the_parts_of_a_board(board, parts):
    assert subgames(board) == parts


boards = (
    st.integers(1, 8)
    .flatmap(lambda columns: st.lists(st.text("XO.", min_size=columns, max_size=columns), min_size=1, max_size=8))
    .map("/".join)
)


@settings(max_examples=100, deadline=None)
@given(boards)
def test_the_parts_of_a_board_have_all_its_moves_and_no_other(board):
    for player in "XO":
        moves = sum(len(reference.Clobber(part, player).moves()) for part in subgames(board))
        assert moves == len(reference.Clobber(board, player).moves())


@settings(max_examples=100, deadline=None)
@given(boards)
def test_a_part_of_a_board_is_its_own_only_part_cut_out_without_a_margin(board):
    for part in subgames(board):
        assert subgames(part) == [part]
        assert set("XO") <= set(part)
        rows = part.split("/")
        columns = ["".join(column) for column in zip(*rows, strict=True)]
        for border in (rows[0], rows[-1], columns[0], columns[-1]):
            assert set(border) != {"."}


def test_the_images_of_a_board():
    assert mirror_images("XXO") == {"XXO", "OXX", "X/X/O", "O/X/X"}
    assert mirror_images("XO/O.") == {"XO/O.", "OX/.O", "O./XO", ".O/OX"}
    assert mirror_images("XO/..") == {"XO/..", "OX/..", "../XO", "../OX", "X./O.", "O./X.", ".X/.O", ".O/.X"}
    assert mirror_images("XXO/O..") == {
        *("XXO/O..", "OXX/..O", "O../XXO", "..O/OXX"),
        *("XO/X./O.", "OX/.X/.O", "O./X./XO", ".O/.X/OX"),
    }
    assert mirror_images("X") == {"X"}


@settings(max_examples=100, deadline=None)
@given(boards)
def test_all_images_of_a_board_have_the_same_images_and_the_same_normal_form(board):
    images = mirror_images(board)
    assert board in images
    assert len(images) in (1, 2, 4, 8)
    assert all(mirror_images(image) == images for image in images)
    assert {normal_form(image) for image in images} == {normal_form(board)}
    assert normal_form(board) in images


def test_the_normal_form_is_wide_and_the_first_in_order():
    assert normal_form("X/O/O") == "OOX"
    assert normal_form("XXO") == "OXX"
    assert normal_form("X.O") == "O.X"
    assert normal_form("XO/X./O.") == "..O/OXX"


@settings(max_examples=50, deadline=None)
@given(boards)
def test_swapping_colours_exchanges_the_moves_and_twice_is_nothing(board):
    swapped = colour_swapped(board)
    assert colour_swapped(swapped) == board
    assert Counter(swapped) == Counter({"X": board.count("O"), "O": board.count("X")}) + Counter(
        symbol for symbol in board if symbol in "./"
    )
    assert reference.Clobber(swapped, "O").moves() == reference.Clobber(board, "X").moves()


@pytest.mark.parametrize(
    ("text", "board"),
    [
        ("XO.", "XO."),
        ("xo_", "XO."),
        ("x o -", "XO."),
        ("  XO.\n", "XO."),
        ("XO/OX", "XO/OX"),
        ("XO\nOX", "XO/OX"),
        ("\nX O\r\nO X\r\n", "XO/OX"),
        ("xo / ox", "XO/OX"),
        (".", "."),
    ],
)
def test_a_board_may_be_spelt_in_several_ways(text, board):
    assert read_board(text) == board
    assert read_board(board) == board


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("XOZ", "clobber: 'Z' is not a cell; a board is written with X, O and ."),
        ("XO+", "clobber: '+' is not a cell; a board is written with X, O and ."),
        ("XO|OX", "clobber: '|' is not a cell; a board is written with X, O and ."),
        ("XO\tX", "clobber: '\\t' is not a cell; a board is written with X, O and ."),
        ("XO/X", "clobber: all rows of a board need the same number of cells, at least one"),
        ("XO//OX", "clobber: all rows of a board need the same number of cells, at least one"),
        ("XO/", "clobber: all rows of a board need the same number of cells, at least one"),
        ("XO\n\nOX", "clobber: all rows of a board need the same number of cells, at least one"),
        ("", "clobber: all rows of a board need the same number of cells, at least one"),
        ("/", "clobber: all rows of a board need the same number of cells, at least one"),
    ],
)
def test_a_board_that_makes_no_sense_is_refused(text, message):
    with pytest.raises(PositionError) as caught:
        read_board(text)
    assert str(caught.value) == message


@settings(max_examples=100, deadline=None)
@given(st.text("XOxo._-/ \n\r\tQ", max_size=12) | st.text(max_size=6))
def test_any_text_is_a_board_or_refused_in_one_line(text):
    refusal, board = "", "X"
    try:
        board = read_board(text)
    except PositionError as error:
        refusal = str(error)
    assert "\n" not in refusal
    assert read_board(board) == board
    assert set(board) <= set("XO./")


# ---- key, random moves, evaluation


@pytest.mark.parametrize("board", ["XOXO.XXO", "XXO/O.X/OOX", alternating(1, 70), alternating(13, 20)])
def test_boards_that_differ_in_one_cell_or_in_the_side_to_move_have_different_keys(board):
    cells = [index for index, symbol in enumerate(board) if symbol != "/"]
    if len(cells) > 100:
        cells = cells[::7]  # of each word some
    boards = {board}
    for index in cells:
        boards |= {board[:index] + other + board[index + 1 :] for other in "XO."}
    keys = {start_of(other, first).key for other in boards for first in "XO"}
    assert len(boards) == 2 * len(cells) + 1
    assert len(keys) == 2 * len(boards)


def test_the_turn_does_not_cancel_against_a_stone_on_the_first_cell():
    assert start_of(".XO", "O").key != start_of("XXO", "X").key
    assert start_of(".OX", "X").key != start_of("OOX", "O").key


@pytest.mark.parametrize(
    "board", ["XOXOXOXO", "XOX/OXO/XOX", "XXO.OX/OO.XXX/X.XO.O", alternating(1, 100), alternating(17, 16)]
)
def test_random_moves_are_drawn_with_equal_chance(board):
    for first in "XO":
        assert_drawn_evenly(start_of(board, first), rounds=20, each=50)


@pytest.mark.parametrize("size", ["1x20", "6x5", "8x8", "1x100", "15x20"])
def test_a_guess_lies_strictly_between_a_loss_and_a_win(size):
    rng = random.Random(size)
    rows, columns = map(int, size.split("x"))
    seen = 0
    for seed in range(20):
        start = start_of(random_board(rng, rows, columns), rng.choice("XO"))
        stack = np.array([start.state, start.state], start.game.record)
        positions, largest = largest_guess(stack, 20, make_rng(seed))
        assert largest < start.game.max_score == 1000
        seen += positions
    assert seen > 1000


@settings(max_examples=60, deadline=None)
@given(boards, st.sampled_from("XO"))
def test_a_guess_is_for_the_side_with_more_stones_together_whoever_moves(board, first):
    rows = board.split("/")
    columns = ["".join(column) for column in zip(*rows, strict=True)]
    pairs = Counter(line[i : i + 2] for line in rows + columns for i in range(len(line) - 1))
    guess = evaluate(start_of(board, first).state)
    assert np.sign(guess) == np.sign(pairs["XX"] - pairs["OO"])
    assert evaluate(start_of(colour_swapped(board), first).state) == -guess


def test_a_guess_tells_who_wins_more_often_than_not():
    rng = random.Random(4)
    right = wrong = 0
    for _ in range(300):
        board = "".join(rng.choice("XXXOOO.") for _ in range(10))
        favourite = {"L": 1, "R": -1}.get(reference.outcome(board), 0)
        verdict = favourite * evaluate(start_of(board).state)
        right += verdict > 0
        wrong += verdict < 0
    assert right > 5 * wrong > 0


# ---- notation, reasons, text


@pytest.mark.parametrize("size", ["1x2", "1x20", "1x300", "6x5", "12x1", "1x1", "30x2", "2x60", "3x702"])
def test_every_move_is_read_as_it_is_written(size):
    position = Clobber.create(size=size).start()
    rules_of_game = position.game
    neighbours = 0
    for code in random.Random(1).sample(range(rules_of_game.move_codes), min(rules_of_game.move_codes, 500)):
        (from_column, from_row), (to_column, to_row) = rules_of_game.points(Move(code))
        along_row = from_row == to_row and abs(from_column - to_column) == 1
        along_column = from_column == to_column and abs(from_row - to_row) == 1 and min(from_row, to_row) >= 0
        if along_row if code % 4 in (rules.RIGHT, rules.LEFT) else along_column:
            neighbours += 1
            assert rules_of_game.read_move(rules_of_game.write_move(Move(code)), position) == code
    assert neighbours > 0 or size == "1x1"


def test_moves_are_written_with_numbers_on_a_strip_and_letters_on_a_board():
    strip = Clobber.create(size=20).start()
    assert strip.write_moves(strip.legal_moves)[:2] == ["1-2", "3-4"]
    assert strip.play("3-2").game.text(strip.play("3-2")) == "XX.O" + "XO" * 8
    board = Clobber.create(size="3x4").start()
    assert sorted(board.write_moves(board.legal_moves))[:4] == ["a1-a2", "a1-b1", "a3-a2", "a3-b3"]
    assert board.game.text(board.play("a3-b3")) == ".XXO/OXOX/XOXO"
    assert board.game.text(board.play("a1-a2")) == "XOXO/XXOX/.OXO"


def test_columns_beyond_z_have_two_letters():
    wide = Clobber.create(size="2x60").start()
    assert wide.game.points(wide.game.read_move("z2-aa2", wide)) == ((25, 0), (26, 0))
    for text in ("aw1-ax1", "AX2 AX1", "ax2xax1", "ax2x ay2"):
        assert wide.game.write_cell(wide.game.cells(wide.game.read_move(text, wide))[0])[:1] == "a"
    assert wide.game.points(wide.game.read_move("bh1-bg1", wide)) == ((59, 1), (58, 1))


def test_other_spellings_of_a_move_are_understood():
    strip = Clobber.create(size=20).start()
    for text in ("3-4", "3 4", "3x4", "3>4", "3->4", "3:4", " 3 - 4 ", "3   4"):
        assert strip.write_moves([strip.game.read_move(text, strip)]) == ["3-4"]
    board = Clobber.create(size="6x5").start()
    for text in ("b2-b3", "B2-B3", "b2 b3", "b2xb3", "b2 -> b3"):
        assert board.write_moves([board.game.read_move(text, board)]) == ["b2-b3"]


def test_the_origin_is_enough_where_only_one_move_starts():
    strip = start_of("XOXX")
    assert strip.play("1").moves == strip.play("1-2").moves
    board = start_of("XX/.O")
    assert board.play("b2").moves == board.play("b2-b1").moves


@pytest.mark.parametrize(
    ("rules_of_game", "move", "error", "message"),
    [
        (
            Clobber(board="X.XO"),
            "1-2",
            IllegalMove,
            "1-2 is illegal: 2 is empty, and a stone moves only onto an enemy stone",
        ),
        (Clobber(board="XXO"), "1-2", IllegalMove, "1-2 is illegal: 2 does not hold an O"),
        (Clobber(board="OOX", first="O"), "2-1", IllegalMove, "2-1 is illegal: 1 does not hold an X"),
        (Clobber(board="XXO"), "3-2", IllegalMove, "3-2 is illegal: there is no X on 3"),
        (Clobber(board="XO.", first="O"), "3-2", IllegalMove, "3-2 is illegal: there is no O on 3"),
        (Clobber(), "1-3", IllegalMove, "1-3 is illegal: a stone moves onto a neighbouring cell"),
        (Clobber(), "1-1", IllegalMove, "1-1 is illegal: a stone moves onto a neighbouring cell"),
        (
            Clobber(board="XOX/OXO"),
            "a2-b1",
            IllegalMove,
            "a2-b1 is illegal: a stone moves onto a neighbouring cell",
        ),
        # From the end of a row to the beginning of the next, in writing and as a number.
        (
            Clobber(board="XOX/OXO"),
            "c2-a1",
            IllegalMove,
            "c2-a1 is illegal: a stone moves onto a neighbouring cell",
        ),
        (
            Clobber(board="XOX/OXO"),
            Move(4 * 3 + 0),
            IllegalMove,
            "c2-a1 is illegal: a stone moves onto a neighbouring cell",
        ),
        # A column of single cells has neighbours above and below.
        (Clobber(board="X/X/O"), "a3-a2", IllegalMove, "a3-a2 is illegal: a2 does not hold an O"),
        (Clobber(board="X/X/O"), "a1-a2", IllegalMove, "a1-a2 is illegal: there is no X on a1"),
        (
            Clobber(board="X/X/O"),
            Move(4 * 1 + 0),
            IllegalMove,
            "a3-a2 is illegal: a stone moves onto a neighbouring cell",
        ),
        (Clobber(), Move(0), IllegalMove, "0-1 is illegal: it leaves the board"),
        (Clobber(), Move(4 * 3 + 2), IllegalMove, "-16-4 is illegal: it leaves the board"),
        (Clobber(board="XOX/OXO"), Move(2), IllegalMove, "a3-a2 is illegal: it leaves the board"),
        (Clobber(board="XO"), Move(8), IllegalMove, "2-3 is illegal: there is no move 8"),
        (Clobber(board="XXO"), "1", IllegalMove, "1 is illegal: no stone can clobber from 1"),
        (Clobber(), "3", AmbiguousMove, "3 may mean 3-4 or 3-2: write it in full"),
        (Clobber(), "0-1", UnreadableMove, "0 is not on the board, whose cells go from 1 to 20"),
        (Clobber(), "20-21", UnreadableMove, "21 is not on the board, whose cells go from 1 to 20"),
        (
            Clobber.create(size="6x5"),
            "e1-f1",
            UnreadableMove,
            "f1 is not on the board, whose cells go from a1 to e6",
        ),
        (
            Clobber.create(size="6x5"),
            "a6-a7",
            UnreadableMove,
            "a7 is not on the board, whose cells go from a1 to e6",
        ),
        (
            Clobber.create(size="6x5"),
            "a0-a1",
            UnreadableMove,
            "a0 is not on the board, whose cells go from a1 to e6",
        ),
        (
            Clobber(),
            "b2-b3",
            UnreadableMove,
            "'b2-b3' is not a move: write from-to, as 3-4 on a strip and b2-b3 on a board",
        ),
        (
            Clobber.create(size="6x5"),
            "3-4",
            UnreadableMove,
            "'3-4' is not a move: write from-to, as 3-4 on a strip and b2-b3 on a board",
        ),
        (
            Clobber(),
            "pass",
            UnreadableMove,
            "'pass' is not a move: write from-to, as 3-4 on a strip and b2-b3 on a board",
        ),
        (
            Clobber(),
            "",
            UnreadableMove,
            "'' is not a move: write from-to, as 3-4 on a strip and b2-b3 on a board",
        ),
        (
            Clobber(),
            "1-2-3",
            UnreadableMove,
            "'1-2-3' is not a move: write from-to, as 3-4 on a strip and b2-b3 on a board",
        ),
        (Clobber(board="XX"), "1-2", GameOver, "the game is over: White wins: Black has no move"),
        (Clobber(board="XX.O", first="O"), Move(4), GameOver, "the game is over: Black wins: White has no move"),
    ],
)
def test_a_refused_move_names_its_reason(rules_of_game, move, error, message):
    refusal = assert_refused(rules_of_game.start(), move, error, message)
    if error is AmbiguousMove:
        assert refusal.choices == ["3-4", "3-2"]


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=6) | st.text("abxz 0123-x>:\n", max_size=8), st.sampled_from(["1x20", "6x5", "4x1"]))
def test_any_text_is_a_move_or_refused_in_one_line(text, size):
    start = Clobber.create(size=size).start()
    refusal, move = "", Move(0)
    try:
        move = start.game.read_move(text, start)
    except (UnreadableMove, IllegalMove, AmbiguousMove) as error:
        refusal = str(error)
    assert "\n" not in refusal
    assert 0 <= move < start.game.move_codes


def test_absurdly_long_numbers_are_refused_like_any_other():
    with pytest.raises(UnreadableMove):
        Clobber().start().play("1" * 5000)
    with pytest.raises(OptionError):
        Clobber.create(size="1" * 5000)


def test_a_strip_and_a_board_in_text():
    strip = start_of("XO.OX").play("1-2")
    assert str(strip) == " 1 2 3 4 5\n . X . O X"
    assert strip.diagram().marked == {(0, 0), (1, 0)}
    board = Clobber.create(size="2x3").start().play("a2-b2")
    assert str(board) == "\n".join(["  A B C", "2 . X X 2", "1 O X O 1", "  A B C"])
    assert board.diagram().marked == {(0, 0), (1, 0)}


def test_the_dump_tells_the_subgames():
    position = Clobber(board="XO.OX..X").start()
    assert position.game.dump(position) == {"board": "XO.OX..X", "subgames": "XO + OX"}
    ended = Clobber(board="X.O").start()
    assert ended.game.dump(ended)["subgames"] == "none"


def test_who_cannot_move_loses():
    end = start_of("XO").play("1-2")
    assert end.outcome == Outcome(0, 1.0, "White has no move")
    assert end.game.write_outcome(end.outcome) == "Black wins: White has no move"
    end = start_of("XO", "O").play("2-1")
    assert end.outcome == Outcome(1, -1.0, "Black has no move")
    assert start_of("XO").outcome is None
    assert start_of("XX").outcome == Outcome(1, -1.0, "Black has no move")


# ---- options


@pytest.mark.parametrize(
    ("options", "board", "first"),
    [
        ({}, "XO" * 10, "X"),
        ({"size": 20}, "XO" * 10, "X"),
        ({"size": "5"}, "XOXOX", "X"),
        ({"size": "2x3"}, "XOX/OXO", "X"),
        ({"size": " 2 X 3 "}, "XOX/OXO", "X"),
        ({"size": "2*3", "first": "O"}, "XOX/OXO", "O"),
        ({"size": "3x1"}, "X/O/X", "X"),
        ({"board": "xo_x", "first": "o"}, "XO.X", "O"),
        ({"board": "XO\nOX"}, "XO/OX", "X"),
        ({"size": "64x64"}, alternating(64, 64), "X"),
    ],
)
def test_options_are_understood_and_survive_a_trip_through_json(options, board, first):
    rules_of_game = assert_survives_json("clobber", options)
    assert rules_of_game == Clobber(board=board, first=first)
    assert rules_of_game.start().to_move == "XO".index(first)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"size": 0}, OptionError, "1 to 4096 cells, not 0"),
        ({"size": "0x5"}, OptionError, "1 to 4096 cells, not 0"),
        ({"size": 4097}, OptionError, "1 to 4096 cells, not 4097"),
        ({"size": "65x64"}, OptionError, "1 to 4096 cells, not 4160"),
        ({"size": "999999999x999999999"}, OptionError, "1 to 4096 cells"),
        ({"size": "-3"}, OptionError, "a size as 20 or 6x5 .*, not '-3'"),
        ({"size": "6x"}, OptionError, "a size as 20 or 6x5 .*, not '6x'"),
        ({"size": "large"}, OptionError, "a size as 20 or 6x5 .*, not 'large'"),
        ({"size": 2.5}, OptionError, "a size as 20 or 6x5 .*, not '2.5'"),
        ({"size": 20, "board": "XO"}, OptionError, "give a board, or a size"),
        ({"board": "X" * 4097}, OptionError, "at most 4096 cells, not 4097"),
        ({"board": "XY"}, PositionError, "'Y' is not a cell"),
        ({"first": "Z"}, OptionError, "first should be X or O, not 'Z'"),
        ({"first": ""}, OptionError, "first should be X or O, not ''"),
        ({"first": 1}, OptionError, "first should be text, not 1"),
        ({"komi": 1}, OptionError, "clobber has no option 'komi'; it has: board, first"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        game("clobber", **options)


def test_a_game_tells_the_options_that_differ_from_the_usual_ones():
    assert Clobber().describe() == "clobber"
    assert Clobber(board="XO", first="O").describe() == "clobber board=XO first=O"


# ---- the compiled and the plain form, the golden games


def traces() -> str:
    """Seeded games move by move, on boards of one word and of several."""
    rng = random.Random(3)
    lines = []
    for seed, (rows, columns) in enumerate([(1, 20), (6, 5), (9, 1), (3, 30), (1, 130), (7, 37)]):
        for board in (alternating(rows, columns), random_board(rng, rows, columns)):
            start = start_of(board, "XO"[seed % 2])
            lines += trace(start, seed, rows * columns)
    return "\n".join(lines)


@compiled_only
def test_the_compiled_and_the_plain_form_play_the_same_games():
    assert_plain_form_agrees("tests.games.test_clobber", traces)


def golden(size: str) -> str:
    return golden_text(Clobber.create(size=size).start(), "tests.games.test_clobber")


@pytest.mark.parametrize("size", ["1x20", "6x5"])
def test_the_golden_games_are_played_as_ever(size):
    assert golden(size) == (GOLDEN / f"clobber-{size}.txt").read_text()


if __name__ == "__main__":
    for golden_size in ("1x20", "6x5"):
        (GOLDEN / f"clobber-{golden_size}.txt").write_text(golden(golden_size))
