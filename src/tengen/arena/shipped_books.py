"""Generates the opening books that ship with the package from self-play: the same bytes for the same seed and
version.

Checkpoints lie next to the output file until it is complete, so an interrupted run can be resumed.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import tengen
from tengen import games
from tengen.arena.selfplay import BATCH_GAMES, OTHELLO, PENTE, SelfPlayed, SelfPlayStyle, game_tasks
from tengen.books.book import ValuedBook
from tengen.books.book_file import SUFFIX, write_book
from tengen.books.consistency import ConsistencyLevel, check
from tengen.books.errors import BookError
from tengen.books.evaluation import evaluate_book
from tengen.books.installed import GAMES_SUFFIX
from tengen.books.operations import deviate, fill
from tengen.books.summary import summarise
from tengen.core.game import Move
from tengen.engines.book_evaluator import BookEvaluator
from tengen.games import records
from tengen.games.records import Record, save
from tengen.jobs import Checkpoint, Progress, run
from tengen.play.match_result import MatchResult
from tengen.store.glicko import Skill, update_skill

GAMES = {"othello": 1000, "pente": 400, "go": 6000}
DEPTH = 10  # plies, for the values of the Othello book
GROWTH_FREE_PLIES = 4  # a larger book grows from all openings of this length, as matches start from them ...
GROWTH_MAX_LOSS = 4  # ... along lines that cost both sides together at most this many discs
GROWTH_BRANCHES = 2000  # new branches per round

Bar = Callable[[str], AbstractContextManager[Callable[[Progress], None]]]


def make_othello(
    folder: Path,
    *,
    seed: int,
    count: int,
    depth: int,
    executor: Executor,
    bar: Bar,
    positions: int | None = None,
) -> Path:
    """Write a valued book of self-play games, grown to `positions` if given; negamaxed and verified.

    Returns its path. An interrupted run repeats the same growth and finds its searches in the checkpoint.
    """
    output = folder / f"othello{SUFFIX}"
    game = games.game("othello")
    book = ValuedBook(game)
    for played in _play(OTHELLO, output, seed, count, executor, bar):
        book.add(game.start().play_all([Move(move) for move in played.moves]).line())
    valuer = BookEvaluator.for_game(game, book.value_unit, depth=depth)
    checkpoint = Checkpoint(
        checkpoint_path(output, "values"), f"{valuer.name}, {OTHELLO.name}, seed {seed}, {count} games"
    )

    def evaluate() -> None:
        with bar("Positions searched") as show:
            evaluate_book(book, valuer, executor=executor, checkpoint=checkpoint, on_progress=show)

    evaluate()
    while positions is not None and len(book) < positions:
        if not fill(book, GROWTH_FREE_PLIES) and not deviate(
            book, GROWTH_MAX_LOSS, most=GROWTH_BRANCHES, free_plies=GROWTH_FREE_PLIES
        ):
            break
        evaluate()
    proved = check(book)
    if proved.level is not ConsistencyLevel.NEGAMAXED:
        raise BookError(f"the generated book is only {proved.level.name.lower()}: {proved.reason}")
    stats = summarise(book)
    write_book(book, output)
    found = {
        "depth": depth,
        "level": proved.level.name.lower(),
        "positions": stats.positions,
        "branches": stats.branches,
        "leaves": stats.leaves,
        "solved": stats.solved,
    }
    growth = "" if positions is None else f" --positions {positions}"
    write_provenance(output, seed, count, f" --depth {depth}{growth}", found)
    return output


def make_pente(folder: Path, *, seed: int, count: int, executor: Executor, bar: Bar) -> Path:
    """Write packed self-play games for a statistics book, with the ratings of their players.

    Returns their path.
    """
    output = folder / f"pente{GAMES_SUFFIX}"
    played = list(_play(PENTE, output, seed, count, executor, bar))
    save(output, gzip.compress(records.serialise(records_of(PENTE, played), "pente.org").data, 9, mtime=0))
    write_provenance(output, seed, count, "", {})
    return output


def _play(
    style: SelfPlayStyle, output: Path, seed: int, count: int, executor: Executor, bar: Bar
) -> Iterable[SelfPlayed]:
    """All games in order."""
    fingerprint = f"tengen {tengen.__version__}: {style.name}, seed {seed}"
    tasks = game_tasks(style, seed, count)
    checkpoint = Checkpoint(checkpoint_path(output, "games"), fingerprint)
    with bar("Games played") as show:
        found = {
            result.id: result.value
            for result in run(
                tasks,
                executor=executor,
                checkpoint=checkpoint,
                on_progress=lambda some: show(_in_games(some, count)),
            )
        }
    return (played for task in tasks for played in found[task.id])


def _in_games(progress: Progress, count: int) -> Progress:
    """Progress in games instead of batches of games."""
    done, resumed = (min(count, BATCH_GAMES * number) for number in (progress.done, progress.resumed))
    rate = None if progress.rate is None else BATCH_GAMES * progress.rate
    return Progress(count, done, resumed, BATCH_GAMES * progress.failed, rate)


def records_of(style: SelfPlayStyle, played: list[SelfPlayed]) -> list[Record]:
    """The games as records, with the final ratings of their players."""
    skills = [Skill() for _ in style.players]
    ends = []
    for one in played:
        game = style.rules(one.batch)
        position = game.start().play_all([Move(move) for move in one.moves])
        outcome = position.outcome
        end = MatchResult.draw("unfinished") if outcome is None else MatchResult.from_outcome(game, outcome)
        ends.append((one, position, end))
        first, second = one.players
        if first != second:
            points = 0.5 if end.winner is None else 1.0 - end.winner
            before = skills[first], skills[second]
            skills[first] = update_skill(before[0], [(before[1], points)], days=0)
            skills[second] = update_skill(before[1], [(before[0], 1 - points)], days=0)
    names = [f"{style.engine} {depths[0]}" for depths in style.players]
    return [
        Record.of(
            position,
            names=(names[one.players[0]], names[one.players[1]]),
            ratings=(f"{skills[one.players[0]].rating:.0f}", f"{skills[one.players[1]].rating:.0f}"),
            result=end.code,
        )
        for one, position, end in ends
    ]


def checkpoint_path(output: Path, what: str) -> Path:
    return output.with_name(f"{output.stem}-{what}.jobs")


def write_provenance(output: Path, seed: int, count: int, options: str, found: dict[str, Any]) -> None:
    """Write how a book was made next to it, and delete the checkpoints."""
    game = output.stem
    facts = {
        "command": f"tengen book make {game} --seed {seed} --games {count}{options}",
        "version": tengen.__version__,
        "date": datetime.now(UTC).date().isoformat(),
        "seed": seed,
        "games": count,
        "bytes": output.stat().st_size,
        **found,
    }
    save(output.with_suffix(".json"), (json.dumps(facts, indent=2) + "\n").encode())
    for what in ("games", "values"):
        checkpoint_path(output, what).unlink(missing_ok=True)
