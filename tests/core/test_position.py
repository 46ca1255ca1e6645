"""What holds for the positions, options, errors and diagrams of every game, shown with one that Tengen has not."""

import json
import math
import os
import pickle
import subprocess
import sys
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from tengen_nim.game import Nim

import tengen
from tengen import games
from tengen.core import errors
from tengen.core.compiled.rules import rule
from tengen.core.diagram import Diagram, Stone, letters
from tengen.core.game import Game
from tengen.core.outcome import Outcome
from tests.helpers.paths import PLUGIN

pytestmark = pytest.mark.usefixtures("private_kernel_cache")


@pytest.fixture
def start():
    return Nim(size=10).start()


def one_line(error):
    return "\n" not in str(error) and str(error) != ""


# ---- a game that Tengen does not have


def test_a_registered_game_is_a_game_like_any_other(monkeypatch):
    monkeypatch.setattr(games, "_GAMES", dict(games._GAMES))
    games.register("nim", "tengen_nim.game:Nim")
    assert "nim" in games.names()
    position = tengen.game("nim", size="6", most=2).start()
    assert position.game == Nim(6, 2)
    position = position.play("2").play("take 2").play(2)
    assert position.outcome == Outcome(0, 1.0, "the heap is empty")
    assert position.game.write_outcome(position.outcome) == "First wins: the heap is empty"


def test_an_unknown_game_is_named_with_those_there_are():
    with pytest.raises(
        errors.OptionError, match=r"there is no game 'chess'; there are: clobber, go, othello, pente"
    ):
        tengen.game("chess")


def test_the_whole_game_of_the_example_reads_as_it_should(start):
    assert start.legal_moves == (1, 2, 3)
    assert start.write_moves(start.legal_moves) == ["1", "2", "3"]
    assert (start.to_move, start.is_over, start.outcome) == (0, False, None)
    later = start.play_all(["3", 3])
    assert later.to_move == 0
    assert str(later).split("\n") == [
        "  1  2  3  4  5  6  7  8  9 10",
        "  X  X  X  X  .  .  .  .  .  .",
        "4 stones in the heap",
    ]
    assert repr(later) == "<Position of nim size=10 after 2 moves>"
    nearly = later.play(2)
    assert nearly.legal_moves == (1, 2)
    end = nearly.play(2)
    assert (end.is_over, end.legal_moves, end.final_score) == (True, (), -1000)
    assert end.outcome == Outcome(1, -1.0, "the heap is empty")


def test_it_runs_alike_with_the_compiler_off(start):
    program = """
import json
import numpy as np
from tengen_nim.game import Nim
from tengen.core.compiled.position_kernels import position_keys
start = Nim(size=10).start()
position = start.play_all([3, 2, 3, 2])
keys = np.empty(5, np.uint64)
position_keys(np.array([start.state]), np.array(position.moves, np.int32), keys)
print(json.dumps([[p.to_move, p.is_over, p.final_score, p.key, p.repeat_key, p.legal_moves, str(p)]
                  for p in position.line()] + [position.outcome.score, keys.tolist()]))
"""
    environment = os.environ | {
        "NUMBA_DISABLE_JIT": "1",
        "PYTHONPATH": os.pathsep.join([str(PLUGIN), *filter(None, sys.path)]),
    }
    run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert run.stderr == ""
    position = start.play_all([3, 2, 3, 2])
    facts = [
        [p.to_move, p.is_over, p.final_score, p.key, p.repeat_key, list(p.legal_moves), str(p)]
        for p in position.line()
    ]
    assert json.loads(run.stdout) == [*facts, -1.0, [p.key for p in position.line()]]


# ---- positions never change


def test_play_leaves_the_position_as_it_was(start):
    before = (start.key, start.legal_moves, start.ply, str(start))
    start.play(3).play(1)
    assert (start.key, start.legal_moves, start.ply, str(start)) == before


def test_what_state_returns_is_a_copy(start):
    state = start.state
    state.heap = 1
    state.turn = 1
    assert start.state.heap == 10
    assert start.legal_moves == (1, 2, 3)
    assert start.play(3).state.heap == 7


def test_the_history_cannot_be_written_to(start):
    with pytest.raises(ValueError, match="read-only"):
        start.repeat_keys[0] = 7


def test_a_game_and_its_options_cannot_be_changed(start):
    with pytest.raises(AttributeError):
        start.game.size = 11


# ---- equality, and the way back


def test_equal_games_and_moves_make_equal_positions(start):
    other = Nim(size=10).start()
    assert start == other
    assert hash(start) == hash(other)
    assert start.play_all([1, 2]) == other.play("1").play("2")
    assert len({start.play(1), other.play(1), start.play(2)}) == 2


def test_another_way_to_the_same_stones_is_another_position(start):
    one, two = start.play_all([1, 2]), start.play_all([2, 1])
    assert one.key == two.key
    assert one != two


def test_another_game_is_another_position(start):
    assert start != Nim(size=11).start()
    assert start != Nim(size=10, most=4).start()
    assert start != "a position"


def test_a_position_knows_how_it_came_about(start):
    position = start.play_all([1, 2, 3])
    assert position.moves == (1, 2, 3)
    assert position.ply == 3
    assert position.move == 3
    assert position.parent.parent.parent is start
    assert (start.moves, start.ply, start.move, start.parent) == ((), 0, None, None)
    assert [p.ply for p in position.line()] == [0, 1, 2, 3]
    assert next(position.line()) is start


@pytest.mark.parametrize("number", [np.int32(2), np.uint64(2)])
def test_moves_are_kept_as_plain_integers(start, number):
    position = start.play(number)
    assert [type(move) for move in position.moves] == [int]
    assert json.dumps(position.moves) == "[2]"
    assert {type(move) for move in position.legal_moves} == {int}


def test_long_games_can_be_sent_to_another_process():
    position = Nim(size=1000, most=2).start()
    for _ in range(999):
        position = position.play(1)
    copy = pickle.loads(pickle.dumps(position))
    assert copy == position
    assert (copy.ply, copy.legal_moves, copy.key) == (999, (1,), position.key)


# ---- what may go wrong


@pytest.mark.parametrize("text", ["", "two", "-1", "1 2", "1\n2", "99999999999999999999", "²"])
def test_what_is_no_move_is_unreadable(start, text):
    with pytest.raises(errors.UnreadableMove, match="is not a move: write the number of stones") as caught:
        start.play(text)
    assert one_line(caught.value)


@pytest.mark.parametrize("move", ["4", 4, 0, -1, 10**12])
def test_what_the_rules_forbid_is_illegal_and_the_rule_named(start, move):
    with pytest.raises(errors.IllegalMove) as caught:
        start.play(move)
    assert str(caught.value) == f"{move} is illegal: a player takes 1 to 3 stones here"
    assert (caught.value.move, caught.value.reason) == (str(move), "a player takes 1 to 3 stones here")


def test_play_all_stops_at_the_first_fault(start):
    with pytest.raises(errors.IllegalMove, match="a player takes 1 to 1 stones"):
        start.play_all([3, 3, 3, 2, 1])


@pytest.mark.parametrize("move", ["1", 1])
def test_no_move_follows_the_last(start, move):
    end = start.play_all([3, 3, 3, 1])
    with pytest.raises(errors.GameOver) as caught:
        end.play(move)
    assert str(caught.value) == "the game is over: Second wins: the heap is empty"


def test_every_error_is_of_tengen_and_fits_on_a_line():
    ambiguous = errors.AmbiguousMove("3", ["3-2", "3-4"])
    assert str(ambiguous) == "3 may mean 3-2 or 3-4: write it in full"
    assert ambiguous.choices == ["3-2", "3-4"]
    for kind in (errors.UnreadableMove, errors.IllegalMove, errors.AmbiguousMove, errors.GameOver):
        assert issubclass(kind, errors.MoveError)
    for kind in (errors.MoveError, errors.OptionError, errors.PositionError):
        assert issubclass(kind, errors.TengenError)


# ---- rules that look back: a token on a ring may not come to a cell where it stood

RING = np.dtype((np.record, [("ring_cell", np.int64), ("cells", np.int64), ("turn", np.int64), ("over", bool)]))
LEFT, RIGHT, STOP = range(3)


def _register_ring():
    @rule(RING.names)
    def to_move(state):
        return state.turn

    @rule(RING.names)
    def legal_moves(state, out):
        out[0], out[1], out[2] = LEFT, RIGHT, STOP
        return 3

    @rule(RING.names)
    def play(state, move):
        if move == STOP:
            state.over = True
        else:
            state.ring_cell = (state.ring_cell + state.cells + (1 if move == RIGHT else -1)) % state.cells
        state.turn = 1 - state.turn

    @rule(RING.names)
    def is_over(state):
        return state.over

    @rule(RING.names)
    def score(state):
        return 0

    @rule(RING.names)
    def key(state):
        return 2 * state.ring_cell + state.turn

    @rule(RING.names)
    def may_repeat(state):
        return not state.over

    @rule(RING.names)
    def repeat_key(state):
        return state.ring_cell

    @rule(RING.names)
    def forbids_repetition(state):
        return True


_register_ring()


@dataclass(frozen=True)
class Ring(Nim):
    name = "ring"
    record = RING

    def set_up(self, states):
        states[0].cells = self.size

    def why_illegal(self, position, move):
        return "the token stood there"

    def end_reason(self, position):
        return "stopped"


def test_moves_that_the_history_forbids_are_not_legal():
    start = Ring(size=4).start()
    assert start.legal_moves == (LEFT, RIGHT, STOP)
    once = start.play(RIGHT)
    assert once.legal_moves == (RIGHT, STOP)
    round_ = once.play_all([RIGHT, RIGHT])
    assert round_.legal_moves == (STOP,)
    assert round_.repeat_keys.tolist() == [0, 1, 2, 3]
    assert round_.repeat_keys.dtype == np.uint64
    with pytest.raises(errors.IllegalMove, match="the token stood there"):
        round_.play(RIGHT)
    other_way = start.play_all([LEFT])
    assert other_way.legal_moves == (LEFT, STOP)
    assert round_.play(STOP).outcome == Outcome(None, 0.0, "stopped")


def test_a_game_without_such_rules_has_keys_that_say_nothing(start):
    assert start.play_all([1, 1]).repeat_keys.tolist() == [0, 0, 0]


# ---- options


@dataclass(frozen=True)
class Options(Nim):
    """A game with an option of each kind."""

    name = "options"
    players = Game.players
    unit = Game.unit
    komi: float = 7.5
    suicide: bool = False
    ko: str = "simple"


def test_options_may_be_given_as_values_or_as_text():
    game = Options.create(size="12", komi="-0.5", suicide="yes", ko="positional")
    assert game == Options.create(size=12, komi=-0.5, suicide=True, ko="positional")
    assert game == Options(size=12, komi=-0.5, suicide=True, ko="positional")
    assert Options.create() == Options()


@pytest.mark.parametrize(
    ("option", "given", "expected"),
    [
        ("size", " 7 ", 7),
        ("size", np.int32(7), 7),
        ("komi", 6, 6.0),
        ("komi", "6", 6.0),
        ("komi", Fraction(13, 2), 6.5),
        ("komi", np.float32(0.5), 0.5),
        ("suicide", "Yes", True),
        ("suicide", "TRUE", True),
        ("suicide", "on", True),
        ("suicide", "1", True),
        ("suicide", 1, True),
        ("suicide", "no", False),
        ("suicide", "off", False),
        ("suicide", "0", False),
    ],
)
def test_an_option_gets_the_type_of_its_default(option, given, expected):
    value = Options.create(**{option: given}).options()[option]
    assert (type(value), value) == (type(expected), expected)


@pytest.mark.parametrize(
    ("option", "given", "expected"),
    [
        ("size", "twelve", "a whole number"),
        ("size", "7.5", "a whole number"),
        ("size", 7.5, "a whole number"),
        ("size", np.float32(7), "a whole number"),
        ("size", True, "a whole number"),
        ("size", None, "a whole number"),
        ("size", "", "a whole number"),
        ("size", "1\n2", "a whole number"),
        ("komi", "much", "a number"),
        ("komi", "nan", "a number"),
        ("komi", math.inf, "a number"),
        ("komi", 10**400, "a number"),
        ("komi", True, "a number"),
        ("komi", [1], "a number"),
        ("suicide", "perhaps", "yes or no"),
        ("suicide", 2, "yes or no"),
        ("suicide", None, "yes or no"),
        ("ko", None, "text"),
        ("ko", 5, "text"),
    ],
)
def test_an_option_that_makes_no_sense_is_refused_in_one_line(option, given, expected):
    with pytest.raises(errors.OptionError) as caught:
        Options.create(**{option: given})
    assert str(caught.value) == f"options: {option} should be {expected}, not {given!r}"
    assert one_line(caught.value)


def test_an_unknown_option_is_refused_with_those_there_are():
    with pytest.raises(errors.OptionError) as caught:
        Nim.create(stones=3)
    assert str(caught.value) == "nim has no option 'stones'; it has: size, most"


def test_what_the_game_itself_refuses():
    with pytest.raises(errors.OptionError, match="nim: size and most should be 1 to 1000, not 0 and 3"):
        Nim.create(size=0)


def test_options_survive_json_and_describe_tells_the_unusual_ones():
    game = Options.create(komi=0.5, suicide=True)
    assert Options.create(**json.loads(json.dumps(game.options()))) == game
    assert game.describe() == "options komi=0.5 suicide=True"
    assert Options().describe() == "options"


@pytest.mark.parametrize("name", ["record", "set_up", "read_move", "why_illegal", "diagram", "points"])
def test_a_game_must_say_what_only_it_can_know(name):
    assert name in Game.__abstractmethods__


# ---- outcomes


@pytest.mark.parametrize(
    ("thousandths", "winner", "score", "text"),
    [
        (3500, 0, 3.5, "Black wins by 3.5 points: counted"),
        (-500, 1, -0.5, "White wins by 0.5 points: counted"),
        (0, None, 0.0, "Draw: counted"),
        (64000, 0, 64.0, "Black wins by 64 points: counted"),
    ],
)
def test_an_outcome_tells_the_winner_the_score_and_the_reason(thousandths, winner, score, text):
    outcome = Outcome.from_score(thousandths, "counted")
    assert outcome == Outcome(winner, score, "counted")
    assert Options().write_outcome(outcome) == text


# ---- diagrams

X, O, E = Stone.FIRST, Stone.SECOND, Stone.EMPTY  # noqa: E741


def lines(text):
    return text.strip("\n").split("\n")


def test_a_board_in_text():
    diagram = Diagram(
        stones=((E, X, E), (O, E, E)),
        columns=letters(3),
        rows=("10", "9"),
        stars=frozenset({(2, 0), (1, 0)}),
        captions=("Black to move",),
    )
    expected = """
   A B C
10 . X + 10
 9 O . . 9
   A B C
Black to move
"""
    assert lines(diagram.text()) == lines(expected)


def test_a_strip_has_its_labels_once_and_none_at_the_side():
    assert Diagram(((X, O, E),), ("1", "2", "3"), ("",)).text() == " 1 2 3\n X O ."


def test_a_single_point_and_a_single_column():
    assert Diagram(((X,),), ("A",), ("1",)).text() == "  A\n1 X 1"
    assert Diagram(((X,), (O,)), ("A",), ("2", "1")).text() == "  A\n2 X 2\n1 O 1\n  A"


def test_no_points_at_all():
    assert Diagram((), (), ()).text() == ""
    assert Diagram((), (), (), captions=("nothing",)).text() == "\nnothing"


def test_wide_labels_keep_the_columns_in_line():
    text = Diagram(((X,) * 28,), letters(28), ("1",)).text()
    head, row = text.split("\n")
    assert [head[i : i + 2] for i in (2, 77, 80, 83)] == [" A", " Z", "AA", "AB"]
    assert all(row[3 + 3 * i] == "X" for i in range(28))


def test_paint_is_told_the_point_and_changes_no_column():
    diagram = Diagram(((X, E), (E, O)), ("A", "B"), ("2", "1"))
    painted = diagram.text(lambda symbol, point: f"<{symbol}>" if point == (1, 1) else symbol)
    assert painted == "  A B\n2 X . 2\n1 . <O> 1\n  A B"


def test_letters():
    assert letters(0) == ()
    assert letters(3) == ("A", "B", "C")
    assert letters(28)[24:] == ("Y", "Z", "AA", "AB")
    assert letters(26, skip="I")[7:9] == ("H", "J")
    assert letters(27, skip="I")[24:] == ("Z", "AA", "AB")
    assert letters(703)[701:] == ("ZZ", "AAA")
    assert len(set(letters(5000, skip="IO"))) == 5000


# ---- nothing heavy at import


def test_importing_tengen_loads_neither_numba_nor_numpy():
    """So it is quick."""
    program = """
import sys
import tengen
print("numba" in sys.modules, "numpy" in sys.modules)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "False"]


@pytest.mark.parametrize("nonsense", [2.0, None, ["take 2"]])
def test_what_is_no_move_is_refused_in_one_line(nonsense):
    with pytest.raises(errors.UnreadableMove, match="is not a move: write"):
        Nim(size=10).start().play(nonsense)
