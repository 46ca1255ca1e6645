"""Moves of subgames of any ruleset: boards are split into parts, put in normal form and interned.

Clobber's own subgames have faster code in `engines.clobber.kernels.subgames`, whose arrays are used here as well.
`generator_for` compiles one small kernel for each ruleset, on first use.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.references import reference
from tengen.engines.clobber.kernels.subgames import (
    CELL_SPACE,
    CELLS,
    FULL,
    MAX_PIECES,
    OPTION_SPACE,
    OPTIONS,
    SUBGAME_SPACE,
    SUBGAMES,
    UNKNOWN,
    add_option_once,
    enter,
    find,
    image,
)
from tengen.games.rulesets.compiled import compiled_rules
from tengen.games.rulesets.ruleset import SYMBOLS, Ruleset

# Indices into `facts`, a ruleset's facts as numbers.
KIND, REACH, LEAST, NEEDS, OUTSIDE, IMAGES, NEGATIVE_IMAGE, SWAPS, MEMBERS = range(9)
CANONICAL, LINKS = 9, 13  # four numbers, and a 4x4 table
FACTS = 29


def facts_of(ruleset: Ruleset, kind: int) -> np.ndarray[Any, Any]:
    """The facts that the kernels need, as numbers."""
    facts = np.zeros(FACTS, np.int64)
    facts[KIND], facts[REACH], facts[LEAST] = kind, ruleset.reach, ruleset.least
    facts[NEEDS] = sum(1 << SYMBOLS.index(symbol) for symbol in ruleset.needs)
    facts[OUTSIDE] = SYMBOLS.index(ruleset.outside)
    facts[IMAGES] = sum(1 << which for which in ruleset.images)
    facts[NEGATIVE_IMAGE] = ruleset.negative_image
    facts[SWAPS] = ruleset.swaps_colours and not ruleset.impartial
    for content, symbol in enumerate(SYMBOLS):
        facts[CANONICAL + content] = SYMBOLS.index(ruleset.canonical[content])
        if any(symbol in pair for pair in ruleset.linked):
            facts[MEMBERS] |= 1 << content
        for other, second in enumerate(SYMBOLS):
            facts[LINKS + 4 * content + other] = symbol + second in ruleset.linked
    return facts


@inner
def to_normal_form(subgames, facts, width, height):
    """Replace the board in buffer[0] by its normal form, the least of its widest images; return its width."""
    size = width * height
    best = 0
    best_width = np.int64(0)
    for which in range(8):
        if (facts[IMAGES] >> which) & 1 == 0:
            continue
        turned = height if which & 4 else width
        if turned < best_width:
            continue
        spare = 2 if best == 1 else 1
        image(subgames.buffer[0], width, height, which, subgames.buffer[spare])
        better = turned > best_width
        if not better:
            for index in range(size):
                mine = subgames.buffer[spare, index]
                other = subgames.buffer[best, index]
                if mine != other:
                    better = mine < other
                    break
        if better:
            best = spare
            best_width = turned
    for index in range(size):
        subgames.buffer[0, index] = subgames.buffer[best, index]
    return best_width


@inner
def negate_board(subgames, facts, width, height):
    """Replace the board in buffer[0] by its negative; return its width."""
    which = facts[NEGATIVE_IMAGE]
    image(subgames.buffer[0], width, height, which, subgames.buffer[1])
    for index in range(width * height):
        content = np.int64(subgames.buffer[1, index])
        if facts[SWAPS] and 1 <= content <= 2:
            content = 3 - content
        subgames.buffer[0, index] = content
    return height if which & 4 else width


@inner
def intern_part(subgames, facts, width, height):
    """The subgame in buffer[0], or -1 if an array is full. Creates it and its negative."""
    size = width * height
    kind = facts[KIND]
    width = to_normal_form(subgames, facts, width, height)
    height = size // width
    slot = find(subgames, kind, width, height)
    if subgames.slots[slot] != 0:
        return np.int64(subgames.slots[slot]) - 1
    if subgames.counts[SUBGAMES] + 2 > subgames.at.size:
        subgames.counts[FULL] = SUBGAME_SPACE
        return np.int64(-1)
    if subgames.counts[CELLS] + 2 * size > subgames.cells.size:
        subgames.counts[FULL] = CELL_SPACE
        return np.int64(-1)
    subgame = enter(subgames, kind, slot, width, height)
    width = negate_board(subgames, facts, width, height)
    width = to_normal_form(subgames, facts, width, size // width)
    height = size // width
    slot = find(subgames, kind, width, height)
    if subgames.slots[slot] != 0:
        subgames.negative[subgame] = subgames.slots[slot] - 1  # the subgame is its own negative
    else:
        other = enter(subgames, kind, slot, width, height)
        subgames.negative[subgame] = other
        subgames.negative[other] = subgame
    return subgame


@inner
def split_into_parts(subgames, facts, width, height, pieces):
    """Split the board in buffer[3] into subgames; return their number, or -1 if an array is full."""
    size = width * height
    board = subgames.buffer[3]
    for index in range(size):
        board[index] = facts[CANONICAL + np.int64(board[index])]
    if facts[REACH] == 0:
        for index in range(size):
            subgames.buffer[0, index] = board[index]
        pieces[0] = intern_part(subgames, facts, width, height)
        return np.int64(-1 if pieces[0] < 0 else 1)
    listed = subgames.buffer[4]
    for index in range(size):
        listed[index] = 0
    count = 0
    for start in range(size):
        if listed[start] or (facts[MEMBERS] >> np.int64(board[start])) & 1 == 0:
            continue
        subgames.queue[0] = start
        listed[start] = 1
        head = 0
        tail = 1
        top, bottom, left, right = height, np.int64(0), width, np.int64(0)
        contents = np.int64(0)
        while head < tail:
            cell = np.int64(subgames.queue[head])
            head += 1
            row = cell // width
            column = cell % width
            top, bottom = min(top, row), max(bottom, row)
            left, right = min(left, column), max(right, column)
            contents |= np.int64(1) << np.int64(board[cell])
            for step in range(9):
                down = step // 3 - 1
                across = step % 3 - 1
                if step == 4 or (facts[REACH] < 8 and down * across != 0) or (facts[REACH] == 1 and down != 0):
                    continue
                r = row + down
                c = column + across
                if r < 0 or r >= height or c < 0 or c >= width:
                    continue
                near = r * width + c
                if listed[near]:
                    continue
                first, second = min(cell, near), max(cell, near)
                if facts[LINKS + 4 * np.int64(board[first]) + np.int64(board[second])]:
                    listed[near] = 1
                    subgames.queue[tail] = near
                    tail += 1
        if tail < facts[LEAST] or contents & facts[NEEDS] != facts[NEEDS]:
            continue
        wide = right - left + 1
        for index in range(wide * (bottom - top + 1)):
            subgames.buffer[0, index] = facts[OUTSIDE]
        for index in range(tail):
            cell = np.int64(subgames.queue[index])
            subgames.buffer[0, (cell // width - top) * wide + cell % width - left] = board[cell]
        subgame = intern_part(subgames, facts, wide, bottom - top + 1)
        if subgame < 0:
            return np.int64(-1)
        pieces[count] = subgame
        count += 1
    return np.int64(count)


@kernel
def split_board_of(subgames, facts, board, out):
    """Write the parts of a board (width, height, cells row by row) into `out`; return their number, or -1."""
    subgames = reference(subgames)
    width, height = np.int64(board[0]), np.int64(board[1])
    for index in range(width * height):
        subgames.buffer[3, index] = board[2 + index]
    return split_into_parts(subgames, facts, width, height, out)


@functools.cache
def generator_for(ruleset: Ruleset) -> Callable[..., int]:
    """The kernel that generates the moves of a ruleset's subgames."""
    moves_of, make_move = compiled_rules(ruleset)

    @kernel
    def generate(subgames, facts, first, deep, codes):
        """Generate the moves of subgame `first`, and count those of the subgames that they lead to; with `deep`,
        generate the moves of all that follow.

        `codes` has space for the moves. Returns 0, or -1 if an array is full.
        """
        subgames = reference(subgames)
        subgame = np.int64(first)
        fresh = np.int64(subgames.counts[SUBGAMES])
        while True:
            if subgames.kind[subgame] == facts[KIND] and subgames.moves[subgame] == UNKNOWN:
                width, height = np.int64(subgames.width[subgame]), np.int64(subgames.height[subgame])
                size = width * height
                begin = np.int64(subgames.at[subgame])
                start = np.int64(subgames.counts[OPTIONS])
                total = np.int64(0)
                for player in range(2):
                    board = subgames.buffer[5]
                    for index in range(size):
                        board[index] = subgames.cells[begin + index]
                    found = moves_of(board, width, height, player, codes, 0)
                    if start + total + found > subgames.options.size // MAX_PIECES:
                        subgames.counts[FULL] = OPTION_SPACE
                        return np.int64(-1)
                    count = np.int64(0)
                    for index in range(found):
                        after = subgames.buffer[3]
                        for cell in range(size):
                            after[cell] = board[cell]
                        make_move(after, width, height, player, np.int64(codes[index]))
                        pieces = split_into_parts(subgames, facts, width, height, subgames.pieces)
                        if pieces < 0:
                            return np.int64(-1)
                        count = add_option_once(subgames, start + total, count, subgames.pieces, pieces)
                    if player == 0:
                        subgames.lefts[subgame] = count
                    else:
                        subgames.rights[subgame] = count
                    total += count
                subgames.moves[subgame] = start
                subgames.counts[OPTIONS] = start + total
            if not deep or fresh >= subgames.counts[SUBGAMES]:
                break
            subgame = fresh
            fresh += 1
        for subgame in range(fresh, subgames.counts[SUBGAMES]):
            width, height = np.int64(subgames.width[subgame]), np.int64(subgames.height[subgame])
            begin = np.int64(subgames.at[subgame])
            board = subgames.buffer[5]
            for index in range(width * height):
                board[index] = subgames.cells[begin + index]
            lefts = moves_of(board, width, height, 0, codes, 0)
            subgames.balance[subgame] = lefts - moves_of(board, width, height, 1, codes, 0)
        return np.int64(0)

    return generate
