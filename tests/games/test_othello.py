"""Othello: the rules against a second, simple implementation, known counts, notation, reasons, a golden game.

The golden game is written anew, after a change that is meant to alter it, by `python -m tests.games.test_othello`.
"""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tengen.core.compiled.kernel import kernel
from tengen.core.compiled.rng import make_rng
from tengen.core.compiled.rules import evaluate
from tengen.core.errors import GameOver, IllegalMove, OptionError, PositionError, UnreadableMove
from tengen.core.game import Move
from tengen.core.outcome import Outcome
from tengen.core.position import Position
from tengen.games import game
from tengen.games.othello import PASS, Othello, rules
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
    random_moves,
    trace,
)
from tests.reference import othello as reference

GOLDEN_GAME = GOLDEN / "othello-8x8.txt"
SIZES = (8, 6, 4)

# 4x4 boards, first row a1 to d1, then the side to move.
BLACK_MUST_PASS = "OX-- ---- ---- ---- X"
NEITHER_CAN_MOVE = "XXX- ---- ---- --OO X"
NEITHER_CAN_MOVE_AND_EQUAL = "XX-- ---- ---- --OO O"
WHITE_HAS_NO_DISC = "XX-- ---- ---- ---- O"
FULL = "XXXX XXXX XXOO OOOO X"
EMPTY = "---- ---- ---- ---- X"


# ---- small kernels, so that thousands of positions take no time


@kernel
def find_all(movers, enemies, board, moves, flips):
    """The moves of each pair of boards, and what a disc on each of the 64 squares turns over."""
    for i in range(len(movers)):
        moves[i] = rules.find_moves(movers[i], enemies[i], board)
        for square in range(64):
            flips[i, square] = rules.find_flips(square, movers[i], enemies[i])


# ---- two forms of one position


def four_by_four(board: str) -> Position:
    return Othello(size=4, board=board).start()


def position_of(other: reference.Othello) -> Position:
    return Othello(size=other.size, board=other.squares() + other.mover).start()


def bits(squares: list[str]) -> int:
    return sum(1 << ("abcdefgh".index(square[0]) + 8 * (int(square[1]) - 1)) for square in squares)


def random_board(rng: random.Random, size: int) -> reference.Othello:
    """Discs anywhere, few or many: a board that perhaps no game leads to."""
    empty = rng.choice([1, 2, 4, 8])
    discs = "".join(rng.choice("XO" + "-" * empty) for _ in range(size * size))
    return reference.Othello(size, discs, rng.choice("XO"))


def assert_same(position: Position, other: reference.Othello) -> None:
    """Everything that the rules know of a position is what the simple implementation says."""
    over = other.is_over()
    moves = other.moves()
    assert position.game.text(position) == f"{other.squares()} {other.mover}"
    assert "XO"[position.to_move] == other.mover
    assert position.write_moves(position.legal_moves) == moves
    assert position.is_over == over
    if over:
        assert position.final_score == 1000 * other.score()
        assert position.outcome.score == other.score()
        assert position.outcome.winner == (None if other.score() == 0 else int(other.score() < 0))
    state = position.state
    assert int(state.moves) == bits(other.squares_for(other.mover))
    assert bool(state.over) == over
    assert int(state.othello_mover) & int(state.enemy) == 0
    assert position.key == position_of(other).key, "the key depends on more than the discs and the side to move"


# ---- counts of lines


PERFT = {
    8: [4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288],
    6: [4, 12, 56, 244, 1364, 7604, 47740, 308716],
    # After 15 plies every game has ended: 60,060 games in all.
    4: [4, 12, 44, 128, 424, 1256, 3624, 9116, 20044, 36540, 50704, 57436, 59564, 59980, 60060, 60060],
}


@pytest.mark.parametrize("size", SIZES)
def test_the_number_of_lines_is_the_known_one(size):
    start = Othello(size=size).start()
    assert [perft(start, depth + 1) for depth in range(len(PERFT[size]))] == PERFT[size]


@pytest.mark.parametrize(("size", "deepest"), [(8, 5), (6, 6), (4, 8)])
def test_the_simple_implementation_counts_the_same_lines(size, deepest):
    assert reference.count_lines(reference.Othello(size), deepest) == PERFT[size][:deepest]


def test_the_simple_implementation_counts_the_same_games_to_the_end_on_4x4():
    # The four first moves are images of each other: one stands for all.
    after = reference.Othello(4)
    after.play("b1")
    assert [4 * lines for lines in reference.count_lines(after, 15)] == PERFT[4][1:]


def test_lines_from_any_board_are_counted_alike():
    rng = random.Random(5)
    for _ in range(40):
        other = random_board(rng, rng.choice(SIZES))
        assert [perft(position_of(other), depth) for depth in (1, 2, 3)] == reference.count_lines(other, 3)


# ---- random games


@pytest.mark.parametrize(("size", "games"), [(8, 15), (6, 30), (4, 100)])
def test_random_games_agree_with_the_simple_implementation_at_every_move(size, games):
    rng = random.Random(size)
    seen = Counter()
    for _ in range(games):
        position, other = Othello(size=size).start(), reference.Othello(size)
        assert_same(position, other)
        while not position.is_over:
            move = rng.choice(other.moves())
            position = position.play(move)
            other.play(move)
            assert_same(position, other)
            seen["pass"] += move == "pass"
        seen["wipe-out"] += len(set(other.squares()) - {"-"}) == 1
        seen["end with empty squares"] += "-" in other.squares()
        seen["full board"] += "-" not in other.squares()
    assert seen["pass"] > 0
    assert seen["full board"] > 0
    if size < 8:
        assert seen["end with empty squares"] > 0
    if size == 4:
        assert seen["wipe-out"] > 0


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(SIZES), st.data())
def test_games_from_any_board_agree_with_the_simple_implementation(size, data):
    discs = data.draw(st.text("XO-", min_size=size * size, max_size=size * size))
    other = reference.Othello(size, discs, data.draw(st.sampled_from("XO")))
    position = position_of(other)
    assert_same(position, other)
    for _ in range(8):
        if position.is_over:
            break
        move = data.draw(st.sampled_from(other.moves()))
        position = position.play(move)
        other.play(move)
        assert_same(position, other)


def test_the_mover_may_have_to_pass_at_once_and_may_then_be_wiped_out():
    position = four_by_four(BLACK_MUST_PASS)
    assert position.legal_moves == (PASS,)
    assert not position.is_over
    position = position.play("pass")
    assert position.to_move == 1
    assert position.write_moves(position.legal_moves) == ["c1"]
    position = position.play("c1")
    assert position.outcome == Outcome(1, -16.0, "neither side can move, 0 to 3 discs")
    assert position.legal_moves == ()


@pytest.mark.parametrize(
    ("board", "winner", "points", "reason"),
    [
        (NEITHER_CAN_MOVE, 0, 12, "neither side can move, 3 to 2 discs"),
        (NEITHER_CAN_MOVE_AND_EQUAL, None, 0, "neither side can move, 2 to 2 discs"),
        (WHITE_HAS_NO_DISC, 0, 16, "neither side can move, 2 to 0 discs"),
        (FULL, 0, 4, "the board is full, 10 to 6 discs"),
        (EMPTY, None, 0, "neither side can move, 0 to 0 discs"),
    ],
)
def test_a_board_may_be_over_from_the_start_and_empty_squares_go_to_the_winner(board, winner, points, reason):
    position = four_by_four(board)
    assert position.is_over
    assert position.legal_moves == ()
    assert position.outcome == Outcome(winner, points, reason)
    # The same board with colours exchanged has the opposite result.
    swapped = four_by_four(board.translate(str.maketrans("XO", "OX")))
    assert swapped.final_score == -position.final_score


def test_outcomes_in_words():
    won, drawn = four_by_four(NEITHER_CAN_MOVE), four_by_four(NEITHER_CAN_MOVE_AND_EQUAL)
    assert won.game.write_outcome(won.outcome) == "Black wins by 12 discs: neither side can move, 3 to 2 discs"
    assert drawn.game.write_outcome(drawn.outcome) == "Draw: neither side can move, 2 to 2 discs"
    assert Othello().start().outcome is None


# ---- moves and flips on the bit boards


@pytest.mark.parametrize("size", SIZES)
def test_moves_and_flips_on_any_board_are_those_of_the_simple_implementation(size):
    rng = random.Random(100 + size)
    boards = [random_board(rng, size) for _ in range(300)]
    squares = [(row, column) for row in range(size) for column in range(size)]
    movers, enemies = np.zeros((2, len(boards)), np.uint64)
    for i, other in enumerate(boards):
        own = [other.name(row, column) for row, column in squares if other.rows[row][column] == other.mover]
        taken = [other.name(row, column) for row, column in squares if other.rows[row][column] != "-"]
        movers[i], enemies[i] = bits(own), bits(taken) & ~bits(own)
    whole = np.uint64(bits([boards[0].name(row, column) for row, column in squares]))
    moves, flips = np.zeros(len(boards), np.uint64), np.zeros((len(boards), 64), np.uint64)
    find_all(movers, enemies, whole, moves, flips)

    for i, other in enumerate(boards):
        assert int(moves[i]) == bits(other.squares_for(other.mover))
        for row, column in squares:
            if other.rows[row][column] == "-":
                turned = other.turned_by(row, column, other.mover)
                assert int(flips[i, 8 * row + column]) == bits([other.name(r, c) for r, c in turned])


@pytest.mark.parametrize(
    ("size", "discs", "moves"),
    [
        # Lines of White discs between a Black one and an empty square, if a line went on past the edge.
        (8, {"X": "h1", "O": "a2 b2"}, []),
        (8, {"X": "c2", "O": "a2 b2 h1"}, []),
        (8, {"X": "g1", "O": "h2"}, []),  # down to the right, on to a4
        (8, {"X": "g1", "O": "h2 a4"}, []),
        (8, {"X": "b1", "O": "a2"}, []),  # down to the left, on to h2
        (8, {"X": "b1", "O": "a2 h2"}, []),
        (8, {"X": "b8", "O": "a7"}, []),  # up to the left, on to h5
        (8, {"X": "g8", "O": "h7 a7"}, []),  # up to the right
        (8, {"X": "a1", "O": "b1 c1 d1 e1 f1 g1"}, ["h1"]),  # the longest lines there are
        (8, {"X": "h1", "O": "b1 c1 d1 e1 f1 g1"}, ["a1"]),
        (8, {"X": "a8", "O": "a2 a3 a4 a5 a6 a7"}, ["a1"]),
        (8, {"X": "h8", "O": "b2 c3 d4 e5 f6 g7"}, ["a1"]),
        (8, {"X": "a8", "O": "g2 f3 e4 d5 c6 b7"}, ["h1"]),
        (8, {"X": "a1", "O": "b1 c1 d1 e1 f1 g1 h1"}, []),
        (6, {"X": "a1", "O": "b1 c1 d1 e1 f1"}, []),  # g1 is no square of this board
        (6, {"X": "a1", "O": "a2 a3 a4 a5 a6"}, []),
        (6, {"X": "a1", "O": "b2 c3 d4 e5 f6"}, []),
        (6, {"X": "f1", "O": "a2"}, []),
        (6, {"X": "a1", "O": "b1 c1 d1 e1"}, ["f1"]),
        (4, {"X": "b1", "O": "c1 d1"}, []),
        (4, {"X": "b1", "O": "b2 b3 b4"}, []),
        (4, {"X": "b2", "O": "c3 d4 c2 d2"}, []),
        (4, {"X": "d1", "O": "a2 c2 b3"}, ["a4"]),
    ],
)
def test_no_line_wraps_around_an_edge_or_leaves_a_small_board(size, discs, moves):
    other = reference.Othello(size, "-" * size * size)
    for symbol, squares in discs.items():
        for square in squares.split():
            other.rows[int(square[1]) - 1]["abcdefgh".index(square[0])] = symbol
    position = position_of(other)
    assert [move for move in position.write_moves(position.legal_moves) if move != "pass"] == moves
    assert other.squares_for("X") == moves


# ---- key, random moves, evaluation


@pytest.mark.parametrize("size", SIZES)
def test_boards_that_differ_in_one_square_or_in_the_side_to_move_have_different_keys(size):
    rng = random.Random(7)
    for _ in range(5):
        other = random_board(rng, size)
        boards = {other.squares()}
        for square in range(size * size):
            for symbol in "XO-":
                boards.add(other.squares()[:square] + symbol + other.squares()[square + 1 :])
        keys = {position_of(reference.Othello(size, board, side)).key for board in boards for side in "XO"}
        assert len(boards) == 2 * size * size + 1
        assert len(keys) == 2 * len(boards)


def test_the_turn_does_not_cancel_against_a_disc_in_the_corner():
    # The same discs for whoever moves; the other side has one more on a1 when Black is to move.
    white_to_move, black_to_move = four_by_four("-XXO OXXO XOXO XOXO O"), four_by_four("OOOX XOOX OXOX OXOX X")
    assert white_to_move.state.othello_mover == black_to_move.state.othello_mover
    assert white_to_move.state.enemy + np.uint64(1) == black_to_move.state.enemy
    assert white_to_move.key != black_to_move.key


def test_a_transposition_has_the_same_key_and_is_another_position():
    start = Othello().start()
    one, two = start.play_all(["d3", "c3", "c4"]), start.play_all(["c4", "c3", "d3"])
    assert one.game.text(one) == two.game.text(two)
    assert one.key == two.key
    assert one != two


@pytest.mark.parametrize("moves_played", [0, 10, 30])
def test_random_moves_are_drawn_with_equal_chance(moves_played):
    position = Othello().start()
    for _ in range(moves_played):
        position = position.play(random.Random(position.ply).choice(position.legal_moves))
    assert len(position.legal_moves) > 3
    assert_drawn_evenly(position)


def test_a_random_move_is_a_pass_when_that_is_all_there_is():
    assert random_moves(four_by_four(BLACK_MUST_PASS), 3) == [PASS] * 3


@pytest.mark.parametrize("size", SIZES)
def test_a_guess_lies_strictly_between_the_worst_and_the_best_result(size):
    rules_of_game = Othello(size=size)
    stack = np.zeros(2, rules_of_game.record)
    rng = random.Random(size)
    boards = [reference.Othello(size), *(random_board(rng, size) for _ in range(100))]
    seen = 0
    for seed, other in enumerate(boards):
        stack[0] = position_of(other).state
        positions, largest = largest_guess(stack, 20, make_rng(seed))
        assert largest < rules_of_game.max_score
        seen += positions
    assert seen > 5000


def test_a_guess_stays_inside_when_one_side_holds_all_corners_of_the_smallest_board():
    black = four_by_four("X--X -OX- -XO- X--X X")
    assert not black.is_over
    assert 0 < evaluate(black.state) < black.game.max_score
    white = four_by_four("O--O -XO- -OX- O--O O")
    assert evaluate(white.state) == -evaluate(black.state)


# ---- notation, reasons, text


@pytest.mark.parametrize("size", SIZES)
def test_every_move_is_read_as_it_is_written(size):
    start = Othello(size=size).start()
    squares = [Move(8 * row + column) for row in range(size) for column in range(size)]
    for move in [*squares, PASS]:
        assert start.game.read_move(start.game.write_move(move), start) == move
    assert start.game.write_move(Move(0)) == "a1"
    assert start.game.write_move(Move(3)) == "d1"
    assert start.game.write_move(Move(24)) == "a4"


def test_other_spellings_of_a_move_are_understood():
    start = Othello().start()
    for text in ("f5", "F5", " f5 ", "f 5"):
        assert start.write_moves([start.game.read_move(text, start)]) == ["f5"]
    for text in ("pass", "Pass", "PA", "ps", "--", "@@"):
        assert start.game.read_move(text, start) == PASS


@pytest.mark.parametrize(
    ("position", "move", "error", "message"),
    [
        (Othello(), "d4", IllegalMove, "d4 is illegal: the square is taken"),
        (Othello(), "a1", IllegalMove, "a1 is illegal: it turns no disc over"),
        (
            Othello(),
            "pass",
            IllegalMove,
            "pass is illegal: a player passes only when no move is left, and d3 is one",
        ),
        (
            Othello(size=4, board=BLACK_MUST_PASS),
            "c1",
            IllegalMove,
            "c1 is illegal: Black has no move and must pass",
        ),
        (Othello(size=4, board=BLACK_MUST_PASS), "a1", IllegalMove, "a1 is illegal: the square is taken"),
        (Othello(size=4), Move(4), IllegalMove, "e1 is illegal: there is no such square"),
        (Othello(), Move(65), IllegalMove, "b9 is illegal: there is no such square"),
        (Othello(), Move(-1), IllegalMove, "h0 is illegal: there is no such square"),
        (
            Othello(size=4),
            "e4",
            UnreadableMove,
            "e4 is not on the board, whose squares go from a1 to d4",
        ),
        (
            Othello(size=6),
            "A7",
            UnreadableMove,
            "a7 is not on the board, whose squares go from a1 to f6",
        ),
        (Othello(), "i9", UnreadableMove, "'i9' is not a move: write a square as f5, or pass"),
        (Othello(), "", UnreadableMove, "'' is not a move: write a square as f5, or pass"),
        (Othello(), "f5d6", UnreadableMove, "'f5d6' is not a move: write a square as f5, or pass"),
        (
            Othello(size=4, board=NEITHER_CAN_MOVE),
            "c1",
            GameOver,
            "the game is over: Black wins by 12 discs: neither side can move, 3 to 2 discs",
        ),
        (
            Othello(size=4, board=EMPTY),
            "pass",
            GameOver,
            "the game is over: Draw: neither side can move, 0 to 0 discs",
        ),
    ],
)
def test_a_refused_move_names_its_reason(position, move, error, message):
    assert_refused(position.start(), move, error, message)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=5) | st.text("abhi 0189-\n@psPAS", max_size=5), st.sampled_from(SIZES))
def test_any_text_is_a_move_on_the_board_or_refused_in_one_line(text, size):
    start = Othello(size=size).start()
    refusal, move = "", PASS
    try:
        move = start.game.read_move(text, start)
    except UnreadableMove as error:
        refusal = str(error)
    assert "\n" not in refusal
    assert move == PASS or max(move % 8, move // 8) < size


def test_the_board_in_text():
    position = Othello().start()
    assert str(position) == "\n".join(
        [
            "  a b c d e f g h",
            "1 . . . . . . . . 1",
            "2 . . . . . . . . 2",
            "3 . . . . . . . . 3",
            "4 . . . O X . . . 4",
            "5 . . . X O . . . 5",
            "6 . . . . . . . . 6",
            "7 . . . . . . . . 7",
            "8 . . . . . . . . 8",
            "  a b c d e f g h",
            "Black 2, White 2",
        ]
    )
    position = Othello(size=4).start().play("b1")
    assert str(position) == "\n".join(
        [
            "  a b c d",
            "1 . X . . 1",
            "2 . X X . 2",
            "3 . X O . 3",
            "4 . . . . 4",
            "  a b c d",
            "Black 4, White 1",
        ]
    )


def test_the_last_move_is_marked_and_a_pass_marks_nothing():
    assert Othello().start().diagram().marked == frozenset()
    assert Othello().start().play("f5").diagram().marked == {(5, 4)}
    assert four_by_four(BLACK_MUST_PASS).play("pass").diagram().marked == frozenset()


def test_the_dump_tells_the_bit_boards_and_the_moves():
    start = Othello().start()
    assert start.game.dump(start) == {
        "board": "-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27 + " X",
        "mover": "0000000810000000",
        "enemy": "0000001008000000",
        "moves": "d3 c4 f5 e6",
    }


# ---- options


@pytest.mark.parametrize(
    "board",
    [
        "OX-------------- X",
        "ox--------------x",
        "O*-------------- *",
        "OX..............X;",
        " O X - -  - - - -\n- - - - - - - -\n* ;",
        "OX--\n----\n----\n----\nX\n",
    ],
)
def test_a_board_may_be_spelt_in_several_ways(board):
    rules_of_game = Othello(size=4, board=board)
    assert rules_of_game == Othello(size=4, board=BLACK_MUST_PASS)
    assert rules_of_game.board == "OX-------------- X"
    assert rules_of_game.text(rules_of_game.start()) == rules_of_game.board


def test_a_position_is_set_up_anew_from_its_own_text():
    position = Othello().start().play_all(["f5", "d6", "c3"])
    again = Othello(board=position.game.text(position)).start()
    assert again.to_move == 1
    assert again.key == position.key
    assert again.legal_moves == position.legal_moves


@pytest.mark.parametrize(
    "board",
    [
        "X",
        "OX--------------",  # nobody to move
        "OX-------------- -",
        "OX------------- X",  # a square too few
        "OX--------------- X",  # a square too many
        "OX-------------? X",
        "OX-------------- X O",
        "OX-------------- X; f5:+2",
        "   ",
    ],
)
def test_a_board_that_makes_no_sense_is_refused(board):
    with pytest.raises(PositionError, match="16 squares of X, O or -, then X or O for the side to move"):
        Othello(size=4, board=board)


@settings(max_examples=100, deadline=None)
@given(st.text("XO-*. ;\nxoQ", min_size=1, max_size=24))
def test_any_text_is_a_board_or_refused_in_one_line(text):
    refusal, accepted = "", Othello(size=4)
    try:
        accepted = Othello(size=4, board=text)
    except PositionError as error:
        refusal = str(error)
    assert "\n" not in refusal
    assert Othello(size=4, board=accepted.board) == accepted


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"size": 6},
        {"size": "4"},
        {"size": 4, "board": BLACK_MUST_PASS},
        {"board": "-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27 + " O"},
    ],
)
def test_options_survive_a_trip_through_json(options):
    assert_survives_json("othello", options)


def test_a_game_tells_the_options_that_differ_from_the_usual_ones():
    assert Othello().describe() == "othello"
    assert Othello(size=6).describe() == "othello size=6"


@pytest.mark.parametrize("options", [{"size": 5}, {"size": 10}, {"size": "eight"}, {"size": 8.0}, {"komi": 1}])
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(OptionError, match="othello"):
        game("othello", **options)


# ---- the compiled and the plain form, the golden game


def traces() -> str:
    """Seeded games move by move, from the start and from random boards."""
    rng = random.Random(3)
    lines = []
    for size in SIZES:
        others = [reference.Othello(size), *(random_board(rng, size) for _ in range(4))]
        for seed, other in enumerate(others):
            lines += trace(position_of(other), seed, 2 * size**2)
    return "\n".join(lines)


@compiled_only
def test_the_compiled_and_the_plain_form_play_the_same_games():
    assert_plain_form_agrees("tests.games.test_othello", traces)


def golden() -> str:
    return golden_text(Othello().start(), "tests.games.test_othello")


def test_the_golden_game_is_played_as_ever():
    assert golden() == GOLDEN_GAME.read_text()


if __name__ == "__main__":
    GOLDEN_GAME.write_text(golden())
