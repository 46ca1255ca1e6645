"""Alpha-beta: small boards solved, every claim checked against plain minimax, several lines, turns and limits."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from tengen.core.compiled.kernel import kernel
from tengen.core.compiled.rules import evaluate
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.games import game
from tengen.search.alphabeta import AlphaBeta
from tengen.search.limits import Limits
from tengen.search.report import Candidate, Kind, Report
from tests.helpers.search_positions import (
    after,
    after_random_moves,
    all_late_go,
    handicap_go,
    late_othello,
    small_clobber,
)
from tests.reference.minimax import Minimax, solve, solve_move

GO_3X3 = {"size": 3, "komi": 0, "bonus": "0"}


def search(position: Position, **limits: object) -> Report:
    """What a new engine finds."""
    return AlphaBeta(table=1).search(position, Limits(**limits))


@kernel
def guess_score(states):
    return np.int64(evaluate(states[0]))


def guess(position: Position) -> int:
    """The game's own evaluation, for player 0."""
    return int(guess_score(np.array([position.state])))


# ---- small boards, solved


def test_othello_4x4_is_lost_by_ten_discs() -> None:
    report = search(game("othello", size=4).start())
    assert report.value.kind is Kind.EXACT
    assert (report.value.amount, report.value.low, report.value.high) == (-10, -10, -10)
    assert str(report.value) == "-10 discs (exact)"


@pytest.mark.parametrize("pairs", range(1, 10))
def test_alternating_clobber_is_won_by_the_first_player_except_for_three_pairs(pairs: int) -> None:
    for first in "XO":
        report = search(game("clobber", board="XO" * pairs, first=first).start())
        assert report.value.kind is Kind.EXACT
        assert report.value.amount == (-1 if pairs == 3 else 1)


def test_go_3x3_is_won_by_nine_points_from_the_centre() -> None:
    report = search(game("go", **GO_3X3, ko="situational").start())
    assert str(report.value) == "+9 points (exact)"
    assert report.best == "B2"


def test_go_3x3_with_suicide_has_the_same_value_however_deep_the_search() -> None:
    # By suicide White can try to repeat positions for ever, which is not proved to be in vain; but it is, and no
    # depth may make Black despair.
    for nodes in (100_000, 500_000):
        report = search(game("go", **GO_3X3, ko="situational", suicide=True).start(), nodes=nodes)
        assert (report.best, report.value.amount) == ("B2", 9)
        assert report.value.kind is not Kind.EXACT


def test_komi_shifts_the_value_of_go_3x3() -> None:
    for komi in (2.5, -1):
        position = game("go", size=3, komi=komi, ko="situational", bonus="0").start()
        assert search(position, nodes=200_000).value.amount == 9 - komi
        assert search(position.play("B2"), nodes=200_000).value.amount == komi - 9


def test_under_positional_superko_the_same_value_is_found_and_never_claimed() -> None:
    # A proof by transposition may use a move that this rule forbids because of stones that stood on the board
    # when the other side was to move. So nothing is claimed, though nothing speaks against it here.
    reports: list[Report] = []
    position = game("go", **GO_3X3, ko="positional").start()
    limits = Limits(nodes=100_000, lines=3)
    reports.append(AlphaBeta(table=1).search(position, limits, on_progress=reports.append))
    assert len(reports) > 5
    for report in reports:
        for candidate in report.candidates:
            assert candidate.value.kind is Kind.HEURISTIC
            assert candidate.value.low is candidate.value.high is None
    assert (reports[-1].best, reports[-1].value.amount) == ("B2", 9)


def test_simple_ko_without_superko_is_solved_too() -> None:
    report = search(game("go", **GO_3X3, ko="simple").start())
    assert (report.best, str(report.value)) == ("B2", "+9 points (exact)")


# ---- against plain minimax


def check_claims(position: Position, report: Report, truth: int) -> None:
    """What is proved holds for the position, and for the move that it is said of."""
    value = report.value
    assert value.low is None or value.low * 1000 <= truth
    assert value.high is None or value.high * 1000 >= truth
    if value.kind is Kind.EXACT:
        assert value.amount * 1000 == truth
    if value.low is not None:
        move = position.game.read_move(report.best, position)
        assert solve_move(position, move) >= value.low * 1000


def check_line(position: Position, candidate: Candidate) -> None:
    """A line is legal; an exact one keeps its value to the end, if the end is played exactly too."""
    end = position.play_all(candidate.line)
    if candidate.value.kind is Kind.EXACT:
        value = solve(end)
        assert (value if end.to_move == position.to_move else -value) == candidate.value.amount * 1000


def small_positions() -> Iterator[Position]:
    yield from small_clobber(60, seed=1)
    yield from late_othello(60, seed=2)
    yield from all_late_go("situational")


def test_what_is_claimed_is_what_minimax_finds() -> None:
    engine = AlphaBeta(table=1)  # one for all, so that whatever it keeps from one game must not hurt the next
    kinds: dict[tuple[str, Kind], int] = {}
    for index, position in enumerate(small_positions()):
        truth = solve(position)
        for limits in (Limits(nodes=20_000), Limits(depth=1 + index % 5), Limits(nodes=1 + index % 60)):
            report = engine.search(position, limits)
            check_claims(position, report, truth)
            check_line(position, report.candidates[0])
            place = (position.game.name, report.value.kind)
            kinds[place] = kinds.get(place, 0) + 1
    for name in ("clobber", "othello", "go"):
        assert kinds[name, Kind.EXACT] > 30, "too few positions were solved for this to show anything"
    assert kinds["go", Kind.BOUND] > 30
    assert kinds["go", Kind.HEURISTIC] > 10


def test_everything_without_repetition_is_solved_when_nothing_limits_it() -> None:
    for position in itertools.chain(small_clobber(40, seed=3), late_othello(40, seed=4)):
        report = search(position)
        assert report.value.kind is Kind.EXACT
        assert report.value.amount * 1000 == solve(position)


@pytest.mark.parametrize("ko", ["situational", "positional"])
def test_what_superko_forbids_is_no_move_and_no_threat(ko: str) -> None:
    # Proved or not, the value and the move are right: nobody hopes for, or fears, what may not be played.
    wrong_values = 0
    for position in all_late_go(ko):
        report = search(position, nodes=20_000)
        truth = solve(position)
        assert solve_move(position, position.game.read_move(report.best, position)) == truth
        wrong_values += report.value.amount * 1000 != truth
    # Under positional superko the table may mix up positions with other histories, and with them guesses.
    assert wrong_values <= (1 if ko == "positional" else 0)


def test_history_decides_and_is_not_mixed_up() -> None:
    # The same stones and the same side to move, after different games: what superko forbids differs, and so may
    # the value. One engine is asked about each of them in turn.
    games: dict[int, list[Position]] = {}
    for position in all_late_go("situational"):
        games.setdefault(position.key, []).append(position)
    engine = AlphaBeta(table=1)
    differing = 0
    for positions in games.values():
        truths = [solve(position) for position in positions]
        differing += len(set(truths)) > 1
        for position, truth in zip(positions, truths, strict=True):
            check_claims(position, engine.search(position, Limits(nodes=20_000)), truth)
    assert differing > 0, "no two games with the same board had different values"


def test_a_limited_depth_gives_the_value_of_minimax_to_that_depth() -> None:
    # The table may answer with a deeper search than was asked for, where the same position is met at two distances
    # from the root in one search. In Clobber that cannot be: each move takes one stone. In Othello it takes two
    # more passes on one of two ways to the same discs, so at least five moves. Entries of earlier iterations
    # are shallower than what is needed, except for proofs; and a proof within a horizon is seen by every deeper
    # minimax too. So in these searches the value is that of plain minimax, to the point.
    cases = [
        (start, depth)
        for seed in range(12)
        for start, depth in (
            (after_random_moves(game("clobber", size=12).start(), seed % 6, seed), 1 + seed % 5),
            (after_random_moves(game("clobber", size="3x4").start(), seed % 4, seed), 1 + seed % 4),
            (after_random_moves(game("othello", size=8).start(), 4 * seed, seed), 1 + seed % 3),
            (after_random_moves(game("othello", size=4).start(), seed % 8, seed), 1 + seed % 4),
        )
    ]
    cases += [(position, 1 + index % 4) for index, position in enumerate(small_clobber(30, seed=5, most=14))]
    for position, depth in cases:
        report = search(position, depth=depth)
        plain = Minimax(guess=guess)
        assert report.value.amount * 1000 == plain.value(position, depth), (position.game.describe(), depth)
        best = position.game.read_move(report.best, position)
        assert plain.move_value(position, best, depth) == report.value.amount * 1000


def test_a_bound_is_said_of_the_move_that_has_it() -> None:
    # White has passed. Black may pass and have the board as it stands, proved; another move looks as good, proves
    # nothing, and loses everything.
    for moves, depth in (("C1 B2 A3 pass", 2), ("C2 C3 B3 B1 pass", 4), ("B2 A3 pass", 2), ("A1 C1 pass", 2)):
        position = after(game("go", **GO_3X3, ko="situational").start(), moves)
        report = search(position, depth=depth)
        assert report.value.low is not None
        best = position.game.read_move(report.best, position)
        alone = search(position, moves=(best,), nodes=200_000)
        assert alone.value.kind is Kind.EXACT
        assert alone.value.amount >= report.value.low


# ---- several lines


@pytest.mark.parametrize(
    "position",
    [
        pytest.param(after_random_moves(game("othello", size=4).start(), 2, seed=5), id="othello"),
        pytest.param(game("clobber", board="X.XOOXOX", first="O").start(), id="clobber"),
        pytest.param(game("clobber", board="XOX/XO.").start(), id="clobber-board"),
        pytest.param(after(game("go", size="2x4", komi=0, ko="situational").start(), "A2 B2 B1 pass"), id="go"),
    ],
)
def test_several_lines_are_the_best_moves_each_with_the_value_it_has_alone(position: Position) -> None:
    alone = {
        position.game.write_move(move): search(position, moves=(move,)).value for move in position.legal_moves
    }
    assert all(value.kind is Kind.EXACT for value in alone.values())
    assert len({value.amount for value in alone.values()}) > 1, "all moves are equal here: nothing is shown"
    amounts = sorted((value.amount for value in alone.values()), reverse=True)
    for lines in (1, 2, 3, len(alone), len(alone) + 50):
        report = search(position, lines=lines)
        assert len(report.candidates) == min(lines, len(alone))
        assert len({candidate.move for candidate in report.candidates}) == len(report.candidates)
        assert [candidate.value.amount for candidate in report.candidates] == amounts[: len(report.candidates)]
        for candidate in report.candidates:
            assert candidate.value == alone[candidate.move]
            assert candidate.line[0] == candidate.move
            position.play_all(candidate.line)
        assert report.candidates[0].move == report.best
        assert report.candidates[0].value == report.value


def test_lines_are_sorted_at_every_finished_depth() -> None:
    position = after_random_moves(game("othello", size=8).start(), 20, seed=1)
    for depth in range(1, 6):
        report = search(position, depth=depth, lines=4)
        amounts = [candidate.value.amount for candidate in report.candidates]
        assert amounts == sorted(amounts, reverse=True)
        assert len(amounts) == 4
        assert report.depth == depth


def test_a_line_cut_short_still_has_a_candidate_for_every_finished_one() -> None:
    position = game("othello", size=8).start()
    for nodes in range(1, 400, 7):
        report = search(position, nodes=nodes, lines=3)
        moves = [candidate.move for candidate in report.candidates]
        assert 1 <= len(moves) == len(set(moves)) <= 3
        assert len(moves) == 3 or report.depth == 0
        for candidate in report.candidates:
            position.play_all(candidate.line)


# ---- the principal variation


def test_the_line_of_a_solved_game_leads_to_its_score() -> None:
    for position in (
        game("othello", size=4).start(),
        game("clobber", size=16).start(),
        game("go", **GO_3X3, ko="situational").start(),
    ):
        report = search(position)
        sign = 1
        at = position
        for move in report.line:
            after = at.play(move)
            sign = sign if after.to_move == at.to_move else -sign
            at = after
        # The line may end early, where the table knew the rest: play that exactly.
        while not at.is_over:
            after = at.play(search(at, nodes=1_000_000).best)
            sign = sign if after.to_move == at.to_move else -sign
            at = after
        score = at.final_score if at.to_move == 0 else -at.final_score
        assert sign * score == report.value.amount * 1000


def test_no_line_has_a_move_that_superko_forbids() -> None:
    lengths = []
    for ko in ("situational", "positional"):
        for position in all_late_go(ko):
            for nodes in (100, 5000):
                report = search(position, nodes=nodes, lines=3)
                for candidate in report.candidates:
                    assert candidate.line[0] == candidate.move
                    position.play_all(candidate.line)
                    lengths.append(len(candidate.line))
    assert max(lengths) > 5


# ---- turns that do not alternate


def test_several_moves_in_a_row_have_the_right_sign() -> None:
    seen = set()
    for komi in (0, 3, 4):
        for position in handicap_go("1x3", 2, komi):
            assert position.to_move == 0
            report = search(position, nodes=20_000)
            check_claims(position, report, solve(position))
            assert report.value.amount * 1000 == solve(position)
            everything = search(position, nodes=20_000, lines=9)
            for candidate in everything.candidates:
                move = position.game.read_move(candidate.move, position)
                assert candidate.value.amount * 1000 == solve_move(position, move)
            seen.add(report.value.amount)
    assert seen == {3, 0, -1}


def test_several_moves_in_a_row_to_a_limited_depth() -> None:
    # No position comes up at two depths here, so that the values must be those of plain minimax: see above.
    for size, stones, depths in (("3x2", 2, (1, 2, 3, 4)), ("3x2", 3, (2, 4)), ("3x3", 2, (3,))):
        for position in itertools.islice(handicap_go(size, stones, komi=1), 3):
            for depth in depths:
                plain = Minimax(guess=guess)
                assert search(position, depth=depth).value.amount * 1000 == plain.value(position, depth)


# ---- the table


def test_the_smallest_table_finds_the_same_values() -> None:
    for position in (
        game("othello", size=4).start(),
        game("clobber", size=18).start(),
        game("go", **GO_3X3, ko="situational").start(),
    ):
        small = AlphaBeta(table=1).search(position, Limits())
        large = AlphaBeta(table=16).search(position, Limits())
        assert small.value == large.value
        assert small.value.kind is Kind.EXACT


def test_what_the_table_keeps_from_move_to_move_changes_no_exact_value() -> None:
    engine = AlphaBeta(table=1)
    position = game("othello", size=4).start()
    while not position.is_over:
        report = engine.search(position, Limits())
        assert report.value == search(position).value
        position = position.play(report.best)
    assert position.final_score == -10_000


def test_the_table_pays_from_move_to_move() -> None:
    engine = AlphaBeta()
    position = game("clobber", size=18).start()
    first = engine.search(position, Limits())
    second = engine.search(position, Limits())
    assert second.value == first.value
    assert second.nodes < first.nodes / 2


def test_a_search_of_some_moves_says_nothing_about_the_position() -> None:
    # An engine that has looked only at bad answers must not think, a move earlier, that there are no others.
    start = game("clobber", size=8).start()
    shown = 0
    for move in start.legal_moves:
        position = start.play(move)
        bad = [answer for answer in position.legal_moves if solve_move(position, answer) < 0]
        if bad and len(bad) < len(position.legal_moves):
            shown += 1
            engine = AlphaBeta(table=1)
            assert engine.search(position, Limits(moves=tuple(bad))).value.amount == -1
            assert engine.search(position, Limits()).value.amount == 1
            engine = AlphaBeta(table=1)
            assert engine.search(position, Limits(moves=tuple(bad))).value.amount == -1
            assert engine.search(start, Limits(moves=(move,))).value.amount == -1
    assert shown > 1


# ---- stopping anywhere


def test_a_search_stopped_at_any_node_claims_nothing_false() -> None:
    position = game("othello", size=4).start()
    bounds = 0
    for nodes in itertools.chain(range(1, 200), range(200, 8000, 97)):
        report = search(position, nodes=nodes)
        assert report.nodes <= nodes
        bounds += (report.value.low, report.value.high) != (None, None)
        assert report.value.low is None or report.value.low <= -10
        assert report.value.high is None or report.value.high >= -10
        position.play_all(report.line)
    assert bounds > 5


def test_pausing_and_going_on_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    position = after_random_moves(game("othello", size=8).start(), 10, seed=3)
    whole = search(position, depth=5)
    for size in (1, 7, 256):
        monkeypatch.setattr("tengen.search.limits.Budget.slice_nodes", lambda budget, size=size: size)
        parts = search(position, depth=5)
        assert dataclasses.replace(parts, seconds=whole.seconds) == whole


def test_every_root_move_can_be_the_only_one() -> None:
    position = game("go", size=4, komi=0).start().play("B2")
    for move in position.legal_moves:
        report = search(position, moves=(Move(move),), nodes=300)
        assert [candidate.move for candidate in report.candidates] == [position.game.write_move(move)]
