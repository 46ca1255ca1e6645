"""Names of well-known Othello openings, recognised in every orientation and by every order of moves.

The line of a name ends at the position that has it. A position without a name of its own has that of the last
named position before it, so a game keeps the name of its opening.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from tengen.core.translation import mark

if TYPE_CHECKING:
    from tengen.core.position import Position

OPENINGS: dict[str, str] = {
    mark("Parallel"): "f5f4",
    mark("Diagonal"): "f5f6",
    mark("Perpendicular"): "f5d6",
    # Diagonal
    mark("Wing"): "f5f6d3f4",
    mark("Semi-Wing"): "f5f6c4f4",
    mark("Cow"): "f5f6e6f4e3",
    mark("Chimney"): "f5f6e6f4e3d6",
    mark("Bat"): "f5f6e6f4e3c5g5",
    mark("Melnikov"): "f5f6e6f4e3c5g5g3g4f3c4",
    mark("Rose-v-Toth"): "f5f6e6f4e3c5c4",
    mark("Tanida"): "f5f6e6f4e3c5c4e7",
    mark("Aircraft"): "f5f6e6f4e3c5c4e7g4",
    mark("Sailboat"): "f5f6e6f4e3c5c4e7b5e2",
    mark("Maruoka"): "f5f6e6f4e3c5c4d3f3e2",
    mark("Landau"): "f5f6e6f4e3c5c4d3c3",
    mark("Buffalo"): "f5f6e6f4c3",
    mark("Hokuriku Buffalo"): "f5f6e6f4c3c4",
    mark("Tanida Buffalo"): "f5f6e6f4c3d6f3c4c5b4",
    mark("Maruoka Buffalo"): "f5f6e6f4c3d7f3",
    mark("Heath"): "f5f6e6f4g5",
    mark("Heath-Chimney"): "f5f6e6f4g5d6",
    mark("Heath-Bat"): "f5f6e6f4g5e7e3",
    mark("Iwasaki"): "f5f6e6f4g5e7d7",
    mark("Mimura II"): "f5f6e6f4g5e7f7c5e3f3c4d3c2",
    mark("Snake"): "f5f6e6f4g6",
    mark("Pyramid"): "f5f6e6f4g6c5g4g5f3e3c4",
    mark("Raccoon Dog"): "f5f6e6f4g4",
    mark("Lollipop"): "f5f6e6f4g3d6",
    mark("Hamilton"): "f5f6e6f4g3f3g4",
    mark("X-square"): "f5f6e6f4g7",
    # Perpendicular: Tiger
    mark("Tiger"): "f5d6c3d3c4",
    mark("Aubrey"): "f5d6c3d3c4b3",
    mark("Brightwell"): "f5d6c3d3c4f4e3",
    mark("Leader's Tiger"): "f5d6c3d3c4f4e6",
    mark("Stephenson"): "f5d6c3d3c4f4f6",
    mark("Comp'Oth"): "f5d6c3d3c4f4f6f3",
    mark("Lightning Bolt"): "f5d6c3d3c4f4f6f3e3",
    mark("F.A.T. Draw"): "c4e3f6e6f5c5c3c6d3d2e2b3c1c2b4a3a5b5a6a4a2",
    mark("Kung"): "f5d6c3d3c4f4f6b4",
    mark("No-Kung"): "f5d6c3d3c4f4f6g5",
    mark("Rose-Bill"): "f5d6c3d3c4f4c5b3c2",
    mark("Tamenori"): "f5d6c3d3c4f4c5b3c2e6",
    mark("Ishii"): "f5d6c3d3c4f4c5b4b5c6f3e6e3",
    mark("Mainline Tiger"): "f5d6c3d3c4f4c5b4b5c6f3e6e3g6f6g5d7g3",
    # Perpendicular: others
    mark("Bent Ganglion"): "f5d6c3g5",
    mark("Cat"): "f5d6c4d3c5",
    mark("Sakaguchi"): "f5d6c4d3c5f4e3f3c2c6",
    mark("Berner"): "f5d6c4d3c5f4e3f3c2b4b3",
    mark("Italian"): "f5d6c4d3e6",
    mark("No-Cat"): "f5d6c4g5",
    mark("Swallow"): "f5d6c4g5c6",
    mark("Horse"): "f5d6c5f4d3",
    mark("Rabbit"): "f5d6c5f4e3",
    mark("Mimura"): "f5d6c5f4e3d3",
    mark("Shaman"): "f5d6c5f4e3c6f3",
    mark("Inoue"): "f5d6c5f4e3c6e6",
    mark("Iago"): "f5d6c5f4e3c6e6f6",
    mark("Bhagat"): "f5d6c5f4e3c6d7",
    mark("Ralle"): "f5d6c5f4e3c6d3f3",
    mark("Rose"): "f5d6c5f4e3c6d3f6e6d7",
    mark("Greenberg"): "f5d6c5f4e3c6d3f6e6d7e7",
    mark("Flat"): "f5d6c5f4e3c6d3f6e6d7g4",
    mark("Rotating Flat"): "f5d6c5f4e3c6d3f6e6d7g4c4",
    mark("Murakami"): "f5d6c5f4e3c6d3f6e6d7g4c4g6",
    mark("Rose-Birth"): "f5d6c5f4e3c6d3f6e6d7g3c4",
    mark("Rose-Birdie"): "f5d6c5f4e3c6d3f6e6d7g3c4b4",
    mark("Brightstein"): "f5d6c5f4e3c6d3f6e6d7g3c4g5c3b4e2",
}

_MAX_PLIES = max(len(line) // 2 for line in OPENINGS.values())


def opening_name(position: Position) -> str:
    """The name of the opening that led to a position, in English; empty if it has none."""
    names = _names_by_position()
    line = [one for one in position.line() if one.ply <= _MAX_PLIES]
    return next((names[one.key] for one in reversed(line) if one.key in names), "")


@lru_cache(maxsize=1)
def _names_by_position() -> dict[int, str]:
    """Names by the keys of positions, in the four orientations that the start has."""
    from tengen.games.othello.game import Othello

    start = Othello().start()
    known: dict[str, Position] = {"": start}
    names = {}
    for name, line in OPENINGS.items():
        for turned in _orientations(line):
            for end in range(2, len(turned) + 2, 2):
                if turned[:end] not in known:
                    known[turned[:end]] = known[turned[: end - 2]].play(turned[end - 2 : end])
            names[known[turned].key] = name
    return names


def _orientations(line: str) -> list[str]:
    """A line in the four orientations of the starting position."""
    squares = [("abcdefgh".index(line[i]), int(line[i + 1]) - 1) for i in range(0, len(line), 2)]
    images = (
        squares,
        [(row, column) for column, row in squares],
        [(7 - column, 7 - row) for column, row in squares],
        [(7 - row, 7 - column) for column, row in squares],
    )
    return ["".join(f"{'abcdefgh'[column]}{row + 1}" for column, row in image) for image in images]
