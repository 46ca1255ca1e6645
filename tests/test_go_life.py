"""Life and death, safety and status: against searches that know no Go but its rules."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest

import tengen
from tengen.cli import run
from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.engines.go.board import geometry_of
from tengen.engines.go.reading.life import Life
from tengen.engines.go.reading.status import Status, StatusBoard
from tengen.engines.go.reading.tactics import Result, Tactics
from tests.test_go_reading import EveryMove, Spot, Stones, position_of, random_position

State = tuple[frozenset[tuple[Spot, int]], int, Spot | None]


@cache
def life_of(width: int, height: int) -> Life:
    return Life(Tactics(geometry_of(width, height)))


def stones_of(position: Position) -> Stones:
    game = position.game
    found = {
        (column, row): int(position.state.go_stones[game.point((column, row))])  # type: ignore[attr-defined]
        for column in range(game.width)  # type: ignore[attr-defined]
        for row in range(game.height)  # type: ignore[attr-defined]
    }
    return {point: stone for point, stone in found.items() if stone}


# ---- safety


def test_what_is_safe_cannot_be_taken_from_one_who_always_passes() -> None:
    """Both ways: a string is alive by Benson exactly if no row of enemy moves takes it."""
    rng = random.Random(1)
    alive = 0
    for _ in range(150):
        width, height = rng.choice([(3, 3), (4, 3), (4, 4)])
        position = random_position(rng, width, height)
        stones = stones_of(position)
        if width * height - len(stones) > 8:
            continue
        life = life_of(width, height)
        life.tactics.load(position)
        safe = life.safe_points()
        for target, colour in stones.items():
            point = life.tactics.geometry.stride * (target[1] + 1) + target[0] + 1
            assert (safe.get(point) == colour) == (not _taken(EveryMove(width, height, 1, colour), stones, target))
            alive += safe.get(point) == colour
    assert alive > 10


def _taken(rules: EveryMove, stones: Stones, target: Spot) -> bool:
    """Whether moves of the enemy alone can take the string; ko does not matter, as its owner always passes."""
    seen, waiting = set(), [stones]
    while waiting:
        now = waiting.pop()
        if now.get(target) != rules.colour:
            return True
        for point in rules.inside - set(now):
            played = rules.play(now, point, 3 - rules.colour)
            if played is not None and frozenset(played[0].items()) not in seen:
                seen.add(frozenset(played[0].items()))
                waiting.append(played[0])
    return False


# ---- life and death in a corner that is shut in


def test_corners_against_every_move() -> None:
    """White's wall lives by two eyes; Black has stones in the 3x3 corner. Nine answers of ten are right, and none
    claims to be sure.
    """
    rng = random.Random(2)
    counts = dict.fromkeys(("asked", "right", "killed", "lives"), 0)
    for _ in range(60):
        corner = [[rng.choice("XXXO....") for _ in range(3)] for _ in range(3)]
        rows = [f"{''.join(row)}O{gap}O" for row, gap in zip(corner, ".O.", strict=True)]
        try:
            position = position_of("\n".join(rows))
        except TengenError:
            continue
        stones = stones_of(position)
        life = life_of(6, 3)
        life.tactics.load(position)
        for target in [point for point, stone in stones.items() if stone == 1][:1]:
            point = life.tactics.geometry.stride * (target[1] + 1) + target[0] + 1
            attack, defence = life.attack(point), life.defend(point)
            counts["asked"] += 1
            assert not attack.sure
            assert not defence.sure
            right = True
            counts["killed" if attack.result is Result.WORKS else "lives"] += 1
            for mode, result in ((0, Result.WORKS), (2, None)):
                forced = _Forced(mode, target).states(stones)
                kills = forced[frozenset(stones.items()), 2, None]
                dies = forced[frozenset(stones.items()), 1, None]
                if result is Result.WORKS:
                    right &= (attack.result is Result.WORKS) == kills
                else:
                    right &= (attack.result is Result.FAILS) == (not kills)
                    right &= (defence.result is Result.WORKS) == (not dies)
            counts["right"] += right
    assert counts["right"] > 0.9 * counts["asked"]
    assert min(counts.values()) > 5


class _Forced:
    """All positions that moves in the corner lead to, and in which of them White forces the capture of a stone."""

    def __init__(self, mode: int, target: Spot) -> None:
        self.rules = EveryMove(6, 3, mode, 1)
        self.corner = {(column, row) for column in range(3) for row in range(3)}
        self.target = target

    def states(self, start: Stones) -> dict[State, bool]:
        before: dict[State, list[State]] = {}
        left: dict[State, int] = {}  # of Black's moves, how many are not known to lose
        waiting: list[tuple[Stones, int, Spot | None]] = [(start, turn, None) for turn in (1, 2)]
        won: list[State] = []
        while waiting:
            stones, turn, ko = waiting.pop()
            key = (frozenset(stones.items()), turn, ko)
            if key in left:
                continue
            left[key] = 0
            if self.target not in stones:
                if not (ko == self.target and self.rules.mode == 0):
                    won.append(key)
                continue
            moves = [(stones, None), *self.rules.moves(stones, self.corner - set(stones), turn, ko)]
            left[key] = len(moves)
            for after, now in moves:
                before.setdefault((frozenset(after.items()), 3 - turn, now), []).append(key)
                waiting.append((after, 3 - turn, now))
        caught = dict.fromkeys(left, False)
        while won:
            key = won.pop()
            if not caught[key]:
                caught[key] = True
                for above in before.get(key, []):
                    left[above] -= 1
                    if above[1] == 2 or left[above] == 0:
                        won.append(above)
        return caught


# ---- status


@pytest.mark.parametrize("size", [5, 9])
def test_an_update_equals_reading_all_afresh(size: int) -> None:
    rng = random.Random(size)
    game = tengen.game("go", size=size)
    spared = 0
    for _ in range(2):
        position, board = game.start(), StatusBoard(game)
        for _ in range(2 * size):
            moves = [move for move in position.legal_moves if game.points(move)]
            if not moves or position.is_over:
                break
            position = position.play(rng.choice(moves))
            strings = board.update(position)
            spared += len(strings) - board.read
            assert set(strings) == set(StatusBoard(game).update(position))
            assert sum(len(string.stones) for string in strings) == len(stones_of(position))
    assert size == 5 or spared > 20


def test_status_of_a_board() -> None:
    position = position_of(
        """.X.X.....
           XXX......
           .........
           .........
           ....OX...
           ...OX....
           ....OX...
           .........
           O........""",
        "O",
    )
    found = {min(string.stones): string.status for string in StatusBoard(position.game).update(position)}  # type: ignore[arg-type]
    assert found[0, 1] is Status.UNCONDITIONALLY_ALIVE or found[0, 1] is Status.UNDECIDED
    assert found[4, 5] is Status.URGENT


SGF = "(;GM[1]FF[4]SZ[9]AB[dc][cd][ce]AW[dd]PL[B])"


def test_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.sgf"
    path.write_text(SGF)
    assert run(["go", "status", str(path)]) == 0
    assert "White D6 (1 stone, 2 liberties): urgent; Black takes it: " in capsys.readouterr().out
    assert run(["go", "ladder", str(path), "D6"]) == 0
    assert "Black catches D6 in a ladder: " in capsys.readouterr().out
    assert run(["go", "ladder", str(path), "A1"]) == 2
    assert "there is no stone at A1" in capsys.readouterr().err
