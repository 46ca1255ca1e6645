"""Static evaluation of any position by the utility, with its components; no search."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tengen.core.errors import OptionError
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.engines.pente.classic.engine import ClassicEngine
from tengen.engines.pente.classic.kernels.counts import count_board, new_counts
from tengen.engines.pente.classic.kernels.utility import UNDECIDED, evaluate
from tengen.engines.pente.classic.searcher import to_chances
from tengen.engines.pente.classic.tunables import TUNABLES, WEAKNESSES, settings_record
from tengen.games.pente.record import NOBODY
from tengen.search.tunables import settle


@dataclass(frozen=True)
class Side:
    """Counts of one colour. `windows` are those with one to five own stones and no enemy stone."""

    score: int
    windows: tuple[int, ...]
    enclosed: int
    captured: int
    takes: int
    threats: int


@dataclass(frozen=True)
class Evaluation:
    """Utility for the side to move, the same as chances from -1 to 1, and both sides, Black first.

    `verdict` says who wins by force, or is empty.
    """

    utility: float
    chances: float
    verdict: str
    sides: tuple[Side, Side]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def evaluate_position(position: Position, **settings: Any) -> Evaluation:
    """Evaluate a Pente position by the classic player's utility with these settings."""
    if not ClassicEngine.plays(position.game):
        raise OptionError(f"the classic utility does not support {position.game.describe()}")
    chosen = settle("the classic utility", (*TUNABLES, *WEAKNESSES), settings)
    boards, out = new_counts(), np.zeros(5, np.int64)
    count_board(boards, position.states)
    state, counts = position.states[0], boards[0]
    value = float(evaluate(boards, position.states, int(state.colour), settings_record(chosen), out))
    sides = tuple(
        Side(
            int(out[colour]),
            tuple(int(count) for count in counts.windows[6 * colour + 1 : 6 * colour + 6]),
            int(counts.enclosed[colour]),
            int(state.captured[colour]),
            int(counts.takes[colour]),
            int(counts.threats[colour]),
        )
        for colour in (0, 1)
    )
    chances = to_chances(value, divide=bool(chosen["divide"]))
    return Evaluation(value, chances, _describe(position, *out[2:]), (sides[0], sides[1]))


def _describe(position: Position, winner: int, move: int, is_certain: int) -> str:
    if winner == UNDECIDED:
        return ""
    if winner == NOBODY:
        return mark("drawn")
    name = position.game.players[winner]
    if position.is_over:
        return mark("{player} has won").format(player=name)
    text = mark("{player} wins at move {number}") if is_certain else mark("{player} seems to win at move {number}")
    return text.format(player=name, number=move)
