"""The lines of a Pente board as words: against the board itself, point by point."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tengen
from tengen.core.compiled.kernel import kernel
from tengen.engines.pente.kernels import lines
from tengen.games.pente.record import POINTS, STRIDE


@kernel
def all_windows(words, out):
    for axis in range(4):
        for point in range(np.uint64(POINTS)):
            out[axis, point] = lines.window(words, axis, point)


@kernel
def toggle_stone(words, point, stone):
    lines.toggle(words, point, stone)


@kernel
def takes(bits, own, longest):
    return lines.taken_ahead(bits, own, longest), lines.taken_behind(bits, own, longest)


def window_of(stones, size, axis, point):
    """The eleven points about one, looked up on the board."""
    row, column = point // STRIDE - 1, point % STRIDE - 1
    down, right = ((0, 1), (1, 0), (1, 1), (1, -1))[axis]
    bits = 0
    for k in range(-5, 6):
        r, c = row + k * down, column + k * right
        on_board = 0 <= r < size and 0 <= c < size
        bits |= (int(stones[STRIDE * (r + 1) + c + 1]) if on_board else 3) << 2 * (k + 5)
    return bits


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(["standard", "keryo", "poof"]), st.sampled_from([5, 8, 19]), st.integers(0, 2**32))
def test_words_follow_a_game_and_its_undo(variant, size, seed):
    game = tengen.game("pente", variant=variant, size=size, first="anywhere")
    rng = np.random.default_rng(seed)
    position = game.start()
    words = lines.empty_lines(size)
    history = []
    while not position.is_over and position.ply < 60:
        near = [move for move in position.legal_moves if rng.random() < 0.3] or list(position.legal_moves)
        after = position.play(near[rng.integers(len(near))])
        changed = np.flatnonzero(after.state.pente_stones != position.state.pente_stones)
        for point in changed:
            stone = after.state.pente_stones[point] or position.state.pente_stones[point]
            toggle_stone(words, np.uint64(point), np.uint64(stone))
        history.append((position, changed, after))
        position = after
    assert (words == lines.lines_of(position.state.pente_stones, size)).all()
    windows = np.zeros((4, POINTS), np.uint64)
    all_windows(words, windows)
    for point in position.legal_moves[:40]:
        for axis in range(4):
            assert windows[axis, point] == window_of(position.state.pente_stones, size, axis, point)
    for before, changed, after in reversed(history):
        for point in changed:
            stone = after.state.pente_stones[point] or before.state.pente_stones[point]
            toggle_stone(words, np.uint64(point), np.uint64(stone))
    assert (words == lines.empty_lines(size)).all()


@pytest.mark.parametrize(
    ("text", "longest", "expected"),
    [
        ("..X..*OOX..", 2, (2, 0)),
        (".XOO.*OOOX.", 2, (0, 0)),
        ("..XOO*OOOX.", 2, (0, 2)),
        ("..XOO*OOOX.", 3, (3, 2)),
        (".XOOO*OO###", 3, (0, 3)),
        ("..XOO*OOX..", 0, (0, 0)),
    ],
)
def test_captures_seen_in_a_window(text, longest, expected):
    bits = sum(".XO#".index(symbol.replace("*", ".")) << 2 * k for k, symbol in enumerate(text))
    assert takes(np.uint64(bits), np.uint64(1), longest) == expected
    swapped = text.translate(str.maketrans("XO", "OX"))
    bits = sum(".XO#".index(symbol.replace("*", ".")) << 2 * k for k, symbol in enumerate(swapped))
    assert takes(np.uint64(bits), np.uint64(2), longest) == expected


def test_swapping_colours_leaves_the_rest():
    assert lines.swap_colours(np.uint64(0b11_00_01_10)) == 0b11_00_10_01
