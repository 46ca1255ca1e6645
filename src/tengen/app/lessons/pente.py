"""How to play Pente."""

from __future__ import annotations

from tengen.app.lessons.goals import (
    captures,
    fills_pair_between,
    is_move,
    leaves_no_win,
    threatens_to_win,
    wins_at_once,
    wins_next,
)
from tengen.app.lessons.lesson import Hint, Lesson, Step, Task
from tengen.core.translation import mark

_TAKEN = mark("There is a stone already. Choose an empty crossing.")


def _board(*rows: str) -> dict[str, str | int]:
    """A 9x9 board: rows from the top, and empty rows after them."""
    filled = (*rows, *["........."] * (9 - len(rows)))
    return {"size": 9, "board": f"{'/'.join(filled)} X"}


_EMPTY = "........."

_STEPS = (
    Step(
        "five",
        mark("Five in a row"),
        mark(
            "Players take turns to place a stone on a crossing. Five of your stones in a row win: across, down "
            "or diagonally."
        ),
        (
            Task(
                mark("You play Black. Complete five in a row."),
                wins_at_once,
                mark("Five in a row: you win."),
                mark("That does not make five. Look for the gap in a row of four black stones."),
                illegal=_TAKEN,
            ),
        ),
        _board(_EMPTY, _EMPTY, "..O......", "...O.O...", "..XX.XX..", "...O.....", "....O...."),
    ),
    Step(
        "capture",
        mark("Capture a pair"),
        mark(
            "Two opposing stones in a row with your stones at both ends are captured and leave the board. Only "
            "pairs can be captured, never one stone or three."
        ),
        (
            Task(
                mark("Capture two white stones."),
                captures(2),
                mark("Captured: you had a stone at one end and placed one at the other."),
                mark("That captures nothing. Find two white stones in a row with a black stone at one end."),
                (
                    Hint(
                        is_move("F8"),
                        mark(
                            "That captures nothing. Three white stones in a row cannot be captured, only "
                            "exactly two."
                        ),
                    ),
                ),
                illegal=_TAKEN,
            ),
        ),
        _board(_EMPTY, ".XOOO....", _EMPTY, _EMPTY, "...XOO...", _EMPTY, "..O......"),
    ),
    Step(
        "safe",
        mark("Moving in between is safe"),
        mark(
            "Only the player who places the last end stone captures. If you move between two opposing stones "
            "yourself, nothing is taken."
        ),
        (
            Task(
                mark("Fill the gap between the two white stones, next to your own stone."),
                fills_pair_between,
                mark("Your two stones stand between white ones and stay on the board."),
                mark("Play on the empty point between a white stone and your own stone."),
                illegal=_TAKEN,
            ),
        ),
        _board(_EMPTY, _EMPTY, _EMPTY, "....X....", "...O.XO..", _EMPTY, "..O......"),
    ),
    Step(
        "open-four",
        mark("An open four"),
        mark("Four in a row with both ends free cannot be stopped: White can block only one end."),
        (
            Task(
                mark("Make an open four."),
                threatens_to_win(2),
                mark("Two winning points: White blocks one and you take the other."),
                mark("That does not make four in a row with two free ends."),
                (
                    Hint(
                        threatens_to_win(1),
                        mark("Four stones, but White blocks the only winning point. Keep both ends free."),
                    ),
                ),
                illegal=_TAKEN,
            ),
        ),
        _board(_EMPTY, "......O..", _EMPTY, ".O.XXX...", _EMPTY, "....O...."),
    ),
    Step(
        "five-captures",
        mark("Five captures win"),
        mark("There is a second way to win: capture five pairs. You have captured four already."),
        (
            Task(
                mark("Capture the fifth pair and win."),
                wins_at_once,
                mark("Five pairs: you win without five in a row."),
                mark("That captures nothing. Find a pair of white stones with a black stone at one end."),
                illegal=_TAKEN,
            ),
        ),
        _board("XOO......", "......OOX", "XOO......", _EMPTY, "XOO......", _EMPTY, "XOO......"),
        ("D9", "J1", "D7", "G2", "D5", "E1", "D3", "H5"),
    ),
)

_PUZZLES = (
    Step(
        "puzzle-1",
        mark("Two fours at once"),
        mark("White can block only one row at a time."),
        (
            Task(
                mark("Black to play and win with the next stone, whatever White answers."),
                wins_next,
                mark("Two rows of four at once: White can block only one of them."),
                mark("White can stop that. Look for a point where two of your rows cross."),
                illegal=_TAKEN,
            ),
        ),
        _board("....O....", "....X....", "....X....", "....X....", ".OXX.X...", _EMPTY, "..O...O..", "...O....."),
    ),
    Step(
        "puzzle-2",
        mark("Break the four"),
        mark("White has an open four: blocking one end is not enough."),
        (
            Task(
                mark("Black to play: keep White from winning with the next stone."),
                leaves_no_win,
                mark("The capture took a stone out of the row."),
                mark("White still makes five. Can you capture a pair with a stone of the row?"),
                illegal=_TAKEN,
            ),
        ),
        _board(_EMPTY, "..X......", "...O.....", "..OOOO...", "..X......", "....X....", ".X......."),
    ),
    Step(
        "puzzle-3",
        mark("Two pairs at once"),
        mark("One stone can capture in several directions."),
        (
            Task(
                mark("Capture two pairs with one stone."),
                captures(4),
                mark("Four stones captured with one move."),
                mark("That does not capture two pairs. Look for a point at the end of two white pairs."),
                (
                    Hint(
                        captures(2),
                        mark("That captures only one pair. Another point captures two."),
                    ),
                ),
                illegal=_TAKEN,
            ),
        ),
        _board(_EMPTY, "..X......", "...O.....", "....O..X.", ".XOO.....", "....O....", "....OX...", "....X...."),
    ),
)

LESSON = Lesson("pente", _STEPS, _PUZZLES)
