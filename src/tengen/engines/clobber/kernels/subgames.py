"""Subgames: the connected components of a board on a strip or rectangle.

A subgame is identified by an integer; mirror images share one. Subgame 0 has no moves for either player. Moves are
generated on first use; each leads to at most four subgames.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.core.compiled.rng import mix

Array = np.ndarray[Any, Any]

# Indices into `counts`, and values of `counts[FULL]`: the kind of space that ran out.
SUBGAMES, CELLS, OPTIONS, FULL, WANTED = range(5)
NOT_FULL, SUBGAME_SPACE, CELL_SPACE, OPTION_SPACE, MOVES_NEEDED = range(5)

EMPTY, X, O = range(3)  # noqa: E741 - the stone's name
UNKNOWN = -1
NO_BOUNDS = 32767
NOTHING_SHOWN = -16384  # this or less, of a bound: nothing is known
MAX_PIECES = 6  # a domino has up to six neighbours; Clobber needs four
CLOBBER = 0  # the kind of Clobber's subgames, whose moves are generated here

_ONE = np.uint64(1)


class Subgames(NamedTuple):
    """All subgames found so far.

    kind: int8, the ruleset, CLOBBER or another one; the caller generates the moves of other rulesets
    at: int32, index of a subgame's first cell in `cells` (uint8, row by row); width, height: int32; size: int16,
    its cells, in Clobber only those with a stone
    negative: int32, the subgame with colours swapped; value: int32, the id of its canonical form, or UNKNOWN
    moves: int32, index of its first move in `options`, X's moves first, or UNKNOWN; lefts, rights: int32, numbers
    of moves; a Clobber board has only X's moves, those of O are the negatives of X's moves in its negative
    solved: int32, a solved sum of it and at most one value, or 0 (see `bounds`)
    options: int32[n, MAX_PIECES], the subgames that a move leads to, 0 for none
    bounds: int16[n, 4], lower bounds
    for Left (see `bounds`); NO_BOUNDS in the first column if not computed
    balance: int16, Left's moves minus Right's, for other rulesets than Clobber
    slots: int32, hash table from cells to subgames: 0 for a free slot, else subgame + 1
    buffer: uint8[8, n], scratch space for boards; queue: int32, for cells; pieces: int64, for the result of a move
    counts: int64, see above
    """

    kind: Array
    at: Array
    width: Array
    height: Array
    size: Array
    negative: Array
    value: Array
    moves: Array
    lefts: Array
    rights: Array
    options: Array
    bounds: Array
    balance: Array
    solved: Array
    cells: Array
    slots: Array
    buffer: Array
    queue: Array
    pieces: Array
    counts: Array


def make_subgames(
    subgames: int = 1 << 14, cells: int = 1 << 18, options: int = 1 << 17, largest: int = 256
) -> Subgames:
    """Arrays that contain only subgame 0; `largest` is the number of cells of the largest board."""
    arrays = Subgames(
        kind=np.zeros(subgames, np.int8),
        at=np.zeros(subgames, np.int32),
        width=np.zeros(subgames, np.int32),
        height=np.zeros(subgames, np.int32),
        size=np.zeros(subgames, np.int16),
        negative=np.zeros(subgames, np.int32),
        value=np.full(subgames, UNKNOWN, np.int32),
        moves=np.full(subgames, UNKNOWN, np.int32),
        lefts=np.zeros(subgames, np.int32),
        rights=np.zeros(subgames, np.int32),
        options=np.zeros((options, MAX_PIECES), np.int32),
        bounds=np.full((subgames, 4), NO_BOUNDS, np.int16),
        balance=np.zeros(subgames, np.int16),
        solved=np.zeros(subgames, np.int32),
        cells=np.zeros(cells, np.uint8),
        slots=np.zeros(4 * subgames, np.int32),
        buffer=np.zeros((8, largest), np.uint8),
        queue=np.zeros(largest, np.int32),
        pieces=np.zeros(MAX_PIECES, np.int64),
        counts=np.zeros(8, np.int64),
    )
    arrays.counts[SUBGAMES] = 1
    arrays.value[0] = 0
    arrays.moves[0] = 0
    arrays.bounds[0] = (0, -2, -1, 1)  # of the game 0
    return arrays


@inner
def image(source, width, height, which, target):
    """Write a symmetric image: bit 0 of `which` mirrors left to right, bit 1 top to bottom, bit 2 transposes."""
    for row in range(height):
        for column in range(width):
            r = height - 1 - row if which & 2 else row
            c = width - 1 - column if which & 1 else column
            place = c * height + r if which & 4 else r * width + c
            target[place] = source[row * width + column]


@inner
def normalise(subgames, width, height):
    """Replace the board in buffer[0] by its normal form, the lexicographically least wide image; return its
    width.
    """
    size = width * height
    first = 4 if height > width else 0
    last = 8 if height >= width else 4
    step = 2 if height == 1 or width == 1 else 1
    if height == 1:
        last = 2
        step = 1
    best = -1
    for which in range(first, last, step):
        spare = 1 if best != 1 else 2
        image(subgames.buffer[0], width, height, which, subgames.buffer[spare])
        if best < 0:
            best = spare
            continue
        for index in range(size):
            mine = subgames.buffer[spare, index]
            other = subgames.buffer[best, index]
            if mine != other:
                if mine < other:
                    best = spare
                break
    for index in range(size):
        subgames.buffer[0, index] = subgames.buffer[best, index]
    return max(width, height)


@inner
def code_of(subgames, kind, width, height):
    """A hash of the board in buffer[0]."""
    code = np.uint64((width * 4099 + height) * 128 + kind)
    word = np.uint64(0)
    for index in range(width * height):
        word = word << np.uint64(2) | np.uint64(subgames.buffer[0, index])
        if index % 32 == 31:
            code = mix(code ^ word)
            word = np.uint64(0)
    return mix(code ^ word)


@inner
def find(subgames, kind, width, height):
    """The hash slot of the subgame in buffer[0], in normal form, or the free slot to insert it."""
    size = width * height
    mask = np.uint64(subgames.slots.size - 1)
    slot = code_of(subgames, kind, width, height) & mask
    while subgames.slots[slot] != 0:
        subgame = np.int64(subgames.slots[slot]) - 1
        if (
            subgames.width[subgame] == width
            and subgames.height[subgame] == height
            and subgames.kind[subgame] == kind
        ):
            begin = np.int64(subgames.at[subgame])
            same = True
            for index in range(size):
                if subgames.cells[begin + index] != subgames.buffer[0, index]:
                    same = False
                    break
            if same:
                return slot
        slot = (slot + _ONE) & mask
    return slot


@inner
def enter(subgames, kind, slot, width, height):
    subgame = subgames.counts[SUBGAMES]
    begin = subgames.counts[CELLS]
    subgames.slots[slot] = subgame + 1
    subgames.kind[subgame] = kind
    subgames.at[subgame] = begin
    subgames.width[subgame] = width
    subgames.height[subgame] = height
    size = 0
    for index in range(width * height):
        subgames.cells[begin + index] = subgames.buffer[0, index]
        size += kind != CLOBBER or subgames.buffer[0, index] != EMPTY
    subgames.size[subgame] = size
    subgames.counts[SUBGAMES] += 1
    subgames.counts[CELLS] += width * height
    return subgame


@inner
def swap_colours(subgames, size):
    for index in range(size):
        stone = subgames.buffer[0, index]
        if stone != EMPTY:
            subgames.buffer[0, index] = X + O - stone


@inner
def intern(subgames, width, height):
    """The subgame whose connected cells are in buffer[0], or -1 if an array is full. Creates it and its
    negative.
    """
    size = width * height
    seen = 0
    for index in range(size):
        seen |= 1 << subgames.buffer[0, index]
    if seen & (1 << X) == 0 or seen & (1 << O) == 0:
        return np.int64(0)
    long = normalise(subgames, width, height)
    height = size // long
    width = long
    slot = find(subgames, CLOBBER, width, height)
    if subgames.slots[slot] != 0:
        return np.int64(subgames.slots[slot]) - 1
    if subgames.counts[SUBGAMES] + 2 > subgames.at.size:
        subgames.counts[FULL] = SUBGAME_SPACE
        return np.int64(-1)
    if subgames.counts[CELLS] + 2 * size > subgames.cells.size:
        subgames.counts[FULL] = CELL_SPACE
        return np.int64(-1)
    subgame = enter(subgames, CLOBBER, slot, width, height)
    swap_colours(subgames, size)
    normalise(subgames, width, height)
    slot = find(subgames, CLOBBER, width, height)
    if subgames.slots[slot] != 0:
        subgames.negative[subgame] = subgames.slots[slot] - 1  # the subgame is its own negative
    else:
        other = enter(subgames, CLOBBER, slot, width, height)
        subgames.negative[subgame] = other
        subgames.negative[other] = subgame
    return subgame


@inner
def split_into_subgames(subgames, width, height, pieces):
    """Split the board in buffer[3], which is cleared, into subgames; return their number, or -1 if an array is
    full.
    """
    count = 0
    board = subgames.buffer[3]
    for start in range(width * height):
        if board[start] == EMPTY:
            continue
        for index in range(width * height):
            subgames.buffer[4, index] = EMPTY
        top = height
        bottom = 0
        leftmost = width
        rightmost = 0
        subgames.queue[0] = start
        subgames.buffer[4, start] = board[start]
        board[start] = EMPTY
        head = 0
        tail = 1
        while head < tail:
            cell = np.int64(subgames.queue[head])
            head += 1
            row = cell // width
            column = cell % width
            top = min(top, row)
            bottom = max(bottom, row)
            leftmost = min(leftmost, column)
            rightmost = max(rightmost, column)
            for direction in range(4):
                if direction == 0 and column > 0:
                    near = cell - 1
                elif direction == 1 and column + 1 < width:
                    near = cell + 1
                elif direction == 2 and row > 0:
                    near = cell - width
                elif direction == 3 and row + 1 < height:
                    near = cell + width
                else:
                    continue
                if board[near] != EMPTY:
                    subgames.buffer[4, near] = board[near]
                    board[near] = EMPTY
                    subgames.queue[tail] = near
                    tail += 1
        place = 0
        for row in range(top, bottom + 1):
            for column in range(leftmost, rightmost + 1):
                subgames.buffer[0, place] = subgames.buffer[4, row * width + column]
                place += 1
        subgame = intern(subgames, rightmost - leftmost + 1, bottom - top + 1)
        if subgame < 0:
            return np.int64(-1)
        if subgame > 0:
            pieces[count] = subgame
            count += 1
    return np.int64(count)


@inner
def add_option_once(subgames, begin, count, pieces, pieces_count):
    """Add a move to the list that starts at `begin`, unless it is a duplicate; return the new count."""
    for index in range(1, pieces_count):  # sorted, so that duplicates can be found
        item = pieces[index]
        hole = index
        while hole > 0 and pieces[hole - 1] > item:
            pieces[hole] = pieces[hole - 1]
            hole -= 1
        pieces[hole] = item
    for option in range(begin, begin + count):
        same = True
        for index in range(MAX_PIECES):
            if subgames.options[option, index] != (pieces[index] if index < pieces_count else 0):
                same = False
                break
        if same:
            return count
    for index in range(MAX_PIECES):
        subgames.options[begin + count, index] = pieces[index] if index < pieces_count else 0
    return count + 1


@inner
def strip_move(subgames, begin, length, place, mover, pieces):
    """Write the subgames after the mover's capture on cells `place` and `place + 1`; return their number, or
    -1.
    """
    right = subgames.cells[begin + place] == mover  # whether the stone moves to the right
    count = 0
    for side in range(2):
        size = np.int64(0)
        if side == 0:
            for index in range(place):
                subgames.buffer[0, size] = subgames.cells[begin + index]
                size += 1
            if not right:
                subgames.buffer[0, size] = mover
                size += 1
        else:
            if right:
                subgames.buffer[0, size] = mover
                size += 1
            for index in range(place + 2, length):
                subgames.buffer[0, size] = subgames.cells[begin + index]
                size += 1
        subgame = intern(subgames, size, np.int64(1))
        if subgame < 0:
            return np.int64(-1)
        if subgame > 0:
            pieces[count] = subgame
            count += 1
    return np.int64(count)


@inner
def board_move(subgames, begin, width, height, origin, target, pieces):
    """The same on a rectangle, for a stone that moves from `origin` to `target`."""
    for index in range(width * height):
        subgames.buffer[3, index] = subgames.cells[begin + index]
    subgames.buffer[3, target] = subgames.buffer[3, origin]
    subgames.buffer[3, origin] = EMPTY
    return split_into_subgames(subgames, width, height, pieces)


@inner
def expand(subgames, subgame):
    """Generate the moves of a subgame, on strips those near the middle first, on boards only X's; return False if
    an array is full, or if the caller must generate them.
    """
    if subgames.moves[subgame] != UNKNOWN:
        return True
    if subgames.kind[subgame] != CLOBBER:
        subgames.counts[FULL] = MOVES_NEEDED
        subgames.counts[WANTED] = subgame
        return False
    begin = np.int64(subgames.at[subgame])
    width = np.int64(subgames.width[subgame])
    height = np.int64(subgames.height[subgame])
    first = subgames.counts[OPTIONS]
    if first + 4 * width * height > subgames.options.size // MAX_PIECES:
        subgames.counts[FULL] = OPTION_SPACE
        return False
    pieces = subgames.pieces
    total = 0
    for mover in (X, O):
        count = np.int64(0)
        if mover == O and height > 1:
            break
        if height == 1:
            for step in range(width - 1):
                middle = (width - 2) // 2
                place = middle + (step + 1) // 2 if step & 1 else middle - step // 2
                if (width - 1) % 2 == 0 and step > 0:
                    place = middle + (step + 1) // 2 if step & 1 else middle - step // 2
                if subgames.cells[begin + place] == subgames.cells[begin + place + 1]:
                    continue
                found = strip_move(subgames, begin, width, place, mover, pieces)
                if found < 0:
                    return False
                count = add_option_once(subgames, first + total, count, pieces, found)
        else:
            for cell in range(width * height):
                if subgames.cells[begin + cell] != mover:
                    continue
                for direction in range(4):
                    if direction == 0 and cell % width > 0:
                        near = cell - 1
                    elif direction == 1 and cell % width + 1 < width:
                        near = cell + 1
                    elif direction == 2 and cell >= width:
                        near = cell - width
                    elif direction == 3 and cell + width < width * height:
                        near = cell + width
                    else:
                        continue
                    if subgames.cells[begin + near] != X + O - mover:
                        continue
                    found = board_move(subgames, begin, width, height, cell, near, pieces)
                    if found < 0:
                        return False
                    count = add_option_once(subgames, first + total, count, pieces, found)
        if mover == X:
            subgames.lefts[subgame] = count
        else:
            subgames.rights[subgame] = count
        total += count
    subgames.moves[subgame] = first
    subgames.counts[OPTIONS] = first + total
    return True
