"""The strong Pente player: its board against recomputation and the rules, its claims against every defence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import tengen
from tengen.arena.pente_tactics import measure
from tengen.core.compiled.kernel import kernel
from tengen.core.errors import OptionError
from tengen.engines.pente import patterns
from tengen.engines.pente.engine import PenteEngine
from tengen.engines.pente.kernels import entry_points
from tengen.engines.pente.kernels.forbidden_moves import may_play
from tengen.engines.pente.kernels.lines import window
from tengen.engines.pente.root_position import RootPosition
from tengen.engines.pente.search.kernels.evaluation import COUNTS, THREAT_LEVELS, THREAT_MASKS
from tengen.engines.pente.search.weights import (
    MULTISET_OF,
    MULTISETS,
    SHIPPED,
    hand_set_weights,
    load_weights,
    read_weights,
    weights_from_parts,
    write_weights,
)
from tengen.engines.pente.search_threads import SearchThread
from tengen.engines.pente.threats.brute_force import stones_to_win
from tengen.engines.pente.threats.proof import Proof, ProofError, build_proof, check_proof
from tengen.engines.pente.training import job
from tengen.engines.pente.training.examples import COLUMNS, Choices, Examples, extract
from tengen.engines.pente.training.fitting import UNIT, cross_entropy_bits, fit_order, fit_values, share_in_first
from tengen.engines.registry import default_engine
from tengen.games.pente.record import EMPTY, POINTS
from tengen.search.limits import Limits
from tengen.search.report import Kind
from tengen.terminal.heat_map import heat_map_from_report, heat_map_svg, heat_map_text
from tests.helpers.pente_positions import MIXED, game_of, random_walk

VARIANTS = [
    "standard", "tournament", "five-in-a-row", "no-capture", "keryo", "gomoku", "g-pente", "poof", "boat",
    "o-pente", "renju", "caro",
]  # fmt: skip


@kernel
def list_allowed(boards, colour, out):
    """The empty points that a colour may play on the engine's board."""
    board, count = boards[0], 0
    for point in range(np.uint64(POINTS)):
        if board.stones[point] == EMPTY and may_play(board, colour, point):
            out[count] = point
            count += 1
    return count


def snapshot(root: RootPosition) -> dict[str, np.ndarray]:
    """The state of a board."""
    board = root.boards[0]
    empty = board.stones == EMPTY
    return {
        "words": board.words.copy(),
        "stones": board.stones.copy(),
        "entries": board.entries.copy(),
        "shapes": board.shapes.copy(),
        "levels": np.where(empty, board.levels, 0),
        "state_info": board.state_info.copy(),
    }


def assert_same(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> None:
    for name, array in one.items():
        assert (array == other[name]).all(), name


@pytest.mark.parametrize("variant", [*VARIANTS, *MIXED])
@settings(max_examples=5, deadline=None)
@given(size=st.sampled_from([5, 7, 19]), seed=st.integers(0, 2**32))
def test_board_matches_a_fresh_one_after_moves_and_undo(variant, size, seed):
    positions = random_walk(game_of(variant, size), seed, 60)
    positions = [position for position in positions if not position.is_over]
    root = RootPosition(positions[0])
    seen = [snapshot(root)]
    for position in positions[1:]:
        root.play(position.move)
        fresh = RootPosition(position)
        assert_same(snapshot(root), snapshot(fresh))
        assert root.colour == position.state.colour
        seen.append(snapshot(root))
    for before in reversed(seen[:-1]):
        root.undo()
        assert_same(snapshot(root), before)


def naive_class(cells: list[int], own: int, exact: bool) -> int:
    """Class of a line with `own` in the centre of eleven points, by trying stones."""

    def row(line: list[int]) -> bool:
        first, last = 5, 5
        while first > 0 and line[first - 1] == own:
            first -= 1
        while last < 10 and line[last + 1] == own:
            last += 1
        return last - first + 1 == 5 or (last - first + 1 > 5 and not exact)

    def gaps(line: list[int]) -> set[int]:
        found = set()
        for k in range(11):
            if line[k] == 0:
                line[k] = own
                if row(line):
                    found.add(k)
                line[k] = 0
        return found

    line = [*cells[:5], own, *cells[6:]]
    if row(line):
        return patterns.ROW
    if gaps(line):
        return patterns.OPEN_FOUR if len(gaps(line)) > 1 else patterns.FOUR
    return patterns.NONE


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from([0, 0, 1, 1, 2, 3]), min_size=11, max_size=11), st.booleans())
def test_pattern_table_matches_naive_classes(cells, exact):
    for k in range(4, -1, -1):  # everything beyond the border is border
        if cells[k + 1] == 3:
            cells[k] = 3
    for k in range(6, 11):
        if cells[k - 1] == 3 and k > 6:
            cells[k] = 3
    cells[5] = 0
    reach = patterns.reach_of(5, exact)
    behind = sum(cell << 2 * k for k, cell in enumerate(cells[5 - reach : 5]))
    ahead = sum(cell << 2 * k for k, cell in enumerate(cells[6 : 6 + reach]))
    entry_points = int(patterns.pattern_table(5, exact, 2, 1)[behind | ahead << 2 * reach])
    for colour in range(2):
        found, expected = entry_points >> 3 * colour & 7, naive_class(cells, colour + 1, exact)
        assert (found if found >= patterns.FOUR else 0) == expected


@pytest.mark.parametrize("variant", [*VARIANTS, *MIXED])
def test_winning_points_match_the_rules(variant):
    wins = 0
    for seed in range(5):
        for position in random_walk(game_of(variant, 9), seed, 70)[8::2]:
            if position.is_over:
                continue
            colour = position.state.colour
            expected = set()
            for move in position.legal_moves:
                after = position.play(move)
                if after.is_over and after.final_score == (1000 if colour == 0 else -1000):
                    expected.add(move)
            assert set(RootPosition(position).winning_points(colour)) == expected
            wins += len(expected)
    assert wins > 0


@pytest.mark.parametrize("size", [7, 9])
def test_forbidden_points_of_renju_match_the_rules(size):
    forbidden = 0
    out = np.zeros(POINTS, np.int64)
    for seed in range(30):
        for position in random_walk(game_of("renju", size), seed, 40)[6::2]:
            if position.is_over or position.state.colour != 0:
                continue
            root = RootPosition(position)
            count = list_allowed(root.boards, root.colour, out)
            assert out[:count].tolist() == sorted(position.legal_moves)
            forbidden += int(position.state.empty_count) - count
    assert forbidden > 20


def test_a_forbidden_block_loses():
    """White's only four can be blocked at a point where Black would make two threes."""
    rows = ["." * 15 for _ in range(15)]
    rows[7] = "..XOOOO........"
    rows[5] = rows[6] = ".......X......."
    rows[8] = "......X.X......"
    rows[9] = ".....X...X....."
    position = tengen.game("pente", variant="renju", size=15, board="/".join(rows) + " X").start()
    block = position.game.point((7, 7))
    assert block not in position.legal_moves
    report = PenteEngine(table=1).search(position, Limits(nodes=2000))
    assert report.value.kind is Kind.EXACT
    assert report.value.amount == -1


# ---- forced wins


@pytest.mark.parametrize("variant", [*VARIANTS, *MIXED])
def test_every_claimed_win_holds_against_every_answer(variant):
    """Wins by fours and, where supported, threes; the checker plays all legal answers by the rules."""
    thread = SearchThread()
    proved = 0
    for seed in range(4):
        for position in random_walk(game_of(variant, 8), seed, 50)[7::4]:
            if position.is_over:
                continue
            proof = build_proof(position, threes=1, thread=thread)
            if proof is not None and proof.plies <= 5:
                assert check_proof(position, proof) == proof.plies
                proved += proof.plies > 1
                data = proof.to_data(position)
                assert Proof.from_data(data, position) == proof
    assert proved > 0


def test_an_invalid_proof_is_rejected():
    position = tengen.game("pente", size=9).start().play_all(["E5", "A1", "F5", "A2"])
    quiet = Proof(position.game.read_move("G5", position), {}, Proof(position.game.read_move("H5", position)))
    with pytest.raises(ProofError, match=r"escaped|no reply|not won"):
        check_proof(position, quiet)


def test_a_proof_answers_the_capture_that_breaks_an_open_four():
    """Black's four has two open ends, but White captures two of its stones: the win is one move longer."""
    board = ["." * 9 for _ in range(9)]
    board[4] = "...XXX..."
    board[3] = "....X...."
    board[2] = "....O...."
    position = tengen.game("pente", size=9, board="/".join(board) + " X").start()
    free = tengen.game("pente", variant="no-capture", size=9, board="/".join(board) + " X").start()
    without_captures, proof = build_proof(free), build_proof(position)
    assert without_captures.move == proof.move
    with pytest.raises(ProofError):
        check_proof(position, without_captures)
    capture = position.game.read_move("E4", position)
    assert position.play(proof.move).play(capture).state.captured[1] == 2
    assert capture in proof.answers
    assert check_proof(position, proof) == proof.plies == without_captures.plies + 2


# ---- the player


def test_a_short_win_is_proved_and_reported():
    position = tengen.game("pente").start().play_all(["K10", "A1", "K11", "A3", "K12", "A5"])
    report = PenteEngine(table=1).search(position, Limits(nodes=20_000))
    assert report.value.kind is Kind.EXACT
    assert report.value.amount == 1
    assert report.candidates[0].reason == "wins in 2"
    assert {overlay.name for overlay in report.overlays} >= {"Black's rows"}
    heat = heat_map_from_report(report, "black-rows")
    lines = heat_map_text(position, heat).plain.splitlines()
    column = lines[0].index("K")
    assert [lines[20 - row][column : column + 2].strip() for row in (13, 12, 9)] == ["44", "X", "44"]
    assert ">44<" in heat_map_svg(position, heat, "rows")
    with pytest.raises(OptionError, match="it has: black-rows"):
        heat_map_from_report(report, "visits")


def test_a_lost_position_is_proved_lost():
    """White cannot block both ends of the four."""
    position = (
        tengen.game("pente", variant="no-capture").start().play_all(["K10", "A1", "K11", "A3", "K12", "A5", "K13"])
    )
    report = PenteEngine(table=1).search(position, Limits(nodes=50_000))
    assert report.value.kind is Kind.EXACT
    assert report.value.amount == -1
    assert report.candidates[0].reason == "loses in 1"


LOST = [
    "K10 L7 O10 H7 N12 O11 F7 L10 M12 L12 K9 K8 J9 K11 M6 J10",
    "K10 N8 J14 L10 L12 M11 K9 K11 N12 K8 M12 K12 P12 O12 K10 K13 L10 K15 K14 L11 M10 J10 H14",
    "K10 K8 N13 M12 P13 M10 N11 N12 L12 O12 M11 O11 M13 L13 P10 O13 P11",
]
"""Lost positions in which an earlier version played A19."""


@pytest.mark.parametrize("moves", LOST)
@pytest.mark.parametrize("nodes", [300, 20_000])
def test_lost_positions_are_defended_near_the_stones(moves, nodes):
    position = tengen.game("pente", variant="tournament").start().play_all(moves.split())
    report = PenteEngine(table=1).search(position, Limits(nodes=nodes))
    point = position.game.read_move(report.best, position)
    stones = np.flatnonzero((position.state.pente_stones == 1) | (position.state.pente_stones == 2))
    steps = np.maximum(abs(stones % 20 - point % 20), abs(stones // 20 - point // 20))
    assert steps.min() <= 2


def test_boat_rule_a_row_is_broken():
    """Only a capture of two of its stones breaks White's row."""
    rows = ["." * 9 for _ in range(9)]
    rows[4] = "..OOOO..."
    rows[5] = "...O....."
    rows[6] = "...X....."
    position = tengen.game("pente", variant="boat", size=9, board="/".join(rows) + " O").start().play("G5")
    assert not position.is_over
    report = PenteEngine(table=1).search(position, Limits(nodes=2000))
    assert report.best == "D6"
    assert RootPosition(position).has_breakable_row(1)


@pytest.mark.parametrize("variant", ["boat", "poof boat", "renju", "caro"])
def test_wins_in_one_are_found_and_claims_hold(variant):
    """Compared with brute force by the rules."""
    engine = PenteEngine(table=1)
    wins = 0
    for seed in range(6):
        for position in random_walk(game_of(variant, 7), seed, 60)[10::3]:
            if position.is_over:
                continue
            stones = stones_to_win(position)
            report = engine.search(position, Limits(nodes=3000))
            claimed = report.value.kind is Kind.EXACT and report.value.amount == 1
            if stones == 1:
                assert position.play(report.best).outcome.winner == position.to_move
                wins += 1
            if claimed and report.candidates[0].reason in ("wins in 1", "wins in 2"):
                assert report.candidates[0].reason == f"wins in {stones}"
    assert wins > 5


@pytest.mark.parametrize("variant", VARIANTS)
def test_it_plays_every_variant_to_the_end(variant):
    position = tengen.game("pente", variant=variant, size=9).start()
    engine = PenteEngine(table=1, seed=1)
    while not position.is_over and position.ply < 40:
        report = engine.search(position, Limits(nodes=300))
        position = position.play(report.best)
    assert position.ply >= 5


def test_a_node_limit_is_deterministic():
    position = tengen.game("pente").start().play_all(["K10", "L11", "M9", "L9", "K12", "L12"])
    reports = [PenteEngine(table=1).search(position, Limits(nodes=5000, lines=2)) for _ in range(2)]
    assert reports[0].candidates == reports[1].candidates
    assert len({candidate.move for candidate in reports[0].candidates}) == 2


def test_several_threads_find_the_same_win():
    position = tengen.game("pente").start().play_all(["K10", "A1", "K11", "A3", "K12", "A5"])
    report = PenteEngine(table=1, threads=2).search(position, Limits(depth=6))
    assert report.value.amount == 1


def test_weights_have_provenance():
    for path in SHIPPED:
        parts, made = read_weights(path)
        assert made["command"].startswith("tengen train pente ")
        assert parts[2].shape == (2, COUNTS)


def test_weights_are_written_and_read_again(tmp_path):
    parts = hand_set_weights()
    write_weights(tmp_path / "some.json", parts, {"command": "none"})
    again, made = read_weights(tmp_path / "some.json")
    assert made == {"command": "none"}
    assert all((one == other).all() for one, other in zip(parts, again, strict=True))


def test_weights_without_threat_masks_can_be_read(tmp_path):
    write_weights(tmp_path / "some.json", (*hand_set_weights()[:4], np.ones(THREAT_MASKS)), {})
    data = json.loads((tmp_path / "some.json").read_text())
    assert set(data.pop("threats")) == {1}
    (tmp_path / "earlier.json").write_text(json.dumps(data))
    assert not read_weights(tmp_path / "earlier.json")[0][4].any()


def naive_shape(cells: list[int], own: int, exact: bool) -> int:
    """Shape of a line with `own` in the centre of eleven points, by counting windows of five."""
    line = [*cells[:5], own, *cells[6:]]
    lacking = dict.fromkeys(range(5), 0)
    gaps = []
    for first in range(1, 6):
        inside = line[first : first + 5]
        if set(inside) <= {0, own} and not (exact and own in (line[first - 1], line[first + 5])):
            lacking[inside.count(0)] += 1
            gaps.append({k for k in range(first, first + 5) if line[k] == 0})
    if lacking[0]:
        return 15
    if lacking[1]:
        several = len({min(gap) for gap in gaps if len(gap) == 1}) > 1
        return 14 if several else 13 if lacking[2] else 12
    if lacking[2]:
        twos = [gap for gap in gaps if len(gap) == 2]
        if any(one != other and one & other for one in twos for other in twos):
            return 10 if lacking[2] == 2 else 11
        return 8 if lacking[2] == 1 else 9
    if lacking[3]:
        return 3 + min(lacking[3], 4)
    return 0 if lacking[4] == 0 else 1 if lacking[4] < 3 else 2 if lacking[4] < 5 else 3


@pytest.mark.parametrize("variant", ["standard", "gomoku"])
def test_evaluation_is_the_sum_of_the_values_of_points(variant):
    game = game_of(variant, 13)
    rng = np.random.default_rng(5)
    values, _, counts, captures, _ = hand_set_weights()
    values = rng.integers(-300, 300, values.shape)
    threats = rng.integers(-900, 900, THREAT_MASKS)
    weights = weights_from_parts((values, values + 300, counts, captures, threats))
    masks = set()
    for position in random_walk(game, 3, 40)[5::9]:
        root = RootPosition(position, weights)
        board, mover = root.boards[0], int(root.colour)
        total = 0
        for point in np.flatnonzero(board.stones == EMPTY).tolist():
            for side in range(2):
                code = 0
                for axis in range(4):
                    bits = int(window(board.words, np.uint64(axis), np.uint64(point)))
                    cells = [bits >> 2 * k & 3 for k in range(11)]
                    code |= naive_shape(cells, side + 1, game.exact) << 4 * axis
                assert int(board.shapes[point]) >> 16 * side & 0xFFFF == code
                total += int(values[int(side != mover), MULTISET_OF[code]]) * (1 if side == mover else -1)
        features = np.zeros(2 * COUNTS + 1, np.int64)
        entry_points.board_counts(root.boards, root.colour, features)
        mask = 0
        for point in np.flatnonzero(board.stones == EMPTY).tolist():
            for side in range(2):
                level = int(board.levels[point]) >> 8 * (mover ^ side) & 0xFF
                if patterns.CLOSED_THREE <= level <= patterns.TWO_FOURS:
                    mask |= 1 << level - patterns.CLOSED_THREE + THREAT_LEVELS * side
        assert features[-1] == mask
        masks.add(mask)
        total += int(features[:-1] @ weights.terms[: 2 * COUNTS]) + int(threats[mask])
        assert entry_points.evaluate_board(root.boards, weights.terms, root.colour) == total // 16
    assert len(masks) > 1


@pytest.mark.parametrize("opening", ["d-pente", "swap", "swap2", "soosorv-8", "taraguchi-10"])
def test_it_chooses_a_side_after_an_opening(opening):
    position = tengen.game("pente", opening=opening, size=9).start()
    engine = PenteEngine(table=1)
    for _ in range(24):
        position = position.play(engine.search(position, Limits(nodes=200)).best)
        if position.state.number == 6:
            break
    assert position.state.left == 0
    assert position.state.choice == 0


def test_it_offers_different_fifth_stones_and_picks_one():
    position = tengen.game("pente", variant="renju", opening="taraguchi-10", size=9).start()
    position = position.play_all(["E5", "white", "E6", "white", "F6", "white", "G4", "offer-10"])
    engine = PenteEngine(table=1)
    for _ in range(11):
        position = position.play(engine.search(position, Limits(nodes=300)).best)
    assert position.state.number == 5
    assert position.state.wanted == 0


def test_it_is_the_default_engine_for_supported_games():
    assert default_engine(tengen.game("pente", variant="keryo")) == "pente"
    assert default_engine(tengen.game("pente", variant="connect6")) == "pente"
    assert default_engine(tengen.game("pente", variant="renju")) == "pente"
    for options in ({"stones": 2}, {"row": 6, "exact": True, "captures": "none"}):
        assert default_engine(tengen.game("pente", **options)) != "pente"


def test_training_resumes_and_gives_the_same_weights(tmp_path, monkeypatch):
    def train(folder: str) -> bytes:
        output = tmp_path / f"{folder}.json"
        with ThreadPoolExecutor(2) as threads:
            job.train(
                tmp_path / folder, output, job.DEFAULT_GAME, seed=3, games=10, nodes=20, executor=threads, log=str
            )
        return output.read_bytes()

    first = train("one")
    assert read_weights(tmp_path / "one.json")[1]["positions"] > 10
    assert train("two") == first
    monkeypatch.setattr(job, "play_game", None)  # games are not played again
    assert train("one") == first


def test_examples_are_what_the_engine_evaluates(tmp_path):
    game = job.DEFAULT_GAME
    games = job.play_games(tmp_path / "games", game, None, seed=5, count=2, nodes=20)
    examples, choices = extract(game, games)
    weights = load_weights(game, 100, True)
    parts = read_weights(SHIPPED[0])[0]
    vector = np.concatenate([parts[0].reshape(-1), parts[2].reshape(-1), parts[4]])
    expected = set((examples.features @ vector // 16).astype(int).tolist())
    found = set()
    for one in games:
        position = game.start().play_all(one.moves.tolist()[: one.opening])
        for move in one.moves.tolist()[one.opening :]:
            root = RootPosition(position, weights)
            found.add(int(entry_points.evaluate_board(root.boards, weights.terms, root.colour)))
            position = position.play(move)
    assert expected <= found
    assert set(examples.results) <= {0.0, 0.5, 1.0}
    assert len(choices.starts) == len(choices.chosen)
    assert (choices.chosen >= choices.starts).all()


def test_fits_recover_the_weights_behind_the_results():
    rng = np.random.default_rng(2)
    initial = hand_set_weights()
    columns = rng.choice(COLUMNS, 40, replace=False)
    truth = np.zeros(COLUMNS)
    truth[columns] = rng.normal(0, 1, 40)
    features = np.zeros((4000, COLUMNS), np.float32)
    features[:, columns] = rng.integers(-1, 2, (4000, 40))
    start = np.concatenate([initial[0].reshape(-1), initial[2].reshape(-1), initial[4]]) * UNIT
    chances = 1 / (1 + np.exp(-features @ (start + truth)))
    results = (rng.random(4000) < chances).astype(float)
    examples = Examples(sparse.csr_matrix(features), results, chances)
    values, counts, threats = fit_values(examples, initial)
    found = np.concatenate([values.reshape(-1), counts.reshape(-1), threats]) * UNIT - start
    assert np.corrcoef(found[columns], truth[columns])[0, 1] > 0.9
    assert cross_entropy_bits(examples, (values, initial[1], counts, initial[3], threats)) < cross_entropy_bits(
        examples, initial
    )

    promising = rng.normal(0, 2, len(MULTISETS))
    own = rng.integers(0, 50, 8 * 2000)
    chosen = np.array([8 * k + int(np.argmax(promising[own[8 * k : 8 * k + 8]])) for k in range(2000)])
    choices = Choices(own, np.zeros_like(own), np.zeros((len(own), 4)), np.arange(0, len(own), 8), chosen)
    order, captures = fit_order(choices, initial)
    learned = (initial[0], order, initial[2], captures, initial[4])
    assert share_in_first(choices, learned, 2) > 0.9 > share_in_first(choices, initial, 2)


def test_brute_force_wins_in_two():
    position = (
        tengen.game("pente", size=7, variant="freestyle").start().play_all(["D4", "A1", "D5", "A3", "D3", "A5"])
    )
    assert stones_to_win(position) == 2
    assert stones_to_win(position.parent.parent) == 0
    assert stones_to_win(position.play_all(["D2", "A7"])) == 1


# From `tengen tactics --games 40 --show variant=tournament`: stones to the shortest win, verified against every
# defence; then the moves.
FACTS = """
1 K10 N8 M6 H14 J13 J7 K8 L7 M7 M8 K9 K7 K11 K12 M5 G7 H7 L8 N9 M9 M4 M3 M10 M8 K6 M8 L7 K7 J9 J5 L7 N7 L7 N5
1 K10 L7 O10 H7 N12 O11 F7 L10 M12 L12 K9 K8 J9 K11 M6 J10 A19 M13 H9
1 K10 N8 J14 L10 L12 M11 K9 K11 N12 K8 M12 K12 P12 O12 K10 K13 L10 K15 K14 L11 M10 J10 H14 A19 G14 L14
1 K10 K8 N13 M12 P13 M10 N11 N12 L12 O12 M11 O11 M13 L13 P10 O13 P11 A19 P12 P14
1 K10 M11 F8 O13 P14 M13 M14 N14 P12 O15 M15 M16 M12 N12 L11 N13 N14 N11 M14 N10 O11 O14 J9 H8 P15 N13 O14 Q16
  O14 L14
2 K10 N8 M6 H14 J13 J7 K8 L7 M7 M8 K9 K7 K11 K12 M5 G7 H7 L8 N9 M9 M4 M3 M10 M8 K6 M8 L7 K7 J9 J5 L7 N7
2 K10 L7 O10 H7 N12 O11 F7 L10 M12 L12 K9 K8 J9 K11 M6 J10 A19
2 K10 N8 J14 L10 L12 M11 K9 K11 N12 K8 M12 K12 P12 O12 K10 K13 L10 K15 K14 L11 M10 J10 H14 A19
2 K10 K8 N13 M12 P13 M10 N11 N12 L12 O12 M11 O11 M13 L13 P10 O13 P11 A19
2 K10 M11 F8 O13 P14 M13 M14 N14 P12 O15 M15 M16 M12 N12 L11 N13 N14 N11 M14 N10 O11 O14 J9 H8 P15 N13 O14 Q16
3 K10 N8 M6 H14 J13 J7 K8 L7 M7 M8 K9 K7 K11 K12 M5 G7 H7 L8 N9 M9 M4 M3 M10 M8 K6 M8 L7 K7 J9 J5
3 K10 M11 F8 O13 P14 M13 M14 N14 P12 O15 M15 M16 M12 N12 L11 N13 N14 N11 M14 N10 O11 O14 J9 H8 P15 N13
"""


@pytest.mark.parametrize("fact", FACTS.strip().replace("\n  ", " ").splitlines())
def test_wins_in_one_two_and_three_are_found(fact):
    stones, *moves = fact.split()
    position = tengen.game("pente", variant="tournament").start().play_all(moves)
    report = PenteEngine(table=1).search(position, Limits(nodes=50_000))
    assert report.value.kind is Kind.EXACT
    assert report.value.amount == 1
    assert report.candidates[0].reason == f"wins in {stones}"
    if stones != "3":
        assert stones_to_win(position) == int(stones)


@pytest.mark.parametrize("variant", ["freestyle", "boat"])
def test_tactics_benchmark(variant):
    game = tengen.game("pente", variant=variant, size=9)
    found = measure(game, games=2, seed=6, nodes=100, last=6, on_step=lambda text: None)
    assert found.positions == 6
    assert found.missed == found.false == []
    assert any(found.found.values())
    assert f"missed: {len(found.missed)}" in str(found)


SEARCHED = """
import tengen
from tengen.engines.registry import create
from tengen.search.limits import Limits

for engine, options, moves, plies in (
    ("pente", {"size": 7}, "D4 E5 D5", 2),
    ("pente", {"size": 9, "variant": "connect6"}, "E5 E6 F6", 2),
    ("pente", {"size": 7, "variant": "boat"}, "D4 E5 D5 D6 E4", 1),
    ("pente", {"size": 7, "variant": "gomoku"}, "D4 A1 D3 A7 E4 G1", 2),  # a win in 3, by fours and a three
    ("classic", {"size": 7}, "D4 E5 D5", 1),
):
    position = tengen.game("pente", **options).start().play_all(moves.split())
    report = create(engine, table=1).search(position, Limits(depth=plies, nodes=1000))
    print(report.best, report.nodes, report.value, report.candidates[0].reason)
position = tengen.game("pente", size=5, captures="none").start()
position = position.play_all("C3 E1 A1 D4 C5 D5 D1 C1 A2 A4 B2 B4 B1 B5 D2 D3 E3".split())
report = create("pente", table=1).solve(position)
print(report.best, report.nodes, report.value)
"""


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="there is no compiled form to compare with")
def test_kernels_give_the_same_results_as_plain_python():
    compiled, plain = (
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", SEARCHED],
            env={**os.environ, "NUMBA_DISABLE_JIT": switch},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for switch in ("0", "1")
    )
    assert compiled == plain
    assert len(plain.splitlines()) == 6
