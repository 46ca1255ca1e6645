"""The status of every string, kept up to date: after a move only what it may have changed is read again.

Each string is read by the reader that suits it, the attacker first and, only if that catches it, the defender
first. What a reading depends on is what it came near: the points where it tried stones, the strings around them,
and the strings around those, all with their liberties; and what decided where to read. While none of these
changes, reading again gives the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from tengen.core.diagram import Point
from tengen.core.position import Position
from tengen.engines.go.board import Geometry, geometry_for
from tengen.engines.go.kernels.board import BLACK, BORDER, EMPTY, NOWHERE, WHITE
from tengen.engines.go.reading.kernels import board as boards
from tengen.engines.go.reading.life import Life
from tengen.engines.go.reading.point_sets import Points, first_of, numbers_of, points_of
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
    depends: Points


class StatusBoard:
    """The strings of one position after the other, each with its status."""

    def __init__(self, game: Go) -> None:
        self.game = game
        self.geometry: Geometry = geometry_for(game)
        self.tactics = Tactics(self.geometry, TACTICAL_NODES)
        self.life = Life(self.tactics, LIFE_NODES)
        self._known: dict[Points, _Read] = {}
        self._safe: dict[int, Points] = {}
        self._aspects: list[Points] = [0] * 5
        self.read = 0
        """How many strings were read for the last position."""

    def update(self, position: Position) -> list[StringStatus]:
        """The status of all strings of a position, as if each were read afresh."""
        tactics = self.tactics
        tactics.load(position)
        tactics.touched()  # what others asked is forgotten
        board = tactics.snapshot
        self._safe = self.life.safe()
        changed = self._changes()
        known: dict[Points, _Read] = {}
        self.read = 0
        for stone in board.strings(board.all[BLACK] | board.all[WHITE]):
            stones = board.string(stone)
            before = self._known.get(stones)
            if before is None or before.depends & changed:
                before = self._read(stone)
                self.read += 1
            known[stones] = before
        self._known = known
        shared = in_seki(tactics, [first_of(stones) for stones in known])
        return [self._with_safety(found.status, first_of(stones), shared) for stones, found in known.items()]

    def _changes(self) -> Points:
        """All points that are not as they were when this was asked last."""
        board = self.tactics.snapshot
        ko = int(self.tactics.board.facts[boards.KO])
        # Whether a ground is closed depends on which stones are safe, which may change far away.
        walls = [board.all[colour] & self._safe[colour] for colour in (BLACK, WHITE)]
        aspects = [board.all[BLACK], board.all[WHITE], *walls, 1 << ko if ko != NOWHERE else 0]
        changed = 0
        for now, before in zip(aspects, self._aspects, strict=True):
            changed |= now ^ before
        self._aspects = aspects
        return changed

    # ---- one string

    def _with_safety(self, found: StringStatus, stone: int, shared: frozenset[int]) -> StringStatus:
        """What is unconditional needs no reading, and depends on the whole board; so may a seki."""
        owner = next((colour - 1 for colour, points in self._safe.items() if points >> stone & 1), None)
        if owner is None and stone not in shared:
            return found
        if owner is None:
            status = Status.SEKI
        else:
            status = Status.UNCONDITIONALLY_ALIVE if owner == found.player else Status.UNCONDITIONALLY_DEAD
        return StringStatus(
            found.player, found.stones, found.liberties, Reader.NONE, status, sure=status is not Status.SEKI
        )

    def _reader_for(self, stone: int) -> Reader:
        board = self.tactics.snapshot
        stones, liberties = board.string(stone), board.liberties(stone)
        count = liberties.bit_count()
        shared = board.beside(liberties) & board.all[board.cells[stone]] & ~stones
        if count <= 2 and not shared:
            return Reader.LADDER
        if count <= 3:
            return Reader.LOOSE
        if stones.bit_count() <= 3 and not shared:
            return Reader.INFLUENCE
        return Reader.FULL if count <= 5 else Reader.NONE

    def _read(self, stone: int) -> _Read:
        tactics, board = self.tactics, self.tactics.snapshot
        stones, liberties = board.string(stone), board.liberties(stone)
        reader = self._reader_for(stone)
        # Who reads it depends on these.
        depends = stones | board.beside(stones) | board.beside(liberties)
        attack = defence = Answer(Result.FAILS, sure=False)
        if reader is Reader.FULL:
            ground = self.life.grounds.ground(stone, self._safe)
            attack = self.life.attack(stone, ground)
            if attack.result is not Result.FAILS:
                defence = self.life.defend(stone, ground)
            depends |= ground.looked
            if not ground.free:
                tried = points_of(ground.field) | tactics.touched()
                depends |= self._near(ground.arena | liberties | tried)
        elif reader in (Reader.LADDER, Reader.LOOSE):
            loose = 0 if reader is Reader.LADDER else 4
            attack = tactics.attack(stone, loose=loose)
            if attack.result is not Result.FAILS:
                defence = tactics.defend(stone)
            depends |= self._near(stones | liberties | tactics.touched())
        status = StringStatus(
            player=tactics.colour(stone) - 1,
            stones=frozenset(map(self._spot, numbers_of(stones))),
            liberties=liberties.bit_count(),
            reader=reader,
            status=_status_of(reader, attack, defence),
            attack=attack.result,
            attack_line=tuple(map(self._spot, attack.line)),
            defence=defence.result,
            defence_line=tuple(map(self._spot, defence.line)) if defence.result else (),
            # What tactics find is no proof, however far it was read: it does not try all moves.
            sure=reader is Reader.FULL and attack.sure and (defence.sure or attack.result is Result.FAILS),
        )
        return _Read(status, depends & ~board.all[BORDER])

    def _spot(self, point: int) -> Point:
        row, column = divmod(point, self.geometry.stride)
        return column - 1, row - 1

    def _near(self, tried: Points) -> Points:
        """All that a reading which came to these points may have looked at."""
        board, stride = self.tactics.snapshot, self.geometry.stride
        empty, stones = board.all[EMPTY], board.all[BLACK] | board.all[WHITE]
        points = tried | tried << 1 | tried >> 1
        points |= points << stride | points >> stride
        # What stands beside empty points counts: a move there may only be thought of, and looks at it.
        points |= board.beside(points & empty)
        front = points
        for step in range(3):
            strings = 0
            for stone in board.strings(front & stones):
                strings |= board.string(stone)
            reached = strings | board.beside(strings)
            if step == 0:
                reached |= board.beside(reached & empty)
            front = reached & ~points
            points |= reached
        return points


def _status_of(reader: Reader, attack: Answer, defence: Answer) -> Status:
    if reader in (Reader.INFLUENCE, Reader.NONE):
        return Status.UNDECIDED
    if attack.result is Result.FAILS:
        if reader is Reader.FULL:
            return Status.ALIVE if attack.sure else Status.UNKNOWN
        return Status.ESCAPED
    return Status.DEAD if defence.result is Result.FAILS else Status.URGENT


def dead_stones(strings: Iterable[StringStatus]) -> frozenset[Point]:
    """The stones of strings that are dead, whoever moves first."""
    dead = (Status.DEAD, Status.UNCONDITIONALLY_DEAD)
    return frozenset(point for string in strings if string.status in dead for point in string.stones)


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
