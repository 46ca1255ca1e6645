"""Analysis output of Gomocup engines in Yixin's form, as Rapfi writes it.

After `INFO show_detail 2` each variation is a block of lines from `INFO PV n` to `INFO PV DONE`, with its value
(`INFO EVAL -27`), win rate (`INFO WINRATE 0.46`) and moves (`INFO BESTLINE 9,7 7,9`).
"""

from __future__ import annotations

import re

from tengen.core.errors import UnreadableMove
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.games.pente import Pente
from tengen.protocols.external.analysis import Evaluation, SaidMove, candidates, count, number, win_rate_value
from tengen.protocols.line_protocol import printable

MAX_LINES = 400  # variations
_POINT = re.compile(r"(\d{1,2}),(\d{1,2})", re.ASCII)


class InfoReader:
    """Collects the lines of one search."""

    def __init__(self, position: Position) -> None:
        self._position = position
        self._block: dict[str, str] = {}
        self._found: dict[int, tuple[int, SaidMove]] = {}  # by rank: the depth and what was said last
        self._nodes = 0

    def read(self, line: str) -> None:
        """Take a line of output; those in other forms are ignored."""
        word, _, rest = line.strip().partition(" ")
        name, _, value = rest.partition(" ")
        if word != "INFO" or not value:
            return
        if name == "PV" and value != "DONE":
            self._block = {"RANK": value}
        elif name == "PV":
            self._finish_block()
        else:
            self._block[name] = value

    def _finish_block(self) -> None:
        block, self._block = self._block, {}
        rank, rate = number(block.get("RANK"), 0, MAX_LINES), number(block.get("WINRATE"), 0, 1)
        line = block.get("BESTLINE", "").split()
        if rank is None or rate is None or not line:
            return
        self._nodes = max(self._nodes, count(block.get("TOTALNODES")))
        reason = f"eval {printable(block['EVAL'], 20)}" if "EVAL" in block else ""
        made = SaidMove(line, win_rate_value(rate), count(block.get("NODES")), reason=reason)
        self._found[int(rank)] = int(number(block.get("DEPTH"), 0, 400) or 0), made

    def evaluation(self, final_move: str = "") -> Evaluation:
        """What was said so far, with the move that the engine chose in the end first."""
        ranked = [self._found[rank] for rank in sorted(self._found)]
        said = [made for _, made in ranked]
        chosen = final_move.strip().replace(" ", "")
        if chosen:
            said.sort(key=lambda one: one.line[0] != chosen)
            if not said or said[0].line[0] != chosen:
                said.insert(0, SaidMove([chosen], said[0].value if said else win_rate_value(0.5)))
        depth = max((depth for depth, _ in ranked), default=0)
        return Evaluation(candidates(said, self._position, _read_point), self._nodes, depth)


def _read_point(word: str, position: Position) -> Move:
    found = _POINT.fullmatch(word)
    game = position.game
    assert isinstance(game, Pente)
    if found is None or max(int(found[1]), int(found[2])) >= game.size:
        raise UnreadableMove(f"{word[:20]!r} is not a point")
    return game.point((int(found[1]), int(found[2])))
