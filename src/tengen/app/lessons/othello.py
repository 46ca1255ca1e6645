"""How to play Othello."""

from __future__ import annotations

from tengen.app.lessons.goals import (
    any_move,
    flips_in_directions,
    is_pass,
    leaves_no_move,
    on_corner,
    wins_by_force,
)
from tengen.app.lessons.lesson import BEST_REPLY, Lesson, Step, Task
from tengen.core.translation import mark

_NO_FLIP = mark(
    "That traps nothing. White discs must lie in a straight line between your new disc and another black one."
)
_LOSES = mark("After that White can get more discs. Look for another move.")
_WIN = mark("The board is full and you have more discs: you win.")


def _board(rows: str) -> dict[str, str | int]:
    return {"size": rows.count("/") + 1, "board": f"{rows.replace('/', '')} X"}


_STEPS = (
    Step(
        "trap",
        mark("Trap a disc"),
        mark(
            "You play the black discs. Place one so that white discs lie in a straight line between it and "
            "another black disc: they flip and become yours."
        ),
        (
            Task(
                mark("Trap a white disc. The dots show where you can."),
                any_move,
                mark("The trapped disc flipped and is black now."),
                _NO_FLIP,
                illegal=_NO_FLIP,
            ),
        ),
    ),
    Step(
        "directions",
        mark("In all directions"),
        mark("Discs flip in every direction at once: along rows, columns and diagonals."),
        (
            Task(
                mark("Find the square that traps discs in three directions."),
                flips_in_directions(3),
                mark("One move flipped discs in three directions."),
                mark(
                    "That traps discs in fewer than three directions. Look for a square with white discs on "
                    "several sides."
                ),
                illegal=_NO_FLIP,
            ),
        ),
        _board("...X../.OOX../..OX../..OX../..OXX./....X."),
    ),
    Step(
        "pass",
        mark("Move or pass"),
        mark(
            "You must trap at least one disc with every move. If you cannot, you pass, and your opponent moves "
            "again."
        ),
        (
            Task(
                mark("No empty square traps anything for Black. Pass."),
                is_pass,
                mark("White moves, and now you can trap discs again. You may pass only if you have no move."),
                _NO_FLIP,
                illegal=mark("No square traps a white disc now, so you have to pass."),
                reply="e2",
            ),
            Task(
                mark("Now make a move."),
                any_move,
                mark("Right. If neither player can move, the game is over."),
                _NO_FLIP,
                illegal=_NO_FLIP,
            ),
        ),
        _board("OOOOO./OOOX../OOXXXX/.XOXX./XXXOX./OOOOOX"),
    ),
    Step(
        "corner",
        mark("Corners never flip"),
        mark(
            "Nothing can lie behind a disc in a corner, so it can never be trapped. Corners are the best squares."
        ),
        (
            Task(
                mark("Take the corner."),
                on_corner,
                mark("That disc is yours for the rest of the game, and it protects the discs beside it."),
                mark("That works, but a corner is free. Which corner traps a white disc?"),
                illegal=_NO_FLIP,
            ),
        ),
        _board("....../.XO.../..OX../.OOX../OXOX../..OXO."),
    ),
    Step(
        "count",
        mark("Count the discs"),
        mark("When nobody can move any more, the player with more discs wins. In the end every disc counts."),
        (
            Task(
                mark("Four squares are left. Play to the end and win."),
                wins_by_force,
                mark("Good: you still win."),
                _LOSES,
                illegal=_NO_FLIP,
                reply=BEST_REPLY,
            ),
        ),
        _board(".XO./.OX./OOXX/XXXO"),
        until_over=True,
        ending=_WIN,
    ),
)

_PUZZLES = (
    Step(
        "puzzle-1",
        mark("The last squares"),
        mark("Only one move wins."),
        (
            Task(
                mark("Black to move and win."),
                wins_by_force,
                mark("Right: whatever White does now, you end with more discs."),
                _LOSES,
                illegal=_NO_FLIP,
            ),
        ),
        _board("OXXX/OOOO/OOX./..X."),
    ),
    Step(
        "puzzle-2",
        mark("Move twice"),
        mark("If your opponent cannot trap anything, you move again."),
        (
            Task(
                mark("Find the move that leaves White without a move."),
                leaves_no_move,
                mark("White has to pass, and it is your turn again."),
                mark("White still has a move after that. Which square leaves nothing to trap?"),
                illegal=_NO_FLIP,
            ),
        ),
        _board("....../.O..O./.OOO.X/.OOXXX/...XXX/...XO."),
    ),
    Step(
        "puzzle-3",
        mark("Not always the corner"),
        mark("Four squares are left, and one of them is a corner. Only one move wins."),
        (
            Task(
                mark("Black to move and win."),
                wins_by_force,
                mark("Right: here the corner can wait, the count decides."),
                _LOSES,
                illegal=_NO_FLIP,
            ),
        ),
        _board("OOOOO./OOOOOO/XXOXOX/.OXOX./OXXXO./XXXXOO"),
    ),
)

LESSON = Lesson("othello", _STEPS, _PUZZLES)
