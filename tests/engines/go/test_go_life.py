"""Life and death, unconditional life and status, against exhaustive searches by the rules."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import tengen
from tengen.cli import run
from tengen.core.errors import TengenError
from tengen.engines.go.board import geometry_for_size
from tengen.engines.go.reading.eyes import eyes
from tengen.engines.go.reading.life import LifeReader
from tengen.engines.go.reading.point_sets import list_points
from tengen.engines.go.reading.status import Status, StatusTracker
from tengen.engines.go.reading.tactics import Result, TacticalReader
from tengen.games.go import Go
from tests.helpers.go_life import answers, life_of, stones_of
from tests.helpers.go_positions import position_of, random_position
from tests.reference.go_life import closed_ground
from tests.reference.go_tactics import EveryMove, Spot, Stones

# ---- unconditional life


def test_unconditional_life_equals_survival_with_only_passes() -> None:
    """A string is alive by Benson exactly if no sequence of enemy moves captures it."""
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
        safe = life.safe()
        for target, colour in stones.items():
            is_alive = bool(safe[colour] >> life.tactics.geometry.stride * (target[1] + 1) + target[0] + 1 & 1)
            assert is_alive == (not _is_capturable(EveryMove(width, height, 1, colour), stones, target))
            alive += is_alive
    assert alive > 10


def test_unconditional_territory_gives_the_opponent_no_living_string() -> None:
    """Whatever the opponent plays while the owner passes, no stone of it there becomes unconditionally alive."""
    rng = random.Random(3)
    owned = 0
    for _ in range(400):
        width, height = rng.choice([(4, 3), (5, 3), (4, 4)])
        position = random_position(rng, width, height)
        stones = stones_of(position)
        if width * height - len(stones) > 8:
            continue
        life = life_of(width, height)
        life.tactics.load(position)
        safe = life.safe_points()
        stride = life.tactics.geometry.stride
        for colour in (1, 2):
            rules = EveryMove(width, height, 1, colour)
            territory = {
                (point % stride - 1, point // stride - 1)
                for point, owner in safe.items()
                if owner == colour and stones.get((point % stride - 1, point // stride - 1)) != colour
            }
            if territory:
                owned += len(territory)
                assert not territory & _livable(rules, stones, life, 3 - colour)
    assert owned > 80


def _livable(rules: EveryMove, stones: Stones, life: LifeReader, opponent: int) -> set[Spot]:
    """Points where the opponent gets an unconditionally alive string by its moves alone."""
    geometry = life.tactics.geometry
    found: set[Spot] = set()
    seen, waiting = {frozenset(stones.items())}, [stones]
    while waiting:
        now = waiting.pop()
        colours = np.zeros(geometry.points, np.int64)
        for (column, row), colour in now.items():
            colours[geometry.stride * (row + 1) + column + 1] = colour
        life.tactics.load_stones(colours[geometry.inside])
        alive = life.safe()[opponent]
        found |= {
            spot
            for spot, colour in now.items()
            if colour == opponent and alive >> (geometry.stride * (spot[1] + 1) + spot[0] + 1) & 1
        }
        for point in rules.inside - set(now):
            played = rules.play(now, point, opponent)
            if played is not None and frozenset(played[0].items()) not in seen:
                seen.add(frozenset(played[0].items()))
                waiting.append(played[0])
    return found


# White strings around two black stones with four liberties. In the first two, Black fills a killing shape; in the
# third, Black cannot: two liberties at each end leave no such shape, so White lives or has a seki.
UNCAPTURED = {
    "three liberties": (
        "XXXXXXXXX/X.XOOXXXX/XXXOOOXXX/XXOOX.OXX/XXO.XOOXX/XXOO.OXXX/XXXOOOXXX/XXXXXXX.X/XXXXXXXXX",
        1,
    ),
    "three at one end": (
        "XXXXXXXXX/X.XOOOXXX/XXXO.OXXX/XXO.X.OXX/XXOOXOOXX/XXXO.OXXX/XXXOOOXXX/XXXXXXX.X/XXXXXXXXX",
        1,
    ),
    "two at each end": (
        "XXXXXXXXX/X.XOOXXXX/XXXO.OXXX/XXOOX.OXX/XXO.XOOXX/XXOO.OXXX/XXXOOOXXX/XXXXXXX.X/XXXXXXXXX",
        0,
    ),
}


@pytest.mark.parametrize(("board", "owner"), UNCAPTURED.values(), ids=UNCAPTURED)
def test_territory_around_uncaptured_stones(board: str, owner: int) -> None:
    position = position_of(board.replace("/", " "))
    life = life_of(9, 9)
    life.tactics.load(position)
    safe = life.safe_points()
    stride = life.tactics.geometry.stride
    white = stride * 2 + 4
    assert life.tactics.colour(white) == 2
    assert safe.get(white, 0) == owner
    assert safe.get(stride * 4 + 5, 0) == owner, "a black stone inside"


def _is_capturable(rules: EveryMove, stones: Stones, target: Spot) -> bool:
    """Whether enemy moves alone can capture the string; ko does not matter, as its owner always passes."""
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


# ---- life and death in closed regions


SHAPES = [(2, 2), (2, 3), (3, 2), (5, 1), (6, 1)]


def test_conclusive_results_equal_an_exhaustive_search() -> None:
    """A sample; soak/test_go_life.py tests thousands."""
    rng = random.Random(2)
    counts = dict.fromkeys(("asked", "conclusive", "killed", "lives"), 0)
    while counts["asked"] < 40:
        rows, ground = closed_ground(rng, *rng.choice(SHAPES), rng.random() < 0.6)
        try:
            position = position_of("\n".join(rows))
        except TengenError:
            continue
        stones = stones_of(position)
        targets = [point for point, stone in stones.items() if stone == 1]
        if targets:
            for answer, expected in answers(position, rng.choice(targets), ground):
                counts["asked"] += 1
                counts["conclusive"] += answer.conclusive
                counts["killed" if answer.result is Result.WORKS else "lives"] += 1
                assert not answer.conclusive or answer.result == expected, rows
    assert counts["conclusive"] > 0.9 * counts["asked"]
    assert min(counts.values()) > 5


SHAPES_IN_THE_CORNER = {
    "straight four": ("OOOOOX/....OX/OOOOOX/XXXXXX", (0, 0), 0, 1),
    "straight three": ("OOOOX/...OX/OOOOX/XXXXX", (0, 0), 1, 1),
    "bulky five": (".OXX/..OX/..OX/OOOX/XXXX", (1, 0), 1, 1),
    "square four": ("..OX/..OX/OOOX/XXXX", (2, 0), 1, 0),
    "bent four at the edge of the corner": ("...OX/.OOOX/OOXXX/XXX", (3, 0), 2, 1),
    "the J group": ("..O.X/OOO.X/XXOOX/.XXXX", (2, 0), 1, 0),
    "six on the second line": (".......X/OOOOOOX/XXXXXXX", (0, 1), 0, 1),
}


@pytest.mark.parametrize("name", SHAPES_IN_THE_CORNER)
def test_well_known_shapes(name: str) -> None:
    """The surrounding stones are not unconditionally alive, so nothing is conclusive."""
    text, (column, row), attack, defence = SHAPES_IN_THE_CORNER[name]
    rows = [line.ljust(9, ".") for line in text.split("/")]
    life = life_of(9, 9)
    life.tactics.load(position_of("\n".join(rows + ["." * 9] * (9 - len(rows)))))
    point = life.tactics.geometry.stride * (row + 1) + column + 1
    assert (life.attack(point).result, life.defend(point).result) == (attack, defence)
    assert not life.attack(point).conclusive


def test_seki() -> None:
    """A black string and a white one inside share two liberties. With one more there is no seki."""
    rows = """.OOOO.XO.
              XXXXXXXO.
              OOOOOOOO.
              ........."""
    for text, shared in ((rows, {(0, 1), (1, 0)}), (rows.replace("XO.", "X..", 1), set())):
        position = position_of(text)
        game = position.game
        assert isinstance(game, Go)
        found = StatusTracker(game).update(position)
        assert {min(string.stones) for string in found if string.status is Status.SEKI} == shared


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (".O.XO/XXXXO/OOOOO/.....", set()),  # a nakade of three: Black is dead
        (".OO.X./XXXXXO/OOOOOO/......", set()),  # of three as well, once White has filled a liberty
        (".OOO.XO/XXXXXXO/OOOOOOO/.......", {(0, 1), (1, 0)}),  # four in a row make two eyes
    ],
)
def test_a_nakade_is_no_seki(rows: str, expected: set[tuple[int, int]]) -> None:
    position = position_of(rows.replace("/", " "))
    assert isinstance(position.game, Go)
    found = StatusTracker(position.game).update(position)
    assert {min(string.stones) for string in found if string.status is Status.SEKI} == expected


def test_eyes_and_false_eyes() -> None:
    position = position_of(
        """.XOO.
           XOO.O
           XXXOO
           .X.XO
           XXXX."""
    )
    found = {min(eye.points): (eye.player, eye.false) for eye in eyes(position)}
    assert found == {
        (0, 0): (0, True),
        (4, 0): (1, False),
        (3, 1): (1, False),
        (0, 3): (0, False),
        (2, 3): (0, False),
    }


def test_search_regions_are_symmetric() -> None:
    """Escapes do not depend on the order of the points."""
    rng, compared = random.Random(7), 0
    geometry = geometry_for_size(7, 7)
    ends = geometry.stride * 8 + 8  # the sum of a point and its image
    life, turned_life = (LifeReader(TacticalReader(geometry), nodes=300) for _ in range(2))
    for _ in range(30):
        position = random_position(rng, 7, 7)
        stones = stones_of(position)
        rows = ["".join(".XO"[stones.get((6 - column, 6 - row), 0)] for column in range(7)) for row in range(7)]
        life.tactics.load(position)
        turned_life.tactics.load(position_of(" ".join(rows)))
        for column, row in stones:
            point = geometry.stride * (row + 1) + column + 1
            one, other = life.region(point), turned_life.region(ends - point)
            # Truncation to the nearest points depends on their order, so regions at the limit are not compared.
            if (
                not one.free_liberty
                and len(one.candidates) < 26
                and one.group.bit_count() == other.group.bit_count()
            ):
                assert set(list_points(one.escapes)) == {ends - at for at in list_points(other.escapes)}
                compared += 1
    assert compared > 100


# ---- status


@pytest.mark.parametrize("size", [5, 9])
def test_an_update_equals_reading_everything_anew(size: int) -> None:
    rng = random.Random(size)
    game = tengen.game("go", size=size)
    spared = 0
    for _ in range(2):
        position, board = game.start(), StatusTracker(game)
        for _ in range(2 * size):
            moves = [move for move in position.legal_moves if game.points(move)]
            if not moves or position.is_over:
                break
            position = position.play(rng.choice(moves))
            strings = board.update(position)
            spared += len(strings) - board.read
            assert set(strings) == set(StatusTracker(game).update(position))
            assert sum(len(string.stones) for string in strings) == len(stones_of(position))
    assert size == 5 or spared > 20


def test_updates_depend_on_candidates_that_were_not_played() -> None:
    """After B4 the black stone on A1 escapes by capturing A4 from A3, where no reading had tried a stone."""
    rows = ".XXOOOO/.XO...X/X.OOX.O/O.XX.X./....O.X/..XOOX./XOO.O.X X"
    position = tengen.game("go", board=rows).start()
    board = StatusTracker(position.game)
    (before,) = (string for string in board.update(position) if (0, 6) in string.stones)
    later = position.play("B4")
    strings = board.update(later)
    (after,) = (string for string in strings if (0, 6) in string.stones)
    assert (before.status, after.status) == (Status.DEAD, Status.URGENT)
    assert set(strings) == set(StatusTracker(position.game).update(later))


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
    found = {min(string.stones): string.status for string in StatusTracker(position.game).update(position)}  # type: ignore[arg-type]
    assert found[0, 1] is Status.NOT_READ, "the second eye is false: the stone at D9 is not connected"
    assert found[4, 5] is Status.URGENT


SGF = "(;GM[1]FF[4]SZ[9]AB[dc][cd][ce]AW[dd]PL[B])"


def test_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.sgf"
    path.write_text(SGF)
    assert run(["go", "status", str(path)]) == 0
    assert "White D6 (1 stone, 2 liberties): urgent, not proved; Black captures it: " in capsys.readouterr().out
    assert run(["go", "ladder", str(path), "D6"]) == 0
    assert "Black captures D6 in a ladder: " in capsys.readouterr().out
    assert run(["go", "ladder", str(path), "A1"]) == 2
    assert "there is no stone at A1" in capsys.readouterr().err


def test_only_unconditional_status_is_proved_here() -> None:
    """Tactical results are not proofs."""
    position = position_of(".X.X. XXXXX .XO.. .XO.. .....")
    found = {min(string.stones): string for string in StatusTracker(position.game).update(position)}  # type: ignore[arg-type]
    assert found[0, 1].proved
    assert not found[0, 1].is_estimate
    assert not found[2, 2].proved


# White's outer stones dominate all points that Black's two stones could reach.
SPHERE = """...........
            .O...O...O.
            ...........
            ...........
            .O.OXXO..O.
            ...........
            ...........
            .O...O...O.
            ..........."""
OPEN = SPHERE.replace(".O...O...O.", "...........").replace(".O.O", "...O").replace("O..O.", "O....")


def test_points_under_enemy_influence_are_no_escapes() -> None:
    regions = []
    for rows in (SPHERE, OPEN):
        life = life_of(11, 9)
        life.tactics.load(position_of(rows))
        regions.append(life.region(life.tactics.geometry.stride * 5 + 5))
    held, free = regions
    assert not held.is_closed
    assert not held.free_liberty
    assert not held.escapes
    assert free.escapes


def test_a_group_in_an_open_region_is_killed() -> None:
    """Three white stones among Black's are cut off."""
    rows = """.....OOO.
              ....OOXXX
              .OOX.X...
              .OX.X.XX.
              ...XX.O..
              ..O...OX.
              ...O.XO..
              ....OXXX.
              ....O...."""
    life = life_of(9, 9)
    life.tactics.load(position_of(rows))
    answer = life.attack(life.tactics.geometry.stride * 5 + 7)
    assert answer.result is Result.WORKS
    assert not answer.conclusive
