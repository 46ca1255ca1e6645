"""Processes that store games, to be killed or to run concurrently.

A launcher imports everything once and forks a writer for each request, so that hundreds of kills are affordable. A
writer logs what the store has acknowledged to a file, a line each, which survives a kill.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import Any

MOVES = 12  # of each game that a writer plays
IMPORTED = 15  # games at once


class Launcher:
    """Starts writers."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._ask("warm")

    def _ask(self, *words: object) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(words) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def start(self, task: str, url: str, seed: int, log: Path) -> int:
        """Fork a writer; returns its process id."""
        return int(self._ask("start", task, url, seed, str(log)))

    def wait(self, pid: int) -> int:
        """Wait for a writer; returns 0 for success, minus the signal if it was killed."""
        return int(self._ask("wait", pid))

    def kill(self, pid: int) -> int:
        os.kill(pid, signal.SIGKILL)
        return self.wait(pid)

    def close(self) -> None:
        self._process.communicate(timeout=240)


def acknowledged(log: Path) -> list[dict[str, Any]]:
    """Everything that was acknowledged to writers. A kill may cut off the last line."""
    lines = log.read_text().split("\n")[:-1] if log.exists() else []
    return [json.loads(line) for line in lines]


# ---- in the writers' processes


def collection(seed: int, count: int) -> list[Any]:
    """Small games to import, all different."""
    import tengen
    from tengen.games.records import Record

    rng = random.Random(seed)
    records = []
    for number in range(count):
        position = tengen.game("othello").start()
        for _ in range(rng.randint(4, 9)):
            position = position.play(rng.choice(position.legal_moves))
        records.append(
            Record.of(position, names=(f"A{seed}", f"B{number}"), result=rng.choice(["B+2", "W+4", "0"]))
        )
    return records


def _play(store: Any, rng: random.Random, say: Any, games: int) -> None:
    """Play games, saving after every move, and rate them at the end."""
    import tengen
    from tengen.games.records import Record
    from tengen.players.player import Person
    from tengen.store.game_entry import GameEntry

    people = [Person(f"P{i}", id=f"00000000-0000-4000-8000-00000000000{i}") for i in range(4)]
    for _ in range(games):
        first, second = rng.sample(people, 2)
        position = tengen.game("clobber", size=18).start()
        entry = GameEntry(Record.of(position), players=(first, second), rated=True)
        for _ in range(MOVES):
            position = position.play(rng.choice(position.legal_moves))
            entry.record.follow(position.moves)
            entry.state = {"moves": position.ply}
            if position.ply == MOVES or position.is_over:
                entry.end, entry.record.result = "resignation", rng.choice(["B+R", "W+R"])
            store.save(entry)
            say(id=entry.id, revision=entry.revision, moves=list(position.moves), end=entry.end)
            if entry.end:
                break
        if rng.random() < 0.3:
            store.delete(entry.id)
            say(id=entry.id, deleted=True)


def _import(store: Any, rng: random.Random, say: Any, batches: int) -> None:
    for _ in range(batches):
        seed = rng.randrange(10**9)
        done = store.import_records(collection(seed, IMPORTED))
        say(imported=seed, added=done.added, duplicates=done.duplicates)


def _analyse(store: Any, rng: random.Random, say: Any) -> None:
    from tengen.search.report import Candidate, Report, Value

    for game in store.list_games(limit=3).games:
        value = Value.heuristic(0.5, "win rate")
        report = Report("uct", "f5", value, (Candidate("f5", value),), rng.randrange(10**6), 1.0)
        store.save_report(game.id, ["f5"], "uct", report)
        say(reported=game.id, nodes=report.nodes)


def _work(task: str, url: str, seed: int, log: str) -> None:
    from tengen.store.store import Store

    rng = random.Random(seed)
    with open(log, "ab", buffering=0) as file, Store.open(url) as store:

        def say(**facts: object) -> None:
            file.write(json.dumps(facts).encode() + b"\n")

        say(opened=True)
        if task == "open":
            return
        if task == "play":
            _play(store, rng, say, 8)
        elif task == "import":
            _import(store, rng, say, 12)
        else:
            while True:
                _play(store, rng, say, 1)
                _import(store, rng, say, 1)
                _analyse(store, rng, say)


def _fork(words: list[Any]) -> int:
    child = os.fork()
    if child == 0:
        status = 1
        try:
            _work(*words)
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    return child


def _serve() -> None:
    from tengen.store import store
    from tengen.store.position_keys import indexed_positions

    for line in sys.stdin:
        order, *words = json.loads(line)
        answer = 0
        if order == "warm":
            with store.Store.in_memory() as memory:
                for record in collection(1, 2):
                    indexed_positions(record)
                    memory.import_records([record])
                _play(memory, random.Random(1), lambda **facts: None, 1)
        elif order == "start":
            answer = _fork(words)
        else:
            answer = os.waitstatus_to_exitcode(os.waitpid(words[0], 0)[1])
        print(json.dumps(answer), flush=True)


# ---- invariants


def check(url: str, log: Path) -> dict[str, int]:
    """Check that everything acknowledged is stored and that nothing is incomplete; returns the counts."""
    from sqlalchemy import func, select, text

    from tengen.store.explorer import segment_of
    from tengen.store.game_entry import GameEntry
    from tengen.store.position_keys import indexed_positions
    from tengen.store.record_codec import unpack_record
    from tengen.store.rows import game_row, main_line_moves
    from tengen.store.schema import games, positions, rating_changes, ratings, records
    from tengen.store.store import Store

    with Store.open(url) as store:
        database = store._database
        with database.read() as connection:
            if database.is_sqlite:
                assert connection.scalar(text("PRAGMA integrity_check")) == "ok"
                assert connection.execute(text("PRAGMA foreign_key_check")).all() == []
            rows = {row.id: row for row in connection.execute(select(games))}
            packed = {row.number: row.packed for row in connection.execute(select(records))}
            stops: dict[int, dict[int, tuple[int, ...]]] = {}
            for place, key, number, *stop in connection.execute(select(positions)):
                assert place == segment_of(number)
                stops.setdefault(number, {})[key] = tuple(stop)
            changes = connection.execute(select(rating_changes)).all()
            tallies = connection.scalar(select(func.sum(ratings.c.wins + ratings.c.draws + ratings.c.losses)))
        assert set(packed) == {row.number for row in rows.values()}
        for row in rows.values():
            record = unpack_record(packed[row.number])
            assert row.moves == len(main_line_moves(record))
            entry = GameEntry(record, end="imported") if row.imported else store.load(row.id)
            assert entry.record == record
            fresh = game_row(entry, row.imported)
            for column in ("digest", "score", "result", "moves", "finished", "first_name", "date"):
                assert fresh[column] == getattr(row, column)
            expected = {} if row.deleted else {key: tuple(stop) for key, stop in indexed_positions(record).items()}
            assert stops.pop(row.number, {}) == expected
            if not row.imported:
                assert entry.state == {"moves": row.moves}
        assert stops == {}, "positions of games that are not there"
        rated = {row.id for row in rows.values() if row.finished and not row.imported}
        assert sorted(change.game_id for change in changes) == sorted([*rated, *rated])
        assert (tallies or 0) == len(changes)
        _check_acknowledged(store, rows, acknowledged(log))
        return {"games": len(rows), "moves": sum(row.moves for row in rows.values())}


def _check_acknowledged(store: Any, rows: dict[str, Any], facts: list[dict[str, Any]]) -> None:
    from tengen.store.rows import digest_of, main_line_moves

    digests = {row.digest for row in rows.values() if row.imported}
    assert len(digests) == sum(row.imported for row in rows.values()), "a game was imported twice"
    for fact in facts:
        if "revision" in fact:
            row = rows[fact["id"]]
            assert row.revision >= fact["revision"]
            assert main_line_moves(store.load(row.id).record)[: len(fact["moves"])] == fact["moves"]
            assert row.finished or not fact["end"]
        elif "deleted" in fact:
            assert rows[fact["id"]].deleted
        elif "imported" in fact:
            for record in collection(fact["imported"], IMPORTED):
                assert digest_of(record, main_line_moves(record), record.names, record.date) in digests
        elif "reported" in fact:
            (kept,) = store.reports(fact["reported"], ["f5"])
            assert kept.report.nodes >= fact["nodes"]


def kill_at_random(
    launcher: Launcher, rng: random.Random, url: str, log: Path, longest: float = 0.4
) -> tuple[bool, dict[str, int]]:
    """Kill a writer at a random moment and check the store; returns whether it was killed while it worked."""
    before = len(acknowledged(log))
    pid = launcher.start("everything", url, rng.randrange(1 << 30), log)
    if rng.random() < 0.7:  # while it works; otherwise at any time after its start
        while len(acknowledged(log)) <= before + 1:
            time.sleep(0.002)
    time.sleep(rng.uniform(0.0, longest))
    assert launcher.kill(pid) == -signal.SIGKILL
    if url.startswith("postgresql"):
        _wait_for_server(url)
    return len(acknowledged(log)) > before + 1, check(url, log)


def _wait_for_server(url: str) -> None:
    """Wait until the server has noticed that its client is gone: until then it may still commit."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        while connection.execute(
            "SELECT 1 FROM pg_stat_activity"
            " WHERE application_name = current_setting('application_name') AND pid <> pg_backend_pid()"
        ).fetchall():
            time.sleep(0.01)


if __name__ == "__main__":
    _serve()
