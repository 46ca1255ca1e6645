"""Teaching: warnings of what is really lost, hints that say no more than they should."""

from __future__ import annotations

import tengen
from tengen.app.teaching import WarningLimit, area_of, check_move, hint, why
from tengen.search.report import Candidate, Report, Value
from tests.helpers.lost_wins import solved, thrown_away


def guess(move: str, amount: float) -> Report:
    value = Value.heuristic(amount, "discs")
    return Report("guess", move, value, (Candidate(move, value, (move,)),), 1, 0.0)


def test_a_warning_names_the_loss_and_not_the_better_move() -> None:
    line, reports, _planted = thrown_away()
    start, lost = line[0], line[1]
    assert lost.move is not None
    move = start.game.write_move(lost.move)
    warning = check_move(start, move, reports[0], solved(lost), WarningLimit.BLUNDER)
    assert warning is not None
    assert warning.is_proved
    assert "gave away a won game (proved)" in warning.text
    assert "Better" not in warning.text
    assert check_move(start, reports[0].best, reports[0], solved(lost), WarningLimit.INACCURACY) is None


def test_small_losses_are_warned_of_only_if_wanted() -> None:
    position = tengen.game("othello").start().play("f5")
    found = {
        limit: check_move(position, "f6", guess("d6", 3.0), guess("e6", 0.0), limit) is not None
        for limit in WarningLimit
    }
    assert found == {WarningLimit.INACCURACY: True, WarningLimit.MISTAKE: False, WarningLimit.BLUNDER: False}


def test_hints_become_more_precise() -> None:
    position = tengen.game("othello").start()
    steps = [hint(position, guess("f5", 1.0), step) for step in (1, 2, 3)]
    assert steps[0] == "Look at: the centre" or steps[0] == "Look at: the right side"
    assert "f5" not in steps[0] + steps[1]
    assert steps[2].startswith("Hint: f5, about +1")
    strip = tengen.game("clobber", board="XOXOXOXOXO").start()
    assert area_of(strip, "1-2") == "the left side"
    assert area_of(tengen.game("go", size=9).start(), "pass") == "a move that is not on the board"


def test_the_opponents_move_is_explained() -> None:
    assert why(tengen.game("go", size=9).start()) == ""
    position = tengen.game("go", size=5).start().play_all(["A1", "B1", "C3", "A2"])
    assert why(position).startswith("White A2: captures 1 stone")
