"""When a puzzle is due again: the FSRS scheduler applied to a person's answers.

A schedule follows from the answers alone, which are stored. So what is stored of it is only a cache, and answers
given to earlier versions of the program count like new ones.

    >>> from datetime import UTC, datetime
    >>> first = Answer(True, datetime(2026, 1, 1, tzinfo=UTC))
    >>> schedule([first]).due.isoformat()
    '2026-01-03T00:00:00+00:00'
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from fsrs import Card, Rating, Scheduler, State

DESIRED_RETENTION = 0.9  # share of right answers aimed at
REPEAT_AFTER = timedelta(minutes=1)  # a miss comes back after this time
KNOWN_DAYS = 21.0  # a puzzle that is remembered so long is called known

# Without fuzzing, so that the schedule is a function of the answers.
_SCHEDULER = Scheduler(
    desired_retention=DESIRED_RETENTION,
    learning_steps=(REPEAT_AFTER,),
    relearning_steps=(REPEAT_AFTER,),
    enable_fuzzing=False,
)


@dataclass(frozen=True)
class Answer:
    """An answer to a puzzle; `time` is in UTC."""

    right: bool
    time: datetime


@dataclass(frozen=True)
class Schedule:
    """The state of a puzzle for one person after some answers.

    `stability` is the number of days after which a right answer has the probability `DESIRED_RETENTION`.
    `is_learned` is False while a miss has to be repeated on the same day.
    """

    due: datetime
    last: datetime
    stability: float
    is_learned: bool

    @property
    def is_known(self) -> bool:
        return self.is_learned and self.stability >= KNOWN_DAYS

    def recall(self, at: datetime) -> float:
        """The predicted probability of a right answer at a time."""
        card = Card(card_id=0, stability=self.stability, last_review=self.last, due=self.due)
        return float(_SCHEDULER.get_card_retrievability(card, at))


def schedule(answers: Iterable[Answer]) -> Schedule:
    """The state after these answers, oldest first, of which there is at least one."""
    *_, last = schedules(answers)
    return last


def schedules(answers: Iterable[Answer]) -> Iterator[Schedule]:
    """The state after each answer, oldest first."""
    card = Card(card_id=0)
    for answer in answers:
        rating = Rating.Good if answer.right else Rating.Again
        card, _log = _SCHEDULER.review_card(card, rating, answer.time)
        yield Schedule(card.due, answer.time, card.stability or 0.0, card.state is State.Review)
