"""How to play Clobber."""

from __future__ import annotations

from tengen.app.lessons.goals import any_move, wins_at_once, wins_by_force
from tengen.app.lessons.lesson import BEST_REPLY, Lesson, Step, Task
from tengen.core.translation import mark

_CHOOSE = mark("Choose a black stone first, then a white stone right beside it (not diagonally).")
_WINNING = mark("White can win after that. Think about who makes the last move, and try another move.")
_WIN = mark("You made the last move, so you win.")

_STEPS = (
    Step(
        "move",
        mark("Move onto a neighbour"),
        mark(
            "Every move is a capture: one of your stones moves onto an opposing stone right beside it and "
            "replaces it."
        ),
        (
            Task(
                mark("You are Black. Choose a black stone, then a white stone beside it."),
                any_move,
                mark(
                    "That is all: the white stone is gone, your stone took its place, and your old square is "
                    "empty."
                ),
                _CHOOSE,
                illegal=_CHOOSE,
            ),
        ),
        {"board": "OX./XOX/.XO"},
    ),
    Step(
        "last-move",
        mark("The last move wins"),
        mark("Players take turns. If you cannot move, you lose, so you want to make the last move of the game."),
        (
            Task(
                mark("Make a move that leaves White without a move."),
                wins_at_once,
                mark("White has no black stone beside any white one and cannot move: you win."),
                mark("After that, a white stone is beside your stone and can take it. Keep away from the crowd."),
                illegal=_CHOOSE,
            ),
        ),
        {"board": ".OO/OXO"},
    ),
    Step(
        "parts",
        mark("Independent parts"),
        mark(
            "Empty squares cut the board into parts. A move in one part never changes another, and a part of "
            "one colour is finished."
        ),
        (
            Task(
                mark("Three parts are left. Move in the only one that is not finished."),
                any_move,
                mark(
                    "Right: the outer parts have one colour each, so nobody can ever move there. White cannot "
                    "move and you win."
                ),
                _CHOOSE,
                illegal=mark("Nobody can move in that part: all its stones have one colour."),
            ),
        ),
        {"board": "XX.OXO.OO"},
    ),
    Step(
        "parity",
        mark("Count the moves"),
        mark(
            "When each part has a fixed number of moves left, just count. If an even number is left after your "
            "move, you make the last one."
        ),
        (
            Task(
                mark(
                    "The pair on the right is worth one move. Move on the left so that exactly one more move is "
                    "left there."
                ),
                wins_by_force,
                mark("Two pairs are left: White takes one and you take the other."),
                mark("Count again: after your move, an even number of moves should be left, one in each part."),
                illegal=_CHOOSE,
                reply=BEST_REPLY,
            ),
            Task(mark("Now make the last move."), wins_at_once, _WIN, _WINNING, illegal=_CHOOSE),
        ),
        {"board": "XOXO.XO"},
    ),
    Step(
        "small-win",
        mark("Win a small game"),
        mark("Now a whole little game. Some first moves win by force, and some lose."),
        (
            Task(
                mark("Play to the end and make the last move. White answers as well as possible."),
                wins_by_force,
                mark("Good move: you still win."),
                _WINNING,
                illegal=_CHOOSE,
                reply=BEST_REPLY,
            ),
        ),
        {"board": "XOX/XXO/OXO"},
        until_over=True,
        ending=_WIN,
    ),
)


def _puzzle(id: str, board: str) -> Step:
    return Step(
        id,
        mark("Find the winning move"),
        mark("Only one move wins by force."),
        (
            Task(
                mark("Black to move and win."),
                wins_by_force,
                mark("Right: whatever White does now, you make the last move."),
                _WINNING,
                illegal=_CHOOSE,
            ),
        ),
        {"board": board},
    )


LESSON = Lesson(
    "clobber",
    _STEPS,
    (_puzzle("puzzle-1", "OXO.OXOO"), _puzzle("puzzle-2", "OXOOX.XO"), _puzzle("puzzle-3", "XXO/XOO/OXO")),
)
