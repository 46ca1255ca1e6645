"""Capturing races by proof-number search: the exact part of `semeai`.

The search tries the moves that matter in a race, not all moves, and takes strings with a liberty outside the zone
for safe. So a result is reliable but no proof.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from tengen.engines.go.groups.kernels.race_dfpn import read_race
from tengen.engines.go.kernels.board import BLACK, EMPTY, WHITE
from tengen.engines.go.reading import buffers
from tengen.engines.go.reading.kernels.candidates import DEFENDER_RETAKES
from tengen.engines.go.reading.kernels.capture import Query
from tengen.engines.go.reading.kernels.proof_number_search import ESCAPE, WALL
from tengen.engines.go.reading.point_sets import PointSet, as_array, list_points
from tengen.engines.go.reading.tactics import ATTACK_KO_MODES, DEFENCE_KO_MODES, Result, TacticalReader

NODES = 300_000  # of the full search: about half a second
TOTAL_NODES = 1_500_000  # of all searches of one reader: about three seconds
MARGIN = 3  # selective search: a side that gains so many liberties on the other is ahead for good
MAX_MOVES_TRIED = 6


class _Race(NamedTuple):
    """A race between a string of the defender and one of the attacker, and whose turn it is."""

    target: int
    rival: int
    turn: int


@dataclass(frozen=True)
class RaceResult:
    """Result for the side that moves first, or None if no search was finished, and then the most promising move.

    `selective` is set if the full search was not finished.
    """

    result: Result | None
    move: int
    selective: bool = False


class RaceReader:
    """Races between two strings in the position loaded by the tactical reader."""

    def __init__(self, tactics: TacticalReader, nodes: int = NODES) -> None:
        self.tactics = tactics
        self.nodes = nodes
        self.nodes_left = TOTAL_NODES
        self._dfpn = buffers.new_dfpn(tactics.geometry)

    def set_zone(self, zone: PointSet) -> None:
        """Set the empty points where moves are tried; strings with other liberties are safe."""
        board = self.tactics.snapshot
        outside, walls = board.by_colour[EMPTY] & ~zone, 0
        for string in board.strings(board.by_colour[BLACK] | board.by_colour[WHITE]):
            if board.liberties(string) & outside:
                walls |= board.string(string)
        flags = self._dfpn.flags
        flags[:] = as_array(outside, len(flags)) * np.int64(ESCAPE) + as_array(walls, len(flags)) * np.int64(WALL)

    def capture(self, own: int, target: int) -> RaceResult:
        """Whether the owner of a string, moving first, captures the target before its own string is captured."""
        return self._read(_Race(target, own, self.tactics.colour(own)), attacking=True)

    def survive(self, own: int, rival: int) -> RaceResult:
        """Whether the owner of a string, moving first, saves it from its rival."""
        return self._read(_Race(own, rival, self.tactics.colour(own)), attacking=False)

    def wins_race(self, own: int, rival: int) -> bool:
        """Whether a string wins the race whoever moves first, by capturing a rival that would capture it.

        Only the full search counts.
        """
        board = self.tactics.snapshot
        mine, enemy = board.colours[own], board.colours[rival]
        first = self._search_modes(_Race(rival, own, mine), 0, attacking=True)
        if first.result is not Result.WORKS:
            return False
        return self._search_modes(_Race(own, rival, enemy), 0, attacking=True).result is Result.FAILS

    def _read(self, race: _Race, *, attacking: bool) -> RaceResult:
        """The full search, and if it does not finish, the selective one."""
        full = self._search_modes(race, 0, attacking=attacking)
        if full.result is not None:
            return full
        return replace(self._search_modes(race, MARGIN, attacking=attacking), selective=True)

    def _search_modes(self, race: _Race, margin: int, *, attacking: bool) -> RaceResult:
        """Search with each ko mode until one works."""
        for result, mode in ATTACK_KO_MODES if attacking else DEFENCE_KO_MODES:
            phi, delta, move, ko_seen = self._search(race, margin, mode)
            if phi == 0:
                return self._examine_ko(race, margin, RaceResult(result, move))
            if delta != 0:
                return RaceResult(None, move)
            if not ko_seen:
                break
        return RaceResult(Result.FAILS, 0)

    def _examine_ko(self, race: _Race, margin: int, found: RaceResult) -> RaceResult:
        """The result, unless it depends on a ko that the defender can take again and again but never wins."""
        attacking = race.turn != self.tactics.colour(race.target)
        if found.result is (Result.GOOD_KO if attacking else Result.BAD_KO):
            phi, delta, other, _ = self._search(race, margin, DEFENDER_RETAKES, repetition_wins=True)
            if attacking and phi == 0:
                return RaceResult(Result.WORKS, other)
            if not attacking and delta == 0:
                return RaceResult(Result.FAILS, 0)
        return found

    def _search(
        self, race: _Race, margin: int, ko_mode: int, *, repetition_wins: bool = False
    ) -> tuple[int, int, int, bool]:
        """(phi, delta, best move, whether the ko mode mattered) for the side to move."""
        limit = min(self.nodes, self.nodes_left)
        if limit <= 0:
            return 1, 1, 0, False
        tactics, query = self.tactics, Query(race.target, 0, ko_mode, limit)
        phi, delta, move, nodes, ko_seen = read_race(
            tactics.board, tactics.search, self._dfpn, query, race.turn, race.rival, repetition_wins, margin
        )
        self.nodes_left -= int(nodes)
        return int(phi), int(delta), int(move), bool(ko_seen)

    def prefer_outside(self, own: int, target: int, move: int) -> int:
        """The move, or instead of it a liberty of the target alone that captures, too: it can hardly be wrong."""
        board = self.tactics.snapshot
        outside = board.liberties(target) & ~board.liberties(own)
        if outside >> move & 1:
            return move
        for point in list_points(outside)[:MAX_MOVES_TRIED]:
            with self.tactics.trial_move(point, board.colours[own]) as legal:
                if not legal or self.tactics.liberties(point) == 1:
                    continue
                if self.tactics.colour(target) == EMPTY:
                    return point
                reply = self._search_modes(_Race(target, own, board.colours[target]), 0, attacking=False)
                if reply.result is Result.FAILS:
                    return point
        return move
