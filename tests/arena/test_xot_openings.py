"""Openings from lists such as XOT's, and eight random balanced moves."""

from __future__ import annotations

from pathlib import Path

import pytest

import tengen
from tengen.arena import openings
from tengen.core.position import Position
from tengen.games.records import RecordError

OTHELLO = tengen.game("othello")
LINES = ("F5D6C3D3C4F4F6F3", "f5f6e6f4e3c5c4e7", "D3C3C4C5D6F4F5D2")


def test_a_list_of_openings_in_either_case(tmp_path: Path) -> None:
    file = tmp_path / "xot.txt"
    file.write_text("\n".join(LINES))
    found = openings.from_file(OTHELLO, file)
    assert ["".join(map(OTHELLO.write_move, line)) for line in found] == [line.lower() for line in LINES]
    chosen = {openings.random_opening(OTHELLO, str(file), seed) for seed in range(20)}
    assert chosen == set(found)
    file.write_text("\n".join((*LINES, "f5d6a1a2")))
    with pytest.raises(RecordError, match="line 4, column 1: move 3, Black a1"):
        openings.from_file(OTHELLO, file)


def test_eight_random_moves_that_are_balanced(monkeypatch: pytest.MonkeyPatch) -> None:
    values = iter((0.4, 0.05))

    def imbalance(position: Position, seed: int) -> float:
        return next(values)

    monkeypatch.setattr(openings, "_imbalance", imbalance)
    opening = openings.random_opening(OTHELLO, "xot", 3)
    assert len(opening) == 8
    assert OTHELLO.start().play_all(opening).ply == 8
    with pytest.raises(StopIteration):
        next(values)
