"""Measures how well the Pente engine finds forced wins, in positions of its own games that are checked
independently.

Wins in one and two stones are found by trying every move and reply with the rules, wins in three by the
brute-force search of `engines.pente.threats.brute_force`. A longer win that the engine claims is replayed
against every reply. In positions without a win the engine must claim none. Under the poof and boat rules the
engine does not search for wins with threes, so wins in three that it misses there are counted separately and are
no failures.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from tengen.core.position import Position
from tengen.engines.pente.engine import PenteEngine
from tengen.engines.pente.puzzles import random_opening
from tengen.engines.pente.search_threads import SearchThread
from tengen.engines.pente.threats.brute_force import is_claim_refuted, stones_to_win, winning_moves
from tengen.games.pente.game import Pente
from tengen.search.limits import Limits
from tengen.search.report import Kind

NODES = 50_000  # limit of the engine for a position
MAX_QUIET_THREATS = 8  # in a claim that is replayed: as many as the engine tries at the root


@dataclass
class Tactics:
    """The results. `seconds` has the CPU time for each solved position, by the number of stones to win."""

    positions: int = 0
    seconds: dict[int, list[float]] = field(default_factory=lambda: {1: [], 2: [], 3: []})
    missed: list[str] = field(default_factory=list)
    unseen: int = 0  # missed wins in three under rules for which the engine does not search for them
    without: int = 0  # positions without a win in three and without a claim
    claims: int = 0  # longer wins claimed
    replayed: int = 0  # of these, wins that held against every reply
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
            f"longer wins claimed: {self.claims}, of which {self.replayed} held against every reply; "
            f"false: {len(self.false)}"
        )
        return "\n".join(lines)


def measure(
    game: Pente, *, games: int, seed: int, nodes: int, last: int | None = None, on_step: Callable[[str], None]
) -> Tactics:
    """Play `games` games and check their positions, with `last` only those before the last moves.

    Ctrl-C returns the results so far.
    """
    tactics = Tactics()
    thread = SearchThread()
    try:
        for number, position in _positions(game, games, seed, nodes, last):
            _check(position, tactics, thread)
            on_step(f"game {number + 1} of {games}, {tactics.positions} positions")
    except KeyboardInterrupt:
        on_step("interrupted")
    return tactics


def _positions(game: Pente, games: int, seed: int, nodes: int, last: int | None) -> Iterator[tuple[int, Position]]:
    """Every second position of self-play games by an engine with random evaluation errors."""
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


def _searches_threes(position: Position) -> bool:
    """Whether the engine searches for wins by threes under these rules."""
    state = position.state
    return not (state.poof or state.boat or state.renju or state.caro)


def _check(position: Position, tactics: Tactics, thread: SearchThread) -> None:
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
        elif stones == 3 and not _searches_threes(position):
            tactics.unseen += 1
        else:
            tactics.missed.append(text)
        return
    if not claimed:
        tactics.without += 1
        return
    tactics.claims += 1
    in_stones = int(report.candidates[0].reason.rsplit(" ", 1)[1])
    if in_stones <= 3:  # which brute force has excluded
        tactics.false.append(f"{text}: claimed in {in_stones}")
        return
    escaped = is_claim_refuted(position, thread, threes=MAX_QUIET_THREATS)
    if escaped:
        tactics.false.append(f"{text}: some reply escapes")
    elif escaped is not None:  # None: the search found the win itself, move by move
        tactics.replayed += 1
