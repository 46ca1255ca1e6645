"""Long work on books: a growth that is killed goes on where it was, and a game that is learned is in the book."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

import tengen
from tengen.app.book_jobs import Growth, growth_request, inspect_books, learn
from tengen.books import ConsistencyLevel, ValuedBook, check, evaluate_book, installed
from tengen.books.book_file import read_book
from tengen.core.errors import OptionError
from tengen.engines.book_evaluator import BookEvaluator
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
