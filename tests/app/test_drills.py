"""Opening drills: right answers are those of the book, on every image of the board, and misses come back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from random import Random

import pytest

import tengen
from tengen.app.drills import Drill, drill_progress, due_at, next_question, question, verdict
from tengen.books import BookEngine, ValuedBook, evaluate_book, installed
from tengen.books.book_file import write_book
from tengen.books.statistics import StatisticsBook
from tengen.books.statistics_file import write_statistics
from tengen.core.errors import OptionError
from tengen.core.game import Move
from tengen.store.puzzles import Puzzle, PuzzleHistory
from tengen.store.scheduling import Answer
from tengen.store.store import Store
from tests.helpers.book_stub import Stub, play_out

SMALL = tengen.game("othello", size=4)
PENTE = tengen.game("pente")
NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TENGEN_DATA", str(tmp_path))
    (tmp_path / "books").mkdir()
    return tmp_path


@pytest.fixture
def store() -> Iterator[Store]:
    with Store.in_memory() as made:
        yield made


@cache
def best(position: tengen.Position) -> float:
    """What a position is worth to its mover, by trying everything."""
    if position.outcome is not None:
        score = position.outcome.score
        return score if position.to_move == 0 else -score
    return max(worth(position, move) for move in position.legal_moves)


def worth(position: tengen.Position, move: Move) -> float:
    after = position.play(move)
    return best(after) if after.to_move == position.to_move else -best(after)


class Tries:
    """Values books by trying everything."""

    name, batch = "tries", 100

    def solve(self, position: tengen.Position, known: object) -> int:
        return round(best(position))

    def best(self, position: tengen.Position, moves: tuple[Move, ...], known: object) -> tuple[Move, int]:
        chosen = max(moves, key=lambda move: worth(position, move))
        return chosen, round(worth(position, chosen))


def book_of_games(engine: BookEngine, first: int) -> ValuedBook:
    """Games of Othello on 4x4 from their first moves on, or from later."""
    rng = Random(4)
    book = ValuedBook(SMALL, horizon=8)
    for _ in range(8):
        book.add(play_out(SMALL, [rng.randrange(20) for _ in range(10)])[first:])
    evaluate_book(book, engine)
    return book


def everywhere(book: ValuedBook, position: tengen.Position) -> Iterator[tengen.Position]:
    """A position and all that come after it in a book."""
    yield position
    for option in book.options(position):
        if not position.is_over:
            yield from everywhere(book, position.play(option.move))


def test_right_answers_are_within_the_loss_by_trying_everything_and_what_is_not_known_is_not_judged() -> None:
    book, verdicts = book_of_games(Tries(), first=5), Counter[str]()
    rng = Random(4)
    lines = [play_out(SMALL, [rng.randrange(20) for _ in range(10)]) for _ in range(8)]
    for position in (after for line in lines for after in everywhere(book, line[5])):
        for loss in (0.0, 2.0):
            asked = question(Drill(SMALL, position.to_move, "Book", loss), book, position)
            if asked is None:
                continue
            bar = best(position) - loss
            for move in position.legal_moves:
                text = SMALL.write_move(move)
                verdicts[verdict(asked, text).partition(" ")[0]] += 1
                if text in asked.right:
                    assert worth(position, move) >= bar
                elif text not in asked.unrated_moves:
                    assert worth(position, move) < bar
                    assert f"Better is {asked.right[0]}" in verdict(asked, text)
    assert set(verdicts) == {"Right,", "Not", "The"}, "all of them were met"


def test_common_moves_that_did_not_do_badly_are_right_on_every_image_of_the_board() -> None:
    book = StatisticsBook("pente")
    start = PENTE.start()
    for second, third, games, won in (("L11", "M12", 6, 4), ("L11", "K12", 6, 1), ("K11", "J10", 1, 1)):
        line = list(start.play_all(["K10", second, third]).line())
        for number in range(games):
            book.add(line, winner=0 if number < won else 1)
    second_side, first_side = Drill(PENTE, 1, "Statistics"), Drill(PENTE, 0, "Statistics")
    asked = question(second_side, book, start.play("K10"))
    assert asked is not None
    assert set(asked.right) == {"L11", "J9", "L9", "J11"}, "the four diagonal moves are one"
    assert "nobody played it" in verdict(asked, "A1")
    assert "1 of 13 games" in verdict(asked, "K11")
    corner = question(first_side, book, start.play_all(["K10", "J9"]))  # the image of L11
    assert corner is not None
    assert corner.right == ("H8",), "K12 was played as often, but lost"
    assert corner.place == question(first_side, book, start.play_all(["K10", "L11"])).place  # type: ignore[union-attr]
    assert question(first_side, book, start.play_all(["K10", "K11"])) is None, "one game says little"


def test_a_miss_comes_back_before_everything_that_was_known() -> None:
    def answered(*right: bool) -> PuzzleHistory:
        return PuzzleHistory("", tuple(Answer(one, NOW + timedelta(days=n)) for n, one in enumerate(right)))

    for before in ([], [True], [False], [True, True, False]):
        last = NOW + timedelta(days=len(before))
        assert (
            due_at(answered(*before, False)) - last
            == timedelta(minutes=1)
            < due_at(answered(*before, True)) - last
        )


def test_a_drill_asks_new_positions_repeats_misses_and_keeps_what_everybody_knows_apart(store: Store) -> None:
    write_book(book_of_games(Stub(), first=0), installed.valued_path(SMALL))
    drill, random = Drill(SMALL, 1, "Book", 0.0), Random(1)

    def ask(now: datetime, solver: str = "Ann", after: tengen.Position | None = None) -> Puzzle:
        found = next_question(store, drill, solver, random, now, after)
        assert found is not None
        return found

    now = datetime.now(UTC)
    first = ask(now)
    store.answer_puzzle(first.id, "Ann", "nonsense")
    other = ask(now)
    assert other.place != first.place, "not at once"
    later = now + timedelta(minutes=2)
    assert ask(later).id == first.id
    assert ask(later, "Bea").id != "", "others are asked what is new to them"
    assert drill_progress(store, drill, "Ann", later).due == 1
    assert drill_progress(store, drill, "Bea", later).asked == 0
    store.answer_puzzle(first.id, "Ann", first.right[0])
    seen = {first.place}
    for _ in range(200):
        found = ask(now)
        if found.place in seen:
            break  # everything is known for today: what is due soonest comes, ahead of its time
        seen.add(found.place)
        store.answer_puzzle(found.id, "Ann", found.right[0])
    assert found.place == first.place
    assert len(seen) > 5
    assert drill_progress(store, drill, "Ann", now).known == len(seen) - 1
    with pytest.raises(OptionError, match="no book"):
        next_question(store, Drill(PENTE, 0, "Statistics"), "Ann", random, now)


def test_a_line_goes_on_after_an_answer(store: Store) -> None:
    book = StatisticsBook("pente")
    for _ in range(4):
        book.add(PENTE.start().play_all(["K10", "L11", "M12", "N13", "K12"]).line(), winner=0)
    write_statistics(book, installed.statistics_path(PENTE))
    drill, random, now = Drill(PENTE, 0, "Statistics"), Random(1), datetime.now(UTC)
    after = PENTE.start().play("K10")
    going_on = next_question(store, drill, "Ann", random, now, after)
    assert going_on is not None
    assert len(going_on.moves) == 2
    assert going_on.moves[1] in ("L11", "J9", "L9", "J11"), "the book has answered, on some image of the board"
    at_end = PENTE.start().play_all(["K10", "L11", "M12", "N13", "K12"])
    fresh = next_question(store, drill, "Ann", random, now, at_end)
    assert fresh is not None
    assert len(fresh.moves) == 2, "the line has ended: from the start again"
