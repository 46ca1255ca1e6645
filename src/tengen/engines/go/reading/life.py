"""The reader of life and death: whether a group is killed or saved, and what lives unconditionally.

Where no way leads out it reads exactly first; on closed ground what it finds is sure. Where that takes too long,
and where it may get out, it reads with guesses: a group without room for two eyes is given up, one that comes out
is left alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tengen.engines.go.board import Array
from tengen.engines.go.kernels.board import BLACK, WHITE
from tengen.engines.go.reading import buffers as memory
from tengen.engines.go.reading.kernels import candidates as lists
from tengen.engines.go.reading.kernels import eyes
from tengen.engines.go.reading.kernels.benson import unconditional
from tengen.engines.go.reading.kernels.life_proof import read_life
from tengen.engines.go.reading.kernels.move_ordering import ALL
from tengen.engines.go.reading.point_sets import Points, as_array, numbers_of, points_of, points_where
from tengen.engines.go.reading.search_region import Ground, Grounds
from tengen.engines.go.reading.tactics import FIRST_MODES, SECOND_MODES, Answer, Result, Tactics

NODES = 150_000
"""How many positions a question of life and death may take, by default."""
WIDTHS = (5, ALL)
"""How many moves of the attacker are read of each position where not all are: first few, then all."""
ENOUGH_NODES = 50_000
"""With fewer, few moves are not read first: that there is no proof within them says nothing."""
TACTICAL_NODES = 60_000
"""What a look takes whether the string is simply caught."""
TACTICAL_LIBERTIES = 4
"""With more liberties it is not looked for."""
MOST_EXACT = 12
"""Exact reading of a ground that is not closed, and so no proof, is tried up to so many points."""


class Life:
    """Questions of life and death about the position that the tactical reader has loaded."""

    def __init__(self, tactics: Tactics, nodes: int = NODES) -> None:
        self.tactics = tactics
        self.grounds = Grounds(tactics, quick=nodes < ENOUGH_NODES)
        self.nodes = nodes
        self._memory = memory.new_life(tactics.geometry)
        self._regions = memory.new_regions(tactics.geometry)
        self._found = np.zeros(4, np.int64)
        self._safe = np.zeros(tactics.geometry.points, np.int64)

    def safe_points(self) -> dict[int, int]:
        """The points that a colour owns even if it always passes: living strings and what they enclose."""
        unconditional(self.tactics.board, self._safe, *self._regions.values())
        return {int(point): int(self._safe[point]) for point in np.flatnonzero(self._safe)}

    def safe(self) -> dict[int, Points]:
        """The same points, those of each colour as a set."""
        unconditional(self.tactics.board, self._safe, *self._regions.values())
        return {colour: points_where(self._safe == colour) for colour in (BLACK, WHITE)}

    def ground(self, point: int) -> Ground:
        """Where the life of the group of a string is decided."""
        return self.grounds.ground(point, self.safe())

    def attack(self, point: int, ground: Ground | None = None) -> Answer:
        """Whether the group of the string on a point can be killed if its enemy plays first."""
        return self._read(point, ground or self.ground(point), attacking=True)

    def defend(self, point: int, ground: Ground | None = None) -> Answer:
        """Whether the group of the string on a point can live, or get out, if its owner plays first."""
        return self._read(point, ground or self.ground(point), attacking=False)

    def _read(self, point: int, ground: Ground, *, attacking: bool) -> Answer:
        """A string that tactics catch is dead whatever eyes its group may have.

        On closed ground that is read anyway, and proved.
        """
        caught = None
        enough = self.nodes >= ENOUGH_NODES and self.tactics.liberties(point) <= TACTICAL_LIBERTIES
        if enough and not ground.closed:
            ask = self.tactics.attack if attacking else self.tactics.defend
            caught = replace(ask(point, nodes=TACTICAL_NODES), sure=False)
            if caught.result is (Result.WORKS if attacking else Result.FAILS):
                return caught
        answer = self._read_ground(point, ground, attacking=attacking)
        if caught is None or (answer.result is not Result.FAILS if attacking else answer.result is Result.FAILS):
            return answer
        # What tactics catches by a ko, the group cannot save without one.
        return caught if caught.result in (Result.GOOD_KO, Result.BAD_KO) else answer

    def _read_ground(self, point: int, ground: Ground, *, attacking: bool) -> Answer:
        if ground.free:
            if attacking:
                return Answer(Result.FAILS, sure=False)
            return Answer(Result.WORKS, ground.free, (ground.free,), False)
        self._set_out(ground)
        spent = 0
        if ground.closed or (not ground.ways_out and len(ground.field) <= MOST_EXACT):
            # Where what surrounds it may be taken, this is no proof, but still better than guesses.
            answer = self._ask(point, attacking=attacking, exact=True)
            if answer.sure:
                return replace(answer, sure=ground.closed)
            spent = answer.nodes
        answer = self._ask(point, attacking=attacking, exact=False)
        return Answer(answer.result, answer.move, answer.line, False, spent + answer.nodes)

    def _set_out(self, ground: Ground) -> None:
        own = self._memory
        own.ground[:] = 0
        for bit, points in (
            (eyes.FIELD, points_of(ground.field)),
            (eyes.WAY_OUT, ground.ways_out),
            (eyes.WALL, ground.walls),
            (eyes.ARENA, ground.arena),
        ):
            own.ground[:] |= as_array(points, len(own.ground)) * np.int64(bit)
        _fill(own.field, ground.field)
        _fill(own.arena, numbers_of(ground.arena))
        _fill(own.outs, numbers_of(ground.ways_out))

    def _ask(self, point: int, *, attacking: bool, exact: bool) -> Answer:
        """Read by who may retake a ko, until it works."""
        tactics = self.tactics
        colour = tactics.colour(point)
        turn = 3 - colour if attacking else colour
        spent, sure = 0, exact
        widths = (0,) if exact else WIDTHS if self.nodes >= ENOUGH_NODES else WIDTHS[1:]
        for result, mode in FIRST_MODES if attacking else SECOND_MODES:
            ko_seen, narrow_open = False, False
            # A kill for which a few moves of the attacker are enough is soon found; only else are more tried.
            for width in widths:
                tactics.begin(mode, self.nodes)
                self._memory.salt[0] += np.uint64(1) << np.uint64(32)
                read_life(tactics.board, tactics.search, self._memory, point, turn, width, self._found)
                spent += int(tactics.search.facts[lists.NODES])
                ko_seen |= bool(tactics.search.facts[lists.KO_SEEN])
                phi, delta, move, proved = map(int, self._found)
                if (phi if attacking else delta) == 0:
                    break
                if width == WIDTHS[0]:
                    narrow_open = phi != 0 and delta != 0
            sure = sure and bool(proved)
            if phi == 0:
                return Answer(result, move, (move,), sure, spent)
            if delta != 0:
                # Not proved either way. What does not live within so many positions even if only the best attacks
                # are read is taken to be dead; else who is further from a proof is taken to fail.
                works = narrow_open if attacking else not narrow_open and phi <= delta
                if works and result is Result.WORKS:
                    return Answer(result, move, (move,), False, spent)
                break
            if not ko_seen:
                break
        return Answer(Result.FAILS, sure=sure, nodes=spent)


def _fill(numbers: Array, points: Sequence[int]) -> None:
    """Write points behind their number."""
    numbers[0] = len(points)
    numbers[1 : len(points) + 1] = points
