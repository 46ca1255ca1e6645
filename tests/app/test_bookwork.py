"""Long work on books: a growth that is killed goes on where it was, and a game that is learned is in the book."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest

import tengen
from tengen.app.book_jobs import Growth, growth_request, inspect_books, learn
from tengen.app.book_manager import BookManager
from tengen.books import ConsistencyLevel, ValuedBook, check, evaluate_book, installed
from tengen.books.book_file import read_book, write_book
from tengen.books.operations import deviate
from tengen.core.errors import OptionError
from tengen.engines.book_evaluator import BookEvaluator
from tengen.games.records import Record
from tengen.play.match import Match
from tengen.runtime.host import EngineHost
from tengen.store.game_entry import GameEntry
from tengen.store.store import Store
from tengen.web.game_sessions import GameSessions
from tengen.web.visitor_cache import Seats, VisitorCache
from tests.helpers.book_stub import play_out

SMALL = tengen.game("othello", size=4)
SIX = tengen.game("othello", size=6)
DEPTH = 4


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TENGEN_DATA", str(tmp_path))
    (tmp_path / "books").mkdir()
    return tmp_path


def small_book() -> ValuedBook:
    """The first moves of a game on 6x6, valued, far from where positions are solved."""
    rng = Random(4)
    book = ValuedBook(SIX, horizon=12)
    book.add(play_out(SIX, [rng.randrange(20) for _ in range(5)]))
    evaluate_book(book, BookEvaluator.for_game(SIX, book.value_unit, depth=DEPTH))
    return book


def test_a_growth_goes_on_with_the_next_server_and_comes_to_what_it_would_have_come_to() -> None:
    book = small_book()
    plan = Growth("othello", SIX.options(), loss=4, most=6, depth=DEPTH)
    write_book(book, plan.book)
    before = plan.book.read_bytes()
    deviate(book, 4, most=6)
    evaluate_book(book, BookEvaluator.for_game(SIX, book.value_unit, depth=DEPTH))

    async def keep_books(sessions: GameSessions) -> None:
        keeper = sessions.book_manager
        with pytest.raises(OptionError, match="no book of pente"):
            await keeper.grow(Growth("pente"))
        await keeper.grow(plan)
        with pytest.raises(OptionError, match="already"):
            await keeper.grow(plan)
        match = Match.open(GameEntry(Record.of(play_out(SIX, [1] * 8)[-1])))
        work = keeper.learn(match)
        assert keeper.learn(match) is work, "once is enough"
        while not plan.checkpoint.exists() or plan.checkpoint.stat().st_size < 200:
            await asyncio.sleep(0.01)  # until something was found
        assert work.state == "waiting", "a round is not disturbed"
        await keeper.close()  # kills
        assert plan.book.read_bytes() == before, "the old book, whole"

        second = BookManager(ThreadPoolExecutor(1))
        await second.restore()
        assert second.is_growing, "by itself"
        await second.stop()
        await second.close()

        third = BookManager(ThreadPoolExecutor(1))
        await third.restore()
        assert third.growing is not None
        assert third.growing.state == "stopped", "it waits"
        growing, resumed = await third.resume(), 0

        def hear() -> None:
            nonlocal resumed
            resumed = max(resumed, growing.progress.resumed if growing.progress else 0)
            if growing.is_over:
                ended.set()

        ended = asyncio.Event()
        third.watch(hear)
        await asyncio.wait_for(ended.wait(), 300)
        assert growing.state == "done", growing.note
        assert resumed > 0, "what was found before was not searched again"

    with Store.in_memory() as store, EngineHost(1) as host:
        asyncio.run(keep_books(GameSessions(store, host, VisitorCache(None))))
    assert list(Growth.saved()) == []
    grown = plan.book.read_bytes()
    write_book(book, plan.book)
    assert plan.book.read_bytes() == grown


def test_a_process_ends_when_nobody_waits_for_it() -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-m", "tengen.app.book_jobs"], stdin=pipe, stdout=pipe) as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps(growth_request(Growth("othello"))).encode() + b"\n")
        process.stdin.close()
        process.wait(60)


def test_a_first_game_begins_a_book_and_books_are_looked_through(data: Path) -> None:
    position = play_out(SMALL, [2] * 12)[-1]
    steps: list[int] = []
    done = learn(SMALL, position.write_moves(position.moves), DEPTH, lambda now: steps.append(now.done))
    book = read_book(installed.valued_path(SMALL))
    assert check(book).level is ConsistencyLevel.NEGAMAXED
    assert len(book) == done["positions"]
    known = [book.lookup(place) is not None for place in position.line()]
    assert known == [place.ply <= book.horizon for place in position.line()]
    assert steps == sorted(steps)
    assert steps[-1] > 1
    (data / "books" / "broken.book").write_bytes(b"nothing")
    whole, broken = sorted(inspect_books(), key=lambda one: one.error)
    assert (whole.game, whole.level, whole.positions) == ("othello", "negamaxed", len(book))
    assert sum(sum(row[1:]) for row in whole.stages) == len(book)
    assert "not a book" in broken.error


@pytest.mark.parametrize(
    ("name", "number"), [("loss", -1), ("rounds", 0), ("depth", 99), ("most", 0), ("last", 0)]
)
def test_a_plan_that_makes_no_sense_is_refused(name: str, number: int) -> None:
    with pytest.raises(OptionError, match=name):
        Growth("othello", {}, **{name: number})  # type: ignore[arg-type]


def test_who_came_by_a_link_is_a_guest_and_so_is_the_key_of_the_seat() -> None:
    memory = VisitorCache()
    alone, with_guest = Seats("ann"), Seats("ann", open=(False, True))
    alone.sit(0, "ann")
    with_guest.sit(0, "ann")
    assert with_guest.is_guest(with_guest.keys[1]), "before it is used"
    with_guest.sit(1, "bea")
    memory.add_guests(with_guest.guests())
    assert memory.is_guest("bea")
    assert with_guest.is_guest(with_guest.keys[1])
    assert not any(memory.is_guest(who) for who in ("ann", "eve"))
    assert not any(alone.is_guest(who) for who in ("ann", "bea", *alone.keys))
    assert not with_guest.is_guest(with_guest.keys[0])
