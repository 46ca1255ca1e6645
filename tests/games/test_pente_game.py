"""Pente as people and programs meet it: keys, random moves, guesses, notation, reasons, options, search.

The golden games are written anew, after a change that is meant to alter them, by
`python -m tests.games.test_pente_game`. The rules themselves are in tests/games/test_pente_rules.py.
"""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tengen.core.compiled.kernel import kernel
from tengen.core.compiled.rng import make_rng
from tengen.core.compiled.rules import evaluate, is_over, play, random_move
from tengen.core.errors import GameOver, IllegalMove, OptionError, UnreadableMove
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.registry import create
from tengen.games import game
from tengen.games.pente import TAKE_BLACK, TAKE_WHITE, TWO_MORE, VARIANTS, Pente
from tengen.search.limits import Limits
from tengen.search.report import Kind, Report
from tests.helpers.paths import GOLDEN
from tests.helpers.pente_positions import BOAT, FOUR, OPENINGS, free, random_options, set_up
from tests.helpers.rules_checks import (
    assert_drawn_evenly,
    assert_plain_form_agrees,
    assert_refused,
    compiled_only,
    golden_text,
    random_moves,
    trace,
)

GOLDEN_GAMES: dict[str, dict[str, Any]] = {
    "pente-9x9-keryo": {"size": 9, "variant": "keryo"},
    "pente-13x13-swap2": {"size": 13, "variant": "poof", "opening": "swap2"},
}


# ---- small kernels, so that thousands of positions take no time


@kernel
def guesses(states, others, rng, games, most):
    """(positions seen, largest size of a guess, guesses that are not the opposite with colours exchanged)."""
    positions, largest, unequal = 0, np.int64(0), 0
    for _ in range(games):
        states[1] = states[0]
        length = 0
        while not is_over(states[1]) and length < most:
            length += 1
            positions += 1
            value = evaluate(states[1])
            largest = max(largest, abs(value))
            others[0] = states[1]
            for point in range(len(others[0].pente_stones)):
                stone = states[1].pente_stones[point]
                others[0].pente_stones[point] = 3 - stone if stone == 1 or stone == 2 else stone
            others[0].captured[0], others[0].captured[1] = states[1].captured[1], states[1].captured[0]
            others[0].colour = 1 - states[1].colour
            unequal += evaluate(others[0]) != -value
            play(states[1], random_move(states[1], rng))
    return positions, largest, unequal


# ---- keys


def test_a_transposition_has_the_same_key_and_is_another_position():
    start = free(9).start()
    one, two = start.play_all(["A1", "B5", "C3", "D9"]), start.play_all(["C3", "D9", "A1", "B5"])
    assert one.key == two.key
    assert one != two


def test_keys_tell_stones_turn_and_captures_apart():
    rules_of_game = free(9)
    positions = [
        set_up(rules_of_game, "A1", "C1"),
        set_up(rules_of_game, "A1", "C1", to_move=1),
        set_up(rules_of_game, "C1", "A1"),
        set_up(rules_of_game, "A1 C1", ""),
        set_up(rules_of_game, "", "A1 C1"),
        set_up(rules_of_game, "A1", "C1", captured=(2, 0)),
        set_up(rules_of_game, "A1", "C1", captured=(0, 2)),
        set_up(rules_of_game, "A1", "C1", captured=(2, 2)),
        set_up(rules_of_game, "A1", "D1"),
    ]
    assert len({position.key for position in positions}) == len(positions)


def test_the_key_is_that_of_the_stones_as_they_stand():
    rng = random.Random(1)
    for _ in range(60):
        position = Pente(**random_options(rng) | {"opening": "none", "boat": False}).start()
        for _ in range(20):
            if position.is_over:
                break
            position = position.play(rng.choice(position.legal_moves))
        state, rules_of_game = position.state, position.game
        black, white = (" ".join(position.write_moves(rules_of_game._stones(state, stone))) for stone in (1, 2))
        again = set_up(
            rules_of_game,
            black,
            white,
            to_move=int(state.colour),
            captured=tuple(state.captured.tolist()),
            number=int(state.number),
        )
        assert again.key == position.key


def test_keys_tell_a_row_that_may_be_broken_apart():
    open_row = set_up(BOAT, **FOUR).play("O10")
    assert not open_row.is_over
    late = set_up(BOAT, black=FOUR["black"] + " O10", white=FOUR["white"], to_move=1)
    assert open_row.key != late.key


def test_keys_tell_the_phases_of_an_opening_apart():
    three = game("pente", opening="swap2", size=9).start().play_all(["A1", "B5", "C3"])
    two_more = three.play("more").play_all(["D4", "E8"])
    same_stones = [
        three,
        three.play("black"),
        three.play("white"),
        three.play("more"),
        two_more,
        two_more.play("black"),
        two_more.play("white"),
        three.play("black").play_all(["D4", "E8"]),
        three.play("white").play_all(["D4", "E8"]),
    ]
    keys = [position.key for position in same_stones]
    # With two more stones and First taking White, it is as if Second had taken Black, and the other way round.
    assert keys[5] == keys[8]
    assert keys[6] == keys[7]
    assert len(set(keys)) == 7


# ---- random moves and guesses


@pytest.mark.parametrize(
    ("options", "moves", "choices"),
    [
        ({"size": 6}, "", 4),  # one of the four middle points
        ({"size": 7, "variant": "tournament"}, "D4 A1", 23),
        ({"size": 9, "variant": "g-pente"}, "E5 D5", 48),
        ({"size": 5, "opening": "swap2"}, "A1 B1 C1", 3),
        ({"size": 5, "opening": "d-pente"}, "A1 B1 C1 D1", 2),
        ({"size": 5}, "C3 A1 B2 E5 E4 E3", 19),
    ],
)
def test_random_moves_are_drawn_with_equal_chance(options, moves, choices):
    position = game("pente", **options).start().play_all(moves.split())
    assert len(position.legal_moves) == choices
    assert_drawn_evenly(position)


def test_the_one_first_move_is_the_random_one():
    start = Pente().start()
    assert random_moves(start, 3) == [*start.legal_moves] * 3


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_guess_lies_strictly_inside_and_is_fair_to_both_colours(variant):
    for size in (5, 8, 19):
        rules_of_game = game("pente", variant=variant, size=size)
        states = np.zeros(2, rules_of_game.record)
        states[0] = rules_of_game.start().state
        others = np.zeros(1, rules_of_game.record)
        positions, largest, unequal = guesses(states, others, make_rng(size), 20, 400)
        assert positions > 100
        assert largest < rules_of_game.max_score
        assert largest > 0 or size < rules_of_game.row
        assert unequal == 0


def guess(position: Position) -> int:
    return int(evaluate(position.state))


def test_guesses_know_rows_captures_and_the_turn():
    assert guess(set_up(free())) == 0
    assert guess(set_up(free(), black="K10")) > 0 > guess(set_up(free(), white="K10"))
    three, four = "K10 L10 M10", "K10 L10 M10 N10"
    assert 0 < guess(set_up(free(), black=three)) < guess(set_up(free(), black=four))
    assert guess(set_up(free(), black=three, white="J10 N10")) < guess(set_up(free(), black=three, white="A1 A3"))
    assert guess(set_up(free(), black=four, white="A1 C5")) > guess(set_up(free(), four, "A1 C5", to_move=1))
    even = {"black": "K10", "white": "C3"}
    by_captures = [guess(set_up(free(), **even, captured=(stones, 0))) for stones in range(0, 10, 2)]
    assert by_captures == sorted(set(by_captures))
    assert guess(set_up(free(), black="K10 D4", white="L10 M10", captured=(8, 0))) > 500  # a win at hand
    five_in_a_row = game("pente", variant="five-in-a-row", first="anywhere")
    assert guess(set_up(five_in_a_row, **even, captured=(8, 0))) == guess(set_up(five_in_a_row, **even))


def test_guesses_in_an_opening_favour_whoever_is_to_choose():
    position = game("pente", opening="swap2").start().play_all(["K10", "A1"])
    assert guess(position) < 0  # First places, Second will choose
    position = position.play("L10")
    value = guess(position)
    assert value < 0
    assert guess(position.play("black")) == value
    assert guess(position.play("white")) == -value
    assert guess(position.play("more")) == -value  # First will choose


# ---- notation, reasons, text


@pytest.mark.parametrize("size", [5, 6, 13, 19])
def test_every_move_is_read_as_it_is_written(size):
    start = free(size).start()
    assert len(start.legal_moves) == size**2
    for move in [*start.legal_moves, TAKE_BLACK, TAKE_WHITE, TWO_MORE]:
        assert start.game.read_move(start.game.write_move(move), start) == move
    assert start.game.write_move(start.legal_moves[0]) == f"A{size}"
    assert start.game.write_move(start.legal_moves[-1]) == f"{'ABCDEFGHJKLMNOPQRST'[size - 1]}1"


def test_the_centre_of_19x19_is_k10_and_there_is_no_column_i():
    start = Pente().start()
    for text in ("K10", "k10", " k 10 ", "K010"):
        assert start.game.read_move(text, start) == start.legal_moves[0]
    assert start.game.points(start.legal_moves[0]) == ((9, 9),)
    assert start.diagram().columns == tuple("ABCDEFGHJKLMNOPQRST")
    assert start.game.read_move("BLACK", start) == TAKE_BLACK
    assert start.game.points(TAKE_BLACK) == ()


NOT_A_MOVE = "is not a move: write a point as K10 (there is no column I); to choose a side, black, white or more"


@pytest.mark.parametrize(
    ("options", "moves", "move", "error", "message"),
    [
        ({}, "K10", "K10", IllegalMove, "K10 is illegal: there is a stone"),
        ({}, "", "A1", IllegalMove, "A1 is illegal: the first stone goes to the centre, K10"),
        (
            {"size": 6},
            "",
            "A1",
            IllegalMove,
            "A1 is illegal: the first stone goes to the centre, C4 or D4 or C3 or D3",
        ),
        (
            {"variant": "tournament"},
            "K10 A1",
            "M12",
            IllegalMove,
            "M12 is illegal: Black's second stone goes outside the central 5x5",
        ),
        (
            {"variant": "tournament", "size": 8},
            "D4 A1",
            "G7",
            IllegalMove,
            "G7 is illegal: Black's second stone goes outside the central 6x6",
        ),
        (
            {"variant": "g-pente"},
            "K10 A1",
            "K14",
            IllegalMove,
            "K14 is illegal: Black's second stone goes outside the central 5x5 and the next two points "
            "of its middle lines",
        ),
        ({}, "K10", "black", IllegalMove, "black is illegal: there is nothing to choose now: place a stone"),
        (
            {"opening": "swap2"},
            "K10 A1 B1",
            "C1",
            IllegalMove,
            "C1 is illegal: Second has a choice to make first: black or white or more",
        ),
        (
            {"opening": "d-pente"},
            "K10 A1 B1 C1",
            "more",
            IllegalMove,
            "more is illegal: Second takes a side now: black or white",
        ),
        (
            {"opening": "swap2"},
            "K10 A1 B1 more C1 D1",
            "more",
            IllegalMove,
            "more is illegal: First takes a side now: black or white",
        ),
        (
            {"opening": "swap2"},
            "K10 A1 B1 more",
            "white",
            IllegalMove,
            "white is illegal: there is nothing to choose now: place a stone",
        ),
        ({"size": 5}, "C3", Move(26), IllegalMove, "point 26 is illegal: there is no such point"),
        ({}, "K10", Move(0), IllegalMove, "point 0 is illegal: there is no such point"),
        ({}, "K10", Move(-5), IllegalMove, "point -5 is illegal: there is no such point"),
        ({}, "K10", Move(9999), IllegalMove, "point 9999 is illegal: there is no such point"),
        ({"size": 9}, "", "K10", UnreadableMove, "K10 is not on the board, whose points go from A1 to J9"),
        ({}, "", "A0", UnreadableMove, "A0 is not on the board, whose points go from A1 to T19"),
        ({}, "", "I9", UnreadableMove, f"'I9' {NOT_A_MOVE}"),
        ({}, "", "pass", UnreadableMove, f"'pass' {NOT_A_MOVE}"),
        ({}, "", "", UnreadableMove, f"'' {NOT_A_MOVE}"),
        (
            {"size": 5, "variant": "no-capture"},
            "C3 A1 C1 A2 C2 A3 C4 A4 C5",
            "A5",
            GameOver,
            "the game is over: Black wins: five in a row",
        ),
    ],
)
def test_a_refused_move_names_its_reason(options, moves, move, error, message):
    position = game("pente", **options).start().play_all(moves.split())
    assert_refused(position, move, error, message)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=6) | st.text("aAiItTu 0198-\nmore", max_size=6), st.integers(5, 19))
@example("A\n0", 5)
def test_any_text_is_a_move_on_the_board_or_refused_in_one_line(text, size):
    start = free(size).start()
    refusal, move = "", TAKE_BLACK
    try:
        move = start.game.read_move(text, start)
    except UnreadableMove as error:
        refusal = str(error)
    assert "\n" not in refusal
    assert move in (TAKE_BLACK, TAKE_WHITE, TWO_MORE) or move in start.legal_moves


def test_the_board_in_text():
    position = game("pente", size=9).start().play_all(["E5", "F5", "A1", "G5", "H5"])
    assert str(position) == "\n".join(
        [
            "  A B C D E F G H J",
            "9 . . . . . . . . . 9",
            "8 . . . . . . . . . 8",
            "7 . . + . . . + . . 7",
            "6 . . . . . . . . . 6",
            "5 . . . . X . . X . 5",
            "4 . . . . . . . . . 4",
            "3 . . + . . . + . . 3",
            "2 . . . . . . . . . 2",
            "1 X . . . . . . . . 1",
            "  A B C D E F G H J",
            "Captured by Black 2, by White 0",
        ]
    )
    assert position.diagram().marked == {(7, 4)}
    assert position.diagram().kind == "points"
    assert "Captured" not in str(game("pente", variant="gomoku").start())


@pytest.mark.parametrize(("size", "stars"), [(5, 0), (6, 0), (7, 5), (8, 4), (13, 5), (15, 9), (18, 4), (19, 9)])
def test_star_points_lie_alike_in_every_direction(size, stars):
    found = Pente(size=size).start().diagram().stars
    assert len(found) == stars
    assert found == {(row, column) for column, row in found} == {(size - 1 - c, row) for c, row in found}


def test_the_dump_tells_what_the_rules_know():
    position = set_up(BOAT, **FOUR).play("O10")
    assert position.game.dump(position) == {
        "variant": "boat",
        "stones": ["Black M11 K10 L10 M10 N10 O10", "White M12 A1"],
        "captured": "by Black 0, by White 0",
        "next stone": "number 1002, White",
        "row to break": "O10",
    }
    start = Pente(row=6).start()
    assert start.game.dump(start)["variant"] == "none by name"


# ---- options


def test_a_variant_is_a_name_for_options_of_which_each_can_be_overridden():
    assert game("pente") == game("pente", variant="standard") == Pente()
    for name, options in VARIANTS.items():
        rules_of_game = game("pente", variant=name)
        assert {option: value for option, value in rules_of_game.options().items() if option in options} == options
        assert rules_of_game.variant == name
        assert game("pente", **options) == rules_of_game
    assert game("pente", variant="Keryo", goal=10) == Pente(captures="triples", goal=10)
    assert game("pente", variant="gomoku", exact="no").exact is False
    assert game("pente", captures="none").goal == 0
    assert Pente(goal=12).variant is None


@pytest.mark.parametrize("opening", OPENINGS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_options_survive_a_trip_through_json(variant, opening):
    if variant == "connect6" and opening != "none":
        return
    rules_of_game = game("pente", variant=variant, opening=opening, size="11")
    again = game("pente", **json.loads(json.dumps(rules_of_game.options())))
    assert again == rules_of_game
    assert (
        again.players
        == rules_of_game.players
        == (("Black", "White") if opening == "none" else ("First", "Second"))
    )
    assert again.start().key == rules_of_game.start().key


def test_a_game_tells_the_options_that_differ_from_the_usual_ones():
    assert Pente().describe() == "pente"
    assert game("pente", size=13, variant="g-pente").describe() == "pente size=13 second=g-pente"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": 4}, "size should be 5 to 19, not 4"),
        ({"size": 20}, "size should be 5 to 19, not 20"),
        ({"size": "9x9"}, "size should be a whole number, not '9x9'"),
        ({"variant": "pro"}, "variant should be standard, tournament, .*, not 'pro'"),
        ({"first": "corner"}, "first should be centre or anywhere, not 'corner'"),
        ({"second": "pro"}, "second should be anywhere or tournament or g-pente, not 'pro'"),
        ({"captures": "quads"}, "captures should be none or pairs or triples"),
        (
            {"opening": "pro"},
            "opening should be none or d-pente or swap or swap2 or soosorv-8 or taraguchi-10, not 'pro'",
        ),
        ({"row": 4}, "row should be 5 or 6, not 4"),
        ({"stones": 3}, "stones should be 1 or 2, not 3"),
        ({"goal": -1}, "goal should be 0 to 1000 stones, not -1"),
        ({"variant": "no-capture", "goal": 10}, "goal=10 makes no sense with captures=none"),
        ({"variant": "poof", "captures": "none"}, "poof=True makes no sense with captures=none"),
        ({"variant": "boat", "captures": "none"}, "boat=True makes no sense with captures=none"),
        ({"variant": "connect6", "opening": "swap2"}, "opening=swap2 is a rule for one stone a turn"),
        ({"variant": "boat", "stones": 2}, "boat=True is a rule for one stone a turn"),
        ({"variant": "renju", "exact": True}, "renju=True needs captures=none, rows of five"),
        ({"variant": "keryo", "renju": True}, "renju=True needs captures=none, rows of five"),
        ({"komi": 1}, "pente has no option 'komi'"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, message):
    with pytest.raises(OptionError, match=message):
        game("pente", **options)


# ---- the generic search


def think(position: Position, engine: str = "alphabeta", **limits: Any) -> Report:
    return create(engine, **({"table": 4} if engine == "alphabeta" else {})).search(position, Limits(**limits))


@pytest.mark.parametrize("engine", ["alphabeta", "uct", "flat", "random"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_search_plays_every_variant_to_its_end(variant, engine):
    for opening in OPENINGS if variant != "connect6" else ("none",):
        position = game("pente", variant=variant, size=6, opening=opening).start()
        player = create(engine, **({"table": 1} if engine == "alphabeta" else {}))
        while not position.is_over and position.ply < 150:
            position = position.play(player.search(position, Limits(nodes=40)).best)
        assert position.is_over or variant == "five-in-a-row"


@pytest.mark.parametrize("engine", ["alphabeta", "uct"])
@pytest.mark.parametrize(
    ("position", "best"),
    [
        (set_up(free(9), black="C5 D5 E5 F5", white="B5 A1 C1 E1"), "G5"),
        (set_up(free(9), black="C5", white="D5 E5 A1 A3", captured=(8, 0)), "F5"),
        (set_up(free(9, captures="triples", goal=15), black="C5", white="D5 E5 F5 A1", captured=(12, 0)), "G5"),
        (set_up(BOAT, black="K10 L10 M10 N10 M11", white="M12 O10 A1"), "J10"),
    ],
)
def test_search_finds_a_win_on_the_move(position, best, engine):
    report = think(position, engine, nodes=20_000)
    assert report.best == best
    if not position.game.boat:  # there the row can be captured: it takes longer to see that it wins all the same
        assert (report.value.kind, report.value.amount) == (Kind.EXACT, 1)


def test_search_finds_a_win_with_the_two_stones_of_a_turn():
    connect6 = game("pente", variant="connect6", size=9)
    position = set_up(connect6, black="C5 D5 E5 F5", white="A1 J9 B5")
    for _ in range(2):
        assert position.to_move == 0
        position = position.play(think(position, nodes=20_000).best)
    assert position.outcome.winner == 0


@pytest.mark.parametrize(
    ("position", "answers"),
    [
        # A four with one end open must be blocked.
        (set_up(free(9), black="B5 A1 C2 E8", white="C5 D5 E5 F5"), {"G5"}),
        # A pair can be taken out of the open four, which no block would stop.
        (set_up(free(9), black="E8 A1 C2 J9", white="C5 D5 E5 F5 E6 E7"), set()),
        (set_up(free(9), black="E7 A1 C2 J9", white="C5 D5 E5 F5 E6"), {"E4"}),
        # The pair that would be the tenth stone must be saved, or its captor's place taken.
        (set_up(free(7), black="C4 D4 A1", white="B4 G7 G5", captured=(0, 8)), {"E4"}),
    ],
)
def test_search_answers_a_threat(position, answers):
    report = think(position, depth=2)
    if answers:
        assert report.best in answers
    else:
        assert (report.value.kind, report.value.amount) == (Kind.EXACT, -1)


def test_search_proves_a_win_in_two():
    # An open three becomes an open four.
    for position in (
        set_up(free(6, captures="none"), black="B3 C3 D3", white="A6 C6 E6"),
        set_up(free(6), black="B3 C3 D3", white="A6 C6 F6"),
    ):
        assert think(position, depth=1).value.kind is Kind.HEURISTIC
        report = think(position, depth=3)
        assert report.best == "E3"
        assert (report.value.kind, report.value.amount) == (Kind.EXACT, 1)


def test_search_proves_a_win_in_three():
    position = set_up(free(6, captures="none"), black="A2 B3 C3 C5 D3 D5", white="A3 B2 B4 B5 F4 F6")
    assert think(position, depth=3).value.kind is not Kind.EXACT
    report = think(position, depth=5)
    assert report.best == "C4"
    assert (report.value.kind, report.value.amount) == (Kind.EXACT, 1)


def test_search_proves_a_loss():
    lost = set_up(free(6, captures="none"), black="B3 C3 D3 E3", white="A6 C6 F6 E5", to_move=1)
    report = think(lost, depth=2)
    assert (report.value.kind, report.value.amount) == (Kind.EXACT, -1)


def test_search_takes_the_better_side():
    # Black has an open four: whoever may choose takes Black, whoever it is.
    opening = game("pente", opening="swap2", size=7, captures="none").start().play_all(["B4", "A1", "C4"])
    position = opening.play("more").play_all(["G1", "D4"])
    states = np.array([position.state], position.game.record)
    states[0].pente_stones[position.game.read_move("E4", position)] = 1
    states[0].colour = 0  # and it is Black's turn
    report = think(Position(position.game, states, None, None), depth=2)
    assert (report.best, report.value.kind, report.value.amount) == ("black", Kind.EXACT, 1)


# ---- the compiled and the plain form, the golden games


def traces() -> str:
    """Seeded games move by move, of every variant and of mixed options."""
    rng = random.Random(3)
    chosen = [game("pente", variant=name, size=5 + i % 4) for i, name in enumerate(VARIANTS)]
    chosen += [Pente(**random_options(rng) | {"size": rng.choice([5, 6, 7])}) for _ in range(12)]
    lines = []
    for seed, rules_of_game in enumerate(chosen):
        lines += trace(rules_of_game.start(), seed, 60)
    return "\n".join(lines)


@compiled_only
def test_the_compiled_and_the_plain_form_play_the_same_games():
    assert_plain_form_agrees("tests.games.test_pente_game", traces)


def golden(name: str) -> str:
    start = game("pente", **GOLDEN_GAMES[name]).start()
    return f"# {start.game.describe()}\n" + golden_text(start, "tests.games.test_pente_game")


@pytest.mark.parametrize("name", GOLDEN_GAMES)
def test_the_golden_games_are_played_as_ever(name):
    assert golden(name) == (GOLDEN / f"{name}.txt").read_text()


if __name__ == "__main__":
    for golden_name in GOLDEN_GAMES:
        (GOLDEN / f"{golden_name}.txt").write_text(golden(golden_name))
