"""The classic Pente player against a direct computation of its formula and candidates."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import random
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import tengen
from tengen.cli import run
from tengen.core.errors import OptionError
from tengen.core.position import Position
from tengen.engines.pente.classic.choice_statistics import (
    ValueSamples,
    collect_statistics,
    first_filtered,
    value_ratio,
)
from tengen.engines.pente.classic.engine import ClassicEngine
from tengen.engines.pente.classic.kernels.candidates import list_candidates
from tengen.engines.pente.classic.kernels.utility import FORCED_WIN_VALUE, evaluate
from tengen.engines.pente.classic.lost_positions import choose_stubborn_move
from tengen.engines.pente.classic.search_state import FRAME, MAX_PLIES
from tengen.engines.pente.classic.searcher import ClassicSearcher, SearchMemory
from tengen.engines.pente.classic.static_evaluation import evaluate_position
from tengen.engines.pente.classic.tunables import BEST_AND_WORST, THRESHOLD, defaults, settings_record
from tengen.engines.registry import create, engines_for
from tengen.games.pente import record
from tengen.players.configure import configure, engine_settings
from tengen.players.opponents import pente_player
from tengen.search.driver import Step
from tengen.search.limits import Limits, StopFlag
from tengen.search.report import Kind
from tests.helpers.pente_classic_checks import PLAYED, Counted, check_candidates, check_utility, direct, lively
from tests.helpers.reports import without_time
from tests.reference.pente_classic import THREE


def from_rows(rows: str, to_move: str = "X", captured: tuple[int, int] = (0, 0), **options: Any) -> Position:
    """A position from rows of X, O and dots; captures by hand, since a board option has none."""
    game = tengen.game("pente", board=f"{'/'.join(rows.split())} {to_move}", **options)
    states = game.start().states.copy()
    states["captured"] = captured
    return Position(game, states, None, None)


def rows_9(**rows: str) -> str:
    """Nine rows of nine points, those given by r0 to r8."""
    return " ".join(rows.get(f"r{number}", "").ljust(9, ".") for number in range(9))


# ---- the utility


@pytest.mark.parametrize("options", PLAYED, ids=lambda options: options["variant"])
def test_utility_and_counts_match_the_formula(options: dict[str, Any]) -> None:
    game = tengen.game("pente", **options)
    assert sum(check_utility(game, seed) for seed in range(1 if options["size"] > 9 else 5)) > 30


def test_a_threat_at_each_end_is_a_setting() -> None:
    """The design does not say whether `.OO.` is one threat or two: by default one; `threat=40` counts its ends."""
    threats = 0
    for position, board in lively(tengen.game("pente", variant="keryo", size=9, first="anywhere"), 7):
        threats += sum(board.threats)
        ends = dataclasses.replace(board, threat_ends=True)
        assert ends.threats == [2 * count for count in board.threats]
        assert evaluate_position(position, threat=40).utility == ends.utility(position.to_move)
    assert threats > 20


@pytest.mark.parametrize("options", PLAYED, ids=lambda options: options["variant"])
def test_candidates_and_captors_match_direct_counting(options: dict[str, Any]) -> None:
    for seed in (100, 101, 102):
        check_candidates(tengen.game("pente", **options), seed)


PLAINLY_BETTER = {
    "a three is better than a two": (rows_9(r2="..XXX", r6="..OO.O"), rows_9(r2="..XX", r6="..OO.O", r0="X")),
    "an open three is better than a closed one": (
        rows_9(r2="...XXX", r5=".O..O", r7="O"),
        rows_9(r2=".OXXX", r5=".O", r7="O"),
    ),
    "a pair to take is better than none": (
        rows_9(r2=".OO.X", r3=".X.OX", r6="..XO"),
        rows_9(r2="..O.X", r3="OX.OX", r6="..XO"),
    ),
    "a pair that cannot be taken is better than one that can": (
        rows_9(r4="..XX", r7="O..O..O"),
        rows_9(r4=".OXX", r7="...O..O"),
    ),
}


@pytest.mark.parametrize("divide", [False, True])
@pytest.mark.parametrize("pair", PLAINLY_BETTER.values(), ids=PLAINLY_BETTER)
def test_the_better_of_two_positions_has_the_higher_utility(pair: tuple[str, str], divide: bool) -> None:
    better, worse = (evaluate_position(from_rows(rows), divide=divide).utility for rows in pair)
    assert better > worse


def test_captures_initiative_and_stones_count() -> None:
    rows = rows_9(r2="..XX.X", r6="..OO.O", r4="X...O", r8="X.O.X.O")
    even = evaluate_position(from_rows(rows)).utility
    assert evaluate_position(from_rows(rows, captured=(2, 0))).utility > even
    assert (
        evaluate_position(from_rows(rows, captured=(6, 0))).utility
        > 3 * evaluate_position(from_rows(rows, captured=(2, 0))).utility - 2 * even
    ), "the third pair is worth more than the first"
    assert even > 0 > -evaluate_position(from_rows(rows, to_move="O")).utility
    shown = evaluate_position(from_rows(rows))
    assert shown.utility == shown.sides[0].score - shown.sides[1].score
    assert -1 < shown.chances < 1
    assert shown.verdict == ""
    assert "Black wins" in evaluate_position(from_rows(rows_9(r2="XXXX", r6="OOO"))).verdict
    early = from_rows(rows_9(r2="..XX.X", r6="..O...O"))
    assert evaluate_position(early).sides[0].score == 3 * evaluate_position(early, early=0).sides[0].score


def test_forced_results_are_finite_and_decrease_with_the_move() -> None:
    four, open_three = rows_9(r2="XXXX", r6="OOO"), rows_9(r2="XXXX", r6="OOO", r0="X.O", r8="O.X.O.X")
    first, later = (evaluate_position(from_rows(rows)).utility for rows in (four, open_three))
    assert np.isfinite(first)
    assert first > later > FORCED_WIN_VALUE


# ---- the rules of threats


def moves_of(position: Position, **changes: Any) -> list[tuple[int, int]]:
    return Counted(position, **changes).candidates(9)


def test_rule_1_an_own_four_is_completed() -> None:
    assert moves_of(from_rows(rows_9(r2="XXXX", r4="OOOO"))) == [(4, 2)]


def test_rule_2_the_take_that_wins_is_the_only_move() -> None:
    position = from_rows(rows_9(r1="XOO", r4="OOO", r7="..X.X"), captured=(8, 0))
    assert moves_of(position) == [(3, 1)]
    assert len(moves_of(from_rows(rows_9(r1="XOO", r4="OOO", r7="..X.X"), captured=(6, 0)))) == 9


def test_rule_3_an_enemy_four_is_blocked_or_broken_by_capture() -> None:
    # The pair on rows 3 and 4 of column 2, with a stone of the four, can be taken from below; that on row 0 is
    # another.
    rows = rows_9(r0="XOO", r2="..X", r3="..O", r4="XOOOO", r7="..X..X")
    position = from_rows(rows)
    assert set(moves_of(position)) == {(5, 4), (2, 5)}
    assert set(moves_of(position, captors=False)) == {(5, 4), (2, 5), (3, 0)}


def test_rule_3_of_two_fours_only_takes_are_an_answer_and_without_any_it_is_lost() -> None:
    rows = rows_9(r2="..X", r3="..O", r4=".OOOO.", r7="..X..X")
    assert moves_of(from_rows(rows)) == [(2, 5)]
    lost = from_rows(rows_9(r4=".OOOO.", r7="..X..X"))
    assert evaluate_position(lost).utility < -FORCED_WIN_VALUE
    assert set(moves_of(lost)) == {(0, 4), (5, 4)}


def test_rule_4_and_5_an_own_double_four_comes_before_other_own_fours_and_these_before_enemy_ones() -> None:
    rows = rows_9(r1="....X", r2="....X", r3="....X", r4=".XXX", r7="OO.O.X", r8=".X")
    found = moves_of(from_rows(rows, captures="none", goal=0))
    board = direct(from_rows(rows, captures="none", goal=0))
    assert found[0] == (4, 4)
    assert board.directions(0, THREE, (4, 4)) == 2
    own = [place for place, point in enumerate(found) if board.directions(0, THREE, point)]
    enemy = [place for place, point in enumerate(found) if not board.directions(0, THREE, point)]
    assert max(own) < min(enemy)


def test_rule_6_and_7_enemy_fours_come_next_and_an_enemy_double_four_last_if_leaves_are_split() -> None:
    rows = rows_9(r1="....O", r2="....O", r3="....O", r4=".OOO", r7="X...X")
    position = from_rows(rows, captures="none", goal=0)
    board = direct(position)
    found = moves_of(position)
    assert found[0] == (4, 4)
    assert all(board.directions(1, THREE, point) for point in found[:4])
    split = moves_of(position, budget=True)
    assert split[-1] == (4, 4)
    assert sorted(split) == sorted(found)


def test_an_enemy_take_that_would_win_is_met_by_takes_of_both_sides() -> None:
    rows = rows_9(r1="OXX", r4="XOO", r7="..X.X")
    position = from_rows(rows, captured=(0, 8))
    assert moves_of(position) == [(3, 4), (3, 1)]


def test_multiple_threats_and_fukumi_change_the_order() -> None:
    # Two own fours to be made: one of the two points of the second line also blocks, or makes, something else.
    rows = rows_9(r0="XXX......", r3="...XXX", r4=".......X", r6="O..O..O")
    position = from_rows(rows, captures="none", goal=0)
    original, multiple, fukumi = (moves_of(position, order=order) for order in (0, 1, 2))
    board = direct(position)
    assert multiple[: len(original)] == board.candidates(9, every_level=True)
    assert original != multiple
    three_four = [p for p in fukumi if board.directions(0, THREE, p) > 1]
    assert set(fukumi) <= {p for _, _, p, _ in +board.serves}
    assert fukumi[: len(three_four)] == three_four


# ---- the search


def quiet_positions(count: int, seed: int = 5) -> list[Position]:
    """Positions with a choice, in which nobody wins by force."""
    game = tengen.game("pente", size=13)
    lines = (lively(game, seed + number, 12) for number in itertools.count())
    quiet = (
        position
        for line in lines
        for position, board in line
        if position.ply == 11 and not board.verdict() and len(board.candidates(9)) == 9
    )
    return list(itertools.islice(quiet, count))


SWITCHES = [
    {},
    {"divide": True},
    {"order": 1},
    {"order": 2},
    {"budget": True, "leaves": 500},
    {"by_level": True},
    {"closeness": True},
    {"filter": 1, "threshold": 0.3},
    {"filter": 2, "threshold": 0.1},
    {"presort": False, "killer": False, "history": False, "captors": False},
    {"vision": 60},
    {"judgement": 60},
    {"vision": 65, "judgement": 70, "budget": True, "leaves": 200},
]


@pytest.mark.parametrize("settings", SWITCHES, ids=str)
def test_every_switch_and_weakness_plays_legal_games_on_every_variant_and_repeats_itself(
    settings: dict[str, Any],
) -> None:
    dice = random.Random(str(settings))
    for options in PLAYED if not settings else dice.sample(PLAYED, 2):
        position = tengen.game("pente", **options).start()
        engine, twin = ClassicEngine(seed=1, table=1, **settings), ClassicEngine(seed=1, table=1, **settings)
        while not position.is_over and position.ply < 16:
            limits = Limits(depth=2 + position.ply % 2, lines=1 + position.ply % 3)
            report = engine.search(position, limits)
            assert without_time(report) == without_time(twin.search(position, limits))
            assert report.value.kind is Kind.HEURISTIC
            assert len({candidate.move for candidate in report.candidates}) == len(report.candidates)
            for candidate in report.candidates:
                position.play_all(candidate.line)
            best = report.best if dice.random() < 0.8 else dice.choice(position.legal_moves)
            position = position.play(best)


def test_unsupported_variants_are_rejected() -> None:
    for options in PLAYED:
        assert "classic" in engines_for(tengen.game("pente", **options))
    for options in ({"variant": "connect6"}, {"opening": "swap2"}, {"opening": "d-pente"}):
        assert "classic" not in engines_for(tengen.game("pente", **options))


def test_wins_are_played_and_losses_averted() -> None:
    engine = ClassicEngine()
    win = from_rows(rows_9(r2="XXX", r4="OOO.O", r8="X"))
    assert engine.search(win, Limits(depth=4)).best == win.game.write_move(win.game.point((3, 4)))
    position = from_rows(rows_9(r4="...XXX", r0="O...O", r8="O...O"))
    assert engine.search(position, Limits(depth=4)).value.amount > 0.99
    for _ in range(5):
        position = position.play(engine.search(position, Limits(depth=6)).best)
        if position.is_over:
            break
    assert position.is_over
    assert position.outcome is not None
    assert position.outcome.winner == 0


def test_table_keys_include_captures_and_depth() -> None:
    for position in quiet_positions(3):
        states = position.states.copy()
        states["captured"] = states["captured"] + [[2, 0]]
        other = Position(position.game, states, None, None)
        fresh = [without_time(ClassicEngine(table=1).search(p, Limits(depth=4))) for p in (position, other)]
        shared = ClassicEngine(table=1)
        assert [without_time(shared.search(p, Limits(depth=4))) for p in (position, other)] == fresh
        assert fresh[0].candidates[0].reason != fresh[1].candidates[0].reason, "captures change the value"
        # With the same width at every ply and no history, the table changes only the time.
        plain = {"choke_ply": 100, "history": False, "width": 6}
        with_table, without = (
            ClassicEngine(table_from=start, **plain).search(position, Limits(depth=4)) for start in (1, 100)
        )
        assert with_table.candidates[0].reason == without.candidates[0].reason
        assert with_table.nodes <= without.nodes


def test_a_lost_side_resists_longest_and_then_leaves_the_fewest_winning_replies() -> None:
    # An open three and a closed one that cross: Black to move wins; White to move after it is lost in any case.
    rows = rows_9(r1="....X", r2="....X", r3="....X", r4="..XX.", r7="O.O.O.O.O", r8=".O")
    position = from_rows(rows, captures="none", goal=0).play("E5")  # (4, 4)
    engine = ClassicEngine()
    report = engine.search(position, Limits(depth=6))
    assert report.value.amount < -0.99
    game = position.game
    values, replies = {}, {}
    memory = SearchMemory(defaults())
    for move in ClassicSearcher(memory, position, seed=0, depth=6).listed:
        found = ClassicEngine(resist=False).search(position, Limits(depth=6, moves=(move,)))
        values[game.write_move(move)] = float(found.candidates[0].reason.split()[1])
        after = position.play(move)
        listed = ClassicSearcher(memory, after, seed=0, depth=6).listed
        replies[game.write_move(move)] = sum(
            ClassicEngine(resist=False).search(after, Limits(depth=4, moves=(reply,))).value.amount > 0.99
            for reply in listed
        )
    longest = max(values.values())
    equals = [move for move, value in values.items() if value >= longest * (1 + 1e-5)]
    assert report.best in equals
    assert replies[report.best] == min(replies[move] for move in equals)
    stubborn, _ = choose_stubborn_move(memory, position, Limits(), position.legal_moves[0], 6, seed=0, stop=None)
    assert game.write_move(stubborn) == report.best


def test_a_leaf_budget_is_respected() -> None:
    for position in quiet_positions(2):
        for leaves in (50, 500, 5000):
            memory = SearchMemory(defaults(budget=True, leaves=leaves, table_from=100))
            searcher = ClassicSearcher(memory, position, seed=0, depth=1)
            searcher.begin(position.legal_moves, -searcher.top, searcher.top, Step(1, 0))
            assert searcher.run(1 << 40, StopFlag())
            used = int(memory.frames[0].used)
            most = int(memory.frames[0].count)
            assert 1 <= used <= max(leaves, most) + most


def test_vision_and_judgement() -> None:
    position = quiet_positions(1)[0]
    every = set(Counted(position).candidates(100))
    frames = np.zeros(1, FRAME)
    counted = Counted(position, vision=60)
    history = np.zeros((2, record.POINTS), np.int64)
    shares = []
    for vision_seed in range(50):
        counted.settings["vision_seed"] = vision_seed
        list_candidates(counted.boards, position.states, counted.settings, history, frames, 100)
        shares.append(frames[0].count / len(every))
    assert 0.5 < np.mean(shares) < 0.7
    out = np.zeros(5, np.int64)
    weak = settings_record(defaults(judgement=60))
    true = evaluate(counted.boards, position.states, 0, counted.settings, out)
    for luck in range(50):
        weak["judgement_seed"] = luck
        value = evaluate(counted.boards, position.states, 0, weak, out)
        assert 1 <= value / true <= 1024


# ---- what choices tell


def test_filters_and_their_curves() -> None:
    values = [10.0, 8.0, -300.0, 5.0, 20.0]
    base = math.exp(0.01)
    assert value_ratio(8.0, 10.0, base) == pytest.approx(math.exp(-0.02))
    assert first_filtered(values, THRESHOLD, base, 0.1) == 3
    assert first_filtered(values, THRESHOLD, base, 0.01) == 5
    assert first_filtered(values, BEST_AND_WORST, base, 0.0) == 3, "below the worst so far"
    found = ValueSamples([(0, values), (1, [7.0, -500.0, 1.0])])
    (point,) = found.curve(THRESHOLD, base, [0.1])
    assert point.wrong == 50, "of the first position the best was left out"
    assert point.right == pytest.approx(100 / 8), "of the second one move of eight in all"
    assert point.deviation == pytest.approx(10 / math.sqrt(2))
    assert found.best_at()[0][4] == 100
    assert found.relative(base)[1][0] == 1


def test_search_filters_match_the_curves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (position,) = quiet_positions(1)
    settings = defaults(table_from=100, presort=False)
    research, choices = collect_statistics([position], settings, 3, open_plies=2)
    assert research.choices > 0
    assert sum(research.chosen) == research.choices
    assert 0 <= research.by_killer <= research.choices
    root = next(values for ply, values in choices.samples if ply == 0)
    assert len(root) == 9
    every = ClassicEngine(table_from=100, presort=False).search(position, Limits(depth=3))
    assert float(every.candidates[0].reason.split()[1]) == pytest.approx(max(root), rel=1e-5)
    strict = ClassicEngine(table_from=100, presort=False, filter=2, threshold=1.0)
    assert strict.search(position, Limits(depth=3)).nodes < every.nodes
    assert run(["pente", "choices", str(tmp_path), "size=9", "-n", "2", "--depth", "2"]) == 0
    pictures = sorted(path.name for path in tmp_path.iterdir())
    assert pictures == [
        f"{way}-{kind}.svg" for way in ("best-and-worst", "threshold") for kind in ("deviation", "filtered")
    ]
    for picture in pictures:
        assert ElementTree.parse(tmp_path / picture).getroot().tag.endswith("svg")
    assert "best value was at" in capsys.readouterr().out
    assert run(["pente", "research", "size=9", "-n", "2", "--depth", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["choices"] > 0
    assert run(["pente", "research", "variant=connect6"]) == 2
    assert "classic does not play" in capsys.readouterr().err


# ---- players


def test_players_are_made_by_speed_vision_book_width_and_captures() -> None:
    player = pente_player("Robin", speed=8, vision=85, book=False, width=7, captures="high")
    settings = engine_settings(player.config)
    assert player.config.limits.depth == 3
    assert (settings["capture"], settings["width"], settings["vision"]) == (400, 7, 85)
    engine = create(player.config.engine, seed=1, **settings)
    assert engine.weak["vision"] == 85
    assert "vision" not in engine_settings(pente_player("Sam").config)
    uct = configure("uct", Limits(nodes=1), vision=60)
    assert "vision" not in engine_settings(uct), "an engine that knows nothing of it"
    for wrong in ({"speed": 11}, {"vision": 62}, {"captures": "some"}, {"width": 0}):
        with pytest.raises(OptionError):
            pente_player("Nobody", **wrong)


def test_stopped_immediately_it_plays_the_first_candidate() -> None:
    position = tengen.game("pente").start().play_all(["K10", "L9", "K11", "L10", "K12", "L11", "A1"])
    stop = StopFlag()
    stop.set()
    report = ClassicEngine().search(position, Limits(seconds=60), stop=stop)
    assert report.best in ("L12", "L8")  # extends its own three


def test_a_depth_beyond_the_maximum_is_rejected() -> None:
    configure("classic", Limits(depth=MAX_PLIES))
    with pytest.raises(OptionError, match=f"classic searches at most {MAX_PLIES} plies deep, not 99"):
        configure("classic", Limits(depth=99))
