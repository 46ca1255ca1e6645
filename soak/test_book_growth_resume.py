"""A growth that is killed and stopped resumes in the next server and gives the same book.

In soak/ because it kills a process in the middle of a round: on a fast or idle machine the round can end first.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest
from tests.helpers.book_stub import play_out

import tengen
from tengen.app.book_jobs import Growth
from tengen.app.book_manager import BookManager
from tengen.books import ValuedBook, evaluate_book
from tengen.books.book_file import write_book
from tengen.books.operations import deviate
from tengen.core.errors import OptionError
from tengen.engines.book_evaluator import BookEvaluator
from tengen.games.records import Record
from tengen.play.match import Match
from tengen.runtime.host import EngineHost
from tengen.store.game_entry import GameEntry
from tengen.store.store import Store
from tengen.web.game_sessions import GameSessions
from tengen.web.visitor_cache import VisitorCache

SMALL = tengen.game("othello", size=4)
SIX = tengen.game("othello", size=6)
DEPTH = 4
SLOW_DEPTH = 17  # a round takes seconds, so that it can be killed on a fast machine as well


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
    plan = Growth("othello", SIX.options(), loss=4, most=6, depth=SLOW_DEPTH)
    write_book(book, plan.book)
    before = plan.book.read_bytes()
    deviate(book, 4, most=6)
    evaluate_book(book, BookEvaluator.for_game(SIX, book.value_unit, depth=SLOW_DEPTH))

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
        assert keeper.growing is not None
        while keeper.growing.progress is None or not keeper.growing.progress.done:
            await asyncio.sleep(0.01)
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
