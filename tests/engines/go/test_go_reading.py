"""The tactical reader: classic tesuji, and generated positions against a search of every move."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tengen
from tengen.core.position import Position
from tengen.engines.go.board import geometry_for_size
from tengen.engines.go.reading import buffers
from tengen.engines.go.reading.kernels import board as boards
from tengen.engines.go.reading.tactics import ReadResult, Result, TacticalReader
from tengen.players.config import EngineConfig
from tengen.protocols.gtp.server import Gtp
from tests.helpers.go_positions import position_of, random_position
from tests.helpers.protocol_client import Talk
from tests.reference.go_tactics import EveryMove

COLUMNS = "ABCDEFGHJKLMNOPQRST"


@cache
def tactics_of(width: int, height: int, nodes: int = 60_000) -> TacticalReader:
    return TacticalReader(geometry_for_size(width, height), nodes)


def read(position: Position, what: str, vertex: str) -> tuple[ReadResult, str, TacticalReader]:
    """(result of a query about a string, its move, the reader)."""
    game = position.game
    tactics = tactics_of(game.width, game.height)  # type: ignore[attr-defined]
    tactics.load(position)
    geometry = tactics.geometry
    point = geometry.stride * (geometry.height - int(vertex[1:]) + 1) + COLUMNS.index(vertex[0]) + 1
    answer: ReadResult = getattr(tactics, what)(point)
    row, column = divmod(answer.move, geometry.stride)
    move = f"{COLUMNS[column - 1]}{geometry.height - row + 1}" if answer.move else ""
    return answer, move, tactics


# Board, string, and the expected result and moves of the attack and of the defence.
CLASSICS = {
    "ladder": (
        """.........
           .........
           ...X.....
           ..XO.....
           ..X......
           .........
           .........
           .........
           .........""",
        "D6",
        "1 D5 E6",
        "1",
    ),
    "a ladder that a stone breaks": (
        """.........
           .........
           ..XX.....
           ..XO.....
           ..XO.....
           ...X.....
           .........
           ......O..
           ..O..O...""",
        "D5",
        "1",
        "1",
    ),
    "a ladder along the edge, into the corner": (
        """.........
           X........
           O........
           .........
           .........
           .........
           .........
           .........
           .........""",
        "A7",
        "1 B7",
        "1",
    ),
    "a ladder that turns twice before the corner": (
        """.OX...
           .....X
           XOX.O.
           X.....
           ...OX.
           X.....""",
        "B4",
        "1 B5",
        "1 B5 B3",
    ),
    "a ladder around the corner: along the upper edge, then down to the left one": (
        """..XX....O
           ....O....
           .........
           .........
           .........
           .........
           .........
           .........
           ..X.X....""",
        "J9",
        "1 J8",
        "1",
    ),
    "a ladder in which the string takes what surrounds it": (
        """.........
           ..O......
           .OXX.....
           .OXO.....
           ..X......
           ..O......
           .........
           .........
           .........""",
        "D6",
        "0",
        "1",
    ),
    "a ladder past stones that are taken first": (
        """.........
           .........
           ...X.....
           ..XO.....
           ..X......
           .........
           ......OX.
           ......XO.
           .......X.""",
        "D6",
        "1 E6",
        "1",
    ),
    "loose ladder": (
        """.........
           ..XX.....
           ..XO.....
           ..XO.....
           ...X.X...
           .........
           .........
           .........
           .........""",
        "D6",
        "1 E6",
        "0",
    ),
    "connect and die": (
        """.........
           .........
           .........
           .........
           .........
           .XXXXX...
           .XOO.X...
           .XOXOOX..
           ...XO.X..""",
        "E1",
        "1 E3",
        "0",
    ),
    "the corner": (
        """.........
           .........
           .........
           .........
           .........
           .........
           .X.......
           XOX......
           .........""",
        "B2",
        "1 B1",
        "0",
    ),
    "a ko": (
        """.........
           .........
           .........
           ...XO....
           ..XO.O...
           ...XO....
           .........
           .........
           .........""",
        "D5",
        "2 E5",
        "1 E5",
    ),
}


@pytest.mark.parametrize("name", CLASSICS)
def test_classics(name: str) -> None:
    rows, vertex, *expected = CLASSICS[name]
    for what, wanted in zip(("attack", "defend"), expected, strict=True):
        answer, move, _ = read(position_of(rows), what, vertex)
        result, *moves = wanted.split()
        assert (int(answer.result), what) == (int(result), what)
        assert not moves or move in moves


# Deep and narrow problems, with more loose moves than the budget search can read. Queries as in GTP.
HUNTS = {
    "a stone on the edge of open ground": (
        """.............
           XXXXX....X...
           XOXOOXX.O....
           XOOO.OXXO.X..
           OO...OOXXX...
           ...OOXOXOOX..
           ....OXXXOX...
           ..OOXXXXOX...
           ....OOOXOOXX.
           ...X...O..OXX
           ..O..O..O.OOX
           ..........OXX
           ....X.....OO.""",
        "attack E1",
        "1 D2 E2",
    ),
    "a stone in the open that has friends of the catcher on four sides": (
        """.............
           .............
           ....O..O.OX..
           ...O.X...X...
           ....X........
           ......O......
           .............
           ..........X..
           ..OO....X....
           ..X......O...
           ....O..X..X..
           ..O......X...
           ..........X..""",
        "attack K4",
        "1 L4 J4 K5",
    ),
    "a string that no extension saves": (
        """.XOX.XO..
           .O.O..X..
           ..OO.XO.O
           .O.OX..X.
           ..OXXX...
           .O.X..XO.
           ..O..XO..
           .OXX.OXX.
           ......O..""",
        "defend G7",
        "0",
    ),
    "strings that are joined around what cuts them": (
        """.XOX.XO..
           .O.O..X..
           ..OO.XO.O
           .O.OX..X.
           ..OXXX...
           .O.X..XO.
           ..O..XO..
           .OXX.OXX.
           ......O..""",
        "disconnect G2 G4",
        "0",
    ),
    "strings that are joined along the second line": (
        """.XO......
           .O.O.....
           ..OO.X...
           .O.OX..X.
           ..OXXX...
           .O.X...O.
           ......O..
           ..X..OX..
           .........""",
        "disconnect H4 F2",
        "0",
    ),
    "a join by a knight's move or a one-point jump": (
        """.............
           .X.X.....X...
           .OX..XX.O....
           .OOO.OXX..X..
           .....O...X...
           ...O.XO......
           ....O....X...
           ..O....X.....
           ....O.....X..
           ...X.......X.
           ..O..O..O.O..
           ...........X.
           .............""",
        "connect C3 E5",
        "1 D5 E4",
    ),
}


@pytest.mark.parametrize("name", HUNTS)
def test_proof_number_search(name: str) -> None:
    rows, question, wanted = HUNTS[name]
    what, *vertices = question.split()
    position = position_of(rows)
    tactics = tactics_of(position.game.width, position.game.height, 200_000)  # type: ignore[attr-defined]
    tactics.load(position)
    stride, height = tactics.geometry.stride, tactics.geometry.height
    points = [stride * (height - int(vertex[1:]) + 1) + COLUMNS.index(vertex[0]) + 1 for vertex in vertices]
    answer: ReadResult = getattr(tactics, what)(*points)
    row, column = divmod(answer.move, stride)
    result, *moves = wanted.split()
    assert int(answer.result) == int(result)
    assert not moves or f"{COLUMNS[column - 1]}{height - row + 1}" in moves


def test_a_ko_that_cannot_be_filled_saves_nothing() -> None:
    """Black may retake D1 again and again, but filling C1 leaves one eye."""
    rows = """OOOOO.
              XXXOO.
              .X.XO."""
    assert read(position_of(rows), "attack", "B2")[0].result is Result.WORKS
    # If D2 is Black's, C1 is a real eye.
    assert read(position_of(rows.replace("XXXOO", "XXXXO")), "attack", "B2")[0].result is Result.FAILS


def turned(rows: str, vertex: str, turn: int) -> tuple[str, str]:
    """A position and a vertex under one of the eight symmetries; odd ones are reflections."""
    lines = rows.split()
    size = len(lines)
    column, row = COLUMNS.index(vertex[0]), size - int(vertex[1:])
    for _ in range(turn // 2):
        lines = ["".join(line[i] for line in reversed(lines)) for i in range(size)]
        column, row = size - 1 - row, column
    if turn % 2:
        lines = [line[::-1] for line in lines]
        column = size - 1 - column
    return "\n".join(lines), f"{COLUMNS[column]}{size - row}"


@pytest.mark.parametrize("turn", range(1, 8))
def test_ladders_are_symmetric(turn: int) -> None:
    """Under all symmetries and with colours swapped."""
    for name in (name for name in CLASSICS if "ladder" in name):
        rows, vertex, wanted, _ = CLASSICS[name]
        rows, vertex = turned(rows, vertex, turn)
        swapped = rows.translate(str.maketrans("XO", "OX"))
        for text, mover in ((rows, "X"), (swapped, "O")):
            assert read(position_of(text, mover), "attack", vertex)[0].result == int(wanted[0]), (name, vertex)


def test_a_ladder_around_the_corner_touches_both_edges() -> None:
    """The string runs along the upper edge and is captured at the left edge."""
    rows, vertex, *_ = CLASSICS["a ladder around the corner: along the upper edge, then down to the left one"]
    answer, _, tactics = read(position_of(rows), "attack", vertex)
    flight = [divmod(move, tactics.geometry.stride) for move in answer.line[1::2]]
    assert sum(row == 1 for row, _ in flight) >= 4
    assert flight[-1][1] == 1


def test_a_double_ladder() -> None:
    """Two ladders cross: a stone there breaks both, a stone elsewhere only one."""
    size = 13
    rows = [["."] * size for _ in range(size)]
    for column, row, stone in ((3, 2, "X"), (2, 3, "X"), (3, 3, "O"), (2, 4, "X")):
        rows[row][column] = rows[row][size - 1 - column] = stone

    def caught(stones: list[list[str]], vertex: str) -> tuple[bool, set[int]]:
        _, _, tactics = read(position_of("\n".join(map("".join, stones))), "attack", vertex)
        point = tactics.geometry.stride * 4 + COLUMNS.index(vertex[0]) + 1
        answer = tactics.attack(point, max_budget=0)
        return answer.result is Result.WORKS, set(answer.line)

    (left, left_line), (right, right_line) = caught(rows, "D10"), caught(rows, "K10")
    assert left
    assert right
    stride = geometry_for_size(size, size).stride

    def with_stone(point: int) -> list[list[str]]:
        row, column = divmod(point, stride)
        found = [list(line) for line in rows]
        found[row - 1][column - 1] = "O"
        return found

    crossing = with_stone(min(left_line & right_line))
    assert not caught(crossing, "D10")[0]
    assert not caught(crossing, "K10")[0]
    aside = with_stone(max(left_line - right_line))
    assert caught(aside, "K10")[0]


def test_a_full_board_ladder() -> None:
    """It runs from corner to corner, about 60 moves; a stone in its way breaks it."""
    rows = [["."] * 19 for _ in range(19)]
    for column, row, stone in ((2, 2, "O"), (2, 1, "X"), (1, 2, "X"), (1, 3, "X"), (3, 1, "X")):
        rows[row][column] = stone
    answer, _, tactics = read(position_of("\n".join(map("".join, rows))), "attack", "C17")
    assert answer.result is Result.WORKS
    assert len(answer.line) > 60
    rows[12][12] = "O"
    tactics.load(position_of("\n".join(map("".join, rows))))
    assert tactics.attack(tactics.geometry.stride * 3 + 3, max_budget=0).result is Result.FAILS


def test_gtp_commands_use_the_form_of_gnu_go() -> None:
    talk = Talk(lambda inbox, write: Gtp(inbox, write, tengen.game("go", size=9), EngineConfig("uct")))
    for line in ("play b e5", "play w e4", "play w d5", "play w f5", "play b c7"):
        talk.say(line)
    for question, wanted in (
        ("attack e5", "= 1 E6"),
        ("defend e5", "= 1 E6"),
        ("attack c7", "= 0"),
        ("attack a1", "? vertex must not be empty"),
        ("does_attack e6 e5", "= 1"),
        ("does_attack a1 e5", "= 0"),
        ("does_defend e6 e5", "= 1"),
        ("does_defend a1 e5", "= 0"),
        ("does_defend e4 e5", "? vertex must be empty"),
        ("ladder_attack e5", "? string must have exactly 2 liberties"),
        ("accuratelib b e6", "= E7 D6 F6"),
        ("owl_attack c7", "= 0"),
    ):
        assert sorted(talk.say(question).split()) == sorted(wanted.split()), question
    for point in ("a2", "b2", "c2", "d2", "b1", "d1"):  # two eyes
        talk.say(f"play b {point}")
    assert talk.say("owl_defend b2").split() == ["=", "1", "PASS"]


def test_double_threats() -> None:
    """A double atari is found although neither string can be captured alone; not if one move saves both."""
    talk = Talk(lambda inbox, write: Gtp(inbox, write, tengen.game("go", size=9), EngineConfig("uct")))
    assert talk.say("combination_attack b").strip() == "= PASS"
    for vertex in ("d6", "d4", "f6", "f4"):
        talk.say(f"play b {vertex}")
    for vertex in ("d5", "f5", "e7"):
        talk.say(f"play w {vertex}")
    assert talk.say("attack d5").strip() == "= 0"
    assert talk.say("combination_attack b").strip() == "= E5"
    assert talk.say("combination_attack w").strip() == "= PASS"
    talk.say("play w e4")
    assert talk.say("combination_attack b").strip() == "= PASS"


# ---- the board


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1 << 30), st.sampled_from([(3, 3), (5, 4), (9, 9), (19, 19)]))
def test_undo_restores_the_board(seed: int, size: tuple[int, int]) -> None:
    """After undoing moves, every cell is restored; and a played board equals one that was set up."""
    rng = random.Random(seed)
    geometry = geometry_for_size(*size)
    position = tengen.game("go", width=size[0], height=size[1], ko="simple").start()
    board = buffers.new_board(geometry)
    played: list[int] = []
    for _ in range(rng.randrange(2 * geometry.width * geometry.height)):
        moves = [move for move in position.legal_moves if position.game.points(move)]
        if not moves or position.is_over:
            break
        move = rng.choice(moves)
        played.append(int(geometry.from_rules[move]))
        position = position.play(move)
    before = board.cells.copy()
    colours = np.array([ply % 2 + 1 for ply in range(len(played))], np.int64)
    boards.play_and_undo(board, np.array(played, np.int64), colours)
    assert (board.cells == before).all()
    assert not board.libs.any()
    boards.set_up(board, np.array(played, np.int64), colours)
    other = buffers.new_board(geometry)
    buffers.load_position(other, geometry, position)
    points, words = geometry.points, geometry.words
    assert (board.cells[geometry.inside] == other.cells[geometry.inside]).all()
    assert board.state[0].key == other.state[0].key == position.state.stones_key
    for point in geometry.inside[board.cells[geometry.inside] != 0]:
        one, two = int(board.cells[points + point]), int(other.cells[points + point])
        assert board.cells[3 * points + one] == other.cells[3 * points + two]
        assert board.cells[4 * points + one] == other.cells[4 * points + two]
        mine, theirs = (b.libs[h * words : (h + 1) * words] for b, h in ((board, one), (other, two)))
        assert (mine == theirs).all()


# ---- ladders against exhaustive search


@pytest.mark.parametrize("seed", range(4))
def test_ladders_equal_a_search_of_every_move(seed: int) -> None:
    rng = random.Random(seed)
    found = dict.fromkeys(Result, 0)
    for _ in range(60):
        width, height = rng.choice([(4, 4), (5, 4), (5, 5), (6, 5)])
        position = random_position(rng, width, height)
        tactics = tactics_of(width, height)
        tactics.load(position)
        geometry = tactics.geometry
        stones = {
            (column, row): int(position.state.go_stones[position.game.point((column, row))])  # type: ignore[attr-defined]
            for column in range(width)
            for row in range(height)
        }
        stones = {point: stone for point, stone in stones.items() if stone}
        for target in list(stones)[:6]:
            point = geometry.stride * (target[1] + 1) + target[0] + 1
            answer = tactics.attack(point, max_budget=0, nodes=1_000_000)
            expected = Result.FAILS
            for result, mode in zip((Result.WORKS, Result.GOOD_KO, Result.BAD_KO), range(3), strict=True):
                if EveryMove(width, height, mode, stones[target]).caught(stones, target, None):
                    expected = result
                    break
            assert answer.result is expected, (position.diagram(), target)
            found[expected] += 1
    assert found[Result.WORKS] > 20
    assert found[Result.FAILS] > 20


def test_strings_connect_by_capturing_the_cutting_stone() -> None:
    """White's cutting stone has two liberties and is captured in a ladder."""
    rows = """.......
              .......
              ..X.X..
              ..XOX..
              .......
              .......
              ......."""
    position = position_of(rows)
    geometry = geometry_for_size(7, 7)
    tactics = TacticalReader(geometry)
    tactics.load(position)
    one, other = geometry.stride * 3 + 3, geometry.stride * 3 + 5
    assert tactics.connect(one, other).result is Result.WORKS
    assert tactics.disconnect(one, other).result is Result.FAILS


def test_strings_are_cut_by_capturing_both() -> None:
    """A6 and B7 share their last liberty. After Black plays there, neither is left to connect."""
    rows = """OOOOOX...
              .XXOX.X..
              XOXXXO...
              O.O.XOO..
              OXO.....X
              X....O..O
              .XO.XXOXX
              .XOXXXOOX
              ....OOX.."""
    position = position_of(rows)
    geometry = geometry_for_size(9, 9)
    tactics = TacticalReader(geometry)
    tactics.load(position)
    liberty = geometry.stride * 4 + 2
    answer = tactics.disconnect(liberty - 1, liberty - geometry.stride, nodes=200)
    assert (answer.result, answer.move) == (Result.WORKS, liberty)
