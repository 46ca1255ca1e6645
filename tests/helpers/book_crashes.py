"""Books that are changed by processes which are killed: on the disk is the old one or the new one, and the same
call goes on. Started alone, because it forks: `python -m tests.helpers.book_crashes FOLDER KILLS SECONDS SEED`.
"""

import json
import os
import random
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import tengen
from tengen.books import ConsistencyLevel, ValuedBook, add_and_evaluate, check, evaluate_book
from tengen.books.book_file import dump, read_book, write_book
from tengen.books.evaluation import evaluate_and_write
from tengen.books.live_statistics import LiveBook, count
from tengen.books.operations import deviate
from tengen.books.statistics_file import read_statistics
from tengen.games.records import Record
from tests.helpers.book_stub import Stub, batches_of, play_out

OTHELLO = tengen.game("othello")
GAMES = 40


class Slow(Stub):
    """Takes as long per position as a real engine, relative to the other work."""

    def solve(self, position, known):
        time.sleep(0.001)
        return super().solve(position, known)

    def best(self, position, moves, known):
        time.sleep(0.001)
        return super().best(position, moves, known)


def lines(rng, number):
    return [play_out(OTHELLO, [rng.randrange(20) for _ in range(60)]) for _ in range(number)]


def book_of(some):
    book = ValuedBook(OTHELLO)
    for line in some:
        book.add(line)
    return book


class Valued:
    """A change of a valued book: `kind` is value, grow or learn."""

    def __init__(self, folder, kind, rng):
        self.path = folder / "victim.book"
        self.kind = kind
        self.more = lines(rng, 1)[0]
        book = book_of(lines(rng, 4))
        if kind != "value":
            evaluate_book(book, Stub())
        write_book(book, self.path)
        self.old = dump(book)
        book = read_book(self.path)  # leaves are chosen in the order of the file
        self._change(book)
        evaluate_book(book, Stub())
        self.new = dump(book)
        self.path.with_suffix(".jobs").unlink(missing_ok=True)

    def _change(self, book):
        if self.kind == "grow":
            deviate(book, 8, most=30)
        elif self.kind == "learn":
            book.add(self.more)

    def work(self):
        """The work of the process that is killed and restarted."""
        book = read_book(self.path)
        if check(book).level is ConsistencyLevel.NEGAMAXED and self.kind == "value":
            return  # it was finished before the kill
        if self.kind == "learn":
            add_and_evaluate(book, self.more, Slow())
            write_book(book, self.path)
            return
        self._change(book)
        with ThreadPoolExecutor(1) as executor:
            evaluate_and_write(self.path, book, Slow(), executor=executor)

    def check(self):
        """Check that the file is the old or the new book; returns whether it is the new one."""
        found = self.path.read_bytes()
        assert found in (self.old, self.new), f"{self.kind}: neither the old book nor the new one"
        assert dump(read_book(self.path)) == found
        return found == self.new


class Counted:
    """A statistics book that is filled from a list of games."""

    kind = "live"

    def __init__(self, folder, kind, rng):
        self.path = folder / "victim.stats"
        self.path.unlink(missing_ok=True)
        self.records = [Record.of(line[12], result="B+2") for line in lines(rng, GAMES)]

    def work(self):
        live = LiveBook("othello", self.path)
        live.feed("source", batches_of("othello", lambda: self.records, batch=2))
        live.wait()
        live.close()

    def check(self):
        if not self.path.exists():
            return False
        book = read_statistics(self.path)
        done = book.progress["source"]
        assert book.sections == count("othello", self.records[:done]).sections, "a game was lost or counted twice"
        return done == GAMES


KINDS = {"value": Valued, "grow": Valued, "learn": Valued, "live": Counted}


def attempt(victim, delay):
    """Fork a child that works and kill it after `delay`; returns whether it was still working."""
    child = os.fork()
    if not child:
        try:
            victim.work()
            os._exit(0)
        except BaseException as error:
            print(repr(error), file=sys.stderr, flush=True)
            os._exit(1)
    until = time.monotonic() + delay
    while time.monotonic() < until:
        ended, how = os.waitpid(child, os.WNOHANG)
        if ended:
            assert how == 0, "the child failed without a kill"
            return False
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return True


def main(folder, kills, seconds, seed):
    rng = random.Random(seed)
    began = time.monotonic()
    told = {"kills": 0, "within": 0, "changed": 0, "seed": seed}
    kinds = list(KINDS)
    number = 0
    while told["kills"] < kills and time.monotonic() - began < seconds:
        kind = kinds[number % len(kinds)]
        number += 1
        started = time.monotonic()
        attempt(KINDS[kind](folder, kind, random.Random(seed)), 60)  # the time it takes without a kill
        length = time.monotonic() - started
        victim = KINDS[kind](folder, kind, rng)
        for _ in range(5):
            told["kills"] += 1
            told["within"] += attempt(victim, rng.random() * length)
            if victim.check():
                break
        if not victim.check():
            victim.work()
            assert victim.check(), f"{kind}: restarted, it did not finish"
            assert not victim.path.with_suffix(".jobs").exists()
        told["changed"] += 1
    told["seconds"] = round(time.monotonic() - began)
    print(json.dumps(told))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]))
