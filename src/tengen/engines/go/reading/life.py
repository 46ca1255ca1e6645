"""The life-and-death reader: whether groups can be killed or saved, and what is alive unconditionally.

Groups without an escape are first searched exactly; in a closed region the result is a proof. Otherwise, or if
that takes too long, the search uses heuristics: a group without space for two eyes is dead, a group that escapes
lives.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tengen.engines.go.board import Array
from tengen.engines.go.kernels.board import BLACK, WHITE
from tengen.engines.go.reading import buffers
from tengen.engines.go.reading.kernels import proof_number_search as dfpn
from tengen.engines.go.reading.kernels.benson import unconditional_ownership
from tengen.engines.go.reading.kernels.capture import Query
from tengen.engines.go.reading.kernels.life_proof import read_life
from tengen.engines.go.reading.kernels.move_ordering import ALL_MOVES
from tengen.engines.go.reading.point_sets import PointSet, as_array, list_points, point_set, points_where
from tengen.engines.go.reading.search_region import RegionFinder, SearchRegion
from tengen.engines.go.reading.tactics import ATTACK_KO_MODES, DEFENCE_KO_MODES, ReadResult, Result, TacticalReader
from tengen.engines.go.reading.territory import prove_territory

NODES = 150_000  # default node budget of a query
ATTACK_WIDTHS = (5, ALL_MOVES)  # attacker's moves per position: first a narrow search, then a full one
MIN_NODES_FOR_NARROW = 50_000  # with a smaller node budget, a narrow search without a proof means nothing
TACTICAL_NODES = 60_000  # node budget for reading whether the string is simply captured
TACTICAL_LIBERTIES = 4  # strings with more liberties are not read tactically
MAX_EXACT_CANDIDATES = 12  # in a region that is not closed


class LifeReader:
    """Life-and-death queries about the position loaded by the tactical reader."""

    def __init__(self, tactics: TacticalReader, nodes: int = NODES) -> None:
        self.tactics = tactics
        self.regions = RegionFinder(tactics, quick=nodes < MIN_NODES_FOR_NARROW)
        self.nodes = nodes
        self._buffers = buffers.new_dfpn(tactics.geometry)
        self._whole_board = buffers.new_benson(self._buffers, tactics.geometry)
        self._territory = buffers.new_territory(tactics.geometry)
        self._owned: tuple[int, dict[int, int]] | None = None  # the last result of `safe_points`, with its key
        self._other: LifeReader | None = None  # for positions that do not occur on the board
        self._safe, self._sheltered, self._doubtful = (
            np.zeros(tactics.geometry.points, np.int64) for _ in range(3)
        )

    def safe_points(self) -> dict[int, int]:
        """Point -> colour for all points owned unconditionally: living strings and what they enclose."""
        key = int(self.tactics.board.state[0].key)
        if self._owned is not None and self._owned[0] == key:
            return self._owned[1]
        owned = self.safe()
        for colour in (BLACK, WHITE):
            walls = owned[colour] & self.tactics.snapshot.by_colour[colour]
            doubtful = points_where(self._doubtful == colour)
            owned[colour] |= points_where(self._sheltered == colour) | prove_territory(
                self.tactics.snapshot, self.tactics.geometry, colour, doubtful, walls, self._is_killed
            )
        self._owned = key, {point: colour for colour, points in owned.items() for point in list_points(points)}
        return self._owned[1]

    def safe(self) -> dict[int, PointSet]:
        """Unconditionally alive strings of each colour and its territory, without its other stones in there.

        Territory that only a search can prove is left out; see `safe_points`.
        """
        unconditional_ownership(
            self.tactics.board,
            self._whole_board,
            self._territory,
            self._safe,
            self._sheltered,
            self._doubtful,
        )
        return {colour: points_where(self._safe == colour) for colour in (BLACK, WHITE)}

    def _is_killed(self, colours: Array, strings: list[int]) -> bool:
        """Whether on another board the opponent, moving first, is proved to kill all these strings."""
        geometry = self.tactics.geometry
        if self._other is None:
            self._other = LifeReader(TacticalReader(geometry))
        other = self._other
        other.tactics.load_stones(colours[geometry.inside])
        attacks = (other.attack(string) for string in strings)
        return all(attack.conclusive and attack.result is Result.WORKS for attack in attacks)

    def region(self, point: int) -> SearchRegion:
        """The search region for the group of the string on a point."""
        return self.regions.find(point, self.safe())

    def attack(self, point: int, region: SearchRegion | None = None) -> ReadResult:
        """Whether the attacker, moving first, kills the group of the string on a point."""
        return self._read(point, region or self.region(point), attacking=True)

    def defend(self, point: int, region: SearchRegion | None = None) -> ReadResult:
        """Whether the owner, moving first, makes the group of the string on a point live or escape."""
        return self._read(point, region or self.region(point), attacking=False)

    def prove(self, point: int, region: SearchRegion, *, attacking: bool) -> ReadResult | None:
        """The exact result in a closed region, or None if the region is open or the search is too long."""
        if not region.is_closed:
            return None
        self._set_region(region)
        found = self._search(point, attacking=attacking, exact=True)
        return found if found.conclusive else None

    def _read(self, point: int, region: SearchRegion, *, attacking: bool) -> ReadResult:
        """Read tactically first, since a captured string is dead whatever eyes its group has.

        In a closed region the exact search covers captures, and proves them.
        """
        tactical = None
        try_tactics = self.nodes >= MIN_NODES_FOR_NARROW and self.tactics.liberties(point) <= TACTICAL_LIBERTIES
        if try_tactics and not region.is_closed:
            read = self.tactics.attack if attacking else self.tactics.defend
            tactical = replace(read(point, nodes=TACTICAL_NODES), conclusive=False)
            if tactical.result is (Result.WORKS if attacking else Result.FAILS):
                return tactical
        found = self._read_region(point, region, attacking=attacking)
        if tactical is None or (found.result is not Result.FAILS if attacking else found.result is Result.FAILS):
            return found
        # A group that can be captured by ko cannot be saved without one.
        return tactical if tactical.result in (Result.GOOD_KO, Result.BAD_KO) else found

    def _read_region(self, point: int, region: SearchRegion, *, attacking: bool) -> ReadResult:
        if region.free_liberty:
            if attacking:
                return ReadResult(Result.FAILS, conclusive=False)
            return ReadResult(Result.WORKS, region.free_liberty, (region.free_liberty,), False)
        self._set_region(region)
        spent = 0
        if region.is_closed or (not region.escapes and len(region.candidates) <= MAX_EXACT_CANDIDATES):
            # If the surrounding stones can be captured this is no proof, but still better than heuristics.
            found = self._search(point, attacking=attacking, exact=True)
            if found.conclusive:
                return replace(found, conclusive=region.is_closed)
            spent = found.nodes
        found = self._search(point, attacking=attacking, exact=False)
        return ReadResult(found.result, found.move, found.line, False, spent + found.nodes)

    def _set_region(self, region: SearchRegion) -> None:
        own = self._buffers
        own.flags[:] = 0
        for bit, points in (
            (dfpn.CANDIDATE, point_set(region.candidates)),
            (dfpn.ESCAPE, region.escapes),
            (dfpn.WALL, region.walls),
            (dfpn.ZONE, region.zone),
        ):
            own.flags[:] |= as_array(points, len(own.flags)) * np.int64(bit)
        buffers.write_list(own.candidates, region.candidates)
        buffers.write_list(own.zone, list_points(region.zone))
        buffers.write_list(own.escapes, list_points(region.escapes))

    def _search(self, point: int, *, attacking: bool, exact: bool) -> ReadResult:
        """Search with each ko mode until one works."""
        tactics = self.tactics
        colour = tactics.colour(point)
        turn = 3 - colour if attacking else colour
        spent, conclusive = 0, exact
        widths = (0,) if exact else ATTACK_WIDTHS if self.nodes >= MIN_NODES_FOR_NARROW else ATTACK_WIDTHS[1:]
        for result, mode in ATTACK_KO_MODES if attacking else DEFENCE_KO_MODES:
            ko_seen, narrow_open = False, False
            # A kill that needs few of the attacker's moves is found quickly by a narrow search.
            for width in widths:
                query = Query(point, 0, mode, self.nodes)
                phi, delta, move, proved, nodes, ko_mattered = read_life(
                    tactics.board, tactics.search, self._buffers, query, turn, width
                )
                spent += nodes
                ko_seen |= ko_mattered
                if (phi if attacking else delta) == 0:
                    break
                if width == ATTACK_WIDTHS[0]:
                    narrow_open = phi != 0 and delta != 0
            conclusive = conclusive and proved
            if phi == 0:
                return ReadResult(result, move, (move,), conclusive, spent)
            if delta != 0:
                # Not proved either way. A group that cannot be shown to live against the best attacks alone counts
                # as dead; otherwise the side that is further from a proof fails.
                works = narrow_open if attacking else not narrow_open and phi <= delta
                if works and result is Result.WORKS:
                    return ReadResult(result, move, (move,), False, spent)
                break
            if not ko_seen:
                break
        return ReadResult(Result.FAILS, conclusive=conclusive, nodes=spent)
