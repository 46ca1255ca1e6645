"""The Go player without reading ahead: it sees captures, ataris and eyes, and passes when territory is settled."""

from __future__ import annotations

import pytest

import tengen
from tengen.core.position import Position
from tengen.engines.registry import create
from tengen.search.limits import Limits


def best(position: Position) -> str:
    return create("glance", seed=2).search(position, Limits(depth=1)).best


def after(*moves: str, size: int = 7) -> Position:
    return tengen.game("go", size=size).start().play_all(moves)


def test_it_captures() -> None:
    assert best(after("D4", "D5", "C5", "A1", "E5", "G1")) == "D6"


def test_it_saves_a_string_in_atari() -> None:
    # Black D4 E4 has one liberty left, at F4, and gains two by extending there.
    position = after("D4", "C4", "E4", "D5", "A1", "E5", "A7", "D3", "G1", "E3")
    assert best(position) == "F4"


def test_it_does_not_fill_its_eyes_and_passes_at_the_end() -> None:
    rows = (".X.O.", "XXOOO", "X.XO.", "XXXOO", ".XXO.")
    position = tengen.game("go", board="/".join(rows)).start()
    assert best(position) == "pass"


@pytest.mark.parametrize("size", [5, 9, 19])
def test_it_finishes_games(size: int) -> None:
    position, engine = tengen.game("go", size=size).start(), create("glance", seed=1)
    while not position.is_over and position.ply < 4 * size * size:
        position = position.play(engine.search(position, Limits(depth=1)).best)
        if size == 19 and position.ply > 60:
            return
    assert position.is_over
    assert position.ply > size * size // 2, "it does not pass while there is something to gain"
