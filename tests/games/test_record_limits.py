"""Games of any size: too large ones are refused while they are read, long ones take linear time and memory."""

from __future__ import annotations

import random
import tracemalloc

import pytest

from tengen.app.game_reports import ReportIndex, moves_leading_to
from tengen.app.review import summarise
from tengen.app.value_graph import graph
from tengen.core.position import CHECKPOINT_PLIES, LONG_GAME_PLIES, Position, line_keys
from tengen.core.resource_limits import LimitExceeded
from tengen.games import game, records
from tengen.games.records import Node, Record, RecordError
from tengen.games.records.tree_transforms import moves_only
from tengen.play.match import Match
from tengen.play.record_import import normalize_record
from tengen.search.report import Candidate, Report, Value
from tengen.store.game_entry import GameEntry
from tengen.web.move_list import MoveListRows, annotate_moves
from tests.helpers.changed_limits import changed_limits

GGF = "(;GM[Othello]BO[8 ---------------------------O*------*O--------------------------- *]"


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("(;GM[1]" + ";" * 40_000 + ")", "record_nodes"),
        ("(;GM[1]" + ";B[aa];W[bb]" * 20_000 + ")", "record_nodes"),
        ("(;GM[1]" + "(;B[aa])" * 40_000 + ")", "record_nodes"),
        ("(;GM[1]" + ";B[aa];W[bb]" * 3_000 + ")", "record_moves"),
        ("(;GM[1]" + ";TR[aa:ss]" * 3_000 + ")", "record_marks"),
        ("(;GM[1]" + ";AB[aa:ss]" * 3_000 + ")", "record_marks"),
        ("f5" * 6_000, "record_moves"),
        (GGF + "B[F5]" * 6_000 + ";)", "record_moves"),
        (GGF + "XX[]" * 40_000 + ";)", "record_nodes"),
        ('[Game "go"]\n\n' + "A1 B2 " * 3_000, "record_moves"),
        ('[Game "go"]\n\nA1 ' + "(A2) " * 40_000, "record_nodes"),
    ],
)
def test_a_game_that_is_too_large_is_refused_with_the_limit(text: str, limit: str) -> None:
    tracemalloc.start()
    try:
        with changed_limits(record_nodes=20_000), pytest.raises(LimitExceeded, match=limit) as caught:
            list(records.parse(text, check=False))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert isinstance(caught.value, RecordError)
    assert peak < 30 << 20


def test_after_a_game_that_is_too_large_the_next_one_is_read() -> None:
    bad: list[RecordError] = []
    text = "(;GM[1]" + ";" * 200_000 + ")(;GM[2];B[f5])"
    (record,) = records.parse(text, on_bad=lambda number, error: bad.append(error))
    assert record.game.name == "othello"
    assert isinstance(bad[0], LimitExceeded)


def test_the_nodes_of_a_whole_file_are_limited_only_where_that_is_asked_for() -> None:
    text = "(;GM[2];B[f5];W[d6])" * 1_000
    assert sum(1 for _ in records.parse(text)) == 1_000
    found = records.parse(text, max_nodes=2_000)
    with pytest.raises(LimitExceeded, match="file_nodes"):
        list(found)


def test_thousands_of_nodes_without_a_move_are_spliced_in_linear_time() -> None:
    record = Record(game("othello"))
    node = record.root
    for index in range(20_000):
        node.add(Node()).comment = f"beside {index}"
    for index in range(20_000):
        node = node.add(Node())
        node.comment = f"below {index}"
    node.add(Node(record.game.start().legal_moves[0], 0))
    for made in (moves_only(record), normalize_record(record)):
        assert made.root.comment.count("\n") == 39_999
        assert [child.move for child in made.root.children] == [node.children[0].move]


# ---- long games


def long_go(length: int) -> tuple[Position, list[int]]:
    position = game("go", size=9).start()
    no_move, rng = position.game.read_move("pass", position), random.Random(5)
    moves: list[int] = []
    while position.ply < length:
        free = [move for move in position.legal_moves if move != no_move] or [no_move]
        moves.append(rng.choice(free))
        position = position.play(moves[-1])
    return position, moves


def test_positions_of_a_long_game_drop_what_they_can_compute_again() -> None:
    position, moves = long_go(LONG_GAME_PLIES + 200)
    line = list(position.line())
    kept = [one.ply for one in line if one._kept is not None]
    assert len(kept) <= LONG_GAME_PLIES + 200 // CHECKPOINT_PLIES + 4
    fresh = game("go", size=9).start()
    for one, move in zip(line, moves, strict=False):
        assert one.state == fresh.state, one.ply
        assert one.legal_moves == fresh.legal_moves, one.ply
        assert one.repeat_keys.tolist() == [earlier.repeat_key for earlier in line[: one.ply + 1]]
        fresh = Position(fresh.game, fresh._after(move).states.copy(), fresh, move)


def test_branches_of_a_line_have_their_own_history() -> None:
    root = game("go", size=5).start().play_all(["c3", "c2"])
    first, second = root.play("b2"), root.play("d2")
    assert first.repeat_keys.tolist()[:3] == second.repeat_keys.tolist()[:3] == root.repeat_keys.tolist()
    assert first.repeat_keys[3] == first.repeat_key
    assert second.repeat_keys[3] == second.repeat_key
    with pytest.raises(ValueError, match="read-only"):
        first.repeat_keys[0] = 1


def test_what_is_allowed_is_what_is_legal() -> None:
    rng = random.Random(7)
    for name, options in (
        ("go", {"size": 3}),
        ("othello", {"size": 4}),
        ("pente", {"size": 5}),
        ("clobber", {"size": 9}),
    ):
        position = game(name, **options).start()
        while not position.is_over and position.ply < 40:
            fresh = Position(position.game, position.states.copy(), position.parent, position.move)
            allowed = [move for move in range(-2, position.game.move_codes + 2) if fresh.is_legal(move)]
            assert allowed == sorted(position.legal_moves)
            position = position.play(rng.choice(position.legal_moves))


def test_a_game_of_thousands_of_moves_opens_in_little_memory() -> None:
    length = 6_000
    position, _ = long_go(length)
    data = records.serialise([Record.of(position)], "sgf").data
    with pytest.raises(LimitExceeded, match="at most 5,000 moves"):
        list(records.parse(data))
    tracemalloc.start()
    try:
        with changed_limits(record_moves=30_000):
            (record,) = records.parse(data)
        match = Match.open(GameEntry(record))
        line = list(match.live.line())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(line) == length + 1
    assert peak < 60 << 20  # with all keys at each position it was 144 MB for these alone
    reports = ReportIndex()
    for one in line[:: length // 20]:
        move, value = one.game.write_move(one.legal_moves[0]), Value.heuristic(0.5, "win rate")
        reports[moves_leading_to(one)] = Report("x", move, value, (Candidate(move, value, (move,)),), 1, 1.0, 1)
    assert reports.find(line[length // 20]) is not None
    assert reports.find(line[1]) is None
    assert sorted(reports.for_line(line)) == [one.ply for one in line[:: length // 20]]
    assert len(graph(line, reports, match, 0)["values"]) == len(reports)
    tree = MoveListRows(match.tree, match.game, annotate_moves(summarise(line, reports.for_line(line))))
    assert tree.rows


def test_line_keys_tell_lines_apart() -> None:
    start = game("othello").start()
    line = list(start.play_all(["f5", "d6", "c3"]).line())
    assert list(line_keys(["f5", "d6", "c3"])) == [one.line_key for one in line]
    assert len({one.line_key for one in line}) == 4
    assert start.play("d3").line_key != line[1].line_key
