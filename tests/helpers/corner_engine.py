"""An engine that plays one game on one board size, for the tests of the registry."""

from __future__ import annotations

from typing import ClassVar

from tengen.core.game import Game
from tengen.core.position import Position
from tengen.search.engine import Engine, OnProgress
from tengen.search.limits import Limits, StopFlag, root_moves
from tengen.search.report import Candidate, Report, Value
from tengen.search.tunables import Tunable

PLACE = "tests.helpers.corner_engine:Corner"


class Corner(Engine):
    """Plays the last legal move of Othello on 4x4."""

    name: ClassVar[str] = "corner"
    summary: ClassVar[str] = "plays the last legal move"
    tunables: ClassVar[tuple[Tunable, ...]] = (Tunable("zeal", 3, 0, 10, "how much it prefers a corner"),)

    @classmethod
    def plays(cls, game: Game) -> bool:
        return game.options().get("size") == 4

    def search(
        self,
        position: Position,
        limits: Limits,
        *,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> Report:
        move = position.game.write_move(root_moves(position, limits)[-1])
        value = Value.heuristic(0.0, position.game.unit)
        return Report(self.name, move, value, (Candidate(move, value, (move,)),), nodes=1, seconds=0.0)
