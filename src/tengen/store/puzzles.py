"""Puzzles with proved solutions, and the answers that solvers gave.

A puzzle contains its proof, so checking an answer needs no engine. A *solver* is any name. Answers are stored by
`deck`, which decides when a puzzle is shown again.

Questions of opening drills are stored as puzzles, too: `place` identifies the position regardless of the moves
that led to it, and `replace_puzzle` updates the stored question when the book changes.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Exists, Row, Select, exists, func, insert, select, update

from tengen.search.report import Report
from tengen.store.component import StoreComponent, now
from tengen.store.errors import NotStored
from tengen.store.rows import from_microseconds, to_microseconds
from tengen.store.scheduling import Answer
from tengen.store.schema import attempts, puzzles

Setting = str | int | float | bool


@dataclass(frozen=True)
class Puzzle:
    """The position after `moves`, its task, all right moves, and the report that proves them.

    Puzzles are equal if they have the same `place`, or without one the same moves. `unrated_moves` are neither
    right nor wrong. `marked` are the points that the task is about, as column and row from the top left.
    `origin` is the id of the game that it comes from, if any. `themes` say what it is about (`app.puzzle_themes`).
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
    unrated_moves: tuple[str, ...] = ()
    marked: tuple[tuple[int, int], ...] = ()
    origin: str = ""
    themes: tuple[str, ...] = ()

    @property
    def digest(self) -> bytes:
        """Digest that identifies a puzzle, independent of its id and report."""
        content = [self.kind, self.place] if self.place else [self.kind, self.game, dict(self.options), self.moves]
        return hashlib.blake2b(json.dumps(content, sort_keys=True).encode(), digest_size=16).digest()


@dataclass(frozen=True)
class PuzzleScore:
    """A solver's results at one kind: answers, right ones, current and best streak, and misses to repeat."""

    answered: int = 0
    solved: int = 0
    streak: int = 0
    best: int = 0
    missed: int = 0


@dataclass(frozen=True)
class PuzzleHistory:
    """A solver's answers to one puzzle, oldest first."""

    id: str
    answers: tuple[Answer, ...]


class Puzzles(StoreComponent):
    """Stored puzzles and answers."""

    def add_puzzle(self, puzzle: Puzzle) -> bool:
        """Add a puzzle; returns False if an equal one is already stored."""
        with self._database.write() as connection:
            self._database.lock(connection, "puzzles")
            if _id_of(connection, puzzle) is not None:
                return False
            connection.execute(insert(puzzles).values(**_row(puzzle)))
        return True

    def replace_puzzle(self, puzzle: Puzzle) -> Puzzle:
        """Add a puzzle or replace an equal one, keeping the id and answers of the old one; returns it."""
        with self._database.write() as connection:
            self._database.lock(connection, "puzzles")
            number = insert_puzzle(connection, puzzle)
            known = connection.scalar(select(puzzles.c.id).where(puzzles.c.number == number))
        return replace(puzzle, id=known or puzzle.id)

    def puzzle(self, puzzle_id: str) -> Puzzle:
        """The puzzle with this id. Raises `NotStored`."""
        with self._database.read() as connection:
            found = _one(connection, select(puzzles).where(puzzles.c.id == puzzle_id))
        if found is None:
            raise NotStored(f"there is no puzzle with the id {puzzle_id}")
        return found

    def next_puzzle(self, kind: str, solver: str, *, missed: bool = False) -> Puzzle | None:
        """The oldest puzzle new to a solver, or with `missed` the least recently missed; None if none."""
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

    def practised(self, kind: str, solver: str) -> dict[bytes, PuzzleHistory]:
        """Answered puzzles of a kind, by digest."""
        answers = (
            select(puzzles.c.id, puzzles.c.digest, attempts.c.right, attempts.c.time)
            .join(puzzles, puzzles.c.number == attempts.c.puzzle)
            .where(puzzles.c.kind == kind, attempts.c.solver == solver)
            .order_by(attempts.c.number)
        )
        found: dict[bytes, PuzzleHistory] = {}
        with self._database.read() as connection:
            for row in connection.execute(answers):
                before = found[row.digest].answers if row.digest in found else ()
                answer = Answer(bool(row.right), from_microseconds(row.time))
                found[row.digest] = PuzzleHistory(row.id, (*before, answer))
        return found

    def puzzle_score(self, kind: str, solver: str) -> PuzzleScore:
        with self._database.read() as connection:
            right = [bool(row.right) for row in connection.execute(_answers(kind, solver))]
            missed = len(_missed(connection, kind, solver))
        runs = [len(list(run)) if solved else 0 for solved, run in groupby(right)]
        return PuzzleScore(len(right), sum(right), runs[-1] if runs else 0, max(runs, default=0), missed)


def insert_puzzle(connection: Connection, puzzle: Puzzle) -> int:
    """Add a puzzle or replace the content of an equal one; returns its number."""
    row = _row(puzzle)
    same = puzzles.c.digest == puzzle.digest
    number = connection.scalar(select(puzzles.c.number).where(same))
    if number is None:
        connection.execute(insert(puzzles).values(**row))
        number = connection.scalar(select(puzzles.c.number).where(same))
    else:
        content = {name: row[name] for name in ("puzzle", "report")}
        connection.execute(update(puzzles).where(puzzles.c.number == number).values(**content))
    return int(number or 0)


def _row(puzzle: Puzzle) -> dict[str, object]:
    content = {
        "game": puzzle.game,
        "options": dict(puzzle.options),
        "moves": puzzle.moves,
        "task": puzzle.task,
        "right": puzzle.right,
        "place": puzzle.place,
        "unjudged": puzzle.unrated_moves,
        "marked": puzzle.marked,
        "origin": puzzle.origin,
        "themes": puzzle.themes,
    }
    return {
        "id": puzzle.id,
        "kind": puzzle.kind,
        "digest": puzzle.digest,
        "puzzle": json.dumps(content),
        "report": puzzle.report.to_json(),
        "time": to_microseconds(now()),
    }


def _id_of(connection: Connection, puzzle: Puzzle) -> str | None:
    """The id of an equal stored puzzle."""
    found: str | None = connection.scalar(select(puzzles.c.id).where(puzzles.c.digest == puzzle.digest))
    return found


def _seen(solver: str) -> Exists:
    return exists().where(attempts.c.puzzle == puzzles.c.number, attempts.c.solver == solver)


def _answers(kind: str, solver: str) -> Select[int, bool]:
    """A solver's answers to puzzles of one kind, oldest first."""
    return (
        select(attempts.c.puzzle, attempts.c.right)
        .join(puzzles, puzzles.c.number == attempts.c.puzzle)
        .where(puzzles.c.kind == kind, attempts.c.solver == solver)
        .order_by(attempts.c.number)
    )


def _missed(connection: Connection, kind: str, solver: str) -> list[int]:
    """Numbers of puzzles whose last answer was wrong, least recently answered first."""
    last: dict[int, bool] = {}
    for puzzle, right in connection.execute(_answers(kind, solver)):
        last.pop(puzzle, None)
        last[puzzle] = right
    return [puzzle for puzzle, right in last.items() if not right]


def _one(connection: Connection, chosen: Select[tuple[object, ...]]) -> Puzzle | None:
    row = connection.execute(chosen).first()
    return None if row is None else read_puzzle(row)


def read_puzzle(row: Row[Any]) -> Puzzle:
    """The puzzle of a row of the table."""
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
        tuple((column, row) for column, row in data.get("marked", ())),
        data.get("origin", ""),
        tuple(data.get("themes", ())),
    )
