"""Each solver's deck: puzzles to repeat, and when (`scheduling`).

Every answered puzzle is a card; `add_card` adds one that waits for its first answer. An answer and the new date of
its card are stored in one transaction, in which the card is computed again from all answers. So two browsers that
answer at once, or a kill, leave the deck as the answers say.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, func, insert, select, update

from tengen.core.errors import OptionError
from tengen.store.component import StoreComponent, now
from tengen.store.errors import NotStored
from tengen.store.puzzles import Puzzle, insert_puzzle, read_puzzle
from tengen.store.rows import from_microseconds, to_microseconds
from tengen.store.scheduling import KNOWN_DAYS, Answer, schedule
from tengen.store.schema import attempts, cards, puzzles


@dataclass(frozen=True)
class Card:
    """A puzzle in a solver's deck. `last` is None before the first answer; `stability` is in days."""

    puzzle: Puzzle
    due: datetime
    last: datetime | None
    stability: float


@dataclass(frozen=True)
class CardCounts:
    """Numbers of cards: all; `new`, never answered; `due` of the others; `known` for weeks."""

    total: int = 0
    new: int = 0
    due: int = 0
    known: int = 0


@dataclass(frozen=True)
class History:
    """A solver's answers to one puzzle, oldest first."""

    kind: str
    game: str
    answers: tuple[Answer, ...]
    themes: tuple[str, ...] = ()


@dataclass(frozen=True)
class RatedAnswer:
    """An answer to a puzzle that everybody can get. Numbers grow with time."""

    number: int
    puzzle_number: int
    puzzle_id: str
    game: str
    solver: str
    right: bool
    time: datetime


class Deck(StoreComponent):
    """Cards and answers."""

    def add_card(self, solver: str, puzzle: Puzzle, limit: int | None = None) -> bool:
        """Add a puzzle to a deck; returns False if it is there, was removed from it, or the deck is full.

        An equal stored puzzle gets the new content. A full deck has `limit` cards.
        """
        _check_solver(solver)
        with self._database.write() as connection:
            self._database.lock(connection, "puzzles")
            number = insert_puzzle(connection, puzzle)
            here = (cards.c.solver == solver, cards.c.puzzle == number)
            if connection.scalar(select(cards.c.number).where(*here)) is not None:
                return False
            count = connection.scalar(select(func.count()).select_from(cards).where(cards.c.solver == solver))
            if limit is not None and (count or 0) >= limit:
                return False
            time = to_microseconds(now())
            connection.execute(
                insert(cards).values(
                    solver=solver,
                    puzzle=number,
                    game=puzzle.game,
                    added=time,
                    due=time,
                    stability=0.0,
                    learned=False,
                    removed=False,
                )
            )
        return True

    def has_card(self, solver: str, digest: bytes) -> bool:
        """Whether a puzzle with this digest is in a deck or was removed from it."""
        found = (
            select(cards.c.number)
            .join(puzzles, puzzles.c.number == cards.c.puzzle)
            .where(cards.c.solver == solver, puzzles.c.digest == digest)
        )
        with self._database.read() as connection:
            return connection.scalar(found) is not None

    def remove_card(self, solver: str, puzzle_id: str) -> None:
        """Do not ask a puzzle again. Answers are kept; another answer puts it back."""
        with self._database.write() as connection:
            number = _number(connection, puzzle_id)
            here = (cards.c.solver == solver, cards.c.puzzle == number)
            connection.execute(update(cards).where(*here).values(removed=True))

    def answer_puzzle(
        self, puzzle_id: str, solver: str, move: str, *, at: datetime | None = None, after: datetime | None = None
    ) -> bool:
        """Store an answer (empty: solution shown) and return whether it is right. Raises `NotStored`.

        With `after`, the time of the last answer that the asker knew, an answer to a question that has been
        answered since is not stored: the same click may arrive twice, or from two windows.
        """
        _check_solver(solver)
        if len(move) > 100:
            raise OptionError("an answer has at most 100 characters")
        with self._database.write() as connection:
            self._database.lock(connection, "cards")
            row = connection.execute(
                select(puzzles.c.number, puzzles.c.puzzle).where(puzzles.c.id == puzzle_id)
            ).first()
            if row is None:
                raise NotStored(f"there is no puzzle with the id {puzzle_id}")
            content = json.loads(row.puzzle)
            right = move in content["right"]
            given = _answers(connection, row.number, solver)
            if after is not None and given and given[-1].time > after:
                return right
            answer = Answer(right, at or now())
            time = to_microseconds(answer.time)
            connection.execute(
                insert(attempts).values(puzzle=row.number, solver=solver, move=move, right=right, time=time)
            )
            _update_card(connection, row.number, content["game"], solver, [*given, answer])
        return right

    def next_card(
        self,
        solver: str,
        at: datetime,
        *,
        games: Sequence[str] = (),
        new: bool = False,
        misses: bool = False,
        skip: str = "",
    ) -> Card | None:
        """The card to ask at a time: misses of the day first, then by date; with `new`, the newest unanswered one.

        `games` selects some games, `misses` only what was missed, `skip` leaves one puzzle out.
        """
        wanted = [cards.c.solver == solver, ~cards.c.removed, puzzles.c.id != skip]
        if games:
            wanted.append(cards.c.game.in_(games))
        if new:
            wanted.append(cards.c.last.is_(None))
            order: tuple[ColumnElement[object], ...] = (cards.c.number.desc(),)
        else:
            wanted += [cards.c.last.is_not(None), cards.c.due <= to_microseconds(at)]
            order = (cards.c.learned, cards.c.due, cards.c.number)
        if misses:
            wanted.append(~cards.c.learned)
        chosen = select(puzzles, cards.c.due, cards.c.last, cards.c.stability).join(
            cards, cards.c.puzzle == puzzles.c.number
        )
        with self._database.read() as connection:
            row = connection.execute(chosen.where(*wanted).order_by(*order).limit(1)).first()
        if row is None:
            return None
        last = None if row.last is None else from_microseconds(row.last)
        return Card(read_puzzle(row), from_microseconds(row.due), last, row.stability)

    def count_cards(self, solver: str, at: datetime, *, games: Sequence[str] = ()) -> CardCounts:
        """Numbers of cards at a time."""
        wanted = [cards.c.solver == solver, ~cards.c.removed]
        if games:
            wanted.append(cards.c.game.in_(games))

        def count(*conditions: ColumnElement[bool]) -> int:
            found = select(func.count()).select_from(cards).where(*wanted, *conditions)
            return int(connection.scalar(found) or 0)

        with self._database.read() as connection:
            return CardCounts(
                count(),
                count(cards.c.last.is_(None)),
                count(cards.c.last.is_not(None), cards.c.due <= to_microseconds(at)),
                count(cards.c.learned, cards.c.stability >= KNOWN_DAYS),
            )

    def count_begun(self, solver: str, since: datetime) -> int:
        """Number of cards answered for the first time since then, except questions of drills."""
        begun = (
            select(func.count())
            .select_from(cards)
            .join(puzzles, puzzles.c.number == cards.c.puzzle)
            .where(cards.c.solver == solver, cards.c.first >= to_microseconds(since))
            .where(~puzzles.c.kind.startswith("drill "))
        )
        with self._database.read() as connection:
            return int(connection.scalar(begun) or 0)

    def due_times(self, solver: str, until: datetime) -> list[datetime]:
        """When answered cards are due, up to a time, in order."""
        with self._database.read() as connection:
            found = connection.scalars(
                select(cards.c.due)
                .where(cards.c.solver == solver, ~cards.c.removed, cards.c.last.is_not(None))
                .where(cards.c.due <= to_microseconds(until))
                .order_by(cards.c.due)
            )
            return [from_microseconds(due) for due in found]

    def histories(self, solver: str) -> list[History]:
        """All answers of a solver, by puzzle."""
        about: dict[int, tuple[str, str, tuple[str, ...]]] = {}
        given: dict[int, list[Answer]] = defaultdict(list)
        found = (
            select(
                puzzles.c.number, puzzles.c.kind, puzzles.c.puzzle, cards.c.game, attempts.c.right, attempts.c.time
            )
            .join(attempts, attempts.c.puzzle == puzzles.c.number)
            .join(cards, (cards.c.puzzle == puzzles.c.number) & (cards.c.solver == attempts.c.solver))
            .where(attempts.c.solver == solver)
            .order_by(attempts.c.number)
        )
        with self._database.read() as connection:
            for row in connection.execute(found):
                if row.number not in about:
                    about[row.number] = row.kind, row.game, tuple(json.loads(row.puzzle).get("themes", ()))
                given[row.number].append(Answer(bool(row.right), from_microseconds(row.time)))
        return [
            History(kind, game, tuple(given[number]), themes) for number, (kind, game, themes) in about.items()
        ]

    def rated_answers(self, after: int = 0) -> list[RatedAnswer]:
        """All answers with a higher number, except to own mistakes, imported problems and drills, in order."""
        found = (
            select(attempts, puzzles.c.id, cards.c.game)
            .join(puzzles, puzzles.c.number == attempts.c.puzzle)
            .join(cards, (cards.c.puzzle == puzzles.c.number) & (cards.c.solver == attempts.c.solver))
            .where(
                attempts.c.number > after,
                puzzles.c.kind.not_in(("mistake", "problem")),
                ~puzzles.c.kind.startswith("drill "),
            )
            .order_by(attempts.c.number)
        )
        with self._database.read() as connection:
            return [
                RatedAnswer(
                    row.number,
                    row.puzzle,
                    row.id,
                    row.game,
                    row.solver,
                    bool(row.right),
                    from_microseconds(row.time),
                )
                for row in connection.execute(found)
            ]

    def last_solver(self) -> str | None:
        """Who answered or got a card last; None if nobody has."""
        with self._database.read() as connection:
            newest = func.coalesce(cards.c.last, cards.c.added)
            return connection.scalar(select(cards.c.solver).order_by(newest.desc()).limit(1))


def _check_solver(solver: str) -> None:
    if len(solver) > 80:
        raise OptionError("a solver's name has at most 80 characters")


def _number(connection: Connection, puzzle_id: str) -> int:
    number = connection.scalar(select(puzzles.c.number).where(puzzles.c.id == puzzle_id))
    if number is None:
        raise NotStored(f"there is no puzzle with the id {puzzle_id}")
    return int(number)


def _answers(connection: Connection, puzzle: int, solver: str) -> list[Answer]:
    found = (
        select(attempts.c.right, attempts.c.time)
        .where(attempts.c.puzzle == puzzle, attempts.c.solver == solver)
        .order_by(attempts.c.number)
    )
    return [Answer(bool(row.right), from_microseconds(row.time)) for row in connection.execute(found)]


def _update_card(connection: Connection, puzzle: int, game: str, solver: str, given: Sequence[Answer]) -> None:
    after = schedule(given)
    content = {
        "due": to_microseconds(after.due),
        "first": to_microseconds(given[0].time),
        "last": to_microseconds(after.last),
        "stability": after.stability,
        "learned": after.is_learned,
        "removed": False,
    }
    here = (cards.c.solver == solver, cards.c.puzzle == puzzle)
    if not connection.execute(update(cards).where(*here).values(**content)).rowcount:
        added = content["first"]
        connection.execute(insert(cards).values(solver=solver, puzzle=puzzle, game=game, added=added, **content))
