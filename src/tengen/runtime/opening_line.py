"""A chosen opening: an engine plays its moves as long as the game follows them, also turned or reflected.

opening_report(position, "f5 d6 c3", limits)     # None once the game has left the opening
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from tengen.books.shapes import shape_of
from tengen.core.errors import OptionError, TengenError
from tengen.core.game import Game
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.search.limits import Limits
from tengen.search.report import Candidate, Report, Value


def opening_line(game: Game, opening: str) -> list[Position]:
    """The positions of an opening. Raises a `TengenError` if a move is not legal."""
    position = game.start()
    line = [position]
    for word in opening.split():
        if position.is_over:
            raise OptionError(mark("the game is over before {move}").format(move=word))
        position = position.play(word)
        line.append(position)
    return line


@lru_cache(maxsize=16)
def _next_shapes(game: Game, opening: str) -> dict[tuple[bytes, int], bytes]:
    """The shape after the next move, by the shape and the number of moves before it."""
    try:
        line = opening_line(game, opening)
    except TengenError:
        return {}  # of another board size or variant: no opening
    shapes = [shape_of(position).key for position in line]
    return {(before, ply): after for ply, (before, after) in enumerate(pairwise(shapes))}


def opening_report(position: Position, opening: str, limits: Limits) -> Report | None:
    """The next move of an opening as a report; None if the game does not follow it."""
    if limits.moves is not None or limits.lines > 1 or position.is_over:
        return None
    known = _next_shapes(position.game, opening)
    ply = position.ply - position.game.start().ply
    wanted = known.get((shape_of(position).key, ply))
    if wanted is None:
        return None
    for move in position.legal_moves:
        if shape_of(position.play(move)).key == wanted:
            text = position.game.write_move(move)
            value = Value.heuristic(0.5, "win rate")
            found = Candidate(text, value, (text,), reason=mark("the chosen opening"))
            return Report("opening", text, value, (found,), 0, 0.0)
    return None
