"""The compiled board against the rules: stones, liberties, ko and legal moves throughout games."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tengen
from tengen.core.position import Position
from tengen.engines.go.board import geometry_for
from tengen.engines.go.kernels import board as kernels


def _liberties(stones: dict[int, int], start: int, stride: int) -> tuple[set[int], set[int]]:
    """Stones and liberties of the string on a point, by flood fill."""
    string, front, liberties = {start}, [start], set()
    while front:
        at = front.pop()
        for beside in (at + 1, at - 1, at + stride, at - stride):
            if stones[beside] == kernels.EMPTY:
                liberties.add(beside)
            elif stones[beside] == stones[start] and beside not in string:
                string.add(beside)
                front.append(beside)
    return string, liberties


def _check(board: kernels.Arrays, position: Position) -> None:
    """Compare all data of a board with the position and with flood fills."""
    geometry = geometry_for(position.game)  # type: ignore[arg-type]
    state, facts = position.state, board.state[0]
    inside, outside = geometry.inside, geometry.to_rules[geometry.inside]
    assert (board.colour[inside] == state.go_stones[outside]).all()
    stones = {point: int(colour) for point, colour in enumerate(board.colour)}
    empty = [point for point in inside if stones[point] == kernels.EMPTY]
    assert sorted(board.empties[: facts.empty_count]) == empty
    assert all(board.empties[board.empty_index[point]] == point for point in empty)
    for point in inside:
        if stones[point] != kernels.EMPTY:
            string, liberties = _liberties(stones, point, geometry.stride)
            head = int(board.head[point])
            bits = board.libs[head * geometry.words : (head + 1) * geometry.words]
            assert {p for p in map(int, inside) if int(bits[p >> 6]) >> (p & 63) & 1} == liberties
            assert (board.liberty_count[head], board.size[head]) == (len(liberties), len(string))
            assert head in string
    heads = {int(board.head[point]) for point in inside if stones[point] != kernels.EMPTY}
    libs = board.libs.reshape(-1, geometry.words)
    assert not any(libs[point].any() for point in inside if point not in heads)
    assert not libs[0].any()  # point 0 stands for the margins
    assert board.liberty_count[0] == 0
    assert not board.head[board.colour == kernels.BORDER].any()
    assert facts.turn == state.turn + 1
    assert geometry.to_rules[facts.ko] == state.ko
    assert facts.stones_key == state.stones_key
    scratch = np.zeros((2, geometry.points), np.int64)
    area = kernels.area_difference(board, *geometry.tables, *scratch)
    assert area == position.game.count(position).score + state.komi / 1000  # type: ignore[attr-defined]
    black, white = (np.count_nonzero(board.colour[inside] == colour) for colour in (1, 2))
    assert facts.stone_balance == black - white
    assert facts.placed_balance == black + state.captured[1] - white - state.captured[0]
    legal, eyes = np.zeros(geometry.points, np.bool_), np.zeros(geometry.points, np.bool_)
    for colour in (1, 2):
        kernels.mark_legal(board, *geometry.tables, colour, legal, eyes)
        if colour == facts.turn and not position.is_over:
            allowed = {int(geometry.from_rules[move]) for move in position.legal_moves} - {0}
            assert {int(point) for point in np.flatnonzero(legal)} == allowed
        steps = (1, -1, geometry.stride, -geometry.stride)
        for point in empty:
            beside = [stones[point + step] for step in steps]
            corners = [stones[point + up + side] for up in steps[2:] for side in steps[:2]]
            bad = corners.count(3 - colour) + (kernels.BORDER in corners)
            assert eyes[point] == (set(beside) <= {colour, kernels.BORDER} and bad < 2)


@settings(max_examples=15, deadline=None)
@given(
    st.sampled_from(["1x1", "1x4", "2x2", "3x3", "5x5", "7x3", "9x9", "13x13", "19x19", "25x25"]),
    st.booleans(),
    st.integers(0, 2**32),
)
def test_a_board_follows_the_rules_through_random_games(size: str, suicide: bool, seed: int) -> None:
    game = tengen.game("go", size=size, ko="simple", suicide=suicide)
    geometry = geometry_for(game)  # type: ignore[arg-type]
    position, random = game.start(), np.random.default_rng(seed)
    board = geometry.board_from(position)
    # By then random games on the largest boards have many captures.
    while not position.is_over and position.ply < min(3 * game.area, 800):  # type: ignore[attr-defined]
        move = random.choice(position.legal_moves)
        position = position.play(int(move))
        kernels.play_moves(board, *geometry.tables, geometry.from_rules[[int(move)]])
        if position.ply % 97 == 0:
            if not suicide:
                _check(board, position)
            fresh = geometry.board_from(position)
            assert (fresh.neighbours[geometry.inside] == board.neighbours[geometry.inside]).all()
            assert fresh.state[0].placed_balance == board.state[0].placed_balance
            assert fresh.state[0].ko == board.state[0].ko
    if not suicide:
        _check(board, position)


def test_black_places_all_handicap_stones_before_white_moves() -> None:
    game = tengen.game("go", size=9, free_handicap=True, handicap=3)
    position = game.start()
    geometry = geometry_for(game)  # type: ignore[arg-type]
    board = geometry.board_from(position)
    for move in ("C3", "G7", "C7", "G3"):
        assert board.state[0].turn == position.to_move + 1
        kernels.play_moves(board, *geometry.tables, geometry.from_rules[[game.read_move(move, position)]])
        position = position.play(move)
    _check(board, position)


@pytest.mark.parametrize(
    ("rows", "point", "colour", "eye"),
    [
        ("...../.X.../X.X../.X.../.....", "B3", 1, True),
        (".O.../.X.../X.X../OXO../.....", "B3", 1, False),  # two bad diagonals
        ("O..../.X.../X.X../.X.../.....", "B3", 1, True),
        (".X.../X..../...../...../.....", "A5", 1, True),
        (".X.../XO.../...../...../.....", "A5", 1, False),  # at the edge one bad diagonal is enough
        ("X.X../OXO../...../...../.....", "B5", 1, False),
        ("...../.X.../X.X../.O.../.....", "B3", 1, False),
    ],
)
def test_eyes(rows: str, point: str, colour: int, eye: bool) -> None:
    """The four stones may belong to different strings, unlike in the original text."""
    position = tengen.game("go", board=rows).start()
    geometry = geometry_for(position.game)  # type: ignore[arg-type]
    legal, eyes = np.zeros(geometry.points, np.bool_), np.zeros(geometry.points, np.bool_)
    kernels.mark_legal(geometry.board_from(position), *geometry.tables, colour, legal, eyes)
    assert eyes[geometry.from_rules[position.game.read_move(point, position)]] == eye
