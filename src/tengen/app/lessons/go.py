"""How to play Go."""

from __future__ import annotations

from tengen.app.lessons.goals import (
    beside,
    captures,
    captures_next,
    is_move,
    is_pass,
    leaves_no_capture,
    makes_two_eyes,
)
from tengen.app.lessons.lesson import Hint, Lesson, Step, Task
from tengen.core.translation import mark

_TAKEN = mark("That point is not free or not allowed. Choose an empty crossing.")


def _board(rows: str, side: str = "X") -> dict[str, str | int | float]:
    return {"komi": 0.0, "board": f"{rows} {side}"}


_STEPS = (
    Step(
        "liberties",
        mark("Stones and liberties"),
        mark(
            "Players take turns to place a stone on a crossing; stones never move. The empty points right "
            "beside a stone are its liberties."
        ),
        (
            Task(
                mark("Place a black stone on one of the white stone's liberties."),
                beside((2, 2)),
                mark("The white stone had four liberties. Now it has three."),
                mark(
                    "Liberties are directly above, below, left or right of the stone. Diagonal points do not "
                    "count."
                ),
                illegal=_TAKEN,
            ),
        ),
        _board("...../...../..O../...../....."),
    ),
    Step(
        "capture",
        mark("Capture"),
        mark(
            "A stone without liberties is captured and leaves the board. Stones of one colour that touch share "
            "their liberties and are captured together."
        ),
        (
            Task(
                mark("Take the last liberty of the white stone in the middle, or of the two at the bottom."),
                captures(1),
                mark(
                    "Captured! Stones with one liberty left are in atari: they can be captured by the next move."
                ),
                mark("That takes no last liberty. Look for white stones with only one empty point beside them."),
                illegal=_TAKEN,
                reply="A7",
            ),
            Task(
                mark("Now capture the other white stones that are in atari."),
                captures(1),
                mark("Well done. Captured stones are your prisoners."),
                mark("Not yet. Find the white stones with only one empty point beside them, and play there."),
                illegal=_TAKEN,
            ),
        ),
        _board("......./..X..../.XO..../..X..../......./....XX./...XOO."),
    ),
    Step(
        "forbidden",
        mark("Two forbidden moves"),
        mark(
            "You may not place a stone where it would have no liberty (suicide), unless it captures something. "
            "And you may not repeat an earlier position: this is the ko rule."
        ),
        (
            Task(
                mark("Two empty points are surrounded by white stones. Play the one that captures."),
                captures(1),
                mark(
                    "Allowed, because it captures. White may not take back at once, which would repeat the "
                    "position. So White plays elsewhere."
                ),
                mark("Look for an empty point between white stones where your stone takes White's last liberty."),
                illegal=mark("That would be suicide: your stone would have no liberty and captures nothing."),
                reply="E2",
            ),
            Task(
                mark("Now White may take back. End the ko: make your stones safe."),
                leaves_no_capture,
                mark("Connected. Your stones share their liberties now."),
                mark("White can still take your stone in the ko. Fill the point where the white stone was."),
                illegal=mark("That would be suicide: your stone would have no liberty and captures nothing."),
            ),
        ),
        _board("......./..XO.../.XO.O../..XO.../......./.....OO/.....O."),
    ),
    Step(
        "two-eyes",
        mark("Two eyes live"),
        mark(
            "An empty point inside your stones is an eye. White can never fill two separate eyes, because the "
            "first stone would be suicide: such stones live forever."
        ),
        (
            Task(
                mark("Your stones in the corner are surrounded. Play so that they get two separate eyes."),
                makes_two_eyes,
                mark("Two eyes: these stones can never be captured."),
                mark(
                    "White would play in the middle of the corner, and you could make only one eye. Take that "
                    "point first."
                ),
                (
                    Hint(
                        is_move("A1", "C1"),
                        mark(
                            "Now White plays B1 and only one eye is left. Which point would make an eye on both "
                            "sides?"
                        ),
                    ),
                ),
                illegal=_TAKEN,
            ),
        ),
        _board("......./......./......./......./OOOOO../XXXXO../...XO.."),
    ),
    Step(
        "count",
        mark("Pass and count"),
        mark(
            "When no move gains anything, both players pass and the game is over. Your points are your stones "
            "and the empty points they surround."
        ),
        (
            Task(
                mark("All borders are closed. Pass."),
                is_pass,
                mark(
                    "White passes, too. Black has 7 stones and 7 points of territory, White 7 and 4: Black wins "
                    "by 3."
                ),
                mark("That gains nothing: the border is closed and your territory is already yours. Press Pass."),
                (
                    Hint(
                        is_move("E5", "E4", "E3", "E1"),
                        mark("White can capture a stone in there, so it gains nothing. Press Pass."),
                    ),
                ),
                illegal=_TAKEN,
                reply="pass",
            ),
        ),
        _board("..XO./.XXO./.XOO./.XXOO/..XO."),
        shows_territory=True,
    ),
)

_PUZZLES = (
    Step(
        "puzzle-1",
        mark("Two at once"),
        mark("White can save only one thing at a time."),
        (
            Task(
                mark("Black to play: be sure to capture a white stone, whatever White answers."),
                captures_next,
                mark("Double atari: both white stones have one liberty left, and White can save only one."),
                mark("White has an answer to that. Is there a move that attacks both stones?"),
                illegal=_TAKEN,
            ),
        ),
        _board("......./..X.X../.XO.OX./......./......./......./......."),
    ),
    Step(
        "puzzle-2",
        mark("Snapback"),
        mark("Sometimes you give up one stone to capture more."),
        (
            Task(
                mark("Black to play: be sure to capture white stones, whatever White answers."),
                captures_next,
                mark(
                    "If White takes your stone, the white stones have only one liberty left and you take them all."
                ),
                mark("White can save the two stones then. Which stone could you offer White to take?"),
                illegal=_TAKEN,
            ),
        ),
        _board("....../....../....../XXXXO./XOOX../X..OOO"),
    ),
    Step(
        "puzzle-3",
        mark("The vital point"),
        mark("The white stones in the corner have room for two eyes, if White moves first."),
        (
            Task(
                mark("Black to play: kill the white stones in the corner."),
                is_move("B1"),
                mark("Right: on the point that would make two eyes. White is left with one eye and dies."),
                mark("White plays in the middle and has two eyes. Take that point yourself."),
                illegal=_TAKEN,
            ),
        ),
        _board("......./......./......./......./XXXXX../OOOOX../...OX.."),
    ),
)

LESSON = Lesson("go", _STEPS, _PUZZLES)
