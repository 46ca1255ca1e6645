"""No answer to a deck's question is lost by a kill or by two writers, and cards always follow from the answers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from tengen.app.puzzle_files import shipped_puzzles
from tengen.store.scheduling import schedule
from tengen.store.store import Store

KILLS = int(os.environ.get("TENGEN_SOAK_KILLS", "10"))
_WRITER = """
import sys
from tengen.app.puzzle_files import shipped_puzzles
from tengen.store.store import Store
with Store.open(sys.argv[1]) as store:
    stock = [store.replace_puzzle(one) for one in shipped_puzzles("clobber-win")[:5]]
    print("ready", flush=True)
    for number in range(10**6):
        one = stock[number % 5]
        store.answer_puzzle(one.id, "ann", one.right[0] if number % 3 else "")
        print("stored", flush=True)
"""


def check(store: Store, least: int) -> None:
    """Every acknowledged answer is stored, and each card is what its answers make of it."""
    histories = store.histories("ann")
    assert sum(len(one.answers) for one in histories) >= least
    far = datetime.now(UTC) + timedelta(days=40_000)
    dues = sorted(schedule(one.answers).due for one in histories)
    assert store.due_times("ann", far) == dues


def test_kills_lose_no_answer(tmp_path: Path) -> None:
    file, random, stored = tmp_path / "deck.db", Random(), 0
    for _ in range(KILLS):
        writer = subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(file)], stdout=subprocess.PIPE, text=True, bufsize=1
        )
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        for _ in range(random.randint(1, 20)):
            stored += writer.stdout.readline() == "stored\n"
        writer.send_signal(signal.SIGKILL)
        stored += writer.stdout.read().count("stored\n")
        writer.wait()
        writer.stdout.close()
        with Store.open(str(file)) as store:
            check(store, stored)
    print(f"{stored} acknowledged answers, none lost")


def test_two_programs_that_answer_at_once(tmp_path: Path) -> None:
    file, count = str(tmp_path / "deck.db"), 40
    with Store.open(file) as one, Store.open(file) as two:
        puzzle = one.replace_puzzle(shipped_puzzles("clobber-win")[0])

        def answer(store: Store) -> None:
            for number in range(count):
                store.answer_puzzle(puzzle.id, "ann", puzzle.right[0] if number % 2 else "")

        writers = [threading.Thread(target=answer, args=(store,)) for store in (one, two)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        check(one, 2 * count)
        assert one.count_cards("ann", datetime.now(UTC)).total == 1
