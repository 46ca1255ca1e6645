"""Seki: two enemy strings that share their liberties, or one liberty and have an eye each.

A player who fills a shared liberty loses the own string, so neither does, and both live. Of three or four shared
liberties, some may be filled before that.
"""

from __future__ import annotations

from collections.abc import Sequence

from tengen.engines.go.reading.point_sets import PointSet, list_points
from tengen.engines.go.reading.snapshot import Snapshot
from tengen.engines.go.reading.tactics import Result, TacticalReader

MAX_LIBERTIES = 4
MAX_NAKADE = 6  # stones whose capture may leave a space for one eye only
# (points, pairs of adjacent points, most neighbours of a point): T, square, cross, bulky five, rabbity six.
NAKADE_SHAPES = {(4, 3, 3), (4, 4, 2), (5, 4, 4), (5, 5, 3), (6, 6, 4)}
NODES = 300


def in_seki(tactics: TacticalReader, strings: Sequence[int]) -> frozenset[int]:
    """Those of `strings` (one stone each) that are in a seki with another."""
    board = tactics.snapshot
    strings_at: dict[int, list[int]] = {}
    for stone in strings:
        liberties = board.liberties(stone)
        if 2 <= liberties.bit_count() <= MAX_LIBERTIES:
            for liberty in list_points(liberties):
                strings_at.setdefault(liberty, []).append(stone)
    pairs = {
        (one, other)
        for stones in strings_at.values()
        for one in stones
        for other in stones
        if board.colours[one] < board.colours[other]
        and _balanced(board.liberties(one), board.liberties(other))
        and not _can_connect_out(board, one, other)
        and not _can_connect_out(board, other, one)
        and not _kills_from_inside(board, one, other)
        and not _kills_from_inside(board, other, one)
    }
    found: set[int] = set()
    for pair in sorted(pairs):
        shared = board.liberties(pair[0]) & board.liberties(pair[1])
        if _is_filled_by_nobody(tactics, pair) and not any(
            _can_capture_neighbour(tactics, stone, shared, pair) for stone in pair
        ):
            found.update(pair)
    return frozenset(found)


def _is_filled_by_nobody(tactics: TacticalReader, pair: tuple[int, int]) -> bool:
    """Whether a player who fills a shared liberty loses the own string, or leaves a seki with one liberty less."""
    board = tactics.snapshot
    one, other = (board.liberties(stone) for stone in pair)
    return _balanced(one, other) and all(
        _loses_or_stays(tactics, stone, point, pair) for point in list_points(one & other) for stone in pair
    )


def _balanced(one: PointSet, other: PointSet) -> bool:
    """Whether two sets of liberties allow a seki: both shared, or one shared and one eye each."""
    return one == other if (one & other).bit_count() != 1 else one.bit_count() == other.bit_count() == 2


def _kills_from_inside(board: Snapshot, inner: int, outer: int) -> bool:
    """Whether capturing a string inside leaves the outer one with a space for one eye only (nakade)."""
    space = board.string(inner) | board.liberties(inner)
    walls = board.strings(board.adjacent(space) & board.by_colour[board.colours[outer]])
    if space.bit_count() - 1 > MAX_NAKADE or any(board.liberties(wall) & ~space for wall in walls):
        return False
    # All liberties but one are filled before the capture.
    return any(_is_nakade(board, space & ~(1 << liberty)) for liberty in list_points(board.liberties(inner)))


def _is_nakade(board: Snapshot, shape: PointSet) -> bool:
    """Whether a space of this shape makes only one eye if the opponent plays its middle."""
    degrees = [(board.adjacent(1 << point) & shape).bit_count() for point in list_points(shape)]
    size = len(degrees)
    return size <= 3 or (size, sum(degrees) // 2, max(degrees)) in NAKADE_SHAPES


def _can_connect_out(board: Snapshot, stone: int, other: int) -> bool:
    """Whether a liberty that a string does not share connects it with a friend that has further liberties."""
    inside = board.liberties(stone) | board.liberties(other)
    private = board.liberties(stone) & ~board.liberties(other)
    friends = board.adjacent(private) & board.by_colour[board.colours[stone]] & ~board.string(stone)
    return any(board.liberties(friend) & ~inside for friend in board.strings(friends))


def _can_capture_neighbour(tactics: TacticalReader, stone: int, shared: PointSet, pair: tuple[int, int]) -> bool:
    """Whether a string, or a friend at a shared liberty, can capture an enemy string outside the pair."""
    board = tactics.snapshot
    partners = board.string(pair[0]) | board.string(pair[1])
    own = board.string(stone)
    for friend in board.strings(board.adjacent(shared) & board.by_colour[board.colours[stone]] & ~own):
        own |= board.string(friend)
    enemies = board.adjacent(own) & board.by_colour[3 - board.colours[stone]] & ~partners
    return any(
        board.liberties(enemy).bit_count() <= MAX_LIBERTIES
        and tactics.attack(enemy, nodes=NODES).result is not Result.FAILS
        for enemy in board.strings(enemies)
    )


def _loses_or_stays(tactics: TacticalReader, stone: int, point: int, pair: tuple[int, int]) -> bool:
    """Whether the owner of a string loses it by playing `point`, or the pair is in a seki after that."""
    with tactics.trial_move(point, tactics.colour(stone)) as legal:
        # An illegal move (suicide) would lose it as well.
        if not legal or tactics.attack(stone, nodes=NODES).result is not Result.FAILS:
            return True
        return _is_filled_by_nobody(tactics, pair)
