"""Go as people play it: notation, reasons, ko and suicide on diagrams, counting, handicap, options, pictures.

After an intended change, `python -m tests.games.test_go_game` rewrites the golden game, tests/golden/go-9x9.txt.
"""

from __future__ import annotations

import itertools
import json

import pytest

from tengen.core.compiled.rng import below, make_rng
from tengen.core.errors import GameOver, IllegalMove, OptionError, UnreadableMove
from tengen.core.game import Move
from tengen.core.outcome import Outcome
from tengen.core.position import Position
from tengen.games.go import PASS, RULE_SETS, Go
from tengen.games.go.handicap import most_fixed_handicap, star_points
from tests.helpers.paths import GOLDEN as GOLDEN_FOLDER

GOLDEN = GOLDEN_FOLDER / "go-9x9.txt"
KO_RULES = ("simple", "positional", "situational")


# ---- helpers


def set_up(picture: str, turn: str = "X", **options) -> Position:
    """The position of a picture, reached by moves: the side with fewer turns passes first."""
    rows = [line.split() for line in picture.strip().splitlines()]
    game = Go.create(size=f"{len(rows[0])}x{len(rows)}", **options)
    stones: dict[str, list[Move]] = {"X": [], "O": []}
    for row, column in itertools.product(range(len(rows)), range(len(rows[0]))):
        if rows[row][column] != ".":
            stones[rows[row][column]].append(game.point((column, row)))
    ahead = 0 if turn == "X" else 1  # how many moves more Black has made
    turns = max(len(stones["X"]) - ahead, len(stones["O"]))
    black = [PASS] * (turns + ahead - len(stones["X"])) + stones["X"]
    white = [PASS] * (turns - len(stones["O"])) + stones["O"]
    moves = [move for pair in itertools.zip_longest(black, white) for move in pair if move is not None]
    position = game.start().play_all(moves)
    assert board(position) == [" ".join(row) for row in rows]
    return position


def board(position: Position) -> list[str]:
    """The stones, row by row."""
    return [" ".join(".XO"[stone] for stone in row) for row in position.diagram().stones]


def picture(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.strip().splitlines()]


def refusal(position: Position, move: Move | str) -> str:
    """Why a move is illegal."""
    with pytest.raises(IllegalMove) as error:
        position.play(move)
    written = move if isinstance(move, str) else position.game.write_move(move)
    assert str(error.value) == f"{written} is illegal: {error.value.reason}"
    return error.value.reason


def captured(position: Position) -> list[int]:
    """Stones taken by Black and by White."""
    return position.state.captured.tolist()


KO = "the ko may not be retaken at once"
SUICIDE = "it would be suicide"
REPETITION = "it would repeat an earlier position"


# ---- moves that are refused


def test_a_point_with_a_stone_is_refused():
    position = Go.create(size=9).start().play_all(["E5", "D4"])
    assert refusal(position, "E5") == "there is a stone"
    assert refusal(position, "D4") == "there is a stone"


@pytest.mark.parametrize("size", ["1x1", "9x9", "25x25", "3x7"])
def test_no_code_outside_the_board_is_a_move(size):
    position = Go.create(size=size).start()
    game = position.game
    inside = {game.point((column, row)) for column in range(game.width) for row in range(game.height)}
    for code in {*range(-30, 760), 10**6} - inside - {PASS}:
        assert refusal(position, Move(code)) == "there is no such point"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "'' is not a move: write a point as D4 (there is no column I), or pass"),
        ("i5", "'i5' is not a move: write a point as D4 (there is no column I), or pass"),
        ("5e", "'5e' is not a move: write a point as D4 (there is no column I), or pass"),
        ("aa1", "'aa1' is not a move: write a point as D4 (there is no column I), or pass"),
        ("E5!", "'E5!' is not a move: write a point as D4 (there is no column I), or pass"),
        ("E", "'E' is not a move: write a point as D4 (there is no column I), or pass"),
        ("E-5", "'E-5' is not a move: write a point as D4 (there is no column I), or pass"),
        ("passs", "'passs' is not a move: write a point as D4 (there is no column I), or pass"),
        ("K5", "K5 is not on the board, whose points go from A1 to J9"),
        ("E10", "E10 is not on the board, whose points go from A1 to J9"),
        ("e0", "E0 is not on the board, whose points go from A1 to J9"),
    ],
)
def test_what_cannot_be_read_is_refused_with_what_was_expected(text, complaint):
    with pytest.raises(UnreadableMove) as error:
        Go.create(size=9).start().play(text)
    assert str(error.value) == complaint


def test_a_very_long_number_is_refused_like_any_other_text():
    with pytest.raises(UnreadableMove):
        Go.create(size=9).start().play("E" + "9" * 5000)


def test_after_two_passes_the_game_is_over():
    position = Go.create(size=9, komi=6.5).start().play_all(["E5", "pass", "pass"])
    assert position.is_over
    assert position.legal_moves == ()
    for move in ("pass", "A1", "E5"):
        with pytest.raises(GameOver) as error:
            position.play(move)
        assert str(error.value) == "the game is over: Black wins by 74.5 points: two passes, counted by area"


def test_passes_must_follow_each_other_to_end_the_game():
    position = Go.create(size=9).start().play_all(["pass", "E5", "pass", "A1", "B2", "pass"])
    assert not position.is_over
    assert position.outcome is None
    assert position.play("pass").is_over


# ---- capture, ko, suicide


def test_a_stone_without_liberties_is_taken():
    position = set_up(
        """
        . X .
        X O .
        . X .
        """
    ).play("C2")
    assert board(position) == picture(
        """
        . X .
        X . X
        . X .
        """
    )
    assert captured(position) == [1, 0]


def test_several_strings_are_taken_by_one_move():
    rows = """
        . . X . .
        . X O X .
        X O . O X
        . X O X .
        . . X . .
        """
    position = set_up(rows).play("C3")
    assert captured(position) == [4, 0]
    assert board(position) == picture(rows.replace("O . O", ". X .").replace("O", "."))
    assert refusal(set_up(rows, "O"), "C3") == SUICIDE


def test_a_move_that_takes_stones_is_no_suicide():
    position = set_up(
        """
        . O X
        O X X
        X X .
        """,
    )
    taken = position.play("A3")
    assert captured(taken) == [2, 0]
    assert board(taken) == picture(
        """
        X . X
        . X X
        X X .
        """
    )


KO_SHAPE = """
    . X O .
    X O . O
    . X O .
    """


@pytest.mark.parametrize("ko", KO_RULES)
def test_a_ko_may_not_be_retaken_at_once_but_after_a_threat(ko):
    position = set_up(
        """
        . X O . .
        X O . O .
        . X O . .
        . . . . .
        """,
        ko=ko,
    ).play("C3")
    assert captured(position) == [1, 0]
    assert refusal(position, "B3") == KO
    fight = position.play_all(["E1", "D1", "B3"])
    assert captured(fight) == [1, 1]
    assert refusal(fight, "C3") == KO
    fight = fight.play_all(["A1", "B1", "C3"])
    assert captured(fight) == [2, 1]
    assert refusal(fight, "B3") == KO
    passed = position.play_all(["pass", "E4", "B3"])
    assert captured(passed) == [1, 1], "a pass is as good as a threat"


@pytest.mark.parametrize("ko", KO_RULES)
def test_a_snapback_is_no_ko(ko):
    position = set_up(
        """
        . X X X .
        X O O O X
        X O . . X
        """,
        ko=ko,
    )
    position = position.play("C1").play("D1")
    assert captured(position) == [0, 1]
    position = position.play("C1")
    assert captured(position) == [5, 1]
    assert board(position) == picture(
        """
        . X X X .
        X . . . X
        X . X . X
        """
    )


SEND_TWO = """
    . . . .
    O O X .
    . X . X
    """


def test_sending_two_and_returning_one_under_simple_ko_goes_on_for_ever():
    position = set_up(SEND_TWO, ko="simple")
    for _ in range(3):
        position = position.play_all(["A1", "C1", "B1", "pass"])
        assert board(position) == picture(SEND_TWO)
    assert captured(position) == [3, 6]


def test_sending_two_and_returning_one_is_stopped_by_positional_superko():
    position = set_up(SEND_TWO, ko="positional").play_all(["A1", "C1"])
    assert refusal(position, "B1") == f"{REPETITION} (positional superko)"


def test_sending_two_and_returning_one_is_stopped_by_situational_superko_once_the_same_player_is_to_move():
    position = set_up(SEND_TWO, ko="situational").play_all(["A1", "C1", "B1", "pass"])
    assert board(position) == picture(SEND_TWO)
    assert refusal(position, "A1") == f"{REPETITION} (situational superko)"


TRIPLE_KO = """
    . X O .
    X O . O
    . X O .
    . X O .
    X . X O
    . X O .
    . X O .
    X O . O
    . X O .
    """


def test_a_triple_ko_repeats_under_simple_ko_only():
    cycle = ["C8", "B5", "C2", "B8", "C5", "B2"]
    position = set_up(TRIPLE_KO, ko="simple").play_all(cycle)
    assert board(position) == picture(TRIPLE_KO)
    assert captured(position) == [3, 3]
    assert position.play_all(cycle).ply == position.ply + 6
    for ko in ("positional", "situational"):
        position = set_up(TRIPLE_KO, ko=ko).play_all(cycle[:-1])
        assert refusal(position, "B2") == f"{REPETITION} ({ko} superko)"


def test_the_suicide_of_one_stone_under_each_rule():
    eye = """
        . . O
        X . .
        . X .
        """
    for ko in KO_RULES:
        assert refusal(set_up(eye, "O", ko=ko, suicide=False), "A1") == SUICIDE
    position = set_up(eye, "O", ko="positional", suicide=True)
    assert refusal(position, "A1") == f"{REPETITION} (positional superko)"
    for ko in ("simple", "situational"):
        position = set_up(eye, "O", ko=ko, suicide=True).play("A1")
        assert board(position) == picture(eye)
        assert captured(position) == [1, 0]
        assert position.to_move == 0
    # Black passes, White's suicide would leave Black to move on the board on which he passed.
    position = set_up(eye, "X", ko="situational", suicide=True).play("pass")
    assert refusal(position, "A1") == f"{REPETITION} (situational superko)"
    assert captured(set_up(eye, "X", ko="simple", suicide=True).play_all(["pass", "A1"])) == [1, 0]


@pytest.mark.parametrize("ko", KO_RULES)
def test_the_suicide_of_several_stones_is_allowed_or_not(ko):
    moves = ["C1", "B1", "A2", "pass", "B2"]
    forbidden = Go.create(size=3, ko=ko, suicide=False).start().play_all(moves)
    assert refusal(forbidden, "A1") == SUICIDE
    allowed = Go.create(size=3, ko=ko, suicide=True).start().play_all([*moves, "A1"])
    assert board(allowed) == picture(
        """
        . . .
        X X .
        . . X
        """
    )
    assert captured(allowed) == [2, 0]
    assert allowed.play("A1").to_move == 1, "Black may play where they stood"


def test_a_whole_board_of_one_point_has_only_a_pass():
    for suicide in (False, True):
        position = Go.create(size=1, suicide=suicide, ko="positional").start()
        assert position.legal_moves == (PASS,)
    assert refusal(position, "A1") == f"{REPETITION} (positional superko)"
    assert refusal(Go.create(size=1).start(), "A1") == SUICIDE
    assert Go.create(size=1, suicide=True, ko="simple").start().play("A1").to_move == 1


# ---- counting


def test_area_is_stones_and_what_only_one_colour_touches():
    position = set_up(
        """
        . X . O .
        X X . O O
        . X . O .
        X X . O .
        . X . O .
        """,
        komi=0.5,
    )
    # Black: 7 stones, 3 points. White: 6 stones, 4 points. The middle column touches both.
    assert position.game.count(position) == Outcome(1, -0.5, "two passes, counted by area")
    assert position.outcome is None
    ended = position.play_all(["pass", "pass"])
    assert ended.outcome == position.game.count(position)
    assert ended.game.write_outcome(ended.outcome) == "White wins by 0.5 points: two passes, counted by area"


@pytest.mark.parametrize(
    ("rows", "area"),
    [
        (". . . / . . . / . . .", 0),
        (". . . / . X . / . . .", 9),
        (". O . / . X . / . . .", 0),
        ("X . O / X . O / X . O", 0),
        (". X O . / X X O O / . X . .", 6 - 4),
        ("O . O / O O . / . O O", -9),
        (". X . O / X X O O", 4 - 3),
    ],
)
def test_area_of_small_boards(rows, area):
    position = set_up(rows.replace(" / ", "\n"), komi=0)
    assert position.game.count(position).score == area


def test_dead_strings_come_off_before_the_area_is_counted():
    rows = """
        . X . O .
        O X . O .
        . X . O X
        . X . O .
        """
    position = set_up(rows, komi=0)
    count = position.game.count
    assert count(position).score == 5 - 5, "all stones alive: no empty point touches one colour only"
    assert count(position, dead=["A3"]).score == (5 + 4) - 4
    assert count(position, dead=["A3", "E2"]).score == (4 + 4) - (4 + 4)


TERRITORY = """
    . X . O .
    O X . O .
    O X . O X
    . X . O .
    """


def test_territory_is_empty_points_and_prisoners():
    position = set_up(TERRITORY, rules="japanese", komi=0)
    count = position.game.count
    assert count(position).score == 0, "stones count as alive, and nobody surrounds anything"
    # Two dead stones: four points of territory and two prisoners for Black.
    assert count(position, dead=["A3"]).score == 6
    assert count(position, dead=["A3", "A2"]).score == 6, "a string given twice is taken once"
    # And for White four points and one prisoner.
    assert count(position, dead=["A3", "E2"]).score == 6 - 5
    assert count(position, dead=[position.game.read_move("E2", position)]).score == -5
    assert count(position, dead=["A3"]).reason == "two passes, counted by territory"
    # Counting changes nothing.
    assert board(position) == picture(TERRITORY)
    assert captured(position) == [0, 0]


def test_prisoners_taken_during_play_count_as_territory_does():
    position = set_up(KO_SHAPE, rules="japanese").play("C2")
    assert position.game.count(position).score == 1 + 3 - 2 - 6.5


def test_only_under_territory_scoring_must_the_players_agree_on_dead_stones():
    assert Go.create(rules="japanese").counts_dead_stones
    assert not Go.create(rules="chinese").counts_dead_stones


def test_only_a_stone_can_be_dead():
    position = set_up(TERRITORY, rules="japanese")
    for nothing in ("C1", "pass"):
        with pytest.raises(OptionError, match=f"there is no stone on {nothing} that could be dead"):
            position.game.count(position, dead=[nothing])
    with pytest.raises(UnreadableMove):
        position.game.count(position, dead=["Z9"])


def test_the_same_board_under_area_and_territory_differs_by_the_stones():
    moves = ["D5", "B5", "D4", "B4", "D3", "B3", "D2", "B2", "D1", "B1", "A3", "pass", "pass"]
    area = Go.create(size=5, rules="chinese", komi=0).start().play_all(moves)
    territory = Go.create(size=5, rules="japanese", komi=0).start().play_all(moves)
    assert area.outcome.score == (6 + 5) - 5
    assert territory.outcome.score == 5
    assert area.game.count(area, dead=["A3"]).score == (5 + 5) - (5 + 5)
    assert territory.game.count(territory, dead=["A3"]).score == 5 - (5 + 1)


@pytest.mark.parametrize(
    ("komi", "winner", "text"),
    [
        (8.5, 0, "Black wins by 0.5 points: two passes, counted by area"),
        (9, None, "Draw: two passes, counted by area"),
        (9.5, 1, "White wins by 0.5 points: two passes, counted by area"),
        (-3, 0, "Black wins by 12 points: two passes, counted by area"),
        (8.375, 0, "Black wins by 0.625 points: two passes, counted by area"),
    ],
)
def test_komi_is_given_to_white(komi, winner, text):
    position = Go.create(size=3, komi=komi).start().play_all(["B2", "pass", "pass"])
    assert position.outcome.winner == winner
    assert position.outcome.score == 9 - komi
    assert position.game.write_outcome(position.outcome) == text


# ---- handicap

FIXED = {
    "19x19": "D4 Q16 D16 Q4 | D10 Q10 | K4 K16 | K10",
    "13x13": "D4 K10 D10 K4 | D7 K7 | G4 G10 | G7",
    "9x9": "C3 G7 C7 G3 | C5 G5 | E3 E7 | E5",
    "9x13": "C4 G10 C10 G4 | C7 G7 | E4 E10 | E7",
}


@pytest.mark.parametrize("size", FIXED)
@pytest.mark.parametrize("stones", range(2, 10))
def test_fixed_handicap_stones_stand_where_gtp_puts_them(size, stones):
    corners, left_and_right, low_and_high, centre = (part.split() for part in FIXED[size].split("|"))
    expected = corners[:stones]
    if stones >= 6:
        expected += left_and_right
    if stones >= 8:
        expected += low_and_high
    if stones in (5, 7, 9):
        expected += centre
    assert len(expected) == stones
    game = Go.create(size=size, handicap=stones)
    position = game.start()
    rows = position.diagram().stones
    places = {game.points(game.read_move(point, position))[0] for point in expected}
    for column, row in itertools.product(range(game.width), range(game.height)):
        assert rows[row][column] == ((column, row) in places)
    assert position.to_move == 1
    assert PASS in position.legal_moves
    assert position.ply == 0


@pytest.mark.parametrize(
    ("size", "most"),
    [
        ("6x6", 0),
        ("6x19", 0),
        ("7x7", 4),
        ("7x9", 4),
        ("8x8", 4),
        ("9x8", 4),
        ("18x19", 4),
        ("9x11", 9),
        ("25x25", 9),
    ],
)
def test_how_many_fixed_handicap_stones_a_board_has(size, most):
    width, height = map(int, size.split("x"))
    assert most_fixed_handicap(width, height) == most
    for stones in range(1, 12):
        if 2 <= stones <= most:
            position = Go.create(size=size, handicap=stones).start()
            assert sum(sum(row) for row in position.diagram().stones) == stones
        else:
            room = f"2 to {most} stones" if most else "no fixed handicap"
            with pytest.raises(OptionError) as error:
                Go.create(size=size, handicap=stones)
            expected = f"go: {size} has {room}, not {stones}; free_handicap places them freely"
            assert str(error.value) == expected


def test_black_places_a_free_handicap_without_passing():
    position = Go.create(size=5, handicap=3, free_handicap=True).start()
    for left, point in ((3, "A1"), (2, "C3"), (1, "A2")):
        assert position.to_move == 0
        assert PASS not in position.legal_moves
        assert refusal(position, "pass") == f"Black has handicap stones to place first, {left} more"
        position = position.play(point)
    assert position.to_move == 1
    assert PASS in position.legal_moves
    assert board(position) == [". . . . .", ". . . . .", ". . X . .", "X . . . .", "X . . . ."]
    assert position.play_all(["pass", "pass"]).is_over


def test_a_free_handicap_may_fill_the_board_but_for_one_point():
    position = Go.create(size="3x2", handicap=5, free_handicap=True).start()
    position = position.play_all(["A1", "B1", "C1", "A2", "B2"])
    assert position.to_move == 1
    assert captured(position.play("C2")) == [0, 5]
    for size, stones, room in (
        ("3x2", 6, "a free handicap of 2 to 5 stones"),
        ("3x2", 1, "a free handicap of 2 to 5 stones"),
        ("2x1", 2, "no handicap"),
        ("1x1", 2, "no handicap"),
    ):
        with pytest.raises(OptionError) as error:
            Go.create(size=size, handicap=stones, free_handicap=True)
        assert str(error.value) == f"go: {size} has {room}, not {stones}"


@pytest.mark.parametrize(("bonus", "points"), [("0", 0), ("N", 4), ("N-1", 3)])
@pytest.mark.parametrize("free", [False, True])
def test_white_gets_the_bonus_for_handicap_stones(bonus, points, free):
    game = Go.create(size=9, handicap=4, free_handicap=free, bonus=bonus)
    assert game.komi == 0.5, "unless another is given"
    position = game.start()
    if free:
        position = position.play_all(["A1", "B1", "C1", "D1"])
    position = position.play_all(["pass", "pass"])
    assert position.outcome.score == 81 - 0.5 - points
    without = Go.create(size=9, bonus=bonus, komi=0.5).start().play_all(["A1", "pass", "pass"])
    assert without.outcome.score == 80.5


def test_komi_that_is_given_stays_with_a_handicap():
    assert Go.create(size=9, handicap=2, komi=6.5).komi == 6.5
    assert Go.create(size=9, handicap=2, rules="japanese").komi == 0.5
    assert Go.create(size=9, handicap="0").komi == 7.5


# ---- options


@pytest.mark.parametrize(
    ("name", "scoring", "ko", "suicide", "komi", "bonus"),
    [
        ("chinese", "area", "positional", False, 7.5, "N"),
        ("tromp-taylor", "area", "positional", True, 7.5, "0"),
        ("japanese", "territory", "simple", False, 6.5, "0"),
        ("aga", "area", "situational", False, 7.5, "N-1"),
        ("new-zealand", "area", "situational", True, 7.0, "0"),
    ],
)
def test_rule_sets(name, scoring, ko, suicide, komi, bonus):
    game = Go.create(rules=name)
    assert (game.scoring, game.ko, game.suicide, game.komi, game.bonus) == (scoring, ko, suicide, komi, bonus)
    assert (game.width, game.height) == (19, 19)
    assert name in RULE_SETS
    assert Go.create(rules=name.upper(), komi=3, suicide="yes").suicide
    assert Go.create(rules=name, komi="3").komi == 3
    assert len(RULE_SETS) == 5


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"size": 9},
        {"size": "9x13", "rules": "japanese"},
        {"size": "1X1"},
        {"size": " 25 * 24 "},
        {"width": 5, "height": "6", "komi": "-0.125"},
        {"size": 19, "handicap": 9, "rules": "aga"},
        {"size": 4, "handicap": "15", "free_handicap": "true", "bonus": "N-1"},
        {"komi": 1.001},
        {"komi": 7, "ko": "situational", "suicide": "on", "scoring": "territory"},
    ],
)
def test_options_make_the_same_game_again_also_through_json(options):
    game = Go.create(**options)
    assert Go.create(**game.options()) == game
    assert Go.create(**json.loads(json.dumps(game.options()))) == game
    assert Go.create(**{name: str(value) for name, value in game.options().items()}) == game
    assert hash(Go.create(**game.options())) == hash(game)
    assert Go.create(**game.options()).start() == game.start()


def test_size_is_columns_by_rows():
    game = Go.create(size="9x13")
    assert (game.width, game.height, game.area) == (9, 13, 117)
    assert game.max_legal_moves == 118


def test_describe_names_what_differs_from_the_default():
    assert Go.create().describe() == "go"
    assert Go.create(size="9x13", komi=0).describe() == "go width=9 height=13 komi=0.0"


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"size": 0}, "go: a board has 1 to 25 lines each way, not 0"),
        ({"size": 26}, "go: a board has 1 to 25 lines each way, not 26"),
        ({"size": "9x26"}, "go: a board has 1 to 25 lines each way, not 26"),
        ({"width": -3}, "go: a board has 1 to 25 lines each way, not -3"),
        ({"size": "nine"}, "go: size should be as 19 or 9x13, not 'nine'"),
        ({"size": "9x"}, "go: size should be as 19 or 9x13, not '9x'"),
        ({"size": ""}, "go: size should be as 19 or 9x13, not ''"),
        ({"komi": 1000.5}, "go: komi should be -1000 to 1000, with at most 3 decimals, not 1000.5"),
        ({"komi": 0.0001}, "go: komi should be -1000 to 1000, with at most 3 decimals, not 0.0001"),
        ({"ko": "super"}, "go: ko should be simple or positional or situational, not 'super'"),
        ({"scoring": "stones"}, "go: scoring should be area or territory, not 'stones'"),
        ({"bonus": "5"}, "go: bonus should be 0 or N or N-1, not '5'"),
        (
            {"rules": "house"},
            "go: rules should be chinese, tromp-taylor, japanese, aga, new-zealand, not 'house'",
        ),
        ({"handicap": 10}, "go: 19x19 has 2 to 9 stones, not 10; free_handicap places them freely"),
        ({"handicap": 1}, "go: 19x19 has 2 to 9 stones, not 1; free_handicap places them freely"),
        ({"handicap": -2}, "go: 19x19 has 2 to 9 stones, not -2; free_handicap places them freely"),
        ({"handicap": 361, "free_handicap": True}, "go: 19x19 has a free handicap of 2 to 360 stones, not 361"),
        (
            {"colour": 1},
            "go has no option 'colour'; it has: width, height, komi, scoring, ko, suicide, handicap,"
            " free_handicap, bonus, board",
        ),
    ],
)
def test_a_wrong_option_is_refused_in_one_clear_line(options, complaint):
    with pytest.raises(OptionError) as error:
        Go.create(**options)
    assert str(error.value) == complaint


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("width", "wide"),
        ("width", 9.5),
        ("height", None),
        ("komi", "much"),
        ("komi", "nan"),
        ("komi", "-inf"),
        ("suicide", "maybe"),
        ("suicide", 2),
        ("handicap", "two"),
        ("ko", 1),
    ],
)
def test_an_option_of_the_wrong_kind_is_refused_by_name(name, value):
    with pytest.raises(OptionError) as error:
        Go.create(**{name: value})
    assert str(error.value).startswith(f"go: {name} should be ")
    assert str(value) in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("komi", [float("nan"), float("inf"), 1e9])
def test_komi_must_be_a_sensible_number_however_the_game_is_made(komi):
    with pytest.raises(OptionError, match="komi should be -1000 to 1000"):
        Go(komi=komi)


def test_a_very_long_size_is_refused():
    with pytest.raises(OptionError, match="size should be as 19 or 9x13"):
        Go.create(size="9" * 5000)


# ---- notation and pictures


@pytest.mark.parametrize("size", ["1x1", "2x3", "8x8", "9x9", "13x9", "19x19", "25x25", "25x1", "1x25"])
def test_every_move_is_written_and_read_back(size):
    position = Go.create(size=size, suicide=True, ko="simple").start()
    game = position.game
    written = position.write_moves(position.legal_moves)
    assert len(set(written)) == len(written) == game.max_legal_moves
    for move, text in zip(position.legal_moves, written, strict=True):
        assert "I" not in text
        for form in (text, text.lower(), f"  {text} \n"):
            assert game.read_move(form, position) == move
    assert written[-1] == "pass"
    columns = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
    assert written[0] == f"A{game.height}"
    assert written[-2] == f"{columns[game.width - 1]}1"


def test_points_lie_where_players_expect_them():
    game = Go.create(size=19)
    start = game.start()
    for text, place in (("A1", (0, 18)), ("H8", (7, 11)), ("J9", (8, 10)), ("T19", (18, 0)), ("A19", (0, 0))):
        move = game.read_move(text, start)
        assert game.points(move) == (place,)
        assert game.point(place) == move
        assert start.play(text).diagram().marked == {place}
    assert game.points(PASS) == ()
    large = Go.create(size=25)
    assert large.points(large.read_move("z25", large.start())) == ((24, 0),)


NINE = """\
  A B C D E F G H J
9 . . . . . . . . . 9
8 . . . . . . . . . 8
7 . . + . . . + . . 7
6 . . . . . . . . . 6
5 . . . . + . . . . 5
4 . . . X . . . . . 4
3 . . + . . . O . . 3
2 . . . . . . . . . 2
1 . . . . . . . . . 1
  A B C D E F G H J
Captured by Black 0, by White 0"""


def test_the_board_in_text():
    assert str(Go.create(size=9).start().play_all(["D4", "G3"])) == NINE
    assert str(Go.create(size=1).start()) == "  A\n1 . 1\nCaptured by Black 0, by White 0"


@pytest.mark.parametrize(
    ("size", "lines"),
    [
        (
            "13x13",
            {
                0: "   A B C D E F G H J K L M N",
                1: "13 . . . . . . . . . . . . . 13",
                4: "10 . . . + . . . . . + . . . 10",
                5: " 9 . . . . . . . . . . . . . 9",
                7: " 7 . . . . . . + . . . . . . 7",
                10: " 4 . . . + . . . . . + . . . 4",
                14: "   A B C D E F G H J K L M N",
            },
        ),
        (
            "19x19",
            {
                0: "   A B C D E F G H J K L M N O P Q R S T",
                4: "16 . . . + . . . . . + . . . . . + . . . 16",
                10: "10 . . . + . . . . . + . . . . . + . . . 10",
                16: " 4 . . . + . . . . . + . . . . . + . . . 4",
                19: " 1 . . . . . . . . . . . . . . . . . . . 1",
            },
        ),
        (
            "25x25",
            {
                0: "   A B C D E F G H J K L M N O P Q R S T U V W X Y Z",
                1: "25 . . . . . . . . . . . . . . . . . . . . . . . . . 25",
                4: "22 . . . + . . . . . . . . + . . . . . . . . + . . . 22",
                13: "13 . . . + . . . . . . . . + . . . . . . . . + . . . 13",
            },
        ),
        (
            "9x13",
            {
                0: "   A B C D E F G H J",
                4: "10 . . + . . . + . . 10",
                7: " 7 . . . . + . . . . 7",
                10: " 4 . . + . . . + . . 4",
            },
        ),
        ("5x5", {0: "  A B C D E", 3: "3 . . . . . 3"}),
        ("8x8", {3: "6 . . + . . + . . 6", 6: "3 . . + . . + . . 3"}),
    ],
)
def test_lines_of_the_board_with_its_star_points(size, lines):
    game = Go.create(size=size)
    text = str(game.start()).splitlines()
    for number, line in lines.items():
        assert text[number] == line
    stars = sum(line.count("+") for line in text)
    assert stars == len(star_points(game.width, game.height))
    assert stars == {"13x13": 5, "19x19": 9, "25x25": 9, "9x13": 5, "5x5": 0, "8x8": 4}[size]


def test_the_dump_tells_strings_liberties_ko_and_captures():
    position = set_up(KO_SHAPE).play("C2")
    dump = position.game.dump(position)
    assert "X B3 | 2 liberties: A3 B2" in dump["strings"]
    assert "X C2 | 1 liberties: B2" in dump["strings"]
    assert "O D2 | 2 liberties: D3 D1" in dump["strings"]
    assert len(dump["strings"]) == 7
    assert dump["ko"] == "B2"
    assert dump["repeat key"] == f"{position.repeat_key:016x}"
    assert dump["captured"] == "by Black 1, by White 0"
    assert position.game.dump(position.game.start())["ko"] == "none"
    assert "Captured by Black 1, by White 0" in str(position)


# ---- the golden game


def record_golden_game() -> str:
    """A random game of legal moves, with what the rules said at each."""
    game = Go.create(size=9, rules="tromp-taylor")
    rng = make_rng(9)
    position = game.start()
    lines = [
        "A random game, written by: python -m tests.games.test_go_game",
        game.describe(),
        "number, move, legal moves after it, key, captured by Black and by White",
    ]
    while not position.is_over:
        position = position.play(position.legal_moves[int(below(rng, len(position.legal_moves)))])
        black, white = captured(position)
        lines.append(
            f"{position.ply:3} {game.write_move(position.move):4} {len(position.legal_moves):2}"
            f" {position.key:016x} {black:3} {white:3}"
        )
    lines.append(game.write_outcome(position.outcome))
    return "\n".join([*lines, str(position), ""])


def test_the_golden_game_is_played_as_recorded():
    assert record_golden_game() == GOLDEN.read_text()


if __name__ == "__main__":
    GOLDEN.write_text(record_golden_game())
