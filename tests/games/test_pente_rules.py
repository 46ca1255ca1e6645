"""The rules of Pente: every variant against a second, simple implementation, and one test for each rule.

Notation, options, keys and search are in tests/games/test_pente_game.py.
"""

from __future__ import annotations

import functools
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from tengen.core.compiled.kernel import kernel
from tengen.core.compiled.rng import make_rng
from tengen.core.compiled.rules import is_over, legal_moves, play, random_move, score, to_move
from tengen.core.errors import IllegalMove, OptionError, PositionError
from tengen.core.game import Move
from tengen.core.outcome import Outcome
from tengen.core.position import Position
from tengen.games import game
from tengen.games.pente import TAKE_BLACK, TAKE_WHITE, TWO_MORE, VARIANTS, Pente, record
from tengen.games.pente.game import CHOICES
from tests.helpers.pente_positions import (
    BOAT,
    FOUR,
    OPENINGS,
    free,
    random_options,
    set_up,
)
from tests.helpers.rules_checks import perft
from tests.reference import pente as reference

SIZES = range(5, 20)
LONGEST = 3000


# ---- small kernels, so that thousands of positions take no time


@kernel
def record_game(states, rng, most, moves, turns, legal, captured, boards):
    """Play `states[0]` at random; returns how many moves, and the score.

    Row i tells of the position before move i: turns, legal: how many moves and the sum of their codes; captured;
    boards: what stands on each point.
    """
    out = np.empty(400, np.int32)
    for i in range(most + 1):
        state = states[0]
        turns[i] = to_move(state)
        captured[i, 0], captured[i, 1] = state.captured[0], state.captured[1]
        boards[i, :] = state.pente_stones
        legal[i, 0], legal[i, 1] = 0, 0
        if is_over(state) or i == most:
            return i, score(state)
        legal[i, 0] = legal_moves(state, out)
        for j in range(legal[i, 0]):
            legal[i, 1] += out[j]
        moves[i] = random_move(state, rng)
        play(state, moves[i])
    return most, 0


# ---- two forms of one position


def reference_of(position: Position) -> reference.Pente:
    """The same position in the simple implementation."""
    state, rules_of_game = position.state, position.game
    other = reference.Pente(**rules_of_game.options())
    for colour, stone in (("B", record.BLACK), ("W", record.WHITE)):
        for move in rules_of_game._stones(state, stone):
            other.board[other.point(rules_of_game.write_move(move))] = colour
    other.captured = {"B": int(state.captured[0]), "W": int(state.captured[1])}
    other.placed = int(state.number)
    other.opening = []
    return other


@functools.cache
def codes_of(size: int) -> dict[str, int]:
    """The move behind each name."""
    rules_of_game = Pente(size=size)
    names = [reference.Pente(size).name(point) for point in reference.Pente(size).points()]
    return {name: rules_of_game.read_move(name, rules_of_game.start()) for name in [*names, *CHOICES.values()]}


@functools.cache
def empty_board(size: int) -> bytes:
    board = bytearray([record.BORDER]) * record.POINTS
    for x, y in reference.Pente(size).points():
        board[record.STRIDE * (size - y) + x + 1] = record.EMPTY
    return bytes(board)


def board_bytes(other: reference.Pente) -> bytes:
    board = bytearray(empty_board(other.size))
    for (x, y), colour in other.board.items():
        board[record.STRIDE * (other.size - y) + x + 1] = record.BLACK if colour == "B" else record.WHITE
    return bytes(board)


def assert_same(position: Position, other: reference.Pente) -> None:
    """Everything that the rules know of a position is what the simple implementation says."""
    state = position.state
    assert position.write_moves(position.legal_moves) == other.moves()
    assert position.is_over == bool(other.winner)
    assert state.pente_stones.tobytes() == board_bytes(other)
    assert state.captured.tolist() == [other.captured["B"], other.captured["W"]]
    assert bool(state.five) == (other.open_row is not None)
    if other.winner:
        assert position.final_score == 1000 * other.score()
        assert position.outcome.score == other.score()
    else:
        assert position.to_move == other.seat()
        assert "BW"[state.colour] == other.colour()
    empties = {int(point) for point in state.empties[: state.empty_count]}
    assert len(empties) == state.empty_count == position.game.size**2 - len(other.board)
    assert all(state.empties[state.place[point]] == point for point in empties)


# ---- random games and random boards


def compare_random_game(rules_of_game: Pente, seed: int, seen: Counter[str]) -> None:
    states = np.zeros(1, rules_of_game.record)
    states[0] = rules_of_game.start().state
    moves, turns = np.zeros((2, LONGEST + 1), np.int64)
    legal, captured = np.zeros((2, LONGEST + 1, 2), np.int64)
    boards = np.zeros((LONGEST + 1, record.POINTS), np.uint8)
    count, points = record_game(states, make_rng(seed), LONGEST, moves, turns, legal, captured, boards)
    assert count < LONGEST, "a random game that does not end"

    other = reference.Pente(**rules_of_game.options())
    for i in range(count + 1):
        assert not other.winner or i == count
        assert boards[i].tobytes() == board_bytes(other)
        assert captured[i].tolist() == [other.captured["B"], other.captured["W"]]
        if i == count:
            break
        assert turns[i] == other.seat()
        choosing = bool(other.opening) and other.opening[0][1] not in ("stone", "offer", "pick")
        if other.opening or i < 6 or i % 16 == 0 or (rules_of_game.renju and other.size <= 7):
            codes = [codes_of(other.size)[name] for name in other.moves()]
            assert legal[i].tolist() == [len(codes), sum(codes)]
        elif not rules_of_game.renju:  # where Black may have forbidden points
            assert legal[i, 0] == other.size**2 - len(other.board)
        name = rules_of_game.write_move(Move(int(moves[i])))
        before, row = dict(other.captured), other.open_row
        mover = other.colour()
        other.play(name)
        seen["moves"] += 1
        taken, given = (other.captured[c] - before[c] for c in (mover, reference.other(mover)))
        seen["captures"] += taken > 0
        seen["several captures"] += taken > 3
        seen["triples"] += taken == 3
        seen["poofs"] += given > 0
        seen["poof with capture"] += given > 0 and taken > 0
        seen["row left open"] += other.open_row is not None
        seen["row broken"] += row is not None and not other.winner
        seen["open row won"] += row is not None and bool(other.winner)
        seen[name] += choosing
    assert other.winner
    assert points == 1000 * other.score()
    seen[other.winner] += 1
    seen["games"] += 1


@pytest.mark.parametrize("variant", VARIANTS)
def test_random_games_agree_with_the_simple_implementation_at_every_move(variant):
    seen: Counter[str] = Counter()
    for size in SIZES:
        openings = OPENINGS if size < 10 else OPENINGS[size % len(OPENINGS) :][:1]  # long games are costly
        for opening in openings if variant != "connect6" else ("none",):
            rules_of_game = game("pente", variant=variant, size=size, opening=opening)
            games = {5: 15, 6: 10, 7: 6, 8: 3, 9: 2}.get(size, 1)
            for seed in range(games):
                compare_random_game(rules_of_game, 1000 * size + seed, seen)
    assert seen["B"] > 5
    assert seen["W"] > 5
    if variant != "connect6":
        assert seen["black"] > 20
        assert seen["white"] > 20
        assert seen["more"] > 10
    captures = VARIANTS[variant]["captures"]
    assert (seen["captures"] > 100) == (captures != "none")
    assert (seen["several captures"] > 4) == (captures != "none")
    assert (seen["triples"] > 10) == (captures == "triples")
    assert (seen["poofs"] > 10) == VARIANTS[variant]["poof"]
    assert (seen["row broken"] > 3) == (variant == "boat")
    assert (seen["open row won"] > 10) == (variant == "boat")


def test_random_games_of_any_mix_of_options_agree_with_the_simple_implementation():
    rng = random.Random(11)
    seen: Counter[str] = Counter()
    for seed in range(150):
        compare_random_game(Pente(**random_options(rng)), seed, seen)
    assert seen["poof with capture"] > 10
    assert seen["row broken"] > 0
    assert seen["draw"] > 0


def test_crowded_boards_agree_with_the_simple_implementation():
    rng = random.Random(12)
    seen: Counter[str] = Counter()
    for _ in range(250):
        rules_of_game = Pente(**random_options(rng))
        share = rng.choice([0.2, 0.35, 0.5])
        names = [reference.Pente(rules_of_game.size).name(p) for p in reference.Pente(rules_of_game.size).points()]
        rng.shuffle(names)
        cut = int(share * len(names))
        low = max(0, rules_of_game.goal - 2)
        position = set_up(
            rules_of_game,
            " ".join(names[:cut]),
            " ".join(names[cut : 2 * cut - 1]),
            to_move=rng.randrange(2),
            captured=(rng.randint(low // 2, low), rng.randint(low // 2, low)),
        )
        other = reference_of(position)
        for _ in range(6):
            assert_same(position, other)
            if position.is_over:
                break
            move = rng.choice(position.legal_moves)
            position = position.play(move)
            other.play(rules_of_game.write_move(move))
            seen["equal and enough"] += (
                0 < rules_of_game.goal <= other.captured["B"] == other.captured["W"] and not other.winner
            )
        seen[other.winner] += 1
    assert seen["equal and enough"] > 3
    assert seen["B"] > 20
    assert seen["W"] > 20


def random_board(rng: random.Random, size: int) -> str:
    """A board that is anything from empty to full, and whoever is to move."""
    share = rng.choice([0.0, 0.1, 0.3, 0.5, 0.5])
    cells = "".join(rng.choice("XO") if rng.random() < share else "." for _ in range(size**2))
    return "/".join(cells[i : i + size] for i in range(0, len(cells), size)) + rng.choice([" X", " O"])


def test_random_games_from_random_boards_agree_with_the_simple_implementation():
    rng = random.Random(13)
    seen: Counter[str] = Counter()
    for seed in range(250):
        options = random_options(rng) | {"opening": "none"}
        options["board"] = random_board(rng, options["size"])
        rules_of_game = Pente(**options)
        start = rules_of_game.start()
        assert_same(start, reference.Pente(**rules_of_game.options()))
        seen[f"begins with {start.to_move}"] += 1
        compare_random_game(rules_of_game, seed, seen)
    assert min(seen["B"], seen["W"], seen["draw"]) > 10
    assert min(seen["begins with 0"], seen["begins with 1"]) > 50
    assert seen["captures"] > 250


# ---- counts of lines


FEASIBLE = 6000  # lines that the simple implementation counts in half a second
PERFT: dict[str, tuple[dict[str, Any], list[int]]] = {
    "5x5": ({"size": 5}, [1, 24, 552, 12144]),
    "6x6": ({"size": 6}, [4, 140, 4760]),
    "7x7 tournament": ({"size": 7, "variant": "tournament"}, [1, 48, 1128]),
    "9x9 g-pente": ({"size": 9, "variant": "g-pente"}, [1, 80, 3792]),
    "5x5 d-pente": ({"size": 5, "opening": "d-pente"}, [25, 600, 13800]),
    "5x5 swap": ({"size": 5, "opening": "swap"}, [25, 600, 13800, 27600]),
    "5x5 renju": ({"size": 5, "variant": "renju"}, [1, 24, 552, 12144]),
    "7x7 renju, crowded": (
        {"variant": "renju", "board": "......./.X.O.X./..X.X../......./..X.X../.O...O./....... X"},
        [39, 1521, 56466],
    ),
    "7x7 o-pente": ({"size": 7, "variant": "o-pente"}, [1, 48, 1128]),
    "7x7 keryo-tournament": ({"size": 7, "variant": "keryo-tournament"}, [1, 48, 1128]),
    "5x5 soosorv-8": ({"size": 5, "opening": "soosorv-8"}, [1, 8, 184, 368]),
    "5x5 taraguchi-10": ({"size": 5, "opening": "taraguchi-10"}, [1, 2, 16, 32, 736, 1472, 32384, 97152]),
    "5x5 swap2": ({"size": 5, "opening": "swap2"}, [25, 600, 13800, 41400]),
    "5x5 connect6": ({"size": 5, "variant": "connect6"}, [25, 600, 13800]),
}


@pytest.mark.parametrize("name", PERFT)
def test_the_number_of_lines_is_the_known_one(name):
    options, lines = PERFT[name]
    start = game("pente", **options).start()
    assert [perft(start, depth + 1) for depth in range(len(lines))] == lines


@pytest.mark.parametrize("name", PERFT)
def test_the_simple_implementation_counts_the_same_lines(name):
    options, lines = PERFT[name]
    start = reference.Pente(**game("pente", **options).options())
    depth = sum(count <= FEASIBLE for count in lines)
    assert reference.count_lines(start, depth) == lines[:depth]


def test_lines_from_crowded_boards_are_counted_alike():
    rng = random.Random(5)
    for _ in range(15):
        rules_of_game = Pente(**random_options(rng) | {"size": 5})
        names = [reference.Pente(5).name(point) for point in reference.Pente(5).points()]
        rng.shuffle(names)
        position = set_up(rules_of_game, " ".join(names[:8]), " ".join(names[8:16]), to_move=rng.randrange(2))
        assert [perft(position, depth) for depth in (1, 2, 3)] == reference.count_lines(reference_of(position), 3)


# ---- rows


@pytest.mark.parametrize(
    ("stones", "last"),
    [
        ("A1 B1 C1 D1", "E1"),  # along the edges
        ("A1 A2 A3 A4", "A5"),
        ("T19 T18 T17 T16", "T15"),
        ("P19 Q19 R19 S19", "T19"),
        ("A1 B2 C3 D4", "E5"),  # from the corners
        ("T1 S2 R3 Q4", "P5"),
        ("A19 B18 D16 E15", "C17"),  # the last stone in the middle
        ("J10 K10 L10 M10", "H10"),
        ("J10 K10 M10 N10", "L10"),
    ],
)
def test_five_in_a_row_wins_in_every_direction(stones, last):
    position = set_up(free(), black=stones).play(last)
    assert position.outcome == Outcome(0, 1.0, "five in a row")
    assert set_up(free(), white=stones, to_move=1).play(last).outcome == Outcome(1, -1.0, "five in a row")


@pytest.mark.parametrize("stones", ["K10 L10 M10", "A1 B1 C1 E1 F1", "A1 T2 S2 R2 Q2", "S1 T1 A2 B2"])
def test_four_a_gap_or_a_line_round_the_edge_win_nothing(stones):
    position = set_up(free(), black=stones).play("N10" if "K10" in stones else "C2")
    assert not position.is_over


def test_more_than_five_win_too():
    assert set_up(free(), black="A1 B1 C1 D1 F1").play("E1").outcome.winner == 0
    nine = "A1 B1 C1 D1 F1 G1 H1 J1"
    assert set_up(free(), black=nine).play("E1").outcome.winner == 0


def test_exactly_five_is_an_option():
    gomoku = game("pente", variant="gomoku")
    assert gomoku.exact
    assert not set_up(gomoku, black="A1 B1 C1 D1 F1").play("E1").is_over
    assert set_up(gomoku, black="A1 B1 C1 D1").play("E1").outcome.winner == 0
    # A six one way and a five the other way: the five wins.
    assert set_up(gomoku, black="A1 B1 C1 D1 F1 E2 E3 E4 E5").play("E1").outcome.winner == 0
    assert set_up(game("pente", variant="gomoku", exact=False), black="A1 B1 C1 D1 F1").play("E1").is_over
    six = game("pente", variant="connect6", exact=True)
    assert not set_up(six, black="A1 B1 C1 D1 E1 G1").play("F1").is_over


@pytest.mark.parametrize(
    ("black", "white", "wins"),
    [
        ("C5 D5 F5 G5", "B5 H5", False),
        ("C5 D5 F5 G5", "B5", True),
        ("C5 D5 F5 G5", "B5 J5", True),
        ("C5 D5 F5 G5 H5", "B5 J5", True),  # six
        ("A5 B5 C5 D5", "F5", True),  # the edge is no stone
        ("C5 D5 F5 G5 E3 E4 E6 E7", "B5 H5", True),  # another five
    ],
)
def test_caro_five_between_two_enemy_stones_wins_nothing(black, white, wins):
    after = set_up(game("pente", variant="caro", size=9), black, white).play("E5")
    assert after.is_over == wins
    six = set_up(game("pente", variant="caro", size=9, exact=True), "C5 D5 F5 G5 H5", "B5").play("E5")
    assert not six.is_over


def test_an_overline_that_a_capture_shortens_to_five_wins_nothing():
    exact = free(exact=True)
    position = set_up(exact, black="A1 B1 C1 D1 E1 F1 F2", white="F4", to_move=1, captured=(0, 0))
    assert not position.play("K10").is_over
    position = set_up(exact, black="A2 B2 C2 D2 E2 F2 F3", white="F4", to_move=1).play("F1")
    assert position.state.captured.tolist() == [0, 2]  # A2 to E2 are left
    assert not position.is_over


# ---- captures


def captured_by(position: Position) -> list[int]:
    return position.state.captured.tolist()


def stones_of(position: Position) -> tuple[str, str]:
    state = position.state
    black, white = (position.write_moves(position.game._stones(state, stone)) for stone in (1, 2))
    return " ".join(sorted(black)), " ".join(sorted(white))


@pytest.mark.parametrize(("dx", "dy"), reference.DIRECTIONS)
def test_a_pair_is_captured_in_each_of_eight_directions(dx, dy):
    names = [f"{reference.LETTERS[9 + i * dx]}{10 + i * dy}" for i in range(4)]
    position = set_up(free(), black=names[3], white=" ".join(names[1:3])).play("K10")
    assert captured_by(position) == [2, 0]
    assert stones_of(position) == (" ".join(sorted(["K10", names[3]])), "")
    # White captures as Black does.
    position = set_up(free(), white=names[3], black=" ".join(names[1:3]), to_move=1).play("K10")
    assert captured_by(position) == [0, 2]


def test_captures_in_all_eight_directions_at_once():
    ring = [
        [f"{reference.LETTERS[9 + i * dx]}{10 + i * dy}" for i in (1, 2, 3)] for dx, dy in reference.DIRECTIONS
    ]
    black = " ".join(line[2] for line in ring)
    white = " ".join(" ".join(line[:2]) for line in ring)
    position = set_up(free(goal=0), black, white).play("K10")
    assert captured_by(position) == [16, 0]
    assert stones_of(position)[1] == ""
    assert not position.is_over
    assert set_up(free(), black, white).play("K10").outcome == Outcome(0, 1.0, "16 stones captured")


@pytest.mark.parametrize(
    ("black", "white", "move"),
    [
        ("C1", "B1", "A1"),  # one stone
        ("E1", "B1 C1 D1", "A1"),  # three
        ("F1", "B1 C1 D1 E1", "A1"),  # four
        ("D1", "B1", "A1"),  # a gap
        ("", "B1 C1", "A1"),  # nothing on the other side
        ("", "S1 T1", "R1"),  # the edge is no stone
        ("", "A1 A2", "A3"),
        ("", "A1 B2", "C3"),
        ("A2", "S1 T1", "R1"),  # no line goes on past the edge
        ("A3", "S1 T2", "R19"),
    ],
)
def test_nothing_but_a_flanked_pair_is_captured(black, white, move):
    position = set_up(free(), black, white).play(move)
    assert captured_by(position) == [0, 0]
    assert stones_of(position)[1] == " ".join(sorted(white.split()))


@pytest.mark.parametrize(
    ("black", "white", "move"),
    [
        ("A1", "B1 C1", "D1"),
        ("D1", "B1 C1", "A1"),
        ("A4", "A2 A3", "A1"),
        ("D4", "B2 C3", "A1"),
        ("Q16", "S18 R17", "T19"),
        ("T16", "T17 T18", "T19"),
        ("D16", "C17 B18", "A19"),
        ("Q4", "S2 R3", "T1"),
    ],
)
def test_pairs_at_edges_and_corners_are_captured(black, white, move):
    position = set_up(free(), black, white).play(move)
    assert captured_by(position) == [2, 0]


def test_placing_a_stone_between_two_enemy_stones_is_safe():
    position = set_up(free(), black="K10", white="J10 M10").play("L10")
    assert captured_by(position) == [0, 0]
    assert stones_of(position) == ("K10 L10", "J10 M10")
    # Nor is it taken by a later stone elsewhere; only a new stone on one end takes it.
    assert captured_by(position.play("K11")) == [0, 0]


def test_captured_points_can_be_played_again():
    position = set_up(free(), black="K10", white="L10 M10").play("N10")
    assert captured_by(position) == [2, 0]
    position = position.play("L10").play("A1").play("M10")  # back into the same place, and safe
    assert stones_of(position)[1] == "L10 M10"
    assert captured_by(position) == [2, 0]


def test_a_capture_breaks_a_row():
    # White is about to make five; Black takes a pair out of the four.
    position = set_up(free(), black="M12", white="K10 L10 M10 N10 M11").play("M9")
    assert captured_by(position) == [2, 0]
    position = position.play("O10")
    assert not position.is_over
    assert stones_of(position)[1] == "K10 L10 N10 O10"


def test_the_tenth_captured_stone_wins():
    eight = {"black": "K10", "white": "L10 M10", "captured": (8, 8)}
    assert set_up(free(), **eight).play("N10").outcome == Outcome(0, 1.0, "10 stones captured")
    six = eight | {"captured": (6, 8)}
    assert not set_up(free(), **six).play("N10").is_over
    twelve = set_up(free(), black="K10 N7", white="L10 M10 N9 N8", captured=(8, 0)).play("N10")
    assert twelve.outcome == Outcome(0, 1.0, "12 stones captured")


# ---- variants


def test_standard_begins_in_the_centre():
    start = Pente().start()
    assert start.write_moves(start.legal_moves) == ["K10"]
    assert game("pente", size=13).start().legal_moves == (Pente(size=13).read_move("G7", start),)
    assert len(start.play("K10").legal_moves) == 360
    even = Pente(size=6).start()
    assert even.write_moves(even.legal_moves) == ["C4", "D4", "C3", "D3"]


def test_freestyle_begins_anywhere():
    assert len(game("pente", variant="freestyle").start().legal_moves) == 361


def forbidden_seconds(size: int, variant: str) -> set[str]:
    """The points where Black's second stone may not go."""
    start = game("pente", variant=variant, size=size).start()
    position = start.play(start.legal_moves[0]).play("A1")
    free_points = {move for row in range(size) for move in range(20 * row + 21, 20 * row + 21 + size)}
    taken = {start.legal_moves[0], position.game.read_move("A1", position)}
    left = free_points - taken - set(position.legal_moves)
    # White, and Black's third stone, go where they like.
    assert len(start.play(start.legal_moves[0]).legal_moves) == size**2 - 1
    later = position.play(position.legal_moves[-1])
    assert len(later.legal_moves) == size**2 - 3
    assert len(later.play(later.legal_moves[0]).legal_moves) == size**2 - 4
    return set(start.write_moves(sorted(left)))


def test_tournament_keeps_blacks_second_stone_out_of_the_central_5x5():
    area = {f"{letter}{row}" for letter in "HJKLM" for row in range(8, 13)}
    assert forbidden_seconds(19, "tournament") == area - {"K10"}
    assert forbidden_seconds(7, "tournament") == {f"{c}{r}" for c in "BCDEF" for r in range(2, 7)} - {"D4"}
    # On an even board distances count from the nearer of the two middle lines.
    assert forbidden_seconds(8, "tournament") == {f"{c}{r}" for c in "BCDEFG" for r in range(2, 8)} - {"D5"}


def test_g_pente_forbids_the_points_at_distance_3_and_4_on_the_centre_row_and_column_too():
    area = {f"{letter}{row}" for letter in "HJKLM" for row in range(8, 13)}
    cross = {"F10", "G10", "N10", "O10", "K6", "K7", "K13", "K14"}
    assert forbidden_seconds(19, "g-pente") == (area | cross) - {"K10"}
    assert forbidden_seconds(7, "g-pente") == forbidden_seconds(7, "tournament") | {"A4", "G4", "D1", "D7"}


@pytest.mark.parametrize("size", [5, 6])
@pytest.mark.parametrize("variant", ["tournament", "g-pente"])
def test_a_restriction_that_would_forbid_the_whole_board_is_void(size, variant):
    assert forbidden_seconds(size, variant) == set()


def test_five_in_a_row_captures_but_captures_never_win():
    rules_of_game = game("pente", variant="five-in-a-row", first="anywhere")
    position = set_up(rules_of_game, black="K10", white="L10 M10", captured=(30, 8)).play("N10")
    assert captured_by(position) == [32, 8]
    assert not position.is_over
    assert set_up(rules_of_game, black="A1 B1 C1 D1").play("E1").outcome.winner == 0


def test_no_capture_takes_nothing():
    position = set_up(game("pente", variant="no-capture"), black="K10", white="L10 M10").play("N10")
    assert captured_by(position) == [0, 0]
    assert stones_of(position)[1] == "L10 M10"


def test_keryo_takes_pairs_and_triples_and_needs_fifteen_stones():
    keryo = game("pente", variant="keryo")
    triple = {"black": "K10", "white": "L10 M10 N10"}
    assert captured_by(set_up(keryo, **triple).play("O10")) == [3, 0]
    assert captured_by(set_up(keryo, black="K10", white="L10 M10").play("N10")) == [2, 0]
    assert captured_by(set_up(keryo, black="K10", white="L10 M10 N10 O10").play("P10")) == [0, 0]
    assert captured_by(set_up(keryo, black="K10", white="L10").play("M10")) == [0, 0]
    assert captured_by(set_up(keryo, black="A4 D1", white="A2 A3 B1 C1").play("A1")) == [4, 0]
    assert captured_by(set_up(keryo, black="A5 E5", white="A2 A3 A4 B2 C3 D4").play("A1")) == [6, 0]
    assert captured_by(set_up(keryo, white="B1 C1 D1").play("A1")) == [0, 0]
    # The edge behind a triple is no stone.
    assert captured_by(set_up(keryo, white="R1 S1 T1").play("Q1")) == [0, 0]
    assert not set_up(keryo, **triple, captured=(11, 12)).play("O10").is_over
    assert set_up(keryo, **triple, captured=(12, 12)).play("O10").outcome == Outcome(0, 1.0, "15 stones captured")
    assert captured_by(set_up(free(), **triple).play("O10")) == [0, 0]


# ---- poof


POOF = game("pente", variant="poof")


def test_poof_takes_a_pair_that_its_owner_completes_between_two_enemy_stones():
    position = set_up(POOF, black="K10", white="J10 M10").play("L10")
    assert captured_by(position) == [0, 2]
    assert stones_of(position) == ("", "J10 M10")
    assert len(position.legal_moves) == 361 - 2
    # At the edge nothing flanks; three in a row are not a pair, nor is a lone stone; a far pair is not touched.
    assert captured_by(set_up(POOF, black="A1", white="C1").play("B1")) == [0, 0]
    assert captured_by(set_up(POOF, black="K10 L10", white="J10 N10").play("M10")) == [0, 0]
    assert captured_by(set_up(POOF, white="J10 L10").play("K10")) == [0, 0]
    assert captured_by(set_up(POOF, black="K10 L10", white="J10 M10").play("K12")) == [0, 0]


def test_poof_of_several_pairs_counts_each_stone_once():
    position = set_up(POOF, black="K11 L10", white="K12 K9 J10 M10").play("K10")
    assert captured_by(position) == [0, 3]
    assert stones_of(position)[0] == ""


def test_poof_comes_at_once_with_captures():
    # The stone takes a pair one way and is lost another way.
    position = set_up(POOF, black="K10 L13", white="J10 M10 L11 L12").play("L10")
    assert captured_by(position) == [2, 2]
    assert stones_of(position) == ("L13", "J10 M10")
    # Even if what it takes is one of the two stones that flank it.
    position = set_up(POOF, black="G10 K10", white="H10 J10 M10").play("L10")
    assert captured_by(position) == [0, 2]  # not beside the new stone: only the pair is lost
    position = set_up(POOF, black="G10 L10", white="H10 J10 M10").play("K10")
    assert captured_by(position) == [2, 2]
    assert stones_of(position) == ("G10", "M10")


def test_poof_may_lose_the_game_on_ones_own_move():
    position = set_up(POOF, black="K10", white="J10 M10", captured=(0, 8)).play("L10")
    assert position.outcome == Outcome(1, -1.0, "10 stones captured")


def test_at_ten_all_the_game_goes_on():
    both = {"black": "K10 L13", "white": "J10 M10 L11 L12"}
    position = set_up(POOF, **both, captured=(8, 8)).play("L10")
    assert captured_by(position) == [10, 10]
    assert not position.is_over
    # From there more than the other wins, and so does a row.
    assert set_up(POOF, black="A1", white="B1 C1", captured=(10, 10)).play("D1").outcome.winner == 0
    assert set_up(POOF, black="B1 C1", white="A1", captured=(10, 10), to_move=1).play("D1").outcome.winner == 1
    assert set_up(POOF, black="A1 B1 C1 D1", captured=(10, 10)).play("E1").outcome.winner == 0
    more = set_up(POOF, **both, captured=(9, 8)).play("L10")
    assert more.outcome == Outcome(0, 1.0, "11 stones captured")


def test_a_stone_that_is_lost_makes_no_row():
    position = set_up(POOF, black="A1 B1 C1 D1 E2", white="E3").play("E1")
    assert position.outcome.winner == 0  # nothing flanks at the edge
    position = set_up(POOF, black="A2 B2 C2 D2 E3", white="E4 E1").play("E2")
    assert captured_by(position) == [0, 2]
    assert stones_of(position)[0] == "A2 B2 C2 D2"
    assert not position.is_over


def test_poof_with_keryo_takes_triples_too():
    both = game("pente", variant="keryo", poof=True)
    assert captured_by(set_up(both, black="K10 M10", white="J10 N10").play("L10")) == [0, 3]
    assert captured_by(set_up(both, black="K10 L10", white="J10 N10").play("M10")) == [0, 3]


# ---- boat


def test_boat_a_row_that_cannot_be_captured_wins_at_once():
    assert set_up(BOAT, black="K10 L10 M10 N10").play("O10").outcome == Outcome(0, 1.0, "five in a row")
    # There is a capture, but it leaves the row alone.
    position = set_up(BOAT, black="K10 L10 M10 N10 B1 C1", white="A1", captured=(0, 8)).play("O10")
    assert position.outcome.winner == 0
    # There is one that takes a stone of six and leaves five.
    position = set_up(BOAT, black="K10 L10 M10 N10 K11", white="K12").play("O10")
    assert not position.is_over
    position = set_up(BOAT, black="K10 L10 M10 N10 P10 K11", white="K12").play("O10")
    assert position.outcome.winner == 0
    # There are two rows, and no move breaks both.
    position = set_up(BOAT, black="K10 L10 M10 N10 M11 O11 O12 O13 O14", white="M12").play("O10")
    assert position.outcome.winner == 0


def test_boat_a_row_that_is_captured_wins_nothing():
    position = set_up(BOAT, **FOUR).play("O10")
    assert not position.is_over
    assert position.state.five == position.move
    assert "The row of O10 wins unless it is broken now" in str(position)
    position = position.play("M9")
    assert captured_by(position) == [0, 2]
    assert not position.is_over
    assert position.state.five == 0
    # The row may be made again, and now nothing can take it.
    assert position.play("M10").outcome == Outcome(0, 1.0, "five in a row")


def test_boat_a_row_that_survives_the_reply_wins():
    position = set_up(BOAT, **FOUR).play("O10").play("T19")
    assert position.outcome == Outcome(0, 1.0, "five in a row")
    # So it does although the reply takes other stones.
    position = set_up(BOAT, black=FOUR["black"] + " B1 C1", white=FOUR["white"]).play("O10").play("D1")
    assert captured_by(position) == [0, 2]
    assert position.outcome.winner == 0


def test_boat_the_tenth_stone_taken_out_of_the_row_wins_for_the_other_side():
    position = set_up(BOAT, **FOUR, captured=(0, 8)).play("O10").play("M9")
    assert position.outcome == Outcome(1, -1.0, "10 stones captured")
    # Taken elsewhere it comes too late: the row was there before, and still stands.
    position = set_up(BOAT, black=FOUR["black"] + " B1 C1", white=FOUR["white"], captured=(0, 8))
    assert position.play("O10").play("D1").outcome == Outcome(0, 1.0, "five in a row")
    # Ten stones of one's own together with an open row win at once.
    position = set_up(BOAT, black=FOUR["black"] + " R10", white=FOUR["white"] + " P10 Q10", captured=(8, 0))
    assert position.play("O10").outcome == Outcome(0, 1.0, "10 stones captured")


def test_boat_a_second_row_comes_too_late_unless_it_breaks_the_first():
    fives = {"black": FOUR["black"], "white": "M12 A9 B9 C9 D9"}
    assert set_up(BOAT, **fives).play("O10").play("E9").outcome.winner == 0
    # A reply that captures and makes a row of its own.
    fives = {"black": FOUR["black"], "white": "M12 J9 K9 L9 N9"}
    assert set_up(BOAT, **fives).play("O10").play("M9").outcome == Outcome(1, -1.0, "five in a row")
    # That one can be captured in its turn.
    fives = {"black": FOUR["black"] + " J7", "white": "M12 J9 K9 L9 N9 J8"}
    position = set_up(BOAT, **fives).play("O10").play("M9")
    assert not position.is_over
    assert position.play("T1").outcome.winner == 1
    assert not position.play("J10").is_over


def test_boat_on_a_full_board_nothing_can_break_the_row():
    rows = ["BBBB.", "WWBWW", "BBWBB", "WWBWW", "BBWBB"]
    black, white = (
        " ".join(f"{'ABCDE'[x]}{5 - y}" for y in range(5) for x in range(5) if rows[y][x] == stone)
        for stone in "BW"
    )
    position = set_up(game("pente", variant="boat", size=5), black, white).play("E5")
    assert position.outcome == Outcome(0, 1.0, "five in a row")


# ---- connect6, full boards


def test_connect6_has_one_stone_first_then_two_a_turn():
    position = game("pente", variant="connect6", size=9).start()
    turns = []
    for _ in range(9):
        turns.append(position.to_move)
        position = position.play(position.legal_moves[0])
    assert turns == [0, 1, 1, 0, 0, 1, 1, 0, 0]
    assert position.game.describe() == "pente size=9 first=anywhere row=6 captures=none goal=0 stones=2"


def test_connect6_needs_six_and_more_will_do():
    connect6 = game("pente", variant="connect6")
    assert not set_up(connect6, black="A1 B1 C1 D1").play("E1").is_over
    two = set_up(connect6, black="A1 B1 C1 D1").play("E1")
    assert two.to_move == 0
    assert two.play("F1").outcome == Outcome(0, 1.0, "six in a row")
    assert set_up(connect6, black="A1 B1 C1 D1 E1 G1").play("F1").outcome.winner == 0
    assert "Black places 2 more" in str(set_up(connect6))
    assert "Black places 1 more" in str(two.parent.play("T19"))
    assert "Black places 1 more" in str(connect6.start())


def test_connect6_with_a_restricted_second_stone():
    start = game("pente", variant="connect6", second="tournament").start()
    assert len(start.play_all(["K10", "A1", "B1"]).legal_moves) == 361 - 3 - 24
    assert len(start.play_all(["K10", "A1", "B1", "C1"]).legal_moves) == 361 - 4


def test_a_full_board_is_a_draw():
    rows = ["BBWW.", "WWBBW", "BBWWB", "WWBBW", "BBWWB"]
    black, white = (
        " ".join(f"{'ABCDE'[x]}{5 - y}" for y in range(5) for x in range(5) if rows[y][x] == stone)
        for stone in "BW"
    )
    position = set_up(game("pente", size=5, variant="no-capture"), black, white).play("E5")
    assert position.outcome == Outcome(None, 0.0, "the board is full")
    assert position.legal_moves == ()
    assert position.game.write_outcome(position.outcome) == "Draw: the board is full"


# ---- opening protocols: seats and colours


def test_d_pente_first_places_four_stones_and_second_picks_a_side():
    start = game("pente", opening="d-pente").start()
    assert start.game.first == "anywhere"
    position = start
    for number, move in enumerate(["K10", "L10", "K13", "N9"]):
        assert position.to_move == 0
        assert position.state.colour == number % 2
        position = position.play(move)
    assert stones_of(position) == ("K10 K13", "L10 N9")
    assert position.to_move == 1
    assert position.legal_moves == (TAKE_BLACK, TAKE_WHITE)
    black, white = position.play("black"), position.play("white")
    assert black.to_move == 1  # Second has Black, whose turn it is
    assert white.to_move == 0
    assert stones_of(black.play("A1"))[0] == stones_of(white.play("A1"))[0] == "A1 K10 K13"
    assert black.play("A1").to_move == 0
    assert white.play("A1").to_move == 1


def test_swap2_first_places_three_stones_and_second_takes_a_side_or_adds_two():
    start = game("pente", opening="swap2").start()
    position = start.play_all(["K10", "L10", "K13"])
    assert stones_of(position) == ("K10 K13", "L10")
    assert position.to_move == 1
    assert position.legal_moves == (TAKE_BLACK, TAKE_WHITE, TWO_MORE)
    assert position.play("white").to_move == 1  # White moves next, and is Second
    assert position.play("black").to_move == 0
    assert stones_of(position.play("black").play("A1"))[1] == "A1 L10"
    more = position.play("more")
    assert more.to_move == 1
    more = more.play("A1")
    assert more.to_move == 1
    more = more.play("B1")
    assert stones_of(more) == ("B1 K10 K13", "A1 L10")
    assert more.to_move == 0
    assert more.legal_moves == (TAKE_BLACK, TAKE_WHITE)
    assert more.play("white").to_move == 0
    assert more.play("black").to_move == 1
    assert stones_of(more.play("black").play("C1"))[1] == "A1 C1 L10"


def test_a_result_belongs_to_the_seat_that_has_the_colour():
    opening = ["A1", "T19", "B1", "T18", "black"]  # Second takes Black
    position = game("pente", opening="d-pente").start().play_all(opening)
    position = position.play_all(["C1", "T17", "D1", "T16", "E1"])
    assert position.outcome == Outcome(1, -1.0, "five in a row by Black")
    assert position.game.write_outcome(position.outcome) == "Second wins: five in a row by Black"
    opening[-1] = "white"
    position = game("pente", opening="d-pente").start().play_all([*opening, "C1", "T17", "D1", "T16", "E1"])
    assert position.outcome == Outcome(0, 1.0, "five in a row by Black")


def test_captures_count_in_the_opening_too():
    position = game("pente", opening="d-pente").start().play_all(["K10", "J10", "L10", "M10"])
    assert captured_by(position) == [0, 2]
    assert stones_of(position) == ("", "J10 M10")


def test_a_protocol_frees_the_first_stones_unless_told_otherwise():
    assert len(game("pente", variant="tournament", opening="swap2").start().legal_moves) == 361
    bound = game("pente", opening="swap2", first="centre", second="tournament").start()
    assert bound.write_moves(bound.legal_moves) == ["K10"]
    assert len(bound.play_all(["K10", "A1"]).legal_moves) == 361 - 26


def test_captions_tell_what_is_to_be_done_in_an_opening():
    position = game("pente", opening="swap2").start()
    assert "First places 3 more, now a stone of Black" in str(position)
    position = position.play_all(["K10", "L10", "K13"])
    assert "Second chooses: black, white, more" in str(position)
    assert "Second places 2 more, now a stone of White" in str(position.play("more"))
    assert "Second has Black, First White" in str(position.play("black"))
    assert position.play("black").diagram().marked == frozenset()


# ---- set-up boards


FOUR_STONES = "......./.X.O.../......./...XO../......./......./......."


def test_a_board_is_the_start_with_nothing_captured_and_either_side_to_move():
    for letter, player in (("X", 0), ("O", 1)):
        start = game("pente", board=f"{FOUR_STONES} {letter}").start()
        assert start.game.size == 7  # as the board says
        assert start.to_move == player
        assert stones_of(start) == ("B6 D4", "D6 E4")
        assert captured_by(start) == [0, 0]
        assert start.play("A1").to_move == 1 - player
        assert start.game.text(start) == start.game.board
    assert game("pente", board=FOUR_STONES) == game("pente", size=7, board=FOUR_STONES.lower() + " x")


def test_the_rules_of_the_opening_bind_nobody_on_a_set_up_board():
    for variant in ("standard", "tournament", "g-pente"):
        for board in (FOUR_STONES, "......./" * 6 + "X......", "......./" * 6 + "XO....."):
            start = game("pente", variant=variant, board=f"{board} O").start()
            empty = board.count(".")
            assert len(start.legal_moves) == empty
            assert len(start.play(start.legal_moves[0]).legal_moves) == empty - 1


def test_on_an_empty_board_they_bind_whoever_begins():
    empty = "/".join(["......."] * 7)
    assert game("pente", board=f"{empty} X") == game("pente", size=7)
    start = game("pente", variant="tournament", board=f"{empty} O").start()
    assert start.to_move == 1
    assert start.write_moves(start.legal_moves) == ["D4"]
    later = start.play_all(["D4", "A1"])
    assert later.to_move == 1
    assert len(later.legal_moves) == 23
    with pytest.raises(IllegalMove, match="White's second stone goes outside the central 5x5"):
        later.play("D5")


def test_connect6_begins_with_two_stones_on_a_set_up_board():
    for stones in ("X", "XO", "XOX"):
        board = "/".join([stones.ljust(7, ".")] + ["......."] * 6)
        position = game("pente", variant="connect6", board=f"{board} O").start()
        assert "White places 2 more" in str(position)
        turns = []
        for _ in range(6):
            turns.append(position.to_move)
            position = position.play(position.legal_moves[-1])
        assert turns == [1, 1, 0, 0, 1, 1]


def test_a_full_board_is_a_draw_from_the_start_and_a_row_that_stands_wins_when_a_stone_joins_it():
    full = game("pente", size=5, board="XXOOX/OOXXO/XXOOX/OOXXO/XXOOX O").start()
    assert full.outcome == Outcome(None, 0.0, "the board is full")
    row = game("pente", size=6, board="XXXXX./....../....../....../....../...... X").start()
    assert not row.is_over
    assert not row.play("A1").is_over
    assert row.play("F6").outcome.winner == 0


def test_a_board_that_is_none_is_refused_with_the_form():
    form = r"pente: a board is 7 rows of 7 points, X, O or '.', separated by /, then X or O for the side to move"
    for board in ("XO", FOUR_STONES + " Y", FOUR_STONES + " X O", FOUR_STONES.replace("X", "Z"), FOUR_STONES[:-1]):
        with pytest.raises(PositionError, match=form):
            Pente(size=7, board=board)
    with pytest.raises(OptionError, match="opening=swap2 the players place the first stones: give no board"):
        game("pente", opening="swap2", board=FOUR_STONES)
