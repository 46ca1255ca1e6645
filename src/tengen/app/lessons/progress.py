"""A visitor's progress in the lessons, as it is stored among the visitor's options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tengen.app.lessons.lesson import Lesson

OPTION = "lessons"  # name of the visitor's option


@dataclass(frozen=True)
class LessonProgress:
    """The ids of the steps done, by game."""

    done: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def from_option(cls, stored: Any) -> LessonProgress:
        """Read the stored option; anything that is not valid is left out."""
        if not isinstance(stored, dict):
            return cls()
        return cls(
            {
                str(game): tuple(step for step in steps if isinstance(step, str))
                for game, steps in stored.items()
                if isinstance(steps, list)
            }
        )

    def to_option(self) -> dict[str, list[str]]:
        return {game: list(steps) for game, steps in self.done.items()}

    def with_step(self, game: str, step: str) -> LessonProgress:
        before = self.done.get(game, ())
        return self if step in before else LessonProgress({**self.done, game: (*before, step)})

    def is_done(self, game: str, step: str) -> bool:
        return step in self.done.get(game, ())

    def count(self, lesson: Lesson) -> int:
        """How many steps and puzzles of a lesson are done."""
        return sum(self.is_done(lesson.game, step.id) for step in lesson.parts)

    def is_complete(self, lesson: Lesson) -> bool:
        return self.count(lesson) == len(lesson.parts)

    def next_part(self, lesson: Lesson) -> int:
        """The number of the first step that is not done, from 0; 0 if all are done."""
        parts = enumerate(lesson.parts)
        return next((number for number, step in parts if not self.is_done(lesson.game, step.id)), 0)
