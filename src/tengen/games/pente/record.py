"""The record of a state of Pente, and the numbers that its fields hold.

Point `p` is `STRIDE * (row + 1) + column + 1`, rows from the top, so that all eight neighbours lie at fixed
distances and those off the board hold BORDER (one border column serves two rows). The codes 1 to 3, which are
points of the border, stand for the choices of an opening protocol.

*Seats and colours.* A player, as the rest of the system knows one, is a *seat*: player 0 places the first stone,
and scores are from that seat's view, all through the game. Stones, captures and rows belong to *colours*: 0 is
Black, who owns the first stone, 1 is White. Without an opening protocol seat and colour are the same. With one,
the players choose colours, and `swapped` says which seat has Black: the seat of a colour is `colour ^ swapped`.
"""

from __future__ import annotations

import numpy as np

SMALLEST, LARGEST = 5, 19
STRIDE = LARGEST + 1
POINTS = STRIDE * (LARGEST + 2) + 1
EMPTY, BLACK, WHITE, BORDER = 0, 1, 2, 3  # what stands on a point; a stone is its colour + 1

TAKE_BLACK, TAKE_WHITE, TWO_MORE = 1, 2, 3  # the choices, as moves
NO_OPENING, D_PENTE, SWAP2 = 0, 1, 2
NOTHING, SIDE, SIDE_OR_MORE = 0, 1, 2  # what there is to choose
ANYWHERE, TOURNAMENT, G_PENTE = 0, 1, 2  # where Black's second stone may go
GOES_ON, BY_ROW, BY_CAPTURES, BY_FULL_BOARD = 0, 1, 2, 3  # how it ended
NOBODY = 2  # the winner of a draw

RECORD = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("pente_stones", np.uint8, (POINTS,)),
                ("empties", np.uint16, (LARGEST * LARGEST,)),  # the empty points, in no order
                ("place", np.uint16, (POINTS,)),  # where each stands among them
                ("empty_count", np.uint64),
                ("stones_key", np.uint64),
                ("five", np.uint64),  # boat: the stone that made the row which the other side may now break, or 0
                ("turn", np.int64),  # the seat to act
                ("colour", np.int64),  # of the next stone
                ("swapped", np.int64),
                ("number", np.int64),  # stones placed so far, those captured since among them
                ("captured", np.int64, (2,)),  # stones that each colour has taken
                ("left", np.int64),  # opening: stones that the same seat has still to place
                ("choice", np.int64),  # opening: what the seat on turn has to choose
                ("end", np.int64),
                ("winner", np.int64),  # a colour, or NOBODY
                # The options, the same all through a game.
                ("width", np.int64),  # `size` is an attribute that every NumPy scalar has already
                ("row", np.int64),
                ("longest", np.int64),  # run that is captured: 0, 2 or 3 stones
                ("goal", np.int64),  # captured stones that win; 0 if none do
                ("a_turn", np.int64),  # stones a turn
                ("second", np.int64),
                ("opening", np.int64),
                ("exact", np.bool_),
                ("poof", np.bool_),
                ("boat", np.bool_),
                ("centred", np.bool_),  # the first stone goes to the centre
            ],
            align=True,
        ),
    )
)
FIELDS = RECORD.names
assert FIELDS is not None
