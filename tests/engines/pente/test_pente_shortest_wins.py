"""Lengths of claimed wins, compared with trying every move and every answer."""

from __future__ import annotations

import pytest

import tengen
from tengen.engines.pente.engine import PenteEngine
from tengen.engines.pente.puzzles import shipped_puzzles
from tengen.engines.pente.root_position import RootPosition
from tengen.engines.pente.search_threads import SearchThread
from tengen.engines.pente.threats.brute_force import is_claim_refuted, stones_to_win, winning_moves
from tengen.search.limits import Limits
from tengen.search.report import Kind, Report
from tests.helpers.pente_positions import game_of, random_walk


def claim(report: Report) -> tuple[int, bool]:
    """The number of stones of a claimed win, and whether it is called the shortest; (0, False) without one."""
    if report.value.kind is not Kind.EXACT or report.value.amount != 1:
        return 0, False
    *words, stones = report.candidates[0].reason.split()
    return int(stones), words == ["wins", "in"]


def test_puzzles_are_answered_with_a_shortest_win():
    for puzzle in shipped_puzzles():
        position = puzzle.position
        report = PenteEngine(table=1).search(position, Limits(nodes=20_000))
        assert report.best in puzzle.solutions
        assert claim(report) == (puzzle.stones, True)
        line = report.candidates[0].line
        assert len(line) == 2 * puzzle.stones - 1
        assert position.play_all(line).outcome.winner == position.to_move


@pytest.mark.parametrize("variant", ["freestyle", "keryo", "gomoku", "boat", "poof"])
def test_claimed_lengths_are_correct(variant):
    """Wins in one and two are found by the rules alone; three is claimed only where neither exists."""
    engine = PenteEngine(table=1)
    lengths = set()
    for seed in range(6):
        for position in random_walk(game_of(variant, 7), seed, 40)[8:-1:2]:
            stones, is_shortest = claim(engine.search(position, Limits(nodes=8000)))
            lengths.add(stones)
            if stones:
                assert stones_to_win(position) == (stones if stones < 3 else 0)
                assert is_shortest == (stones <= 3)
    assert 1 in lengths
    assert lengths & {2, 3}


def test_a_win_with_two_stones_is_excluded_only_by_trying_everything():
    position = shipped_puzzles()[-1].position  # wins in 3
    root, thread = RootPosition(position), SearchThread()
    assert thread.shorter_win(root, 3, 20_000) == (None, True)
    assert thread.shorter_win(root, 3, 100) == (None, False)  # not enough nodes to try everything
    win, is_excluded = thread.shorter_win(root, 9, 20_000)
    assert win is not None
    assert (win[0], is_excluded) == (5, True)
    assert position.game.write_move(win[1]) in shipped_puzzles()[-1].solutions
    easy = shipped_puzzles()[0].position  # wins in 2
    win, is_excluded = SearchThread().shorter_win(RootPosition(easy), 3, 20_000)
    assert win is not None
    assert (win[0], is_excluded) == (3, False)


LONG = """
K10 G9 L6 O14 G11 J11 M7 H10 K12 N8 K5 J4 K14 E7 F8 K11 K16 L11 M11 M9 O7 L10 J12 H12 G13 J11 K7 H12 L12 K13 M5 N4
H9 J8 N6 L4 M6 M4 K4 K6 N7 L7 L5 N5 N7
"""


def test_longer_wins_are_called_upper_bounds():
    position = tengen.game("pente", variant="tournament").start().play_all(LONG.split())
    report = PenteEngine(table=1).search(position, Limits(nodes=20_000))
    stones, is_shortest = claim(report)
    assert stones > 3
    assert not is_shortest
    assert report.candidates[0].reason == f"wins in at most {stones}"
    assert winning_moves(position, 3) == ()
    assert is_claim_refuted(position, SearchThread(), threes=8) is False
