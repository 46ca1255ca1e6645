"""The string player: urgent moves before big ones, lines, reasons, and the end of a game."""

from __future__ import annotations

import json

import pytest

import tengen
from tengen.core.position import Position
from tengen.engines.go.mcts.candidates import moves_by_prior
from tengen.engines.go.positions import play_variation, with_side_to_move
from tengen.engines.go.reading.status import ReadingMethod, Status, StatusTracker, StringStatus, dead_stones
from tengen.engines.go.strings.engine import StringEngine
from tengen.engines.go.strings.lookahead import Lookahead
from tengen.engines.go.strings.move_values import urgent_moves
from tengen.engines.registry import engines_for
from tengen.games.go import PASS, Go
from tengen.search.limits import Limits, StopFlag
from tengen.search.report import Kind, Report

SETTLED = "..XO./XXXO./..XOO/XXXO./..XO."


def _board(rows: str, **options: object) -> Position:
    return tengen.game("go", board=rows, **{"komi": 0, **options}).start()


def _search(position: Position, **settings: object) -> Report:
    return StringEngine(**{"big_moves": 4, "playouts": 1000, **settings}).search(position, Limits(seconds=60))


def test_it_is_an_engine_of_go() -> None:
    assert engines_for(tengen.game("go"))[:2] == ["go", "strings"]


# Both sides live. Two white stones have one liberty, E4: White saves them, Black captures them.
ATARI = "..X.O../.XXXOO./..XXO.O/.XOO.O./..XXO.O/.XXXOO./..X.O.."


@pytest.mark.parametrize("side", "XO")
def test_urgent_moves_come_first_with_their_reason(side: str) -> None:
    report = _search(_board(f"{ATARI} {side}"))
    assert report.best == "E4"
    first = report.candidates[0]
    assert first.reason.startswith(f"urgent: {'saves' if side == 'O' else 'captures'} 2 stones at C4")
    assert first.line[0] == "E4"
    assert report.value.kind is Kind.HEURISTIC
    assert report.value.unit == "points"


def test_the_first_search_of_a_process_loads_the_group_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StringEngine, "_kernels_are_loaded", False)
    assert _search(_board("...../...../..X../...../..... O"), playouts=100).best
    assert StringEngine._kernels_are_loaded


def test_a_line_that_begins_with_a_pass_is_no_urgent_move() -> None:
    """Black captures after a pass, because a ko may not be retaken at once."""
    moves = "E4 D6 F7 F6 E6 D7 E7 D5 E5 G6 D4 G3 C5 C6 D8 C8 B6 C7 B8 E8 C9 D9 B9 B5 B7 C4 F8 G4 A5 B3 D2 A4"
    position = tengen.game("go", size=9, komi=7.5).start().play_all(moves.split())
    assert PASS not in urgent_moves(position, StatusTracker(position.game).update(position))  # type: ignore[arg-type]


def test_the_contents_of_a_report() -> None:
    report = _search(_board(f"{ATARI} X"))
    overlays = {overlay.name: overlay.points for overlay in report.overlays}
    assert set(overlays) == {"status", "worth", "territory", "moyo", "area"}
    labels = {(column, row): label for column, row, label in overlays["status"]}
    assert labels[2, 3] == "!"
    worth = {(column, row): number for column, row, number in overlays["worth"]}
    assert float(worth[4, 3]) > 2
    assert Report.from_json(report.to_json()) == report
    assert json.loads(report.to_json())["engine"] == "strings"


@pytest.mark.parametrize("rules", ["chinese", "japanese"])
def test_it_passes_when_no_move_gains_points(rules: str) -> None:
    assert _search(_board(f"{SETTLED} X", rules=rules)).best == "pass"


def test_under_area_rules_dead_stones_are_captured_before_passing() -> None:
    rows = "O.XO./XXXO./..XOO/XXXO./..XO. X"
    report = _search(_board(rows))
    assert report.best == "B5"
    assert _search(_board(rows, rules="japanese")).best == "pass"


def test_stop_flag_and_restricted_moves() -> None:
    position = tengen.game("go", size=9).start()
    stop = StopFlag()
    stop.set()
    assert StringEngine().search(position, Limits(), stop=stop).nodes == 0
    given = position.legal_moves[:2]
    report = StringEngine().search(position, Limits(nodes=500, moves=given))
    assert {candidate.move for candidate in report.candidates} <= {
        position.game.write_move(move) for move in given
    }


def test_a_self_play_game_ends() -> None:
    position, engine = tengen.game("go", size=5).start(), StringEngine(big_moves=3)
    while not position.is_over:
        position = position.play(engine.search(position, Limits(nodes=600)).best)
        assert position.ply < 150


@pytest.mark.parametrize(("side", "nodes"), [("X", 1), ("O", 1), ("X", 300), ("O", 400)])
def test_without_time_it_plays_an_urgent_move(side: str, nodes: int) -> None:
    report = StringEngine().search(_board(f"{ATARI} {side}"), Limits(nodes=nodes))
    assert report.best == "E4"
    assert report.candidates[0].reason.startswith("urgent")


def test_without_time_and_urgent_moves_it_plays_by_prior() -> None:
    position = tengen.game("go").start()
    report = StringEngine().search(position, Limits(seconds=0.001))
    assert report.best == position.game.write_move(moves_by_prior(position, 1)[0])
    assert report.candidates[0].reason == "big, not evaluated"


def test_it_captures_dead_stones_instead_of_passing_into_a_loss() -> None:
    """White owns the left side, but the dead black stone there counts if both pass now."""
    rows = "..O.OX./.OOOOXX/OO...OX/.O.X.OX/OO...OX/.OOOOXX/..O.OX. X"
    position = _board(rows, komi=-18.5).play("pass")
    assert position.play("pass").outcome.winner == 0
    report = _search(position, playouts=2000)
    assert report.best != "pass"
    (passed,) = (one for one in report.candidates if one.move == "pass")
    assert passed.value.amount == -1.5, "the count, not an estimate"


def test_a_proved_result_ends_the_search() -> None:
    """On 2x2 the tree soon proves the winner, and no more playouts are run."""
    position = tengen.game("go", size=2, komi=0).start()
    report = StringEngine(playouts=1_000_000).search(position, Limits(nodes=1_000_000))
    assert report.nodes < 100_000


# ---- parts


def _string(player: int, stones: set[tuple[int, int]], status: Status) -> StringStatus:
    return StringStatus(player, frozenset(stones), 1, ReadingMethod.LADDER, status)


def test_dead_stones_by_status() -> None:
    strings = [
        _string(0, {(0, 0)}, Status.URGENT),
        _string(0, {(2, 0), (2, 1)}, Status.UNCONDITIONALLY_DEAD),
        _string(1, {(4, 4)}, Status.DEAD),
        _string(1, {(4, 2)}, Status.ESCAPED),
    ]
    assert dead_stones(strings) == {(4, 4), (2, 0), (2, 1)}


def test_the_larger_of_two_strings_is_the_reason() -> None:
    position = _board(f"{ATARI} X")
    game = position.game
    assert isinstance(game, Go)
    urgent, ladder = Status.URGENT, ReadingMethod.LADDER
    strings = [
        StringStatus(0, frozenset({(0, 0)}), 1, ladder, urgent, defence_line=((1, 0), (2, 0))),
        StringStatus(1, frozenset({(5, 5), (5, 6)}), 1, ladder, urgent, attack_line=((1, 0),)),
        StringStatus(1, frozenset({(3, 5)}), 1, ladder, Status.DEAD, attack_line=((3, 4),)),
    ]
    assert urgent_moves(position, strings) == {game.point((1, 0)): "urgent: captures 2 stones at F2"}


def test_the_side_to_move_can_be_changed_after_a_pass() -> None:
    position = _board(f"{SETTLED} X", rules="japanese").play("pass")
    other = with_side_to_move(position, 0)
    assert not other.is_over
    assert other.to_move == 0
    assert other.state.go_stones.tolist() == position.state.go_stones.tolist()
    assert with_side_to_move(position, 1) is position


def test_a_variation_is_played_as_far_as_it_is_legal() -> None:
    position = tengen.game("go", size=5).start()
    end, played = play_variation(position, [(0, 0), (0, 0), (1, 1)], 1)
    assert [position.game.write_move(move) for move in played] == ["A5"]
    assert end.to_move == 0


def test_moves_by_prior_are_legal_and_contain_no_pass() -> None:
    position = tengen.game("go", size=5).start().play("C3")
    moves = moves_by_prior(position, 4)
    assert len(moves) == 4
    assert set(moves) <= set(position.legal_moves) - {0}


SCORED = "O.XO./XXXO./..XOO/XXXO./..XO. X"


@pytest.mark.parametrize("lead", [-20, 0, 20])
@pytest.mark.parametrize("first", [0, 1])
def test_the_score_of_a_settled_board_depends_neither_on_turn_nor_lead(lead: int, first: int) -> None:
    """Black lives on the left with two eyes; the white stone there is dead; the right side is White's."""
    lookahead = Lookahead(_board(SCORED, komi=1.5), first, lead=lead, max_playouts=100)
    lookahead.run(100)
    assert lookahead.playouts == 100
    assert lookahead.score == pytest.approx(15 - 10 - 1.5, abs=1)
    assert lookahead.ownership[:, 0] == pytest.approx(1.0, abs=0.2)
    assert lookahead.ownership[:, 4] == pytest.approx(-1.0, abs=0.2)


@pytest.mark.parametrize("komi", [-60.5, 60.5])
def test_it_fights_for_points_however_far_ahead(komi: float) -> None:
    assert _search(_board(f"{ATARI} X", komi=komi)).best == "E4"


def test_moves_are_listed_by_value_and_a_pass_gains_nothing() -> None:
    report = _search(_board(f"{ATARI} X"))
    moves = [candidate for candidate in report.candidates if candidate.move != "pass"]
    (passed,) = (candidate for candidate in report.candidates if candidate.move == "pass")
    for candidate in moves:
        worth = float(candidate.reason.rsplit(" ", 1)[1])
        assert worth == pytest.approx(candidate.value.amount - passed.value.amount, abs=0.2)
    amounts = [candidate.value.amount for candidate in report.candidates]
    assert amounts == sorted(amounts, reverse=True)
    assert report.nodes == 1000
