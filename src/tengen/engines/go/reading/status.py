"""The status of every string, kept up to date: after a move only what it may have changed is read again.

Each string is read by the reader that suits it, the attacker first and, only if that catches it, the defender
first. What a reading depends on is what it came near: the points where it tried stones, the strings around them,
and the strings around those, all with their liberties. While none of these changes, reading again gives the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from tengen.core.diagram import Point
from tengen.core.position import Position
from tengen.engines.go.board import Geometry, geometry_for
from tengen.engines.go.kernels import reading_board as boards
from tengen.engines.go.kernels.board import EMPTY
from tengen.engines.go.reading.life import Life
from tengen.engines.go.reading.seki import in_seki
from tengen.engines.go.reading.tactics import Answer, Result, Tactics
from tengen.games.go import Go

TACTICAL_NODES = 400
LIFE_NODES = 300


class Status(Enum):
    """What becomes of a string, from its own view."""

    UNCONDITIONALLY_DEAD = "unconditionally dead"
    DEAD = "dead"
    UNKNOWN = "unknown"
    UNDECIDED = "undecided"
    """No reader takes it, or none came to an end: its liberties are all that is known."""
    ESCAPED = "escaped"
    """It is not caught by what was read, which is no claim of life."""
    ALIVE = "alive"
    UNCONDITIONALLY_ALIVE = "unconditionally alive"
    SEKI = "seki"
    """It lives as long as neither side touches what it shares with an enemy string."""
    URGENT = "urgent"
    """It depends on who moves first."""


class Reader(Enum):
    """Who reads a string."""

    LADDER = "ladder"
    LOOSE = "loose"
    FULL = "full"
    INFLUENCE = "influence"
    """Small and free: an estimate by influence is enough; nothing is read."""
    NONE = "none"


@dataclass(frozen=True)
class StringStatus:
    """A string and what was read of it. Lines are played from the board as it is, the first side of each first."""

    player: int
    stones: frozenset[Point]
    liberties: int
    reader: Reader
    status: Status
    attack: Result = Result.FAILS
    attack_line: tuple[Point, ...] = ()
    defence: Result = Result.FAILS
    defence_line: tuple[Point, ...] = ()
    sure: bool = False
    """Whether the status is proved: it is unconditional, or all moves on closed ground were read."""

    @property
    def is_guess(self) -> bool:
        """Whether it says what becomes of the string without proof."""
        return not self.sure and self.status not in (Status.UNKNOWN, Status.UNDECIDED, Status.ESCAPED)


@dataclass(frozen=True)
class _Read:
    """What was read of a string, and the points on which that depends."""

    status: StringStatus
    depends: frozenset[int]


class StatusBoard:
    """The strings of one position after the other, each with its status."""

    def __init__(self, game: Go) -> None:
        self.game = game
        self.geometry: Geometry = geometry_for(game)
        self.tactics = Tactics(self.geometry, TACTICAL_NODES)
        self.life = Life(self.tactics, LIFE_NODES)
        self._known: dict[frozenset[int], _Read] = {}
        self._cells: list[int] = []
        self._safe: dict[int, int] = {}
        self.read = 0
        """How many strings were read for the last position."""

    def update(self, position: Position) -> list[StringStatus]:
        """The status of all strings of a position, as if each were read afresh."""
        tactics, geometry = self.tactics, self.geometry
        tactics.load(position)
        board = tactics.snapshot
        ko = int(tactics.board.facts[boards.KO])
        cells = [*board.cells, ko]
        if self._cells:
            changed = {at for at, (one, two) in enumerate(zip(cells, self._cells, strict=True)) if one != two}
        else:
            changed = set()
            self._known.clear()
        if geometry.points in changed:
            changed |= {ko, self._cells[-1]}
        self._cells = cells
        safe = self.life.safe_points()
        # Whether a ground is closed depends on what is safe, which may change far away.
        changed |= {at for at, _ in self._safe.items() ^ safe.items()}
        self._safe = safe
        known: dict[frozenset[int], _Read] = {}
        self.read = 0
        for point in map(int, geometry.inside):
            if cells[point] == EMPTY or board.string(point) in known:
                continue
            stones = board.string(point)
            before = self._known.get(stones)
            if before is None or not before.depends.isdisjoint(changed):
                before = self._read(point, stones)
                self.read += 1
            known[stones] = before
        self._known = known
        shared = in_seki(tactics, [min(stones) for stones in known])
        return [self._with_safety(found.status, stones, min(stones) in shared) for stones, found in known.items()]

    # ---- one string

    def _with_safety(self, found: StringStatus, stones: frozenset[int], shares: bool) -> StringStatus:
        """What is unconditional needs no reading, and depends on the whole board; so may a seki."""
        owner = self._safe.get(next(iter(stones)), 0) - 1
        if owner < 0 and not shares:
            return found
        if owner < 0:
            status = Status.SEKI
        else:
            status = Status.UNCONDITIONALLY_ALIVE if owner == found.player else Status.UNCONDITIONALLY_DEAD
        return StringStatus(
            found.player, found.stones, found.liberties, Reader.NONE, status, sure=status is not Status.SEKI
        )

    def _reader_for(self, point: int, stones: frozenset[int], liberties: frozenset[int]) -> Reader:
        board = self.tactics.snapshot
        shared = any(
            board.cells[near] == board.cells[point] and near not in stones
            for liberty in liberties
            for near in board.around(liberty)
        )
        if len(liberties) <= 2 and not shared:
            return Reader.LADDER
        if len(liberties) <= 3:
            return Reader.LOOSE
        if len(stones) <= 3 and not shared:
            return Reader.INFLUENCE
        return Reader.FULL if len(liberties) <= 5 else Reader.NONE

    def _read(self, point: int, stones: frozenset[int]) -> _Read:
        tactics = self.tactics
        liberties = tactics.snapshot.liberties(point)
        reader = self._reader_for(point, stones, liberties)
        near, looked = set(stones) | set(liberties), frozenset[int]()
        attack = defence = Answer(Result.FAILS, sure=False)
        tactics.touched()
        if reader is Reader.FULL:
            ground = self.life.grounds.ground(point, self._safe)
            near |= ground.arena
            looked = ground.looked
            attack = self.life.attack(point, ground)
            if attack.result is not Result.FAILS:
                defence = self.life.defend(point, ground)
        elif reader in (Reader.LADDER, Reader.LOOSE):
            loose = 0 if reader is Reader.LADDER else 4
            attack = tactics.attack(point, loose=loose)
            if attack.result is not Result.FAILS:
                defence = tactics.defend(point)
        near |= set(tactics.touched())
        status = StringStatus(
            player=tactics.colour(point) - 1,
            stones=frozenset(map(self._spot, stones)),
            liberties=len(liberties),
            reader=reader,
            status=_status_of(reader, attack, defence),
            attack=attack.result,
            attack_line=tuple(map(self._spot, attack.line)),
            defence=defence.result,
            defence_line=tuple(map(self._spot, defence.line)) if defence.result else (),
            # What tactics find is no proof, however far it was read: it does not try all moves.
            sure=reader is Reader.FULL and attack.sure and (defence.sure or attack.result is Result.FAILS),
        )
        return _Read(status, self._dependencies(near) | looked)

    def _spot(self, point: int) -> Point:
        row, column = divmod(point, self.geometry.stride)
        return column - 1, row - 1

    def _dependencies(self, near: set[int]) -> frozenset[int]:
        """All that a reading which came near these points may have looked at."""
        board, stride = self.tactics.snapshot, self.geometry.stride
        around = (0, 1, -1, stride, -stride, stride + 1, stride - 1, -stride + 1, -stride - 1)
        points = self._with_neighbours({at + step for at in near for step in around})
        done: set[int] = set()
        front = points
        for step in range(3):
            stones = {at for at in front if 0 < at < self.geometry.points and board.cells[at] in (1, 2)}
            heads = {board.head(at) for at in stones} - done
            done |= heads
            reached: set[int] = set()
            for head in heads:
                reached |= board.touching(head)
                reached |= board.string(head)
            if step == 0:
                reached = self._with_neighbours(reached)
            front = reached - points
            points = points | reached
        return frozenset(points)

    def _with_neighbours(self, points: set[int]) -> set[int]:
        """Also what stands beside those that are empty: a move there may only be thought of, and looks at it."""
        cells, stride = self.tactics.snapshot.cells, self.geometry.stride
        free = [at for at in points if 0 < at < self.geometry.points and cells[at] == EMPTY]
        return points | {at + step for at in free for step in (1, -1, stride, -stride)}


def _status_of(reader: Reader, attack: Answer, defence: Answer) -> Status:
    if reader in (Reader.INFLUENCE, Reader.NONE):
        return Status.UNDECIDED
    if attack.result is Result.FAILS:
        if reader is Reader.FULL:
            return Status.ALIVE if attack.sure else Status.UNKNOWN
        return Status.ESCAPED
    return Status.DEAD if defence.result is Result.FAILS else Status.URGENT


def compile_kernels() -> None:
    """Ask each reader something, so that nobody waits for its compiling later."""
    game = Go(width=5, height=5, board="...../.XO../.XO../...../..... X")
    board = StatusBoard(game)
    board.update(game.start())
    point = 3 * board.geometry.stride + 2
    board.life.attack(point)
    board.tactics.defend(point)
    with board.tactics.trying(board.geometry.stride + 1, 1):
        pass
