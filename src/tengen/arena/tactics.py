"""How well the strong Pente player sees wins: positions from its own games, each one checked by other means.

Wins in one and two are told by trying every move and every answer by the rules, those in three by trying the same
on the player's board (`engines.pente.exhaustive`). Each win that is claimed where there is no such win is replayed
against every answer: a position without a win tests that none is claimed. With poof and boat the player does not
look for wins by threes: there a win in three that it does not see is counted, and no fault.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from tengen.core.position import Position
from tengen.engines.pente.engine import PenteEngine
from tengen.engines.pente.search_threads import SearchThread
from tengen.engines.pente.threats.brute_force import is_claim_refuted, stones_to_win, winning_moves
from tengen.engines.pente.training import random_opening
from tengen.games.pente.game import Pente
from tengen.search.limits import Limits
from tengen.search.report import Kind

NODES = 50_000
"""What the player may spend on a position."""
QUIET = 8
"""Quiet threats in a claim that is replayed: as many as the player looks for at the root."""


@dataclass
class Tactics:
    """What came of it. `seconds` are of processor time, for each position that has a win in so many stones."""

    positions: int = 0
    seconds: dict[int, list[float]] = field(default_factory=lambda: {1: [], 2: [], 3: []})
    missed: list[str] = field(default_factory=list)
    unseen: int = 0  # wins in three of a game in which the player does not look for wins by threes
    without: int = 0  # no win in three, and none was claimed
    claims: int = 0  # longer wins that were claimed
    replayed: int = 0  # of these, wins that held against every answer
    false: list[str] = field(default_factory=list)
    found: dict[int, list[str]] = field(default_factory=lambda: {1: [], 2: [], 3: []})

    def __str__(self) -> str:
        lines = [f"{self.positions} positions, {self.without} of them without a win in three and without a claim"]
        for stones, seconds in self.seconds.items():
            if seconds:
                middle = 1000 * statistics.median(seconds)
                lines.append(
                    f"wins in {stones}: {len(seconds)} solved, "
                    f"median {middle:.1f} ms, worst {1000 * max(seconds):.0f} ms"
                )
        unseen = f"; wins in 3 that it does not look for: {self.unseen}" if self.unseen else ""
        lines.append(f"missed: {len(self.missed)}{unseen}")
        lines.append(
            f"longer wins claimed: {self.claims}, of which {self.replayed} held against every answer; "
            f"false: {len(self.false)}"
        )
        return "\n".join(lines)


def measure(
    game: Pente, *, games: int, seed: int, nodes: int, last: int | None = None, on_step: Callable[[str], None]
) -> Tactics:
    """Play so many games and look at each position, or at those before the `last` moves only.

    Ctrl-C ends it with what was found so far.
    """
    tactics = Tactics()
    thread = SearchThread()
    try:
        for number, position in _positions(game, games, seed, nodes, last):
            _look_at(position, tactics, thread)
            on_step(f"game {number + 1} of {games}, {tactics.positions} positions")
    except KeyboardInterrupt:
        on_step("interrupted")
    return tactics


def _positions(game: Pente, games: int, seed: int, nodes: int, last: int | None) -> Iterator[tuple[int, Position]]:
    """Every second position of games by a player who misjudges a little."""
    rng = np.random.default_rng(seed)
    for number in range(games):
        engine = PenteEngine(table=4, seed=int(rng.integers(2**31)), error=80, threes=False)
        position = random_opening(game, rng)
        begin = position.ply
        while not position.is_over and position.ply < 100:
            position = position.play(engine.search(position, Limits(nodes=nodes)).best)
        played = [earlier for earlier in position.line() if begin <= earlier.ply < position.ply]
        for earlier in played if last is None else played[-last:]:
            if (earlier.ply + number) % 2 == 0:
                yield number, earlier


def _look_at(position: Position, tactics: Tactics, thread: SearchThread) -> None:
    tactics.positions += 1
    text = " ".join(position.write_moves(position.moves))
    engine = PenteEngine(table=4)
    started = time.process_time()
    report = engine.search(position, Limits(nodes=NODES))
    seconds = time.process_time() - started
    claimed = report.value.kind is Kind.EXACT and report.value.amount > 0
    stones = stones_to_win(position) or (3 if winning_moves(position, 3) else 0)
    if stones:
        if claimed:
            tactics.seconds[stones].append(seconds)
            tactics.found[stones].append(text)
        elif stones == 3 and (position.state.poof or position.state.boat):
            tactics.unseen += 1
        else:
            tactics.missed.append(text)
        return
    if not claimed:
        tactics.without += 1
        return
    tactics.claims += 1
    in_stones = int(report.candidates[0].reason.rsplit(" ", 1)[1])
    if in_stones <= 3:  # which trying everything has excluded
        tactics.false.append(f"{text}: claimed in {in_stones}")
        return
    escaped = is_claim_refuted(position, thread, threes=QUIET)
    if escaped:
        tactics.false.append(f"{text}: some answer escapes")
    elif escaped is not None:  # else the search itself found the win, move by move
        tactics.replayed += 1
