"""How to play: interactive lessons, one module of data for each game (`go`, `othello`, `pente`, `clobber`).

`lesson` has the data types, `goals` decides by the rules which moves are right, `step_run` runs one step, and
`progress` is what is stored for a visitor.
"""

from __future__ import annotations

from tengen.app.lessons.clobber import LESSON as _CLOBBER
from tengen.app.lessons.go import LESSON as _GO
from tengen.app.lessons.lesson import Lesson
from tengen.app.lessons.othello import LESSON as _OTHELLO
from tengen.app.lessons.pente import LESSON as _PENTE
from tengen.core.errors import OptionError

_LESSONS = {one.game: one for one in (_CLOBBER, _GO, _OTHELLO, _PENTE)}


def lessons() -> tuple[Lesson, ...]:
    """All lessons, in the order of the games' names."""
    return tuple(_LESSONS.values())


def has_lesson(game: str) -> bool:
    return game in _LESSONS


def lesson(game: str) -> Lesson:
    """The lesson of a game. Raises `OptionError` if it has none."""
    if game not in _LESSONS:
        raise OptionError(f"there is no lesson about {game!r}; there are lessons about: {', '.join(_LESSONS)}")
    return _LESSONS[game]
