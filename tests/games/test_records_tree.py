"""The tree of a record: lines, replaying, what the kernel says against what the rules say, and starting boards."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from tengen.core.errors import OptionError, PositionError, TengenError
from tengen.games import game, names, records
from tengen.games.go import Go
from tengen.games.records import Node, Record, RecordError, SetUp
from tengen.games.records.replay import implied_pass
from tengen.games.records.tree_transforms import absorb_set_up, moves_only
from tests.helpers.changed_limits import changed_limits
from tests.helpers.search_positions import random_game

GAMES = {
    "clobber": {"size": "4x4"},
    "go": {"size": 5, "rules": "tromp-taylor"},
    "othello": {"size": 6},
    "pente": {"size": 7},
}


def random_record(name: str, seed: int, max_plies: int) -> records.Record:
    return Record.of(random_game(game(name, **GAMES.get(name, {})).start(), seed, max_plies))


@pytest.mark.parametrize("name", names())
def test_positions_of_a_record_equal_those_played_one_by_one(name: str) -> None:
    record = random_record(name, 7, 40)
    position, *rest = record.positions()
    for found in rest:
        assert found.parent is not None
        assert found.move is not None
        position = position.play(found.move)
        for wanted in ("ply", "to_move", "is_over", "final_score", "key", "repeat_key", "states", "legal_moves"):
            assert getattr(found, wanted) == getattr(position, wanted), wanted
        assert found == position


@pytest.mark.parametrize("name", names())
def test_the_kernel_and_the_rules_agree_on_every_move(name: str) -> None:
    """A legal line passes; with one move replaced by any other, both say the same."""
    rng = random.Random(name)
    refused = 0
    for seed in range(15):
        record = random_record(name, seed, 40)
        assert record.moves() == list(record.positions()[-1].moves)
        nodes = record.nodes()
        at = rng.randrange(1, len(nodes))
        before = record.positions()[at - 1]
        wrong = rng.randrange(record.game.move_codes)
        legal = wrong in before.legal_moves
        nodes[at].move, nodes[at].children = wrong, []
        if legal:
            record.check()
        else:
            refused += 1
            with pytest.raises(RecordError, match=rf"move {at}\b"):
                record.check()
    assert refused > 3


def test_an_illegal_move_is_named_with_its_number_and_reason() -> None:
    with pytest.raises(RecordError, match=r"^game 1: move 2, White f5: the square is taken$"):
        list(records.parse("(;GM[2];B[f5];W[f5])"))
    with pytest.raises(RecordError, match=r"move 3, Black C3: there is a stone$"):
        list(records.parse("(;GM[1]SZ[5];B[cc];W[dd];B[cc])"))
    ko = "B[ba];W[ca];B[ab];W[db];B[bc];W[cc];B[cb];W[bb];B[cb]"
    with pytest.raises(RecordError, match=r"move 9, Black C4: the ko may not be retaken at once"):
        list(records.parse(f"(;GM[1]SZ[5];{ko})"))


def test_passes_after_the_end_change_nothing_and_moves_are_refused() -> None:
    (record,) = records.parse("(;GM[1]SZ[5];B[];W[];B[])")
    assert len(record.moves()) == 2
    with pytest.raises(RecordError, match="the game is over"):
        list(records.parse("(;GM[1]SZ[5];B[];W[];B[aa])"))


def test_two_moves_of_one_player_imply_a_pass_where_there_is_one() -> None:
    (record,) = records.parse("(;GM[1]SZ[5];B[aa];B[bb])")
    assert [record.game.write_move(move) for move in record.moves()] == ["A5", "pass", "B4"]


def test_branches_choose_at_forks_only() -> None:
    (record,) = records.parse("(;GM[1]SZ[5];B[aa](;W[bb];B[cc](;W[dd])(;W[ee]))(;W[ba]))")
    line = [[record.game.write_move(move) for move in record.moves(branches)] for branches in ((), (0, 1), (1,))]
    assert line == [["A5", "B4", "C3", "D2"], ["A5", "B4", "C3", "E1"], ["A5", "B5"]]
    with pytest.raises(RecordError, match="variations 0 to 1"):
        record.nodes((2,))


def test_following_moves_makes_them_the_main_line_and_loses_nothing() -> None:
    (record,) = records.parse("(;GM[1]SZ[5];B[aa](;W[bb];B[cc])(;W[ba]C[kept]))")
    start = record.game.start()
    record.follow(start.play_all(["A5", "B5", "D3"]).moves)
    assert [record.game.write_move(move) for move in record.moves()] == ["A5", "B5", "D3"]
    assert record.nodes()[2].comment == "kept"
    assert len(list(record.root.walk())) == 6
    (othello,) = records.parse("d3c3e6d2d1e1b2c1d6")
    moves = othello.moves()
    othello.follow(moves)
    assert implied_pass(othello.game) in moves
    assert len(othello.nodes()) == 10  # the implied pass is not written into the tree


def test_set_up_before_the_first_move_is_replayed_and_later_is_refused() -> None:
    (record,) = records.parse("(;GM[1]SZ[5]C[x];AB[aa]AW[bb]PL[W];W[cc];B[dd])")
    assert record.positions()[0].game.options()["board"].startswith("X..../.O...")
    assert record.positions()[-1].to_move == 1
    (late,) = records.parse("(;GM[1]SZ[5];B[aa];AE[aa]AB[bb];B[cc])")
    assert late.nodes()[2].set_up == SetUp(((1, 1),), (), ((0, 0),), None)
    with pytest.raises(RecordError, match="set up after move 1"):
        late.positions()
    absorbed = absorb_set_up(record)
    assert all(node.set_up is None for node in absorbed.root.walk())
    assert absorbed.moves() == record.moves()
    assert record.root.children[0].set_up is not None


def test_moves_only_keeps_the_moves_and_the_remarks() -> None:
    (record,) = records.parse("(;GM[1]SZ[5]C[a]B[aa];C[b];C[c];W[bb](;B[cc])(;C[d];B[dd]))")
    plain = moves_only(record)
    assert plain.moves() == record.moves()
    assert all(child.move is not None for node in plain.root.walk() for child in node.children)
    assert plain.root.children[0].comment == "a\nb\nc"
    assert plain.root.move is None


def test_very_deep_trees_are_no_problem() -> None:
    depth = 20_000
    text = "(;GM[1]SZ[19]" + "(;B[aa]" * depth + ")" * depth + ")"
    with changed_limits(record_moves=depth):
        (record,) = records.parse(text, check=False)
        assert record.root == record.root.copy()
        (again,) = records.parse(records.serialise([record], "sgf").data, check=False)
    assert again == record


def test_the_record_of_a_position() -> None:
    position = game("othello").start().play_all(["f5", "d6"])
    record = Record.of(position, names=("a", "b"))
    assert record.positions()[-1] == position
    assert [node.player for node in record.nodes()] == [None, 0, 1]
    assert Node(3) != Node(4)
    assert replace(record, event="x") != record


# ---- Go on a board of one's own


def test_go_starts_from_any_board() -> None:
    start = game("go", board=".X./xxo/o.. o").start()
    assert start.game.options()["board"] == ".X./XXO/O.. O"
    assert (start.game.width, start.game.height) == (3, 3)
    assert start.to_move == 1
    assert start.game.text(start) == start.game.board
    assert Go.create(**start.game.options()) == start.game
    assert start.game.text(start.play("B1")) == ".X./XXO/OO. X"
    captured = game("go", board="OX./.../... X").start().play("A2")
    assert captured.state.captured[0] == 1


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"board": "XO/OX X"}, "have no liberty"),
        ({"board": "X.X/... X"}, None),
        ({"board": "X.X/.. X"}, "a board is 2 rows of 3 points"),
        ({"board": "X.X/..Q X"}, "a board is 2 rows of 3 points"),
        ({"board": "X.X/... Z"}, "then X or O"),
        ({"board": "X.. X", "size": 5}, "a board is 5 rows of 5 points"),
        ({"board": "X.. X", "handicap": 2, "free_handicap": True}, "handicap stones stand on it"),
    ],
)
def test_go_boards_are_checked(options: dict[str, object], complaint: str | None) -> None:
    if complaint is None:
        game("go", **options)
        return
    with pytest.raises((OptionError, PositionError), match=complaint):
        game("go", **options)


def test_handicap_on_a_board_counts_for_the_bonus() -> None:
    plain = game("go", board="X.X/.../... O", komi=0.5, handicap=2)
    assert plain.start().play_all(["pass", "pass"]).outcome.score == 9 - 0.5 - 2
    with pytest.raises(TengenError):
        game("go", board="X.. X", handicap=-1)
