"""Groups in open positions and capturing races, read by local tree search."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter

import pytest

from tengen.core.position import Position
from tengen.engines.go.groups.board_life import GroupStatus, Life, read_groups
from tengen.engines.go.groups.group_changes import Change, group_changes
from tengen.engines.go.groups.races import RaceReader
from tengen.engines.go.groups.semeai import read_semeai
from tengen.engines.go.groups.zone import find_zone
from tengen.engines.go.kernels.board import EMPTY
from tengen.engines.go.reading.point_sets import PointSet, list_points, point_set
from tengen.engines.go.reading.status import StatusTracker
from tengen.engines.go.reading.tactics import Result
from tengen.games.go import Go
from tests.helpers.go_groups import closed_race, exhaustive_results, groups_of, half_open_corner, point_of
from tests.helpers.go_positions import position_of
from tests.reference.go_tactics import Spot

FAILS, WORKS = Result.FAILS, Result.WORKS


# The upper left corner of a board of 9x9 points: rows, a stone, and results with moves of attack and defence.
CORNERS = {
    "three points in a row": ("...XO/XXXXO/OOOO.", (0, 1), (WORKS, (1, 0)), (WORKS, (1, 0))),
    "two eyes": (".X.XO/XXXXO/OOOO.", (0, 1), (FAILS, None), (WORKS, None)),
    "two points": ("..XO/XXXO/OOO.", (0, 1), (WORKS, None), (FAILS, None)),
    "room in the corner": ("....XO/....XO/XXXXXO/OOOOO.", (0, 2), (FAILS, None), (WORKS, None)),
    "open centre": ("........./........./..O....../...X...../...X.....", (3, 3), (FAILS, None), (WORKS, None)),
}


@pytest.mark.parametrize("name", CORNERS)
def test_groups_with_open_surroundings(name: str) -> None:
    rows, stone, *expected = CORNERS[name]
    lines = [row.ljust(9, ".") for row in rows.split("/")]
    position = position_of("\n".join(lines + ["." * 9] * (9 - len(lines))))
    groups, target = groups_of(position), point_of(position, stone)
    for answer, (result, move) in zip((groups.attack(target), groups.defend(target)), expected, strict=True):
        assert answer.result is result
        assert not answer.conclusive
        if move is not None:
            assert answer.move == point_of(position, move)


def test_half_open_corners_agree_with_exhaustive_search() -> None:
    """A result that claims to be proved must be right, others nearly always."""
    rng = random.Random(1)
    counts: Counter[str] = Counter()
    while counts["positions"] < 50:
        corner = half_open_corner(rng, (2, 3))
        if corner is None:
            continue
        position, stone, ground = corner
        counts["positions"] += 1
        groups, target = groups_of(position), point_of(position, stone)
        expected = exhaustive_results(position, stone, ground)
        for answer, result in zip((groups.attack(target), groups.defend(target)), expected, strict=True):
            assert answer.result == result or not answer.conclusive
            counts["right" if answer.result == result else "wrong"] += 1
            counts["fails"] += result == FAILS
    assert counts["wrong"] <= 5
    assert counts["fails"] >= 15  # the questions are not all of one kind


# ---- capturing races

BLACK_WALL, WHITE_WALL = ("X.X", "XXX", "X.X"), ("O.O", "OOO", "O.O")  # both alive


def race(*columns: str) -> Position:
    """Columns of three points between the two living walls."""
    rows = ["".join((BLACK_WALL[i], *(column[i] for column in columns), WHITE_WALL[i])) for i in range(3)]
    return position_of("\n".join(rows))


def test_who_moves_first_wins_an_even_race() -> None:
    position = race("...", "OOO", "XXX", "...")
    groups = groups_of(position)
    white, black = point_of(position, (4, 0)), point_of(position, (5, 0))
    for one, other, column in ((black, white, 3), (white, black, 6)):
        found = read_semeai(groups, one, other)
        assert (found.defence, found.attack) == (WORKS, WORKS)
        assert (found.move % (position.game.width + 1)) - 1 == column  # type: ignore[attr-defined]


def test_more_liberties_win_a_race_without_moving_first() -> None:
    position = race("X..", "OOO", "XXX", "...")
    groups = groups_of(position)
    white, black = point_of(position, (4, 0)), point_of(position, (5, 0))
    found = read_semeai(groups, white, black)
    assert (found.defence, found.attack, found.move) == (FAILS, FAILS, 0)
    found = read_semeai(groups, black, white)
    assert (found.defence, found.attack) == (WORKS, WORKS)


def test_shared_liberties_without_eyes_are_seki() -> None:
    position = race("OOO", "...", "XXX")
    groups = groups_of(position)
    white, black = point_of(position, (3, 0)), point_of(position, (5, 0))
    for one, other in ((black, white), (white, black)):
        found = read_semeai(groups, one, other)
        assert (found.defence, found.attack) == (WORKS, FAILS)


def test_closed_races_agree_with_exhaustive_search() -> None:
    rng = random.Random(2)
    counts: Counter[tuple[int, int]] = Counter()
    while counts.total() < 40:
        found = closed_race(rng, 2)
        if found is None:
            continue
        position, one, other, ground = found
        attack = exhaustive_results(position, other, ground)[0]
        defence = attack or exhaustive_results(position, one, ground)[1]
        race = read_semeai(groups_of(position), point_of(position, one), point_of(position, other))
        assert (race.defence, race.attack) == (defence, attack), position
        counts[defence, attack] += 1
    assert min(counts[0, 0], counts[1, 0], counts[1, 1]) > 0


def test_seki_with_a_ko_that_nobody_wins() -> None:
    """Black can always retake the ko on the edge, so White captures nothing. A search of all positions agrees."""
    rows = [*["........."] * 3, "......OOO", ".....OOXX", ".....OXX.", "...OOOXO.", "...OXXXO.", "...OX...."]
    position = position_of("\n".join(rows))
    white, black = point_of(position, (7, 6)), point_of(position, (7, 4))
    race = read_semeai(groups_of(position), white, black)
    assert (race.defence, race.attack) == (WORKS, FAILS)


def test_race_of_long_outside_liberties_is_counted() -> None:
    """Seven outside liberties each: whoever moves first wins, and the search must not try their permutations."""
    rows = ["X.X.OX.O.O" if row % 2 == 0 else "XXX.OX.OOO" for row in range(7)]
    position = position_of("\n".join(rows))
    groups = groups_of(position)
    races = RaceReader(groups.life.tactics, 200)
    white, black = point_of(position, (4, 0)), point_of(position, (5, 0))
    races.set_zone(groups.zone(white) | groups.zone(black))
    assert races.capture(white, black).result is WORKS
    assert races.capture(black, white).result is WORKS


def test_a_group_that_wins_its_race_lives() -> None:
    """Black has seven outside liberties, White five: Black captures, whoever moves first."""
    rows = ["X.XXOX.O.O" if row == 0 else "X.X.OX.O.O" if row % 2 == 0 else "XXX.OX.OOO" for row in range(7)]
    rows[1] = "XXXXOX.OOO"
    position = position_of("\n".join(rows))
    groups = groups_of(position)
    white, black = point_of(position, (4, 0)), point_of(position, (5, 0))
    races = RaceReader(groups.life.tactics)
    races.set_zone(groups.zone(white) | groups.zone(black))
    assert races.wins_race(black, white)
    assert not races.wins_race(white, black)
    assert groups.attack(black).result is FAILS


def race_columns(*columns: str) -> Position:
    """Columns of nine points between living walls: the race of a string of White and one of Black."""
    walls = ("X.X", "XXX"), ("O.O", "OOO")
    rows = [walls[0][i % 2] + "".join(column[i] for column in columns) + walls[1][i % 2] for i in range(9)]
    return position_of("\n".join(rows))


def between_walls(position: Position) -> PointSet:
    width, height = position.game.width, position.game.height  # type: ignore[attr-defined]
    return point_set(point_of(position, (column, row)) for column in range(3, width - 3) for row in range(height))


@pytest.mark.parametrize(("outside", "first", "second"), [(2, WORKS, WORKS), (3, WORKS, FAILS), (4, FAILS, FAILS)])
def test_shared_liberties_count_for_the_side_with_an_eye(outside: int, first: Result, second: Result) -> None:
    """Black has one eye and two shared liberties: White must fill all three, Black only the outside ones."""
    position = race_columns(
        "." * outside + "X" * (9 - outside), "OOOOOOOOO", "O..OOOOOO", "XXXXXXXXX", "XXX.XXXXX", "OOXXXOOOO"
    )
    check_race(position, black=(6, 0), first=first, second=second)


@pytest.mark.parametrize(("outside", "first", "second"), [(4, WORKS, WORKS), (5, WORKS, FAILS), (6, FAILS, FAILS)])
def test_an_eye_of_four_points_takes_five_moves_to_fill(outside: int, first: Result, second: Result) -> None:
    position = race_columns(
        "." * outside + "X" * (9 - outside), "OOOOOOOOO", "XXXXXXXXX", "XX..XXXXX", "XX..XXXXX", "OXXXXOOOO"
    )
    check_race(position, black=(5, 0), first=first, second=second)


def check_race(position: Position, black: Spot, first: Result, second: Result) -> None:
    """Whether Black captures White's string in the fifth column, moving first and second; found by counting."""
    groups = groups_of(position)
    white, own = point_of(position, (4, 0)), point_of(position, black)
    races = RaceReader(groups.life.tactics, 2000)
    races.set_zone(between_walls(position))
    capture, survival = races.capture(own, white), races.survive(white, own)
    assert (capture.result, capture.selective) == (first, False)
    assert (survival.result is FAILS, survival.selective) == (second is WORKS, False)


@pytest.mark.parametrize(("outside", "first"), [(1, (3, 0)), (2, (7, 3)), (3, None)])
def test_an_eye_of_four_points_with_three_enemies_is_captured_by_one_move(
    outside: int, first: Spot | None
) -> None:
    """Black's only liberty is inside: Black captures there first, unless White has one liberty, too."""
    position = race_columns(
        "." * outside + "X" * (9 - outside), "OOOOOOOOO", "XXXXXXXXX", "XXOOXXXXX", "XXO.XXXXX", "OXXXXOOOO"
    )
    groups = groups_of(position)
    white, black = point_of(position, (4, 0)), point_of(position, (5, 0))
    races = RaceReader(groups.life.tactics, 2000)
    races.set_zone(between_walls(position))
    capture, survival = races.capture(black, white), races.survive(white, black)
    assert capture.result is (FAILS if first is None else WORKS)
    if first is not None:
        assert capture.move == point_of(position, first)
    assert (survival.result, capture.selective, survival.selective) == (WORKS, False, False)


def test_a_side_that_makes_two_eyes_is_ahead_for_good() -> None:
    """Black's move inside makes two eyes; the full search would have to fill White's liberties one by one."""
    position = race_columns(".........", "OOOOOOOOO", "XXXXXXXXX", "XX...XXXX", "OXXXXXOOO")
    groups = groups_of(position)
    white, black = point_of(position, (4, 0)), point_of(position, (5, 0))
    races = RaceReader(groups.life.tactics, 40)
    races.set_zone(between_walls(position))
    found = races.capture(black, white)
    assert (found.result, found.selective) == (WORKS, True)
    assert found.move == point_of(position, (6, 3))


def test_a_capture_inside_which_the_captor_is_killed_is_a_seki() -> None:
    """Black can capture five stones, but then has only this eye, and White plays at its vital point."""
    rows = ["...O.O...", "...OOO...", "OOOO.....", "XXXO.....", "..XOO....", "OOXXO....", "OOOX.O..."]
    position = position_of("\n".join(["........."] * 2 + rows))
    groups = groups_of(position)
    white, black = point_of(position, (0, 8)), point_of(position, (0, 5))
    for one, other in ((white, black), (black, white)):
        found = read_semeai(groups, one, other)
        assert (found.defence, found.attack, found.move) == (WORKS, FAILS, 0)


def test_strings_that_share_two_eyes_win_every_race() -> None:
    rows = [".XO......", "X.XO.....", "OXXXO....", "OX.XO....", "OOXXO....", ".OOOO....", *["........."] * 3]
    position = position_of("\n".join(rows))
    groups = groups_of(position)
    races = RaceReader(groups.life.tactics, 200)
    white, black = point_of(position, (2, 0)), point_of(position, (1, 0))
    races.set_zone(groups.zone(white) | groups.zone(black))
    found = races.capture(white, black)
    assert found.result is FAILS
    assert not found.selective


def test_races_have_a_limit_and_say_so() -> None:
    position = race("...", "OOO", "XXX", "...")
    groups = groups_of(position)
    white, black = point_of(position, (4, 0)), point_of(position, (5, 0))
    assert read_semeai(groups, black, white).conclusive
    races = RaceReader(groups.life.tactics)
    races.set_zone(groups.zone(white) | groups.zone(black))
    before = races.nodes_left
    assert races.capture(black, white).result is WORKS
    assert 0 < races.nodes_left < before
    races.nodes_left = 0
    assert races.capture(black, white).result is None


# ---- zones


def test_zone_has_the_liberties_and_ends_at_strong_strings() -> None:
    position = position_of("\n".join(["...XO....", "XXXXO....", "OOOO.....", *["........."] * 6]))
    groups = groups_of(position)
    board = groups.life.tactics.snapshot
    target = point_of(position, (0, 1))
    zone = find_zone(board, [target])
    assert board.liberties(target) & ~zone == 0
    assert all(board.colours[point] == EMPTY for point in list_points(zone))
    assert not zone >> point_of(position, (8, 8)) & 1
    assert find_zone(board, [target], 2).bit_count() == 2


def test_results_are_the_same_without_jit() -> None:
    code = (
        "from tests.helpers.go_groups import *\n"
        "position = position_of(' '.join(['..X.O', 'XXXXO', 'OOOO.', '.....', '.....']))\n"
        "groups, target = groups_of(position, 6), point_of(position, (0, 1))\n"
        "print(groups.reader.search(target, groups.zone(target), 0, attacking=True))\n"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "NUMBA_DISABLE_JIT": switch},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for switch in "01"
    }
    assert len(answers) == 1


# ---- the life of all groups

# Upper left: Black's group depends on the second point of the edge. Upper right: White's group has two eyes.
LIVES = """...XO.XO.O.
           XXXXO.XOOOO
           OOOOO.XXXXX
           .....O.....
           ..........."""


def _lives(rows: str) -> dict[tuple[int, int], GroupStatus]:
    position = position_of(rows)
    assert isinstance(position.game, Go)
    tracker = StatusTracker(position.game)
    groups = read_groups(position, tracker, tracker.update(position))
    return {stone: group for group in groups for stone in group.stones}


def test_the_life_of_groups_with_the_moves_that_decide_it() -> None:
    found = _lives(LIVES)
    critical, alive = found[0, 1], found[8, 1]
    assert (critical.player, critical.life, critical.kill, critical.save) == (0, Life.CRITICAL, (1, 0), (1, 0))
    assert (alive.player, alive.life, alive.kill, alive.save) == (1, Life.ALIVE, None, None)
    assert alive.proved, "two eyes are unconditional"


def test_groups_without_a_defence_are_dead() -> None:
    dead = _lives("..XO....\nXXXO....\nOOOO....\n........\n........")[0, 1]
    assert (dead.life, dead.save) == (Life.DEAD, None)


@pytest.mark.parametrize(
    ("side", "move", "change", "reply"),
    [
        ("X", "B9", Change.SAVES, None),
        ("O", "B9", Change.KILLS, None),
        ("X", "J1", Change.LOSES, "B9"),
        ("X", "A9", Change.LOSES, None),
        ("X", "F9", Change.LOSES, "B9"),
        ("O", "A9", Change.RELEASES, "B9"),
    ],
)
def test_what_a_move_does_to_a_group(side: str, move: str, change: Change | None, reply: str | None) -> None:
    rows = ["...XO....", "XXXXO....", "OOOOO....", *["........."] * 6]
    position = Go(width=9, height=9, board=f"{'/'.join(rows)} {side}").start()
    game = position.game
    found = group_changes(position, game.read_move(move, position))
    assert [one.kind for one in found if (3, 0) in one.stones] == ([] if change is None else [change])
    for one in found:
        assert (None if one.reply is None else game.write_move(game.point(one.reply))) == reply  # type: ignore[attr-defined]
