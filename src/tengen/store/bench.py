"""Benchmark of the store: random games, and timings of lists and position queries.

    python -m tengen.store.bench million.db 1000000

creates the SQLite file if it does not exist, and prints a table. 20,000 random games are imported; the others are
copies of them with different names and dates.
"""

# mypy: disallow-untyped-calls=False

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import func, select, text

from tengen import games
from tengen.core.compiled.kernel import kernel
from tengen.core.compiled.rng import make_rng
from tengen.core.compiled.rules import is_over, play, random_move, score, to_move
from tengen.core.game import Game, Move
from tengen.games.records import Node, Record
from tengen.games.records.results import result_by_margin
from tengen.store.explorer import GAMES_PER_SEGMENT, MAX_UNCACHED_COUNT
from tengen.store.listing import Filter
from tengen.store.rows import board_size
from tengen.store.schema import ORDERS, positions, records
from tengen.store.schema import games as games_table
from tengen.store.store import Store

# Games of the collection, with their options and percentage.
MIX: tuple[tuple[str, dict[str, Any], int], ...] = (
    ("othello", {}, 70),
    ("go", {"size": 9, "komi": 7}, 15),
    ("go", {"size": 19}, 5),
    ("pente", {}, 9),
    ("clobber", {"size": 20}, 1),
)
MOVES = 60  # per game at most, to limit the size of the file
PEOPLE = 20_000
RUNS = 5
IMPORTED_GAMES = 20_000  # further games are copies


@kernel
def random_game(stack: Any, rng: Any, moves: Any, movers: Any) -> Any:
    """Play a random game from stack[0] on stack[1]; returns its length, and its score if it ended."""
    stack[1] = stack[0]
    state = stack[1]
    count = 0
    while count < len(moves) and not is_over(state):
        moves[count] = random_move(state, rng)
        movers[count] = to_move(state)
        play(state, moves[count])
        count += 1
    result = np.int64(score(state)) if is_over(state) else np.int64(0)
    return count, result


def random_records(count: int, seed: int = 1) -> Iterator[Record]:
    """Random games, reproducible by seed."""
    chance = random.Random(seed)
    rng = make_rng(seed=seed)
    kinds = [(_stack(game), game) for name, options, _ in MIX for game in [games.game(name, **options)]]
    weights = [weight for *_, weight in MIX]
    moves, movers = np.empty(MOVES, np.int32), np.empty(MOVES, np.int32)
    for _ in range(count):
        stack, game = chance.choices(kinds, weights)[0]
        length, points = random_game(stack, rng, moves, movers)
        record = Record(game)
        if length:
            line = [Move(move) for move in moves[:length].tolist()]
            record.root.add(Node.chain(line, movers[:length].tolist())[0])
        # A few players have many games.
        record.names = tuple(f"Player {int(PEOPLE * chance.random() ** 3):05}" for _ in range(2))  # type: ignore[assignment]
        record.date = f"{chance.randint(1980, 2024)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
        record.result = result_by_margin(points / 1000) if points else chance.choice(["B+R", "W+R", "0"])
        yield record


def copy_games(store: Store, copies: int) -> None:
    """Multiply the games of a fresh store by `copies`, with other names, dates and results."""
    name = "printf('Player %05d', (number * {step} + :copy * 104729) % {people} * ((number + :copy) % 97) / 97)"
    first, second = (name.format(step=step, people=PEOPLE) for step in (7919, 6007))
    new = {
        "number": "number + :far",
        "id": "lower(hex(randomblob(18)))",
        "digest": "randomblob(16)",
        "first_name": first,
        "second_name": second,
        "first_folded": f"lower({first})",
        "second_folded": f"lower({second})",
        "date": "printf('%d-%02d-%02d', 1980 + (number * 31 + :copy * 17) % 45, 1 + number % 12, 1 + :copy % 28)",
        "score": "score + :copy % 7 - 3",
    }
    shifted = {"number": "number + :far", "segment": f"(number + :far) / {GAMES_PER_SEGMENT}"}
    with store._database.read() as connection:
        last = connection.scalar(select(func.max(games_table.c.number))) or 0
    for copy in range(1, copies):
        with store._database.write() as connection:
            for table, changed in ((games_table, new), (records, shifted), (positions, shifted)):
                names = ", ".join(column.name for column in table.columns)
                values = ", ".join(changed.get(column.name, column.name) for column in table.columns)
                order = "1, 2, 3" if table is positions else "1"
                connection.execute(
                    text(
                        f"INSERT INTO {table.name} ({names}) "
                        f"SELECT {values} FROM {table.name} WHERE number <= :last ORDER BY {order}"
                    ),
                    {"copy": copy, "far": copy * last, "last": last},
                )
    with store._database.read() as connection:
        early = select(positions.c.key).where(positions.c.ply < 8, positions.c.number <= last)
        often = early.group_by(positions.c.key).having(func.count() * copies > MAX_UNCACHED_COUNT)
        keys = list(connection.scalars(often))
    store._cache_position_counts(keys)


def _stack(game: Game) -> Any:
    stack = np.zeros(2, game.record)
    stack[0] = game.start().state
    return stack


def measure(store: Store) -> Iterator[tuple[str, Timing]]:
    """Time lists and position queries; yields (description, time)."""
    filters = {
        "all games": Filter(),
        "one game": Filter(game="othello"),
        "a rare game": Filter(game="clobber"),
        "a name": Filter(name="player 00100"),
        "a common beginning of names": Filter(name="player"),
        "a size": Filter(board="9x9"),
        "draws": Filter(winner="draw"),
        "some years": Filter(since="1990", until="1995"),
        "unfinished": Filter(finished=False),
    }
    for what, which in filters.items():
        times = [
            (_milliseconds(partial(store.list_games, which, order=order, descending=down)), order)
            for order in ORDERS
            for down in (False, True)
        ]
        slowest, order = max(times, key=lambda time: time[0].processor)
        yield f"list, {what}: slowest order ({order})", slowest
    page = store.list_games()
    for _ in range(20):
        assert page.after is not None
        page = store.list_games(after=page.after)
    yield "list, page 21", _milliseconds(lambda: store.list_games(after=page.after))
    yield "count all", _milliseconds(store.count_games)
    yield "load a game", _milliseconds(lambda: store.load(page.games[0].id))
    for name, options, _ in MIX:
        game = games.game(name, **options)
        width, height = board_size(game)
        line = next(store.export_records(Filter(game=name, board=f"{width}x{height}"))).positions()
        for ply in (0, 2, 10, 30):
            if ply < len(line):
                where = f"{name} {width}x{height} after {ply} moves"
                yield f"moves from {where}", _milliseconds(partial(store.explore, line[ply]))
                yield f"games through {where}", _milliseconds(partial(store.games_through, line[ply]))


class Timing(NamedTuple):
    """Median wall-clock and CPU time in milliseconds; the latter does not depend on other load."""

    clock: float
    processor: float


def _milliseconds(action: Callable[[], object]) -> Timing:
    times = []
    for _ in range(RUNS):
        began = time.perf_counter(), time.process_time()
        action()
        times.append((time.perf_counter() - began[0], time.process_time() - began[1]))
    clock, processor = (1000 * sorted(column)[RUNS // 2] for column in zip(*times, strict=True))
    return Timing(clock, processor)


def main(file: str, count: int) -> None:
    there = Path(file).exists()
    with Store.open(file) as store:
        if not there:
            began = time.monotonic()
            last = [began]

            def show(done: object) -> None:
                if time.monotonic() - last[0] > 10:
                    last[0] = time.monotonic()
                    print(f"{done}, {time.monotonic() - began:.0f} s", flush=True)

            print(store.import_records(random_records(min(count, IMPORTED_GAMES)), show), end=" ")
            print(f"in {time.monotonic() - began:.0f} s")
            copy_games(store, count // IMPORTED_GAMES)
            print(f"{store.count_games()} games after {time.monotonic() - began:.0f} s", flush=True)
        for what, took in measure(store):
            print(f"{took.clock:8.1f} ms, {took.processor:8.1f} of the processor  {what}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
