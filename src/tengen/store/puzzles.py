"""Puzzles: positions whose answer is proved, and who solved which of them.

A puzzle holds its proof, so that an answer is judged without an engine. A *solver* is whoever answers: the store
takes any name. Each puzzle that is shown counts once, by its first answer; one that was missed comes again.

Questions of opening drills are puzzles, too: `place` says which position it is, whatever moves led there, and what
a book knows of it may be renewed.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import groupby

from sqlalchemy import Connection, Exists, Select, exists, func, insert, select, update

from tengen.core.errors import OptionError
from tengen.search.report import Report
from tengen.store.errors import NotStored
from tengen.store.part import Part, now
from tengen.store.rows import microseconds, moment
from tengen.store.schema import attempts, puzzles

Setting = str | int | float | bool


@dataclass(frozen=True)
class Puzzle:
    """The position after `moves`, what is asked of it, every right move, and the report that proves them right.

    Two are the same if their `place` is, or without one their moves. Of `unjudged` moves nothing is known: they
    are neither right nor wrong.
    """

    kind: str
    game: str
    options: Mapping[str, Setting]
    moves: tuple[str, ...]
    task: str
    right: tuple[str, ...]
    report: Report
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    place: str = ""
    unjudged: tuple[str, ...] = ()

    @property
    def digest(self) -> bytes:
        """What is the same for the same puzzle."""
        told = [self.kind, self.place] if self.place else [self.kind, self.game, dict(self.options), self.moves]
        return hashlib.blake2b(json.dumps(told, sort_keys=True).encode(), digest_size=16).digest()


@dataclass(frozen=True)
class PuzzleScore:
    """How somebody does at one kind: right answers, those in a row now and at best, and misses to repeat."""

    answered: int = 0
    solved: int = 0
    streak: int = 0
    best: int = 0
    missed: int = 0


@dataclass(frozen=True)
class Practised:
    """A puzzle that somebody has answered: whether right, each time, and when last."""

    id: str
    right: tuple[bool, ...]
    last: datetime


class Puzzles(Part):
    """The puzzles that were made, and the answers to them."""

    def keep_puzzle(self, puzzle: Puzzle) -> bool:
        """Keep a puzzle; returns False if the same position is there already."""
        with self._database.write() as connection:
            self._database.hold(connection, "puzzles")
            if _id_of(connection, puzzle) is not None:
                return False
            connection.execute(insert(puzzles).values(**_row(puzzle)))
        return True

    def renew_puzzle(self, puzzle: Puzzle) -> Puzzle:
        """Keep a puzzle in the place of the same one from before, whose id and answers it takes over."""
        with self._database.write() as connection:
            self._database.hold(connection, "puzzles")
            known = _id_of(connection, puzzle)
            row = _row(puzzle)
            if known is None:
                connection.execute(insert(puzzles).values(**row))
                return puzzle
            content = {name: row[name] for name in ("puzzle", "report")}
            connection.execute(update(puzzles).where(puzzles.c.id == known).values(**content))
        return replace(puzzle, id=known)

    def puzzle(self, puzzle_id: str) -> Puzzle:
        """Raises `NotStored` if there is none with this id."""
        with self._database.read() as connection:
            found = _one(connection, select(puzzles).where(puzzles.c.id == puzzle_id))
        if found is None:
            raise NotStored(f"there is no puzzle with the id {puzzle_id}")
        return found

    def next_puzzle(self, kind: str, solver: str, *, missed: bool = False) -> Puzzle | None:
        """The oldest puzzle that somebody has not seen, or the one whose miss lies longest back; None if none."""
        with self._database.read() as connection:
            if not missed:
                unseen = select(puzzles).where(puzzles.c.kind == kind, ~_seen(solver)).order_by(puzzles.c.number)
                return _one(connection, unseen.limit(1))
            waiting = _missed(connection, kind, solver)
            chosen = select(puzzles).where(puzzles.c.number == (waiting[0] if waiting else -1))
            return _one(connection, chosen)

    def count_unseen(self, kind: str, solver: str) -> int:
        with self._database.read() as connection:
            unseen = select(func.count()).select_from(puzzles).where(puzzles.c.kind == kind, ~_seen(solver))
            return int(connection.scalar(unseen) or 0)

    def answer_puzzle(self, puzzle_id: str, solver: str, move: str) -> bool:
        """Write down an answer, empty for none; returns whether it is right. Raises `NotStored`."""
        if len(move) > 100 or len(solver) > 80:
            raise OptionError("an answer has at most 100 characters, and a solver's name 80")
        right = move in self.puzzle(puzzle_id).right
        with self._database.write() as connection:
            number = connection.scalar(select(puzzles.c.number).where(puzzles.c.id == puzzle_id))
            connection.execute(
                insert(attempts).values(
                    puzzle=number, solver=solver, move=move, right=right, time=microseconds(now())
                )
            )
        return right

    def practised(self, kind: str, solver: str) -> dict[bytes, Practised]:
        """The puzzles of a kind that somebody has answered, by their digest."""
        answers = (
            select(puzzles.c.id, puzzles.c.digest, attempts.c.right, attempts.c.time)
            .join(puzzles, puzzles.c.number == attempts.c.puzzle)
            .where(puzzles.c.kind == kind, attempts.c.solver == solver)
            .order_by(attempts.c.number)
        )
        found: dict[bytes, Practised] = {}
        with self._database.read() as connection:
            for row in connection.execute(answers):
                before = found[row.digest].right if row.digest in found else ()
                found[row.digest] = Practised(row.id, (*before, bool(row.right)), moment(row.time))
        return found

    def puzzle_score(self, kind: str, solver: str) -> PuzzleScore:
        with self._database.read() as connection:
            right = [bool(row.right) for row in connection.execute(_answers(kind, solver))]
            missed = len(_missed(connection, kind, solver))
        runs = [len(list(run)) if solved else 0 for solved, run in groupby(right)]
        return PuzzleScore(len(right), sum(right), runs[-1] if runs else 0, max(runs, default=0), missed)


def _row(puzzle: Puzzle) -> dict[str, object]:
    content = {
        "game": puzzle.game,
        "options": dict(puzzle.options),
        "moves": puzzle.moves,
        "task": puzzle.task,
        "right": puzzle.right,
        "place": puzzle.place,
        "unjudged": puzzle.unjudged,
    }
    return {
        "id": puzzle.id,
        "kind": puzzle.kind,
        "digest": puzzle.digest,
        "puzzle": json.dumps(content),
        "report": puzzle.report.to_json(),
        "time": microseconds(now()),
    }


def _id_of(connection: Connection, puzzle: Puzzle) -> str | None:
    """The id under which the same puzzle is kept."""
    found: str | None = connection.scalar(select(puzzles.c.id).where(puzzles.c.digest == puzzle.digest))
    return found


def _seen(solver: str) -> Exists:
    return exists().where(attempts.c.puzzle == puzzles.c.number, attempts.c.solver == solver)


def _answers(kind: str, solver: str) -> Select[int, bool]:
    """Somebody's answers to puzzles of one kind, in their order."""
    return (
        select(attempts.c.puzzle, attempts.c.right)
        .join(puzzles, puzzles.c.number == attempts.c.puzzle)
        .where(puzzles.c.kind == kind, attempts.c.solver == solver)
        .order_by(attempts.c.number)
    )


def _missed(connection: Connection, kind: str, solver: str) -> list[int]:
    """The numbers of the puzzles whose last answer was wrong, the one longest ago first."""
    last: dict[int, bool] = {}
    for puzzle, right in connection.execute(_answers(kind, solver)):
        last.pop(puzzle, None)
        last[puzzle] = right
    return [puzzle for puzzle, right in last.items() if not right]


def _one(connection: Connection, chosen: Select[tuple[object, ...]]) -> Puzzle | None:
    row = connection.execute(chosen).first()
    if row is None:
        return None
    data = json.loads(row.puzzle)
    return Puzzle(
        row.kind,
        data["game"],
        data["options"],
        tuple(data["moves"]),
        data["task"],
        tuple(data["right"]),
        Report.from_json(row.report),
        row.id,
        data.get("place", ""),
        tuple(data.get("unjudged", ())),
    )
