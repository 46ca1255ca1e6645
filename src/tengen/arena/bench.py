"""Kernel benchmarks: rates, and ratios to a reference loop that is timed in the same run.

Each figure is the best of several short rounds by CPU time, with the reference loop timed in between, because
machines are noisy. Compare ratios, not rates.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from rich.table import Table

from tengen import games
from tengen.arena import go_reading_bench
from tengen.core.compiled.rng import make_rng
from tengen.core.errors import OptionError
from tengen.core.game import Game
from tengen.core.position import Position
from tengen.engines.go.mcts.playouts import Playouts
from tengen.engines.registry import create
from tengen.environments import GameBatch
from tengen.games.go import Go
from tengen.search.kernels.playout import random_games
from tengen.search.kernels.reference import reference_loop
from tengen.search.limits import Limits
from tengen.search.perft import perft

ROUNDS = 5
ENVIRONMENTS = 1024  # games that are stepped in one call
SIMULATIONS = 50_000  # per search, or as many as fit into a round
_REFERENCE_STEPS = 2_000_000


@dataclass(frozen=True)
class Measurement:
    """A measured rate. `rate` is per second, `ratio` per million steps of the reference loop."""

    rate: float
    ratio: float
    note: str = ""


PENTE_MIDGAME = "K10 L11 M9 L9 K12 L12 L10 K11 N8 J10 L13 M10 O7 P6 J11"
"""A self-play game of the Pente engine, still undecided."""


@dataclass(frozen=True)
class BenchGame:
    """A game to measure, with its label and options."""

    label: str
    game: Game


def bench_games(only: str = "") -> list[BenchGame]:
    """The games to measure, or only the one named."""
    if only and only not in games.names():
        raise OptionError(f"there is no game {only!r}; there are: {', '.join(games.names())}")
    chosen = [
        BenchGame("othello", games.game("othello")),
        BenchGame("go 9x9", games.game("go", size=9)),
        BenchGame("go 19x19", games.game("go", size=19)),
        BenchGame("clobber 1x20", games.game("clobber", size=20)),
        BenchGame("pente 19x19", games.game("pente")),
    ]
    return [subject for subject in chosen if only in ("", subject.game.name)]


def run(*, seconds: float, only: str, against: str, on_step: Callable[[str], None]) -> Table:
    """Run all benchmarks and return the table to print."""
    rival = None
    if against:
        from tengen.arena import open_spiel

        rival = open_spiel.OpenSpielBench()
    table = Table("game", "what", "a second", "per M reference steps", title="Higher is faster; one thread")
    if rival:
        table.add_column(f"{against} a second", justify="right")
        table.add_column("ratio", justify="right")
    for column in table.columns[2:4]:
        column.justify = "right"
    for subject in bench_games(only):
        for what, measure in _measures(subject.game, seconds):
            on_step(f"{subject.label}: {what}")
            figure = timed(measure, seconds)
            row = [subject.label, what + figure.note, f"{figure.rate:,.0f}", f"{figure.ratio:,.1f}"]
            if rival:
                other = rival.rate(subject.label, what, seconds, SIMULATIONS)
                row += [f"{other:,.0f}", f"{figure.rate / other:,.1f}"] if other else ["", ""]
            table.add_row(*row)
        table.add_section()
    return table


def timed(measure: Callable[[], tuple[int, str]], seconds: float) -> Measurement:
    """The best of several rounds. `measure` does some work and returns its amount and a note."""
    measure()  # compiles
    reference_loop(1)
    best = 0.0
    fastest = 0.0
    note = ""
    for _ in range(ROUNDS):
        started = time.thread_time()
        reference_loop(_REFERENCE_STEPS)
        fastest = max(fastest, _REFERENCE_STEPS / (time.thread_time() - started))
        done = 0
        started = time.thread_time()
        while time.thread_time() - started < seconds / ROUNDS:
            count, note = measure()
            done += count
        best = max(best, done / (time.thread_time() - started))
    return Measurement(best, best / fastest * 1e6, note)


def _measures(game: Game, seconds: float) -> Iterator[tuple[str, Callable[[], tuple[int, str]]]]:
    start = game.start()
    stop = np.zeros(1, np.int64)
    rng = make_rng(1)
    stack = np.zeros(2, game.record)
    stack[0] = start.state
    batch = max(1, 20_000 // game.max_playout_length)
    # Games of uniformly random moves end where OpenSpiel ends those of Go: after twice the points of the board.
    longest = 2 * (game.max_legal_moves - 1) if game.can_repeat else game.max_playout_length

    def moves() -> tuple[int, str]:
        return int(random_games(stack, batch, longest, True, rng, stop)[0]), ""

    lengths: list[float] = []

    def playout() -> tuple[int, str]:
        lengths.append(random_games(stack, batch, game.max_playout_length, False, rng, stop)[0] / batch)
        mean, error = float(np.mean(lengths)), float(np.std(lengths) / np.sqrt(len(lengths)))
        return batch, f" (mean length {mean:.1f} ± {error:.2f})"

    def lines() -> tuple[int, str]:
        depth = {"othello": 7, "go": 2, "clobber": 4, "pente": 3}.get(game.name, 3)
        return perft(start, depth), ""

    environments: list[GameBatch] = []

    def steps() -> tuple[int, str]:
        if not environments:
            environments.append(GameBatch(game, ENVIRONMENTS))
        environments[0].step(environments[0].random_actions())
        return ENVIRONMENTS, ""

    limits = Limits(nodes=SIMULATIONS, seconds=seconds / ROUNDS)

    def simulations() -> tuple[int, str]:
        return create("uct").search(start, limits).nodes, ""

    def nodes() -> tuple[int, str]:
        return create("alphabeta", table=16).search(start, Limits(nodes=20_000)).nodes, ""

    if isinstance(game, Go):
        for what, heavy in (("light playouts", False), ("heavy playouts", True)):
            yield what, _go_playouts(start, heavy)
        yield "go simulations", lambda: (create("go").search(start, limits).nodes, "")
        if game.width == 19:
            yield "full-board ladders", go_reading_bench.ladder()
            yield "status updates", go_reading_bench.status_updates()
    if game.name == "pente":
        midgame = start.play_all(PENTE_MIDGAME.split())
        yield "pente nodes", lambda: (create("pente", table=16).search(midgame, Limits(nodes=200_000)).nodes, "")
    yield "random moves", moves
    yield "playouts", playout
    yield "environment steps", steps
    yield "perft lines", lines
    yield "uct simulations", simulations
    yield "alphabeta nodes", nodes


def _go_playouts(start: Position, heavy: bool) -> Callable[[], tuple[int, str]]:
    """Playouts of the Go engine, which has its own board representation."""
    games = Playouts(start, heavy=heavy, owners=False)
    batch = max(1, 20_000 // start.game.max_playout_length)

    def measure() -> tuple[int, str]:
        games.run(batch)
        return batch, f" (mean length {games.moves / games.games:.1f})"

    return measure
