"""State record of Pente, and the constants used in its fields.

Point `p` is `STRIDE * (row + 1) + column + 1`, rows from the top, so that all eight neighbours lie at fixed
distances and those off the board hold BORDER (one border column serves two rows). The codes 1 to 12, which are
points of the border, stand for the choices of an opening protocol.

*Seats and colours.* A player, as the rest of the system knows one, is a *seat*: player 0 places the first stone,
and scores are from that seat's view, all through the game. Stones, captures and rows belong to *colours*: 0 is
Black, who owns the first stone, 1 is White. Without an opening protocol seat and colour are the same. With one,
the players choose colours, and `swapped` says which seat has Black: the seat of a colour is `colour ^ swapped`.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.records import record_type

SMALLEST, LARGEST = 5, 19
STRIDE = LARGEST + 1
POINTS = STRIDE * (LARGEST + 2) + 1
EMPTY, BLACK, WHITE, BORDER = 0, 1, 2, 3  # content of a point; a stone is its colour + 1

TAKE_BLACK, TAKE_WHITE, TWO_MORE = 1, 2, 3  # choices as moves
OFFER_ONE, OFFER_TEN = 4, 12  # to offer one fifth stone, and up to eight by the next codes; ten
MAX_DECLARED, MAX_OFFERS = 8, 10
NO_OPENING, D_PENTE, SWAP2, SWAP, SOOSORV, TARAGUCHI = 0, 1, 2, 3, 4, 5
NOTHING, SIDE, SIDE_OR_MORE, SIDE_OR_TEN, HOW_MANY, PICK = 0, 1, 2, 3, 4, 5
"""Kinds of pending choice. HOW_MANY: the number of fifth stones that Black shall offer; PICK: one of these."""
FIFTH = 4  # stones on the board when the fifth is placed or offered
ANYWHERE, TOURNAMENT, G_PENTE = 0, 1, 2  # restriction of Black's second stone
GOES_ON, BY_ROW, BY_CAPTURES, BY_FULL_BOARD, BY_NO_MOVE = 0, 1, 2, 3, 4  # end of the game
NOBODY = 2  # the winner of a draw

RECORD = record_type(
    ("pente_stones", np.uint8, (POINTS,)),
    ("empties", np.uint16, (LARGEST * LARGEST,)),  # empty points, unordered
    ("place", np.uint16, (POINTS,)),  # index of each point in `empties`
    ("empty_count", np.uint64),
    ("stones_key", np.uint64),
    ("five", np.uint64),  # boat: the stone that made the row which the other side may now break, or 0
    ("turn", np.int64),  # the seat to act
    ("colour", np.int64),  # of the next stone
    ("swapped", np.int64),
    ("number", np.int64),  # stones placed so far, including captured ones
    ("captured", np.int64, (2,)),  # stones that each colour has taken
    ("left", np.int64),  # opening: stones that this seat still has to place
    ("choice", np.int64),  # opening: pending choice of the seat to move
    ("wanted", np.int64),  # opening: fifth stones to be offered; 0 if it is simply placed
    ("offers", np.uint16, (MAX_OFFERS,)),  # points of those offered so far
    ("offer_count", np.int64),
    ("end", np.int64),
    ("winner", np.int64),  # a colour, or NOBODY
    # Options, constant during a game.
    ("width", np.int64),  # `size` is already an attribute of NumPy scalars
    ("row", np.int64),
    ("longest", np.int64),  # longest run that can be captured: 0, 2 or 3 stones
    ("goal", np.int64),  # captured stones needed to win; 0: captures never win
    ("a_turn", np.int64),  # stones per turn
    ("second", np.int64),
    ("opening", np.int64),
    ("exact", np.bool_),
    ("poof", np.bool_),
    ("boat", np.bool_),
    ("renju", np.bool_),  # Black has forbidden moves, and wins only with exactly five
    ("caro", np.bool_),  # five does not win between two enemy stones
    ("centred", np.bool_),  # the first stone goes to the centre
)
FIELDS = RECORD.names
assert FIELDS is not None
