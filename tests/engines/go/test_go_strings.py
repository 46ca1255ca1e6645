"""The player that thinks in strings: urgent moves before big ones, lines, reasons, and the end of a game."""

from __future__ import annotations

import json

import pytest

import tengen
from tengen.core.position import Position
from tengen.engines.go.mcts.candidates import moves_by_prior
from tengen.engines.go.positions import play_variation, with_side_to_move
from tengen.engines.go.reading.status import ReaderKind, Status, StringStatus, dead_stones
from tengen.engines.go.strings.engine import StringEngine
from tengen.engines.go.strings.lookahead import Lookahead
from tengen.engines.go.strings.move_values import urgent_moves
from tengen.engines.registry import engines_for
from tengen.games.go import Go
from tengen.search.limits import Limits, StopFlag
from tengen.search.report import Kind, Report

SETTLED = "..XO./XXXO./..XOO/XXXO./..XO."


def _board(rows: str, **options: object) -> Position:
    return tengen.game("go", board=rows, **{"komi": 0, **options}).start()


def _search(position: Position, **settings: object) -> Report:
    return StringEngine(**{"big_moves": 4, "playouts": 1000, **settings}).search(position, Limits(seconds=60))


def test_it_is_an_engine_of_go() -> None:
    assert engines_for(tengen.game("go"))[:2] == ["go", "strings"]


# Both sides live. Two white stones have one liberty, E4: White saves them, Black takes them.
ATARI = "..X.O../.XXXOO./..XXO.O/.XOO.O./..XXO.O/.XXXOO./..X.O.."


@pytest.mark.parametrize("side", "XO")
def test_what_is_urgent_comes_first_and_says_why(side: str) -> None:
    report = _search(_board(f"{ATARI} {side}"))
    assert report.best == "E4"
    first = report.candidates[0]
    assert first.reason.startswith(f"urgent: {'saves' if side == 'O' else 'takes'} 2 stones at C4")
    assert first.line[0] == "E4"
    assert report.value.kind is Kind.HEURISTIC
    assert report.value.unit == "points"


def test_the_report_shows_all_that_led_to_the_move() -> None:
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
def test_it_passes_when_nothing_is_worth_a_move(rules: str) -> None:
    assert _search(_board(f"{SETTLED} X", rules=rules)).best == "pass"


def test_under_area_rules_dead_stones_are_taken_off_before_the_last_pass() -> None:
    rows = "O.XO./XXXO./..XOO/XXXO./..XO. X"
    report = _search(_board(rows))
    assert report.best == "B5"
    assert _search(_board(rows, rules="japanese")).best == "pass"


def test_a_stop_ends_it_and_moves_may_be_given() -> None:
    position = tengen.game("go", size=9).start()
    stop = StopFlag()
    stop.set()
    assert StringEngine().search(position, Limits(), stop=stop).nodes == 0
    given = position.legal_moves[:2]
    report = StringEngine().search(position, Limits(nodes=500, moves=given))
    assert {candidate.move for candidate in report.candidates} <= {
        position.game.write_move(move) for move in given
    }


def test_a_game_against_itself_ends() -> None:
    position, engine = tengen.game("go", size=5).start(), StringEngine(big_moves=3)
    while not position.is_over:
        position = position.play(engine.search(position, Limits(nodes=600)).best)
        assert position.ply < 150


@pytest.mark.parametrize(("side", "nodes"), [("X", 1), ("O", 1), ("X", 300), ("O", 400)])
def test_without_time_to_weigh_anything_it_plays_what_is_urgent(side: str, nodes: int) -> None:
    report = StringEngine().search(_board(f"{ATARI} {side}"), Limits(nodes=nodes))
    assert report.best == "E4"
    assert report.candidates[0].reason.startswith("urgent")


def test_without_time_and_urgent_moves_it_plays_a_likely_one() -> None:
    position = tengen.game("go").start()
    report = StringEngine().search(position, Limits(seconds=0.001))
    assert report.best == position.game.write_move(moves_by_prior(position, 1)[0])
    assert report.candidates[0].reason == "big, not weighed"


def test_it_does_not_pass_away_a_game_that_taking_stones_off_wins() -> None:
    """White has the left side, but for the black stone there that counts if both pass now."""
    rows = "..O.OX./.OOOOXX/OO...OX/.O.X.OX/OO...OX/.OOOOXX/..O.OX. X"
    position = _board(rows, komi=-18.5).play("pass")
    assert position.play("pass").outcome.winner == 0
    report = _search(position, playouts=2000)
    assert report.best != "pass"
    (passed,) = (one for one in report.candidates if one.move == "pass")
    assert passed.value.amount == -1.5, "the count, not what playing on would bring"


def test_what_is_proved_ends_the_search() -> None:
    """On 2x2 the tree soon knows who wins: more games are not played, and nobody waits for them."""
    position = tengen.game("go", size=2, komi=0).start()
    report = StringEngine(playouts=1_000_000).search(position, Limits(nodes=1_000_000))
    assert report.nodes < 100_000


# ---- its parts


def _string(player: int, stones: set[tuple[int, int]], status: Status) -> StringStatus:
    return StringStatus(player, frozenset(stones), 1, ReaderKind.LADDER, status)


def test_dead_stones_are_those_whose_status_says_so() -> None:
    strings = [
        _string(0, {(0, 0)}, Status.URGENT),
        _string(0, {(2, 0), (2, 1)}, Status.UNCONDITIONALLY_DEAD),
        _string(1, {(4, 4)}, Status.DEAD),
        _string(1, {(4, 2)}, Status.ESCAPED),
    ]
    assert dead_stones(strings) == {(4, 4), (2, 0), (2, 1)}


def test_of_two_strings_that_one_move_decides_over_the_larger_is_the_reason() -> None:
    position = _board(f"{ATARI} X")
    game = position.game
    assert isinstance(game, Go)
    strings = [
        StringStatus(0, frozenset({(0, 0)}), 1, ReaderKind.LADDER, Status.URGENT, defence_line=((1, 0), (2, 0))),
        StringStatus(1, frozenset({(5, 5), (5, 6)}), 1, ReaderKind.LADDER, Status.URGENT, attack_line=((1, 0),)),
        StringStatus(1, frozenset({(3, 5)}), 1, ReaderKind.LADDER, Status.DEAD, attack_line=((3, 4),)),
    ]
    assert urgent_moves(position, strings) == {game.point((1, 0)): "urgent: takes 2 stones at F2"}


def test_the_other_side_may_move_even_after_a_pass() -> None:
    position = _board(f"{SETTLED} X", rules="japanese").play("pass")
    other = with_side_to_move(position, 0)
    assert not other.is_over
    assert other.to_move == 0
    assert other.state.go_stones.tolist() == position.state.go_stones.tolist()
    assert with_side_to_move(position, 1) is position


def test_a_line_is_played_as_far_as_it_is_legal() -> None:
    position = tengen.game("go", size=5).start()
    end, played = play_variation(position, [(0, 0), (0, 0), (1, 1)], 1)
    assert [position.game.write_move(move) for move in played] == ["A5"]
    assert end.to_move == 0


def test_likely_moves_are_legal_and_no_pass() -> None:
    position = tengen.game("go", size=5).start().play("C3")
    moves = moves_by_prior(position, 4)
    assert len(moves) == 4
    assert set(moves) <= set(position.legal_moves) - {0}


SCORED = "O.XO./XXXO./..XOO/XXXO./..XO. X"


@pytest.mark.parametrize("lead", [-20, 0, 20])
@pytest.mark.parametrize("first", [0, 1])
def test_a_settled_board_has_its_score_whoever_begins_and_whatever_is_thought_of_it(lead: int, first: int) -> None:
    """Black's two eyes on the left hold; White's stone among them is dead, and the right side is White's."""
    lookahead = Lookahead(_board(SCORED, komi=1.5), first, lead=lead, max_playouts=100)
    lookahead.run(100)
    assert lookahead.playouts == 100
    assert lookahead.score == pytest.approx(15 - 10 - 1.5, abs=1)
    assert lookahead.ownership[:, 0] == pytest.approx(1.0, abs=0.2)
    assert lookahead.ownership[:, 4] == pytest.approx(-1.0, abs=0.2)


@pytest.mark.parametrize("komi", [-60.5, 60.5])
def test_however_far_ahead_a_side_is_it_fights_for_points(komi: float) -> None:
    assert _search(_board(f"{ATARI} X", komi=komi)).best == "E4"


def test_moves_are_listed_by_worth_and_a_pass_is_worth_nothing() -> None:
    report = _search(_board(f"{ATARI} X"))
    moves = [candidate for candidate in report.candidates if candidate.move != "pass"]
    (passed,) = (candidate for candidate in report.candidates if candidate.move == "pass")
    for candidate in moves:
        worth = float(candidate.reason.rsplit(" ", 1)[1])
        assert worth == pytest.approx(candidate.value.amount - passed.value.amount, abs=0.2)
    amounts = [candidate.value.amount for candidate in report.candidates]
    assert amounts == sorted(amounts, reverse=True)
    assert report.nodes == 1000
