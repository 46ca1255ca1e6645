"""Long work on books: a growth that is killed goes on where it was, and a game that is learned is in the book."""

from __future__ import annotations

from pathlib import Path

import pytest

import tengen
from tengen.app import book_jobs
from tengen.app.book_jobs import Growth, inspect_books, learn
from tengen.books import ConsistencyLevel, check, installed
from tengen.books.book_file import read_book
from tengen.core.errors import OptionError
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


def test_a_first_game_begins_a_book_and_books_are_looked_through(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    position = play_out(SMALL, [2] * 12)[-1]
    steps: list[int] = []
    monkeypatch.setattr(book_jobs, "PROGRESS_INTERVAL_S", 0.0)
    monkeypatch.setattr(book_jobs, "report_progress", lambda now: steps.append(now.done))
    done = learn(SMALL.name, SMALL.options(), position.write_moves(position.moves), DEPTH)
    book = read_book(installed.valued_path(SMALL))
    assert check(book).level is ConsistencyLevel.NEGAMAXED
    assert len(book) == done.positions == done.added
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
    alone.assign(0, "ann")
    with_guest.assign(0, "ann")
    assert with_guest.is_guest(with_guest.keys[1]), "before it is used"
    with_guest.assign(1, "bea")
    memory.add_guests(with_guest.guests())
    assert memory.is_guest("bea")
    assert with_guest.is_guest(with_guest.keys[1])
    assert not any(memory.is_guest(who) for who in ("ann", "eve"))
    assert not any(alone.is_guest(who) for who in ("ann", "bea", *alone.keys))
    assert not with_guest.is_guest(with_guest.keys[0])
