"""The status of every string, updated incrementally: only strings that a move may have affected are read again.

The reader is chosen by the string's size and liberties. It reads with the attacker first and, if that succeeds,
with the defender first. A reading depends on the points where it tried stones, the strings around them, and the
strings around those, all with their liberties, and on the points that determined its search region. While none of
these changes, reading again gives the same result.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum

from tengen.core.diagram import Point
from tengen.core.position import Position
from tengen.engines.go.board import Geometry, geometry_for
from tengen.engines.go.kernels.board import BLACK, BORDER, EMPTY, NOWHERE, WHITE
from tengen.engines.go.reading.connected_groups import GroupTracker
from tengen.engines.go.reading.life import LifeReader
from tengen.engines.go.reading.point_sets import PointSet, first_point, list_points, point_set
from tengen.engines.go.reading.seki import in_seki
from tengen.engines.go.reading.tactics import ReadResult, Result, TacticalReader
from tengen.games.go import Go

TACTICAL_NODES = 400
LIFE_NODES = 300


class Status(Enum):
    """Status of a string."""

    UNCONDITIONALLY_DEAD = "unconditionally dead"
    DEAD = "dead"
    UNRESOLVED = "unresolved"  # read, without a conclusion
    NOT_READ = "not read"
    ESCAPED = "escaped"  # not captured as far as was read; no claim that it lives
    ALIVE = "alive"
    UNCONDITIONALLY_ALIVE = "unconditionally alive"
    SEKI = "seki"
    URGENT = "urgent"  # depends on who moves first


class ReadingMethod(Enum):
    """How a string is read."""

    LADDER = "ladder"
    LOOSE = "loose"
    FULL = "full"
    INFLUENCE = "influence"  # small and with free liberties: not read, influence is enough
    NONE = "none"


@dataclass(frozen=True)
class StringStatus:
    """A string and its reading results.

    `attack_line` starts with the attacker's move, `defence_line` with the owner's. `proved` is set if the status
    is unconditional, or if all moves in a closed region were searched. `group` has the stones of all strings that
    cannot be cut off from this one, see `connected_groups`.
    """

    player: int
    stones: frozenset[Point]
    liberties: int
    reader: ReadingMethod
    status: Status
    attack: Result = Result.FAILS
    attack_line: tuple[Point, ...] = ()
    defence: Result = Result.FAILS
    defence_line: tuple[Point, ...] = ()
    proved: bool = False
    group: frozenset[Point] = frozenset()

    @property
    def is_estimate(self) -> bool:
        """Whether the status claims life or death without a proof."""
        return not self.proved and self.status not in (Status.UNRESOLVED, Status.NOT_READ, Status.ESCAPED)


@dataclass(frozen=True)
class _CachedReading:
    """A reading result and the points on which it depends."""

    status: StringStatus
    depends_on: PointSet


class StatusTracker:
    """Tracks the status of all strings over successive positions."""

    def __init__(self, game: Go) -> None:
        self.game = game
        self.geometry: Geometry = geometry_for(game)
        self.tactics = TacticalReader(self.geometry, TACTICAL_NODES)
        self.life = LifeReader(self.tactics, LIFE_NODES)
        self._groups = GroupTracker(self.tactics, self._readable_area)
        self._cache: dict[PointSet, _CachedReading] = {}
        self._safe: dict[int, PointSet] = {}
        self._inputs: list[PointSet] = [0] * 5
        self.read = 0  # number of strings read for the last position

    def update(self, position: Position) -> list[StringStatus]:
        """The status of all strings of a position, the same as if each were read anew."""
        tactics = self.tactics
        tactics.load(position)
        tactics.take_touched()  # discard the points of other callers' queries
        board = tactics.snapshot
        self._safe = self.life.safe()
        changed = self._changed_points()
        cache: dict[PointSet, _CachedReading] = {}
        self.read = 0
        for stone in board.strings(board.by_colour[BLACK] | board.by_colour[WHITE]):
            stones = board.string(stone)
            before = self._cache.get(stones)
            if before is None or before.depends_on & changed:
                before = self._read(stone)
                self.read += 1
            cache[stones] = before
        self._cache = cache
        shared = in_seki(tactics, [first_point(stones) for stones in cache])
        groups = self._groups.update(cache, changed)
        coordinates = {
            group: frozenset(map(self.geometry.coordinates, list_points(group))) for group in set(groups.values())
        }
        return [
            replace(
                self._with_unconditional(found.status, first_point(stones), shared),
                group=coordinates[groups[stones]],
            )
            for stones, found in cache.items()
        ]

    def _changed_points(self) -> PointSet:
        """All points that differ from the position of the last call."""
        board = self.tactics.snapshot
        ko = int(self.tactics.board.state[0].ko)
        # Whether a region is closed depends on unconditionally alive stones, which may change far away.
        walls = [board.by_colour[colour] & self._safe[colour] for colour in (BLACK, WHITE)]
        inputs = [board.by_colour[BLACK], board.by_colour[WHITE], *walls, 1 << ko if ko != NOWHERE else 0]
        changed = 0
        for now, before in zip(inputs, self._inputs, strict=True):
            changed |= now ^ before
        self._inputs = inputs
        return changed

    def _with_unconditional(self, found: StringStatus, stone: int, shared: frozenset[int]) -> StringStatus:
        """Replace a status by unconditional life or death or by seki, which may depend on the whole board."""
        owner = next((colour - 1 for colour, points in self._safe.items() if points >> stone & 1), None)
        if owner is None and stone not in shared:
            return found
        if owner is None:
            status = Status.SEKI
        else:
            status = Status.UNCONDITIONALLY_ALIVE if owner == found.player else Status.UNCONDITIONALLY_DEAD
        proved = status is not Status.SEKI
        return StringStatus(found.player, found.stones, found.liberties, ReadingMethod.NONE, status, proved=proved)

    def _reader_for(self, stone: int) -> ReadingMethod:
        board = self.tactics.snapshot
        stones, liberties = board.string(stone), board.liberties(stone)
        count = liberties.bit_count()
        shared = board.adjacent(liberties) & board.by_colour[board.colours[stone]] & ~stones
        if count <= 2 and not shared:
            return ReadingMethod.LADDER
        if count <= 3:
            return ReadingMethod.LOOSE
        if stones.bit_count() <= 3 and not shared:
            return ReadingMethod.INFLUENCE
        return ReadingMethod.FULL if count <= 5 else ReadingMethod.NONE

    def _read(self, stone: int) -> _CachedReading:
        tactics, board = self.tactics, self.tactics.snapshot
        stones, liberties = board.string(stone), board.liberties(stone)
        reader = self._reader_for(stone)
        # The choice of the reader depends on these.
        depends_on = stones | board.adjacent(stones) | board.adjacent(liberties)
        attack = defence = ReadResult(Result.FAILS, conclusive=False)
        if reader is ReadingMethod.FULL:
            region = self.life.regions.find(stone, self._safe)
            attack = self.life.attack(stone, region)
            if attack.result is not Result.FAILS:
                defence = self.life.defend(stone, region)
            depends_on |= region.depends_on
            if not region.free_liberty:
                tried = point_set(region.candidates) | tactics.take_touched()
                depends_on |= self._readable_area(region.zone | liberties | tried)
        elif reader in (ReadingMethod.LADDER, ReadingMethod.LOOSE):
            max_budget = 0 if reader is ReadingMethod.LADDER else 4
            attack = tactics.attack(stone, max_budget=max_budget)
            if attack.result is not Result.FAILS:
                defence = tactics.defend(stone)
            depends_on |= self._readable_area(stones | liberties | tactics.take_touched())
        status = StringStatus(
            player=tactics.colour(stone) - 1,
            stones=frozenset(map(self.geometry.coordinates, list_points(stones))),
            liberties=liberties.bit_count(),
            reader=reader,
            status=_status_of(reader, attack, defence),
            attack=attack.result,
            attack_line=tuple(map(self.geometry.coordinates, attack.line)),
            defence=defence.result,
            defence_line=tuple(map(self.geometry.coordinates, defence.line)) if defence.result else (),
            # Tactical results are never proofs, because not all moves are tried.
            proved=reader is ReadingMethod.FULL
            and attack.conclusive
            and (defence.conclusive or attack.result is Result.FAILS),
        )
        return _CachedReading(status, depends_on & ~board.by_colour[BORDER])

    def _readable_area(self, tried: PointSet) -> PointSet:
        """All points that a reading with stones tried at `tried` may depend on."""
        board, stride = self.tactics.snapshot, self.geometry.stride
        empty, stones = board.by_colour[EMPTY], board.by_colour[BLACK] | board.by_colour[WHITE]
        points = tried | tried << 1 | tried >> 1
        points |= points << stride | points >> stride
        # Neighbours of empty points count, because candidate moves there are evaluated even if not played.
        points |= board.adjacent(points & empty)
        front = points
        for step in range(4):
            strings = 0
            for stone in board.strings(front & stones):
                strings |= board.string(stone)
            reached = strings | board.adjacent(strings)
            if step == 0:
                reached |= board.adjacent(reached & empty)
            front = reached & ~points
            points |= reached
        return points


def _status_of(reader: ReadingMethod, attack: ReadResult, defence: ReadResult) -> Status:
    if reader in (ReadingMethod.INFLUENCE, ReadingMethod.NONE):
        return Status.NOT_READ
    if attack.result is Result.FAILS:
        if reader is ReadingMethod.FULL:
            return Status.ALIVE if attack.conclusive else Status.UNRESOLVED
        return Status.ESCAPED
    return Status.DEAD if defence.result is Result.FAILS else Status.URGENT


def dead_stones(strings: Iterable[StringStatus]) -> frozenset[Point]:
    """Stones of all dead strings."""
    dead = (Status.DEAD, Status.UNCONDITIONALLY_DEAD)
    return frozenset(point for string in strings if string.status in dead for point in string.stones)


def compile_kernels() -> None:
    """Run each reader once, so that its kernels are compiled."""
    game = Go(width=5, height=5, board="...../.XO../.XO../...../..... X")
    board = StatusTracker(game)
    board.update(game.start())
    point = 3 * board.geometry.stride + 2
    board.life.attack(point)
    board.tactics.defend(point)
    with board.tactics.trial_move(board.geometry.stride + 1, 1):
        pass
