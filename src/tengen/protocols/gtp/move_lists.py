"""Lists of moves with their values by the engine's search, in GNU Go's response formats.

The unit of the values is that of the engine: for the Go engine the win rate in per cent, for others points.
"""

from __future__ import annotations

from dataclasses import replace

from tengen.protocols.gtp.session import GoGroup, Session
from tengen.protocols.gtp.syntax import Arguments, command, is_interrupt
from tengen.protocols.gtp.timing import Timing
from tengen.search.report import Value

MAX_TOP_MOVES = 10


class MoveLists(GoGroup):
    """The best moves of either side."""

    def __init__(self, session: Session, timing: Timing) -> None:
        super().__init__(session)
        self.timing = timing

    @command("top_moves")
    def top_moves(self) -> str:
        return self._top_moves(self.session.position.to_move)

    @command("top_moves_black")
    def top_moves_black(self) -> str:
        return self._top_moves(0)

    @command("top_moves_white")
    def top_moves_white(self) -> str:
        return self._top_moves(1)

    @command("all_move_values")
    def all_move_values(self, arguments: Arguments) -> str:
        """Every move that was searched, one per line."""
        moves = self._moves(arguments.colour(last=True))
        return "\n".join(f"{move:<4}{value:.2f}" for move, value in moves)

    def _top_moves(self, player: int) -> str:
        return " ".join(f"{move} {value:.2f}" for move, value in self._moves(player)[:MAX_TOP_MOVES])

    def _moves(self, player: int) -> list[tuple[str, float]]:
        position = self.session.with_turn(player)
        with self.timing.move_limits(player, counts=False) as limits:
            report = self.session.search(position, replace(limits, lines=MAX_TOP_MOVES), is_interrupt)
        return [
            (self.session.notation.rewrite(one.move, position), _number(one.value)) for one in report.candidates
        ]


def _number(value: Value) -> float:
    return 100 * value.amount if value.unit == "win rate" else value.amount
