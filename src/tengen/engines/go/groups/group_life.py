"""Life and death of groups: exact proofs where they are possible, otherwise tactical and local tree search."""

from __future__ import annotations

from dataclasses import replace

from tengen.core.position import Position
from tengen.engines.go.groups.group_reader import MAX_SIMULATIONS, GroupReader, GroupResult
from tengen.engines.go.groups.kernels.race_evaluation import MAX_NAKADE
from tengen.engines.go.groups.races import RaceReader
from tengen.engines.go.groups.zone import find_zone
from tengen.engines.go.kernels.board import EMPTY
from tengen.engines.go.reading.life import LifeReader
from tengen.engines.go.reading.point_sets import PointSet
from tengen.engines.go.reading.tactics import ReadResult, Result

TACTICAL_NODES = 10_000  # node budget for reading whether the string is simply captured
TACTICAL_LIBERTIES = 3  # strings with more liberties are not read tactically
MAX_SAFE_RATE = 0.05  # of an attack that clearly fails
MAX_LOST_RATE = 0.15  # of a defence that clearly fails
MAX_KO_LIBERTIES = 2  # the capture of a string by ko decides the life of its group if it has no more
MAX_RIVAL_LIBERTIES = 10  # a string with more is not about to be captured in a race
RACE_NODES = 60_000  # for one search of a race: about a tenth of a second


class GroupLife:
    """Life-and-death queries about the groups of one position, each answered once."""

    def __init__(self, position: Position, life: LifeReader, max_simulations: int = MAX_SIMULATIONS) -> None:
        """`life` must be loaded with the position and stay so. `max_simulations` limits each local search."""
        self.position = position
        self.life = life
        self.reader = GroupReader(position, max_simulations)
        self._known: dict[tuple[int, bool], ReadResult] = {}

    def is_stone(self, point: int) -> bool:
        return self.life.tactics.colour(point) != EMPTY

    def attack(self, point: int) -> ReadResult:
        """Whether the attacker, moving first, kills the group of the string on a point."""
        return self._read(point, attacking=True)

    def defend(self, point: int) -> ReadResult:
        """Whether the owner, moving first, saves the group of the string on a point."""
        return self._read(point, attacking=False)

    def is_safe(self, point: int) -> bool:
        """Whether the attack on the group of the string on a point clearly fails, so that no defence is needed."""
        attack = self.attack(point)
        win_rate = attack.win_rate if isinstance(attack, GroupResult) else 0.0
        return attack.result is Result.FAILS and win_rate <= MAX_SAFE_RATE

    def is_lost(self, point: int) -> bool:
        """Whether the defence of the group of the string on a point clearly fails."""
        defence = self.defend(point)
        win_rate = defence.win_rate if isinstance(defence, GroupResult) else 0.0
        return defence.result is Result.FAILS and win_rate <= MAX_LOST_RATE

    def zone(self, point: int) -> PointSet:
        """The zone of the group of the string on a point."""
        return find_zone(self.life.tactics.snapshot, sorted(self.life.regions.group(point)))

    def _read(self, point: int, *, attacking: bool) -> ReadResult:
        key = (self.life.tactics.snapshot.head(point), attacking)
        if key not in self._known:
            self._known[key] = self._read_anew(point, attacking=attacking)
        return self._known[key]

    def _read_anew(self, point: int, *, attacking: bool) -> ReadResult:
        life = self.life
        proved = life.prove(point, life.region(point), attacking=attacking)
        if proved is not None:
            return proved
        tactics = life.tactics
        if tactics.liberties(point) <= TACTICAL_LIBERTIES:
            read = tactics.attack if attacking else tactics.defend
            tactical = replace(read(point, nodes=TACTICAL_NODES), conclusive=False)
            if tactical.result is (Result.WORKS if attacking else Result.FAILS):
                return tactical
            if attacking and tactical.result is not Result.FAILS and tactics.liberties(point) <= MAX_KO_LIBERTIES:
                return tactical
        found = self.reader.read(point, self.zone(point), attacking=attacking)
        is_unclear = MAX_SAFE_RATE < found.win_rate < 1.0 - MAX_SAFE_RATE
        if attacking and is_unclear and found.result is not Result.FAILS and self._wins_a_race(point):
            return GroupResult(Result.FAILS, conclusive=False, nodes=found.nodes)
        return found

    def _wins_a_race(self, point: int) -> bool:
        """Whether a string captures one of the enemy strings around it, whoever moves first.

        Playouts seldom fill the liberties of a long race in the right order.
        """
        tactics = self.life.tactics
        board = tactics.snapshot
        enemies = board.adjacent(board.string(point)) & board.by_colour[3 - board.colours[point]]
        for rival in board.strings(enemies):
            size, liberties = board.string(rival).bit_count(), board.liberties(rival).bit_count()
            if size > MAX_NAKADE and liberties <= MAX_RIVAL_LIBERTIES:
                races = RaceReader(tactics, RACE_NODES)
                races.set_zone(self.zone(point) | self.zone(rival))
                if races.wins_race(point, rival):
                    return True
        return False
