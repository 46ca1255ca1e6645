"""Connections, groups, eye values and final scores of Go positions."""

from __future__ import annotations

import os
import subprocess
import sys
from random import Random

import pytest

from tengen.core.diagram import Stone
from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.engines.go.board import geometry_for
from tengen.engines.go.mcts.dead_stones import dead_strings
from tengen.engines.go.mcts.engine import GoEngine
from tengen.engines.go.reading.connected_groups import find_group
from tengen.engines.go.reading.connections import ConnectionReader
from tengen.engines.go.reading.eye_values import EyeValue, eye_value
from tengen.engines.go.reading.status import StatusTracker
from tengen.engines.go.reading.tactics import Result, TacticalReader
from tengen.engines.go.scoring.final_score import final_outcome, outcome_now
from tengen.engines.go.scoring.settled_areas import fill_settled_areas
from tengen.games.go import Go
from tengen.search.limits import Limits

COLUMNS = "ABCDEFGHJKLMNOPQRST"


def position_of(rows: str, **options: object) -> Position:
    lines = rows.split()
    game = Go(width=len(lines[0]), height=len(lines), board="/".join(lines) + " X", **options)  # type: ignore[arg-type]
    return game.start()


class Reading:
    """A connection reader with a position, asked by vertices."""

    def __init__(self, rows: str, nodes: int = 200_000) -> None:
        position = position_of(rows)
        assert isinstance(position.game, Go)
        self.tactics = TacticalReader(geometry_for(position.game))
        self.tactics.load(position)
        self.reader = ConnectionReader(self.tactics, nodes)

    def point(self, vertex: str) -> int:
        geometry = self.tactics.geometry
        return geometry.stride * (geometry.height - int(vertex[1:]) + 1) + COLUMNS.index(vertex[0]) + 1

    def ask(self, question: str) -> str:
        what, *vertices = question.split()
        answer = getattr(self.reader, what)(*map(self.point, vertices))
        assert answer.conclusive
        if answer.result is Result.FAILS:
            return "0"
        geometry = self.tactics.geometry
        row, column = divmod(answer.move, geometry.stride)
        return f"{int(answer.result)} {COLUMNS[column - 1]}{geometry.height - row + 1}"


KO = """.......
        .......
        ..O.O..
        ..XOX..
        ...X...
        .......
        ......."""
JUMP = "\n".join([".........", ".........", "..X.X....", *["........."] * 6])
PEEPED = "\n".join([".........", "...O.....", "..X.X....", "...O.....", *["........."] * 5])
ATARI = "\n".join([".........", "..O......", ".OX.X....", "..O......", *["........."] * 5])


@pytest.mark.parametrize(
    ("rows", "question", "expected"),
    [
        (JUMP, "disconnect C7 E7", "0"),
        (JUMP, "connect C7 E7", "1 D7"),
        (PEEPED, "disconnect C7 E7", "1 D7"),
        (PEEPED, "connect C7 E7", "1 D7"),
        (ATARI, "disconnect C7 E7", "1 D7"),  # captures C7
        (KO, "connect C5 E5", "1 D5"),
        (KO, "disconnect C5 E5", "1 D5"),  # captures D4, and Black gets D4 or D6 afterwards
    ],
)
def test_connections(rows: str, question: str, expected: str) -> None:
    assert Reading(rows).ask(question) == expected


def _holds(reading: Reading, one: int, other: int, moves: int) -> bool:
    """Whether the connecting side, playing the reader's moves, meets every reply of up to `moves` moves."""
    tactics = reading.tactics
    if tactics.snapshot.head(one) == tactics.snapshot.head(other) or moves == 0:
        return True
    answer = reading.reader.connect(one, other)
    if answer.result is not Result.WORKS:
        return False
    with tactics.trial_move(answer.move, 1) as legal:
        if not legal:
            return False
        for point in map(int, tactics.geometry.inside):
            if tactics.colour(point):
                continue
            with tactics.trial_move(point, 2) as legal_reply:
                if not legal_reply:
                    continue
                if tactics.colour(one) != 1 or tactics.colour(other) != 1:
                    return False
                if not _holds(reading, one, other, moves - 1):
                    return False
    return True


def test_connections_hold_against_every_reply() -> None:
    """On small random boards the reader's moves are met with all replies.

    It does not try all moves, and a capture counts as a connection, even if everything is captured later.
    """
    random, checked, refuted = Random(5), 0, 0
    while checked < 60:
        rows = ["".join(random.choice("..XO") for _ in range(4)) for _ in range(4)]
        try:
            reading = Reading("\n".join(rows), nodes=20_000)
        except TengenError:
            continue
        board = reading.tactics.snapshot
        strings = list(board.strings(board.by_colour[1]))
        if len(strings) < 2:
            continue
        one, other = random.sample(strings, 2)
        answer = reading.reader.connect(one, other)
        if answer.result is Result.WORKS and answer.conclusive:
            checked += 1
            refuted += not _holds(reading, one, other, 2)
    assert refuted <= checked // 20


def test_connections_without_jit() -> None:
    code = (
        "from tests.engines.go.test_go_connections import KO, Reading\n"
        "print(Reading(KO, nodes=400).ask('connect C5 E5'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "1 D5\n"


def test_groups_are_made_of_connected_strings() -> None:
    reading = Reading(JUMP)
    assert find_group(reading.tactics, reading.point("C7")) == {reading.point("C7"), reading.point("E7")}
    reading = Reading(PEEPED)
    assert find_group(reading.tactics, reading.point("C7")) == {reading.point("C7")}


def test_status_board_has_groups() -> None:
    for rows, count in ((JUMP, 1), (PEEPED, 2)):
        position = position_of(rows)
        assert isinstance(position.game, Go)
        strings = StatusTracker(position.game).update(position)
        black = {string.group for string in strings if string.player == 0}
        assert len(black) == count
        assert {point for group in black for point in group} == {(2, 2), (4, 2)}


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (".X.......", EyeValue(1, 1)),
        ("..X......", EyeValue(1, 1)),
        ("...X.....", EyeValue(1, 2, 1, 1)),
        ("....X....", EyeValue(2, 2)),
        (".O..X....", EyeValue(1, 2, 2, 2)),
    ],
)
def test_eye_values(row: str, expected: EyeValue) -> None:
    """Spaces in a row on the first line; the moves are columns."""
    size = row.index("X")
    rows = "\n".join([*["........."] * 7, "X" * (size + 1) + "." * (8 - size), row])
    reading = Reading(rows)
    value = eye_value(reading.tactics, reading.point("A1"))
    assert value is not None
    moves = [
        divmod(move, reading.tactics.geometry.stride)[1] - 1 if move else 0
        for move in (value.attack, value.defence)
    ]
    assert EyeValue(value.fewest, value.most, *moves) == expected


def test_open_space_is_no_eye() -> None:
    reading = Reading(JUMP)
    assert eye_value(reading.tactics, reading.point("A1")) is None


SEKI = """.XXXXXXXX
          XXXOOOOOO
          XXXO.XXX.
          XXXOOOOOO
          .XXXXXXXX"""


def test_strings_in_seki_are_not_dead() -> None:
    """White would get four points in a row for the three stones, Black would lose them."""
    position = position_of(SEKI, scoring="territory", komi=0.5)
    assert dead_strings(position) == []
    assert final_outcome(position).score == 1.5


@pytest.mark.parametrize("side", "XO")
def test_neither_side_plays_into_a_seki(side: str) -> None:
    rows = "/".join(SEKI.split())
    position = Go(width=9, height=5, board=f"{rows} {side}", komi=0.5).start()
    assert GoEngine().search(position, Limits(nodes=500)).best == "pass"


def test_open_borders_count_by_ownership() -> None:
    """The border is open at E1 and D1, so a plain count would give nobody anything."""
    rows = "\n".join([*["...XX.OO."] * 8, "........."]).replace(".OO.", "OO..")
    position = position_of(rows, scoring="territory", komi=0.5)
    game = position.game
    assert isinstance(game, Go)
    assert game.count(position).score == -0.5
    outcome = outcome_now(position)
    assert outcome.score is not None
    assert 5 <= outcome.score <= 8.5
    assert final_outcome(position).score == 28 - 18 - 0.5, "F1, G1, E1 close the border"
    assert dead_strings(position) == []


# Black owns the left, White the right. C3 goes to the side that moves first; C1 and D1 are one point for each.
OPEN_BORDER = "..XO./.XXO./.X.OO/.XXO./.X..O"


@pytest.mark.parametrize(("side", "score"), [("X", 15 - 10), ("O", 14 - 11)])
def test_borders_are_closed_before_an_unfinished_game_is_counted(side: str, score: int) -> None:
    position = Go(width=5, height=5, board=f"{OPEN_BORDER} {side}", komi=0).start()
    assert final_outcome(position).score == score


# Black owns the left, with a white stone in it that is dead, White the right.
FINISHED = "/".join(["....XO...."] * 4 + [".O..XO...."] + ["....XO...."] * 5)


@pytest.mark.parametrize("scoring", ["area", "territory"])
def test_filling_settled_areas_changes_no_score(scoring: str) -> None:
    game = Go(width=10, height=10, board=f"{FINISHED} O", komi=0.5, scoring=scoring)
    position = game.start()
    owners = {point: 0 if point[0] < 5 else 1 for point in position.diagram().contents()}
    filled = fill_settled_areas(position, owners, [[(1, 4)]])
    assert filled.game.count(filled).score == game.count(position, ["B6"]).score
    assert list(filled.diagram().contents().values()).count(Stone.EMPTY) == 4, "two eyes for each side"
    assert filled.to_move == position.to_move
    lower_half = {point: owner for point, owner in owners.items() if point[1] >= 5}
    half = fill_settled_areas(position, lower_half, [[(1, 4)]])
    assert half.game.count(half, ["B6"]).score == game.count(position, ["B6"]).score
    left = [point for point, stone in half.diagram().contents().items() if stone is Stone.EMPTY and point[0] < 4]
    assert {(column, row) for column in range(4) for row in range(7)} <= {*left, (1, 4)}, "margin around contested"


def test_a_game_that_both_sides_passed_is_counted_as_it_is() -> None:
    position = Go(width=5, height=5, board=f"{OPEN_BORDER} X", komi=0).start().play("pass").play("pass")
    assert final_outcome(position) == outcome_now(position)
