"""RenLib libraries."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tengen.games import game, records
from tengen.games.records import RecordError
from tests.helpers.sample_records import PENTE

HEADER = PENTE["renlib"][0][:20]


def test_a_tree_with_comments() -> None:
    (record,) = records.parse(PENTE["renlib"][0])
    assert record.source == "renlib"
    assert record.game == game("pente", variant="gomoku", exact=False, size=15)
    write = record.game.write_move
    first = record.root.children[0]
    assert record.root.comment == "start"
    assert (write(first.move), first.comment) == ("H8", "one\ntwo\nthree")
    assert [write(child.move) for child in first.children] == ["J8", "H7"]
    assert write(first.children[0].children[0].move) == "K9"
    assert [(write(node.move), node.comment) for node in first.children[1].children] == [
        ("A14", "hé!"),
        ("P14", ""),
    ]
    assert record.notes == ["read as cp1252, a guess"]


def test_written_libraries_are_read_again() -> None:
    (record,) = records.parse(PENTE["renlib"][0])
    written = records.serialise([record], "renlib")
    assert written.dropped == []
    assert written.data.startswith(HEADER)
    assert list(records.parse(written.data)) == [record]
    renju = replace(record, game=game("pente", variant="renju", first="anywhere", size=15))
    assert records.serialise([renju], "renlib").dropped == ["the rules of renju"]


def test_a_library_without_a_root_node() -> None:
    (record,) = records.parse(HEADER + b"\x78\x00\x79\x40")
    assert len(record.moves()) == 2


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (HEADER[:12], "byte 0: expected the header"),
        (HEADER, "byte 20: the file ends within its tree"),
        (HEADER + b"\x00\x00\x78\x80", "byte 24: the file ends within its tree"),
        (HEADER + b"\x00\x00\x70\x40", "byte 22: 0x70 is not a point"),
        (HEADER + b"\x00\x00\xf1\x40", "byte 22: 0xf1 is not a point"),
        (HEADER + b"\x00\x08no end", "byte 22: a comment has no end"),
        (HEADER + b"\x00\x00\x78\x00\x78\x40", "there is a stone"),
    ],
)
def test_bad_files_are_refused_with_the_place(data: bytes, error: str) -> None:
    with pytest.raises(RecordError, match=error):
        list(records.parse(data))


def test_bytes_after_the_tree_are_mentioned() -> None:
    (record,) = records.parse(HEADER + b"\x00\x00\x78\x40\x79\x40")
    assert record.notes == ["the file goes on after the end of its tree: the rest is ignored"]
    (record,) = records.parse(HEADER + b"\x00\x00\x78\x40\x00\x00")
    assert record.notes == []


def test_only_one_game_of_gomoku_on_15x15_is_written() -> None:
    (record,) = records.parse(PENTE["renlib"][0])
    with pytest.raises(RecordError, match="one game"):
        records.serialise([record, record], "renlib")
    with pytest.raises(RecordError, match="only boards of 15x15"):
        records.serialise([replace(record, game=game("pente", variant="gomoku"))], "renlib")
    with pytest.raises(RecordError, match="only games of gomoku"):
        records.serialise([replace(record, game=game("pente", size=15))], "renlib")
