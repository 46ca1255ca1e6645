"""Books of Novello, Edax and Egaroucid: compared with plain Python, written by hand, damaged."""

from __future__ import annotations

import random
import struct
from datetime import UTC, datetime
from pathlib import Path

import pytest

import tengen
from tengen.books import ConsistencyLevel, NodeKind, ValuedBook, check, edax_book, evaluate_book
from tengen.books.book_file import dump, read_book
from tengen.books.edax_book import dump_edax, load_edax
from tengen.books.egaroucid_book import dump_egaroucid, load_egaroucid
from tengen.books.errors import BookError
from tengen.books.formats import dump_book, load_book
from tengen.books.nbb import dump_nbb, load_nbb
from tests.helpers import nbb_reference
from tests.helpers.book_stub import Stub, play_out
from tests.helpers.parser_cases import EDAX, EGAROUCID

OTHELLO = tengen.game("othello")
START = OTHELLO.start()


@pytest.fixture(scope="module")
def book() -> ValuedBook:
    """Random games, and one with an early pass, with made-up values."""
    rng = random.Random(7)
    made = ValuedBook(OTHELLO)
    for _ in range(12):
        made.add(play_out(OTHELLO, [rng.randrange(20) for _ in range(60)]))
    passing = START.play_all(["d3", "c3", "e6", "d2", "d1", "e1", "b2", "c1", "pass", "d6"])
    made.add(passing.line())
    evaluate_book(made, Stub())
    return made


def values(book: ValuedBook) -> dict[tuple[int, int], int]:
    nodes = book.nodes.array[: len(book)]
    return {(int(node["high"]), int(node["low"])): int(node["value"]) for node in nodes}


def test_novello_books_are_those_of_a_plain_implementation(book: ValuedBook) -> None:
    data = dump_nbb(book)
    assert data == nbb_reference.dump_nbb(book)
    assert dump(load_nbb(data, "x")) == dump(book) == dump(nbb_reference.load_nbb(data, "x"))


def test_edax_books_keep_branches_and_values(book: ValuedBook) -> None:
    data = dump_edax(book, datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC))
    assert data[:8] == b"XADEKOOB"
    assert struct.unpack_from("<BBH5B", data, 8) == (4, 5, 2024, 1, 2, 3, 4, 5)
    again = load_edax(data, "book.dat")
    assert check(again).level > 0
    own, theirs = values(book), values(again)
    assert theirs.items() <= own.items(), "every value is the same"
    kinds = {(int(node["high"]), int(node["low"])): int(node["kind"]) for node in book.nodes.array[: len(book)]}
    branches = {key for key, kind in kinds.items() if kind == NodeKind.BRANCH}
    assert branches <= set(theirs)
    assert not any(node["kind"] == NodeKind.SOLVED for node in again.nodes.array[: len(again)])
    assert dump_edax(load_edax(dump_edax(again), "x"), datetime(2024, 1, 2, tzinfo=UTC)) == dump_edax(
        again, datetime(2024, 1, 2, tzinfo=UTC)
    )


def test_an_exported_edax_book_comes_back_complete() -> None:
    """In the shipped book other lines lead to the successors of some leaves: these stay leaves."""
    shipped = read_book(Path(edax_book.__file__).parent / "shipped" / "othello.book")
    again = load_edax(dump_edax(shipped), "book.dat")
    assert check(again).level is ConsistencyLevel.NEGAMAXED
    assert values(again).items() <= values(shipped).items()


def test_edax_positions_are_complete(book: ValuedBook) -> None:
    """Read by plain Python: each link leads to a position of the file with the opposite value, also by passes."""
    data = dump_edax(book)
    at, found = 42, {}
    while at < len(data):
        mover, enemy, value, _, _, links, _ = struct.unpack_from("<QQ16xhhhBB", data, at)
        moves = [struct.unpack_from("<bB", data, at + 40 + 2 * i) for i in range(links + 1)]
        found[mover, enemy] = value, moves
        at += 42 + 2 * links
    assert at == len(data)
    passes = 0
    for (mover, enemy), (value, moves) in found.items():
        assert value == max(score for score, move in moves if move != 65)
        for score, move in moves[:-1]:
            if move == 64:
                after = (enemy, mover)
                passes += 1
            else:
                after = dict(nbb_reference._successors((mover, enemy)))[move]
                flips = nbb_reference._flips((mover, enemy), move)
                after = (enemy & ~flips, mover | flips | 1 << move)
            assert found[nbb_reference._least(after)][0] == -score
    assert passes


def test_egaroucid_books_keep_all_positions(book: ValuedBook) -> None:
    data = dump_egaroucid(book)
    assert len(data) == 14 + 25 * len(book)
    again = load_egaroucid(data, "book.egbk3")
    assert values(again) == values(book)
    assert dump_egaroucid(again) == data


def test_files_written_by_hand() -> None:
    book = load_edax(EDAX, "x")
    assert [len(book), book.lookup(START).value] == [2, 0]
    assert book.lookup(START).move is not None, "d3, or an image of it"
    assert book.lookup(START.play("d3")).kind is NodeKind.LEAF
    book = load_egaroucid(EGAROUCID, "x")
    assert len(book) == 1
    assert book.lookup(START).kind is NodeKind.LEAF


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (EDAX[:30], "cut off at byte 30"),
        (EDAX[:8] + b"\3" + EDAX[9:], "version 3"),
        (EDAX[:-1], "damaged at byte 42: it has 0 positions, and should have 1"),
        (EDAX + b"\0" * 50, "should have 1"),
        (EDAX[:42] + b"\xff" * 16 + EDAX[58:], "damaged at byte 42: this is not an Othello board"),
        (EDAX[:-1] + b"\0", "damaged at byte 42: the best move outside the book is not legal"),
        (EDAX[:-2] + b"\x60" + EDAX[-1:], "damaged at byte 42: a value is more than 64 discs"),
        (EGAROUCID[:9] + b"\2" + EGAROUCID[10:], "version 2"),
        (EGAROUCID[:-1], "damaged at byte 38: 1 positions need 39 bytes"),
        (EGAROUCID[:14] + b"\xff" * 16 + EGAROUCID[30:], "damaged at byte 14: this is not an Othello board"),
        (EGAROUCID[:-2] + b"\0" + EGAROUCID[-1:], "damaged at byte 14: the best move outside"),
        (b"EGAROUCID", "x.egbk3"),
    ],
)
def test_errors_name_the_place(data: bytes, reason: str) -> None:
    with pytest.raises(BookError, match=reason):
        load_book(data, "x.egbk3")


def test_damaged_foreign_books_are_errors_or_books(book: ValuedBook) -> None:
    rng = random.Random(5)
    read = refused = 0
    for whole in (dump_edax(book)[:3000], dump_egaroucid(book)[:3000], EDAX, EGAROUCID):
        for _ in range(80):
            data = bytearray(whole)
            for _change in range(rng.choice((1, 1, 3))):
                data[rng.randrange(len(data))] = rng.randrange(256)
            try:
                load_book(bytes(data[: rng.choice((len(data), rng.randrange(len(data))))]), "x.dat")
                read += 1
            except BookError:
                refused += 1
    assert min(read, refused) > 10


def test_formats_by_content_and_suffix(book: ValuedBook, tmp_path) -> None:  # type: ignore[no-untyped-def]
    for suffix in (".nbb", ".dat", ".egbk3", ".book"):
        data = dump_book(book, tmp_path / f"x{suffix}")
        assert load_book(data, "unknown").lookup(START).value == book.lookup(START).value
    with pytest.raises(BookError, match="8x8"):
        dump_edax(ValuedBook(tengen.game("othello", size=6)))
