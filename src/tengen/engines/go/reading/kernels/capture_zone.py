"""Zones of capture searches: where the defender can interfere with a proof that the attacker succeeds.

The zone of a ply is a set of points: those played in the proof, the liberties of the string, and the liberties of
strings nearby that are short of liberties. If the proof shows that a pass of the defender fails, a move that does
not interfere with it fails, too.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import trailing_zeros
from tengen.core.compiled.kernel import inner
from tengen.engines.go.kernels.board import EMPTY, NOWHERE
from tengen.engines.go.reading.kernels.board import (
    colour_at,
    first_liberty,
    head_at,
    liberties_of,
    neighbour,
    next_adjacent,
    next_liberty,
    stone_at_cursor,
)
from tengen.engines.go.reading.kernels.candidates import is_playable, is_weak

_ONE = np.uint64(1)


@inner
def add_to_zone(board, search, ply, point):
    search.zones[ply * board.words + (point >> 6)] |= _ONE << np.uint64(point & 63)


@inner
def _is_in_zone(board, search, ply, point):
    return (search.zones[ply * board.words + (point >> 6)] >> np.uint64(point & 63)) & _ONE != 0


@inner
def merge_zone(board, search, ply, move):
    """Add a move and the zone of the next ply to the zone of a ply."""
    at = ply * board.words
    for word in range(board.words):
        search.zones[at + word] |= search.zones[at + board.words + word]
    if move != NOWHERE:
        add_to_zone(board, search, ply, move)


@inner
def add_weak_strings(board, search, ply, move):
    """Add the liberties of the attacker's strings next to its move that are short of liberties."""
    if move == NOWHERE:
        return
    words = board.words
    for direction in range(4):
        near = neighbour(board, move, direction)
        if colour_at(board, near) == search.state[0].attacker:
            head = head_at(board, near)
            if liberties_of(board, head) <= 3 or is_weak(board, head):
                for word in range(words):
                    search.zones[ply * words + word] |= board.libs[head * words + word]


@inner
def add_surroundings(board, search, target, ply):
    """Add the liberties of the string, and of strings around it and around its liberties that have few."""
    if search.state[0].join_target != NOWHERE:
        return
    words, head = board.words, head_at(board, target)
    for word in range(words):
        search.zones[ply * words + word] |= board.libs[head * words + word]
    at = next_adjacent(board, head, -1, search.state[0].attacker)
    while at >= 0:
        enemy = head_at(board, stone_at_cursor(board, at))
        if liberties_of(board, enemy) <= 3 or is_weak(board, enemy):
            for word in range(words):
                search.zones[ply * words + word] |= board.libs[enemy * words + word]
        at = next_adjacent(board, head, at, search.state[0].attacker)
    point = first_liberty(board, head)
    while point != NOWHERE:
        for direction in range(4):
            near = neighbour(board, point, direction)
            if colour_at(board, near) == colour_at(board, head):
                friend = head_at(board, near)
                if friend != head and liberties_of(board, friend) <= 3:
                    for word in range(words):
                        search.zones[ply * words + word] |= board.libs[friend * words + word]
        point = next_liberty(board, head, point)


@inner
def _interferes(board, search, ply, point):
    """Whether a move is in or next to the zone, captures, or attacks a string with a liberty there."""
    if _is_in_zone(board, search, ply, point):
        return True
    words = board.words
    for direction in range(4):
        near = neighbour(board, point, direction)
        if _is_in_zone(board, search, ply, near):
            return True
        if colour_at(board, near) == search.state[0].attacker:
            head = head_at(board, near)
            if liberties_of(board, head) == 1:
                return True
            if liberties_of(board, head) <= 3 or is_weak(board, head):
                for word in range(words):
                    if board.libs[head * words + word] & search.zones[ply * words + word] != 0:
                        return True
    return False


@inner
def use_zone(board, search, ply, first, end):
    """Adapt the defender's moves[first:end] to the zone of a ply, a proof that a pass fails; returns the new end.

    Moves that do not interfere with the proof are removed, and the points of the proof are appended.
    """
    words, defender = board.words, 3 - search.state[0].attacker
    kept = first
    for i in range(first, end):
        if _interferes(board, search, ply, search.moves[i] & 1023):
            search.moves[kept] = search.moves[i]
            kept += 1
    listed = kept
    for word in range(words):
        bits = search.zones[ply * words + word]
        while bits != 0:
            point = np.int64(word << 6) + np.int64(trailing_zeros(bits))
            bits &= bits - _ONE
            is_new = colour_at(board, point) == EMPTY
            for i in range(first, listed):
                is_new = is_new and search.moves[i] & 1023 != point
            if is_new and is_playable(board, search, point, defender):
                search.moves[kept] = point
                kept += 1
    return kept
