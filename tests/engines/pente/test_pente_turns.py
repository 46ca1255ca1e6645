"""The strong player with two stones per turn: threats, covers and wins against plain window counting."""

from functools import cache
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import tengen
from tengen.core.game import Game
from tengen.core.position import Position
from tengen.engines.pente.engine import PenteEngine
from tengen.engines.pente.kernels import entry_points
from tengen.engines.pente.root_position import RootPosition
from tengen.games.pente.record import STRIDE
from tengen.search.limits import Limits
from tengen.search.report import Kind


@cache
def windows_of(size: int, row: int) -> tuple[int, ...]:
    """Every window of a board as a set of bits."""
    found = []
    for across, down in ((1, 0), (0, 1), (1, 1), (-1, 1)):
        for x in range(size):
            for y in range(size):
                cells = [(x + k * across, y + k * down) for k in range(row)]
                if all(0 <= c < size and 0 <= r < size for c, r in cells):
                    found.append(sum(1 << (size * r + c) for c, r in cells))
    return tuple(found)


def threats_of(windows: tuple[int, ...], own: int, enemy: int, lacks: int = 2) -> list[int]:
    """The gaps of windows that lack so many stones at most."""
    return [w & ~own for w in windows if not w & enemy and (w & ~own).bit_count() <= lacks]


def bits_of(position: Position) -> tuple[int, int]:
    """The stones of the side to move, and of the other one."""
    size, sides = position.game.size, [0, 0]
    for column, row, stone in position.game.on_board(position):
        sides[stone - 1] |= 1 << (size * row + column)
    colour = int(position.state.colour)
    return sides[colour], sides[1 - colour]


def wins_in_two_turns(windows: tuple[int, ...], own: int, enemy: int, cells: int) -> bool:
    """Whether the side to move, with two stones, wins in this turn or in the next, whatever is answered."""
    if threats_of(windows, own, enemy):
        return True
    empty = [1 << k for k in range(cells) if not (own | enemy) >> k & 1]
    for one, other in combinations(empty, 2):
        mine = own | one | other
        if threats_of(windows, enemy, mine):
            continue
        gaps = threats_of(windows, mine, enemy)
        spots = sorted({bit for gap in gaps for bit in empty if gap & bit})
        covered = any(all(gap & (a | b) for gap in gaps) for a in spots for b in spots)
        if gaps and not covered:
            return True
    return False


def board_game(size: int, row: int, rows: str) -> Game:
    return tengen.game("pente", size=size, row=row, stones=2, captures="none", first="anywhere", board=rows)


def random_board(rng: np.random.Generator, size: int, stones: int) -> str:
    cells = np.array(["."] * size**2)
    places = rng.permutation(size**2)[:stones]
    cells[places] = np.where(np.arange(stones) % 2, "O", "X")
    rows = ("".join(cells[size * k : size * (k + 1)]) for k in range(size))
    return f"{'/'.join(rows)} {'XO'[rng.integers(2)]}"


@cache
def best_result(windows: tuple[int, ...], own: int, enemy: int, left: int, cells: int) -> int:
    """The result for the side to move, by trying everything to the end."""
    if any(not w & ~enemy for w in windows):
        return -1
    if any(not w & ~own for w in windows):
        return 1
    best = -2
    for k in range(cells):
        bit = 1 << k
        if (own | enemy) & bit:
            continue
        if left == 2:
            best = max(best, best_result(windows, own | bit, enemy, 1, cells))
        else:
            best = max(best, -best_result(windows, enemy, own | bit, 2, cells))
        if best == 1:
            break
    return 0 if best == -2 else best


def test_small_full_boards_match_exhaustive_search():
    rng = np.random.default_rng(4)
    proved = {-1: 0, 0: 0, 1: 0}
    for number in range(60):
        size, row = ((5, 5), (6, 6))[number % 2]
        empties = int(rng.integers(3, 8))
        game = board_game(size, row, random_board(rng, size, size**2 - empties))
        position = game.start()
        own, enemy = bits_of(position)
        windows = windows_of(size, row)
        if any(not w & ~own or not w & ~enemy for w in windows):
            continue  # the random board already has a row
        report = PenteEngine(table=1, width=100).search(position, Limits(nodes=30_000, depth=10))
        expected = best_result(windows, own, enemy, 2, size**2)
        if report.value.kind is Kind.EXACT:
            assert report.value.amount == expected, game.board
            proved[expected] += 1
        else:
            assert expected == 0, game.board
    assert proved[1] > 5


def test_wins_in_two_turns_match_brute_force():
    """Positions from short games near the centre of a 9x9 board."""
    rng = np.random.default_rng(8)
    game = tengen.game("pente", variant="connect6", size=9)
    windows = windows_of(9, 6)
    found = 0
    for _ in range(25):
        position = game.start()
        stones = 2 * int(rng.integers(4, 9)) + 1
        while position.ply < stones and not position.is_over:
            near = [m for m in position.legal_moves if max(abs(m % STRIDE - 5), abs(m // STRIDE - 5)) <= 2]
            moves = near or position.legal_moves
            position = position.play(moves[rng.integers(len(moves))])
        if position.is_over:
            continue
        own, enemy = bits_of(position)
        report = PenteEngine(table=1).search(position, Limits(nodes=3_000))
        claimed = report.value.kind is Kind.EXACT and report.value.amount > 0
        soon = claimed and int(report.candidates[0].reason.rsplit(" ", 1)[1]) <= 2
        wins = wins_in_two_turns(windows, own, enemy, 81)
        assert claimed or not wins, position
        assert wins or not soon, position
        found += wins
    assert found > 3


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([5, 6]))
def test_threats_match_windows_that_lack_two_stones(seed, row):
    """A side wins its turn with a window that lacks at most two stones; each such gap is listed."""
    rng = np.random.default_rng(seed)
    game = board_game(8, row, random_board(rng, 8, int(rng.integers(4, 30))))
    position = game.start()
    own, enemy = bits_of(position)
    windows = windows_of(8, row)
    assume(all(window & ~own and window & ~enemy for window in windows))  # the game is not over yet
    root = RootPosition(position)
    assert root.stones_left == 2
    gaps = threats_of(windows, own, enemy)
    out = np.zeros(512, np.int64)
    count = entry_points.turn_threats(root.boards, root.colour, out)
    bit = {STRIDE * (r + 1) + c + 1: 1 << (8 * r + c) for r in range(8) for c in range(8)}
    listed = [bit[out[2 * k]] | bit[out[2 * k + 1]] for k in range(count)]
    assert sorted(listed) == sorted(gaps)


def test_two_threes_win_against_every_answer():
    empty = "." * 11
    three, corners = f"...XXX{'.' * 5}", f"O{'.' * 9}O"
    rows = [corners, empty, three, *[empty] * 5, three, empty, corners]
    position = board_game(11, 6, f"{'/'.join(rows)} X").start()
    engine = PenteEngine(table=1)
    report = engine.search(position, Limits(nodes=2_000))
    assert (report.value.amount, report.candidates[0].reason) == (1, "wins in 2")
    while not position.is_over:
        position = position.play(engine.search(position, Limits(nodes=2_000)).best)
    assert position.outcome.winner == 0
    assert position.ply <= 6, "two stones, two answers, two stones"


@pytest.mark.parametrize("threads", [1, 2])
def test_threats_are_covered(threads):
    """Four in a row, open on both sides: only two stones, one at each end or next to it, hold it."""
    position = (
        tengen.game("pente", variant="connect6").start().play_all(["A1", "K10", "L10", "A19", "T1", "M10", "N10"])
    )
    engine = PenteEngine(table=1, threads=threads)
    for _ in range(2):
        position = position.play(engine.search(position, Limits(nodes=3_000)).best)
    own, enemy = bits_of(position)
    assert not threats_of(windows_of(19, 6), own, enemy)
