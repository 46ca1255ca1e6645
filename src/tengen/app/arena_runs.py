"""Plays a run of the arena's queue, in a helper process of the server.

The games are played by worker processes of this one, or on a Dask cluster. Results are in the run's checkpoint, so
this process may be killed at any time: when it is started again, the run continues.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from tengen.app.arena_plans import (
    MatchPlan,
    Plan,
    TournamentPlan,
    VariantsPlan,
    plan_from_dict,
    players_of,
    store_tuned_player,
)
from tengen.core.errors import OptionError
from tengen.jobs import CheckpointInUse, available_cores, open_executor
from tengen.jobs.worker import report_progress
from tengen.store.store import Store

PROGRESS_INTERVAL_S = 1.0  # between two messages to the server
LOCK_TIMEOUT_S = 20.0  # for the processes of a server that was killed to end


def play_run(data: Mapping[str, Any], database: str | None, concurrency: int | None, cluster: str) -> str:
    """Play the missing games of a plan; returns the result in one line."""
    plan = plan_from_dict(data)
    report = _reporter()
    until = time.monotonic() + LOCK_TIMEOUT_S
    with Store.open(database) as store:
        while True:
            try:
                return _play(plan, store, concurrency, cluster, report)
            except CheckpointInUse:
                if time.monotonic() > until:
                    raise
                time.sleep(0.5)


def default_concurrency(threads: int) -> int:
    """The number of parallel games: one core is left to people who play."""
    return max(1, (available_cores() - 1) // threads)


def _play(plan: Plan, store: Store, concurrency: int | None, cluster: str, report: Callable[[str], None]) -> str:
    threads = max(player.config.threads for player in players_of(plan, store))
    workers = None if cluster else concurrency or default_concurrency(threads)
    if isinstance(plan, MatchPlan):
        match = plan.create(store)
        score = match.play(
            store, concurrency=workers, cluster=cluster, on_game=lambda score, _game: report(score.line())
        )
        return score.line() if score.verdict is None else score.decision()
    with open_executor(workers, cluster) as executor:
        window = 2 * executor.workers
        if isinstance(plan, VariantsPlan):
            variants = plan.create(store)
            return variants.play(
                store, executor, window=window, on_game=lambda scores: report(scores.line())
            ).decision()
        if isinstance(plan, TournamentPlan):
            tournament = plan.create(store)
            return tournament.play(
                store, executor, window=window, on_game=lambda standings: report(standings.progress())
            ).progress()
        progress = plan.create(store).run(executor, window=window, on_game=report)
    stored = store_tuned_player(store, progress, plan.name)
    if stored is None:
        return "no better settings were found"
    return f"{stored.name}: stored as a player after {progress.games} games"


def check_concurrency(concurrency: int | None) -> None:
    if concurrency is not None and not 1 <= concurrency <= available_cores():
        raise OptionError(f"at most {available_cores()} games at a time on this machine, not {concurrency}")


def _reporter() -> Callable[[str], None]:
    """A function that reports progress to the server, but not too often."""
    sent_at = 0.0

    def report(text: str) -> None:
        nonlocal sent_at
        if time.monotonic() - sent_at >= PROGRESS_INTERVAL_S:
            sent_at = time.monotonic()
            report_progress(text)

    return report
