"""One learner at one step of a lesson: the current position and task, and the answer to each move tried."""

from __future__ import annotations

from dataclasses import dataclass

from tengen.app.lessons.goals import wins_by_force
from tengen.app.lessons.lesson import BEST_REPLY, Lesson, Step, Task
from tengen.core.errors import IllegalMove, TengenError
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.core.translation import translate


@dataclass(frozen=True)
class Feedback:
    """The answer to a move: a sentence, and the positions to show one after another (the move, the reply)."""

    is_right: bool
    text: str
    positions: tuple[Position, ...] = ()


class StepRun:
    """`position` is what the board shows; it changes only with right moves."""

    def __init__(self, lesson: Lesson, step: Step) -> None:
        self.step = step
        self.position = lesson.start(step)
        self.is_done = False
        self._task = 0

    @property
    def task(self) -> Task:
        return self.step.tasks[self._task]

    def accepted_moves(self) -> tuple[str, ...]:
        """The moves that fulfil the current task, in notation."""
        if self.is_done:
            return ()
        moves = (move for move in self.position.legal_moves if self.task.goal(self.position, move))
        return tuple(self.position.write_moves(moves))

    def try_move(self, text: str) -> Feedback:
        """Answer a move. A right one is played, and the opponent replies."""
        task, before = self.task, self.position
        if self.is_done:
            return Feedback(False, _("This step is done: go on to the next one."))
        try:
            move = before.game.read_move(text, before)
            after = before.play(move)
        except TengenError as error:
            return Feedback(False, self.explain_illegal(error))
        if not task.goal(before, move):
            return Feedback(False, self._hint(task, move))
        shown = [after]
        if task.reply and not after.is_over:
            shown.append(after.play(_best_reply(after) if task.reply == BEST_REPLY else task.reply))
        self.position = shown[-1]
        if not (self.step.until_over and self._task == len(self.step.tasks) - 1):
            self._task += 1
        self.is_done = self._task == len(self.step.tasks) or self.position.is_over
        self._task = min(self._task, len(self.step.tasks) - 1)
        ending = self.step.ending if self.step.until_over and self.position.is_over else ""
        return Feedback(True, _(ending or task.praise), tuple(shown))

    def explain_illegal(self, error: TengenError) -> str:
        """What to say to an illegal move."""
        if self.task.illegal and isinstance(error, IllegalMove):
            return _(self.task.illegal)
        return translate(str(error))

    def _hint(self, task: Task, move: Move) -> str:
        found = (hint.text for hint in task.hints if hint.applies(self.position, move))
        return _(next(found, task.hint))


def _best_reply(position: Position) -> Move:
    """The first move that wins by force, or else the first legal one."""
    moves = position.legal_moves
    return next((move for move in moves if wins_by_force(position, move)), moves[0])
