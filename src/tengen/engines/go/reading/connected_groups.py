"""Groups: strings of one colour that the opponent, moving first, cannot cut apart, each pair shown by reading.

Only neighbouring strings are read: those that share a liberty or have adjacent ones. Groups are what their
connections link together. Two connections may still be cut by one move that threatens both, so strings at the ends
of a chain of connections are one group, but not proved to be connected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from tengen.engines.go.kernels.board import EMPTY
from tengen.engines.go.reading.connections import ConnectionReader
from tengen.engines.go.reading.point_sets import PointSet, first_point, list_points
from tengen.engines.go.reading.snapshot import Snapshot
from tengen.engines.go.reading.tactics import TacticalReader

NODES = 240  # node budget for each pair


class _Link(NamedTuple):
    """Whether two strings are connected, and the points on which that depends."""

    connected: bool
    depends_on: PointSet


class GroupTracker:
    """Tracks the groups over successive positions; only pairs that a move may have affected are read again.

    `dependencies` maps the points where a reading tried stones to all points that it may depend on.
    """

    def __init__(self, tactics: TacticalReader, dependencies: Callable[[PointSet], PointSet]) -> None:
        self.tactics = tactics
        self._reader = ConnectionReader(tactics, NODES)
        self._dependencies = dependencies
        self._links: dict[tuple[PointSet, PointSet], _Link] = {}

    def update(self, strings: Iterable[PointSet], changed: PointSet) -> dict[PointSet, PointSet]:
        """The stones of each string's group, by the stones of the string.

        `strings` are the stones of all strings, `changed` the points that differ from the last position.
        """
        links: dict[tuple[PointSet, PointSet], _Link] = {}
        groups = {stones: stones for stones in strings}
        board = self.tactics.snapshot
        for pair in _neighbouring_pairs(board, list(groups)):
            link = self._links.get(pair)
            if link is None or link.depends_on & changed:
                link = self._read(*pair)
            links[pair] = link
            if link.connected and groups[pair[0]] != groups[pair[1]]:
                merged = groups[pair[0]] | groups[pair[1]]
                for stone in board.strings(merged):
                    groups[board.string(stone)] = merged
        self._links = links
        return groups

    def _read(self, one: PointSet, other: PointSet) -> _Link:
        tactics = self.tactics
        tactics.take_touched()
        points = first_point(one), first_point(other)
        connected = self._reader.is_connected(*points)
        liberties = [tactics.snapshot.liberties(point) for point in points]
        return _Link(
            connected, self._dependencies(one | other | liberties[0] | liberties[1] | tactics.take_touched())
        )


def _neighbouring_pairs(board: Snapshot, strings: list[PointSet]) -> list[tuple[PointSet, PointSet]]:
    """All pairs of strings of one colour that share a liberty or have adjacent liberties."""
    pairs = []
    for stones in strings:
        liberties = board.liberties(first_point(stones))
        near = board.adjacent(liberties) & board.by_colour[EMPTY] | liberties
        friends = board.adjacent(near) & board.by_colour[board.colours[first_point(stones)]] & ~stones
        for friend in board.strings(friends):
            other = board.string(friend)
            if stones < other:
                pairs.append((stones, other))
    return pairs


def find_group(tactics: TacticalReader, point: int, nodes: int = NODES) -> frozenset[int]:
    """The stones of the group of the string on a point, read from it outwards."""
    reader, board = ConnectionReader(tactics, nodes), tactics.snapshot
    group, waiting = board.string(point), [point]
    while waiting:
        at = waiting.pop()
        liberties = board.liberties(at)
        near = board.adjacent(liberties) & board.by_colour[EMPTY] | liberties
        friends = board.adjacent(near) & board.by_colour[board.colours[at]] & ~group
        for friend in board.strings(friends):
            if reader.is_connected(at, friend):
                group |= board.string(friend)
                waiting.append(friend)
    return frozenset(list_points(group))
