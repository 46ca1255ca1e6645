"""Ratings of puzzles and of those who solve them: each first answer is a game of Glicko-2 between the two.

Ratings follow from the stored answers alone, so there is nothing to lose or to repair. Only first answers to
puzzles that everybody can get count: not own mistakes, imported problems or drills. A solver has a rating for each
game.

    ratings = PuzzleRatings(store)
    ratings.solver("ann", "go")        # Skill(rating=1540, …), None before the first answer
    ratings.puzzle(puzzle.id)
"""

from __future__ import annotations

import threading
from datetime import datetime

from tengen.store.glicko import Skill, update_skill
from tengen.store.store import Store

NEW = Skill()


class PuzzleRatings:
    """Reads only the answers that are new since it was last asked. Safe to use from several threads."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._last_answer = 0
        self._seen: set[tuple[str, int]] = set()
        self._puzzles: dict[str, Skill] = {}
        self._solvers: dict[tuple[str, str], tuple[Skill, datetime]] = {}

    def puzzle(self, puzzle_id: str) -> Skill | None:
        """The rating of a puzzle; None if nobody has answered it."""
        self._update()
        return self._puzzles.get(puzzle_id)

    def solver(self, solver: str, game: str) -> Skill | None:
        """The rating of a solver at a game; None before the first rated answer."""
        self._update()
        found = self._solvers.get((solver, game))
        return None if found is None else found[0]

    def solver_ratings(self, solver: str) -> dict[str, Skill]:
        """A solver's ratings by game."""
        self._update()
        return {game: skill for (who, game), (skill, _time) in self._solvers.items() if who == solver}

    def _update(self) -> None:
        with self._lock:
            for answer in self._store.rated_answers(self._last_answer):
                self._last_answer = answer.number
                if (answer.solver, answer.puzzle_number) in self._seen:
                    continue  # later answers are from memory
                self._seen.add((answer.solver, answer.puzzle_number))
                who = answer.solver, answer.game
                skill, time = self._solvers.get(who, (NEW, answer.time))
                puzzle = self._puzzles.get(answer.puzzle_id, NEW)
                days = max(0.0, (answer.time - time).total_seconds() / 86_400)
                points = 1.0 if answer.right else 0.0
                after = update_skill(skill, [(puzzle, points)], days)
                self._puzzles[answer.puzzle_id] = update_skill(puzzle, [(skill, 1.0 - points)], 0.0)
                self._solvers[who] = after, answer.time
