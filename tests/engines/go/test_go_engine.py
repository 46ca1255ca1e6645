"""The Go engine: the end of games, captures and ladders, limits, reports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

import tengen
from tengen.core.errors import EngineResigned, OptionError
from tengen.core.position import Position
from tengen.engines.go.mcts.dead_stones import cleanup_moves, dead_points, dead_strings
from tengen.engines.go.mcts.engine import GoEngine
from tengen.engines.go.mcts.passing import area_score
from tengen.engines.go.strings.engine import StringEngine
from tengen.engines.registry import default_engine
from tengen.search.limits import Clock, Limits
from tengen.search.report import Candidate, Report, Value
from tengen.terminal.heat_map import HeatMap, heat_map_from_report, heat_map_svg, heat_map_text
from tests.helpers.fake_clock import FakeClock


def _board(rows: str, **options: object) -> Position:
    return tengen.game("go", board=rows, **{"komi": 0, **options}).start()


def _best(position: Position, nodes: int = 400, **settings: object) -> str:
    return GoEngine(seed=1, **settings).search(position, Limits(nodes=nodes)).best


def test_it_is_the_default_engine() -> None:
    assert default_engine(tengen.game("go", size=19)) == "go"


# ---- the end of a game

SETTLED = "..XO./XXXO./..XOO/XXXO./..XO. X"  # 15 points to 10, all stones alive


@pytest.mark.parametrize("rules", ["chinese", "japanese"])
def test_it_passes_when_everything_is_settled(rules: str) -> None:
    position = _board(SETTLED, rules=rules)
    assert _best(position) == "pass"
    assert _best(position.play("pass")) == "pass"  # so does the loser


DEAD_STONE = "O.XO./XXXO./..XOO/XXXO./..XO. O"


def test_it_does_not_pass_into_a_loss() -> None:
    """White has passed; a pass now would lose, because a dead stone counts as alive and must be captured first."""
    position = _board(DEAD_STONE, komi=3.5).play("pass")
    assert area_score(position) == -1.5
    engine = GoEngine(seed=1)
    while not position.is_over and position.ply < 60:
        position = position.play(engine.search(position, Limits(nodes=300)).best)
    assert position.is_over
    assert position.final_score > 0
    ahead = _board(DEAD_STONE, komi=0.5).play("pass")
    assert area_score(ahead) == 1.5
    assert _best(ahead) == "pass"


def test_under_territory_rules_dead_stones_stay() -> None:
    """Capturing them would cost a point."""
    assert _best(_board(DEAD_STONE, rules="japanese", komi=0.5).play("pass")) == "pass"


def test_a_pass_that_was_simulated_and_found_bad_is_not_played() -> None:
    """After its simulations it has more visits than the best move of a short search."""
    for seed in (1, 2):
        position = tengen.game("go", width=9, height=2, rules="japanese").start().play_all(["E2", "D2"])
        report = GoEngine(seed=seed).search(position, Limits(nodes=150))
        best = max(one.value.amount for one in report.candidates if one.visits >= 20)
        assert report.best != "pass" or report.value.amount >= best - 0.05


def test_searches_of_other_games_do_not_count_for_resignation() -> None:
    lost = _board("OOOOO/O.O.O/OOOOO/...../..... X", komi=30)
    engine = GoEngine(seed=1, resign=0.2)
    for _ in range(4):
        engine.search(lost, Limits(nodes=60))
        engine.search(tengen.game("go", size=5).start().play("C3"), Limits(nodes=60))


@pytest.mark.parametrize(("rules", "size"), [("chinese", 5), ("japanese", 7)])
def test_self_play_games_end(rules: str, size: int) -> None:
    position = tengen.game("go", size=size, rules=rules).start()
    engines = [GoEngine(seed=seed) for seed in (1, 2)]
    rates = [0.0, 0.0]
    while not position.is_over:
        mover = position.to_move
        report = engines[mover].search(position, Limits(nodes=150))
        rates[mover] = report.value.amount
        position = position.play(report.best)
        assert position.ply < 3 * size * size
    winner = position.game.count(position, dead_points(position)).winner  # type: ignore[attr-defined]
    assert rates[winner] > 0.5  # no side passed away a game in which it was ahead
    assert rates[1 - winner] < 0.5


@pytest.mark.parametrize(
    ("options", "moves"),
    [
        ({"size": 9, "komi": 6.5}, "E5 C3 pass"),
        ({"size": "5x1", "komi": 0}, "B1 D1 pass"),  # anything else loses, a pass draws
        ({"size": "2x2", "komi": 0.5}, "B2 pass"),
        ({"size": "2x3", "komi": 0}, "A3 A1 B3 pass"),
        ({"size": "2x3", "komi": -1.5, "ko": "situational"}, ""),  # no pass yet: the first move loses
    ],
)
def test_a_pass_that_wins_or_draws_is_found(options: dict[str, object], moves: str) -> None:
    position = tengen.game("go", **options).start().play_all(moves.split())
    assert _best(position, 2000) == "pass"


# Black is ahead once the border on the left is closed; until then the left side counts for nobody.
OPEN_BORDER = """
    D6 C4 G5 G6 H6 H7 G7 F6 H8 D7 C7 C8 B8 C6 B7 H5 J6 J5 J7 J8 H7 G4 H4 F5 C5 D5 B6 B4 E7 H3 D4 D3 E4 E5 E3 D2 C3
    B3 B2 A2 A3 C2 A1 F7 E2 B1 C1 D1 E1 B1 H2 A2 G3 J4 F8 G2 F3 F1 J1 D8 E8 E6 C6 D9 E9 pass
"""


def test_it_does_not_pass_while_its_border_is_open() -> None:
    game = tengen.game("go", size=9, rules="japanese", komi=-18.5)
    position = game.start().play_all(OPEN_BORDER.split())
    assert game.count(position, dead_points(position)).winner == 1
    for seed in range(3):
        assert GoEngine(seed=seed).search(position, Limits(nodes=400)).best != "pass"


def test_it_never_fills_an_own_eye() -> None:
    report = GoEngine(seed=1).search(_board(".X.XO/XXXXO/OOOOO/O.O../OOOO. X"), Limits(nodes=300))
    assert not {"A5", "C5"} & {candidate.move for candidate in report.candidates}


def test_finished_games_are_scored_and_do_not_take_all_visits() -> None:
    """On 3x3 games end soon; if their ends were not scored, as in the original text, they would get most visits.

    Only the centre wins all nine points.
    """
    position = tengen.game("go", size=3, komi=8.5).start()
    engine = GoEngine(seed=1)
    report = engine.search(position, Limits(nodes=3000))
    assert report.best == "B2"
    assert engine.tree is not None
    visits = sum(candidate.visits for candidate in report.candidates)
    assert visits == engine.tree.nodes[0].visits == report.nodes


# ---- tactics


def test_it_captures_and_saves_stones() -> None:
    rows = "......./.OOOOO./OXXXXXO/.OOOO../...X.X./..X..../......."
    assert _best(_board(rows + " O")) == "F4"
    assert _best(_board(rows + " X")) == "F4"


def _prior(position: Position, move: str) -> float:
    """The prior win rate of a move."""
    engine = GoEngine(seed=1)
    engine.search(position, Limits(nodes=1))
    assert engine.tree is not None
    for child in engine.tree.children(0):
        if position.game.write_move(int(engine.tree.nodes[child].move)) == move:
            prior = int(engine.tree.nodes[child].prior)
            return (prior & 0xFFFF) / (2 * (prior >> 16))
    raise AssertionError(move)


LADDER = "........./...XX..../..XO...../...X...../........./........./........./........./........."


def test_ladders_are_read_to_the_end_of_the_board() -> None:
    """A stone in atari should extend only if the ladder is broken; a stone with two liberties is laddered."""
    broken = LADDER[:55] + "O" + LADDER[56:]
    assert _prior(_board(LADDER + " O"), "E7") < _prior(_board(broken + " O"), "E7") - 0.1
    two = _board("........./...XX..../..XO...../........./........./........./........./........./......... X")
    assert _prior(two, "D6") > 0.7


def test_a_ko_is_not_retaken_immediately() -> None:
    position = _board(".XO../X.XO./.XO../...../..... O").play("B4")
    assert position.state.captured[1] == 1
    report = GoEngine(seed=1).search(position, Limits(nodes=100))
    assert "C4" not in {candidate.move for candidate in report.candidates}


# ---- limits


def test_threads_share_one_tree_without_losing_visits() -> None:
    engine = GoEngine(seed=1, threads=2, network=False)  # whose values count as visits
    report = engine.search(tengen.game("go", size=9).start(), Limits(nodes=600))
    assert report.nodes >= 600
    assert sum(candidate.visits for candidate in report.candidates) == report.nodes


def test_the_tree_is_reused_between_moves() -> None:
    engine, position = GoEngine(seed=1), tengen.game("go", size=7).start()
    report = engine.search(position, Limits(nodes=500))
    later = position.play(report.best).play(report.line[1])
    report = engine.search(later, Limits(nodes=100))
    assert sum(candidate.visits for candidate in report.candidates) > report.nodes == 100


def test_reports_depend_on_the_seed_and_the_settings() -> None:
    position = tengen.game("go", size=7).start()
    reports = [
        GoEngine(seed=3, **settings).search(position, Limits(nodes=200)) for settings in ({}, {}, {"patterns": 0})
    ]
    first, second, other = ([(c.move, c.visits) for c in report.candidates] for report in reports)
    assert first == second != other


def test_uncompiled_and_compiled_code_give_the_same_result() -> None:
    code = "from tengen.games.go import Go; from tengen.engines.go.mcts.engine import GoEngine as E"
    code += "; from tengen.search.limits import Limits; p = Go(5, 5).start().play_all(['C3', 'B2', 'D4'])"
    code += "; r = E(seed=5, ladders=1).search(p, Limits(nodes=20)); print(r.candidates, r.overlays)"
    plain, compiled = (
        subprocess.run(
            [sys.executable, "-W", "error", "-c", code],
            env={**os.environ, "NUMBA_DISABLE_JIT": switch},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for switch in ("1", "0")
    )
    assert plain == compiled


def test_memory_is_bounded() -> None:
    engine = GoEngine(seed=1, memory=1)
    report = engine.search(tengen.game("go", size=19).start(), Limits(nodes=400))
    assert report.nodes == 400
    assert engine.tree is not None
    assert engine.tree.nodes.nbytes <= 1024 * 1024


def test_a_move_takes_a_small_part_of_the_time_left(fake_clock: FakeClock) -> None:
    report = GoEngine(seed=1).search(tengen.game("go", size=9).start(), Limits(clock=Clock(80.0)))
    assert 1.0 < report.seconds < 8.0
    assert report.nodes > 0


def test_it_resigns_a_lost_game_if_configured() -> None:
    lost = _board("XXXXX/X.X.X/XXXXX/...../O.... O")
    engine = GoEngine(seed=1, resign=0.1)
    for _ in range(2):
        engine.search(lost, Limits(nodes=100))
    with pytest.raises(EngineResigned):
        engine.search(lost, Limits(nodes=100))
    assert _best(lost, 100)  # by default it plays on


def test_the_contents_of_a_report() -> None:
    engine = GoEngine(seed=1)
    report = engine.search(_board(SETTLED.replace(" X", " O")), Limits(nodes=300))
    overlays = {overlay.name: overlay.points for overlay in report.overlays}
    owners = {(column, row): own for column, row, own in overlays["ownership"]}
    assert set(overlays) == {"visits", "win rate", "ownership", "criticality", "policy"}
    assert owners[0, 0] > 0.8
    assert owners[4, 4] < -0.8
    assert all(-1 <= own <= 1 for own in owners.values())
    assert Report.from_json(report.to_json()) == report
    assert engine.tree is not None
    data = json.loads(json.dumps(engine.tree.to_dict(depth=2)))
    assert data["children"][0]["visits"] > 0
    shares = sum(float(share) for _, _, share in overlays["visits"])
    passes = sum(one.visits for one in report.candidates if one.move == "pass")
    total = sum(one.visits for one in report.candidates)
    assert np.isclose(shares, 1 - passes / total)


def test_the_expected_score() -> None:
    """On a settled board it is the count, for either side to move."""
    black, white = _board(SETTLED), _board(SETTLED.replace(" X", " O"))
    margins = [
        GoEngine(seed=1).search(position, Limits(nodes=300)).candidates[0].points for position in (black, white)
    ]
    assert margins[0] == pytest.approx(5, abs=2)
    assert margins[1] == pytest.approx(-5, abs=2)


def test_errors_reduce_strength_but_moves_stay_legal() -> None:
    position = tengen.game("go", size=7).start()
    engine = GoEngine(seed=1, error=0.5)
    chosen = {engine.search(position, Limits(nodes=200)).best for _ in range(8)}
    assert len(chosen) > 2


def test_settings_keep_their_former_names() -> None:
    former = GoEngine(even=5, likely=70, shapes=0.5, answers=0.25).settings
    assert former == GoEngine(prior_games=5, policy_games=70, patterns=0.5, replies=0.25).settings
    assert StringEngine(big=3).settings == StringEngine(big_moves=3).settings


def test_a_small_error_chooses_the_best_visited_move() -> None:
    """A pass is never chosen, even if it is among them."""
    tried = [("D4", 0.4, 50), ("pass", 0.1, 40), ("C3", 0.6, 30), ("C2", 0.5, 0)]
    candidates = tuple(
        Candidate(move, Value.heuristic(rate, "win rate"), (move,), visits) for move, rate, visits in tried
    )
    report = Report("go", "D4", candidates[0].value, candidates, 120, 0.1)
    assert GoEngine(seed=1, error=0.001)._apply_error(report).best == "C3"


# ---- uses of the report


def test_the_heat_map_in_the_terminal_and_as_svg() -> None:
    position = _board(SETTLED)
    report = GoEngine(seed=1).search(position, Limits(nodes=200))
    heat = heat_map_from_report(report, "ownership")
    text = heat_map_text(position, heat).plain
    assert text.splitlines()[1].split() == ["5", "9", "9", "X", "O", "j", "5"]  # sides differ without colours
    assert heat.legend == "ownership: 0 to 9 are tenths of all, a to j the same for the second side"
    picture = ElementTree.fromstring(heat_map_svg(position, heat, "owners"))
    assert len(picture.findall("{http://www.w3.org/2000/svg}circle")) == 15
    written = [text.text for text in picture.findall("{http://www.w3.org/2000/svg}text")]
    assert written[:2] == ["A", "A"]
    assert {"100", "-100"} <= set(written)
    visits = heat_map_from_report(report, "visits")
    assert max(visits.shares.values()) == 1.0
    assert visits.legend == f"visits: 0 to 9 are tenths of {visits.whole:.3g}"
    with pytest.raises(OptionError, match="no heat map 'x' of this position; it has: visits"):
        heat_map_from_report(report, "x")


def test_the_heat_map_shows_the_owner_of_a_stones_point() -> None:
    position = _board(DEAD_STONE)
    shares = dict.fromkeys([(column, row) for column in range(5) for row in range(5)], 1.0)
    lines = heat_map_text(position, HeatMap("ownership", shares, 1.0)).plain.splitlines()[1:6]
    assert not any("O" in line for line in lines)
    assert any("X" in line for line in lines)


def test_dead_stones_are_found_and_captured() -> None:
    position = _board(DEAD_STONE, rules="japanese").play("pass")
    assert dead_strings(position) == [[(0, 0)]]
    assert position.write_moves(cleanup_moves(position)) == ["B5"]
    assert dead_strings(_board(SETTLED)) == []


def test_a_string_that_survives_playouts_is_dead_if_only_a_ko_could_save_it() -> None:
    moves = """C3 C4 B4 D3 D4 C2 B3 D2 B2 E4 C5 B1 A2 D5 E5 E3 D5 pass C1 D1 E1 A1 C1 pass pass"""
    position = tengen.game("go", size=5, rules="aga", komi=5.5).start().play_all(moves.split())
    assert any((4, 1) in points for points in dead_strings(position))  # the one on E4
