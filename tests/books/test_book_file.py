"""Books on the disk: the same bytes for the same book, and no damage goes unnoticed."""

import json
import random
import re
import struct
import subprocess
import sys
import zipfile
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tengen
from tengen.books import BookError, ConsistencyLevel, NodeKind, ValuedBook, add_and_evaluate, check, evaluate_book
from tengen.books.book_file import dump, load, read_book, write_book
from tengen.books.nbb import dump_nbb, load_nbb
from tengen.books.operations import merge, prune
from tests.helpers.book_stub import Stub, play_out
from tests.helpers.paths import ROOT
from tests.helpers.valued_books import contents, games, small_book

OTHELLO = tengen.game("othello")


def random_book(seed, count, length=60):
    rng = random.Random(seed)
    book = ValuedBook(OTHELLO)
    for _ in range(count):
        book.add(play_out(OTHELLO, [rng.randrange(20) for _ in range(length)]))
    return book


@settings(max_examples=30, deadline=None)
@given(st.lists(games, max_size=4), st.booleans(), st.booleans())
def test_written_and_read_it_is_the_same(lines, valued, pruned):
    book = small_book(*lines)
    if valued:
        evaluate_book(book, Stub())
        if pruned and lines:
            prune(book, 0)
    data = dump(book)
    again = load(data, "again")
    book.negamax()
    assert contents(again) == contents(book)
    assert dump(again) == data
    assert check(again).level == check(book).level
    # The order in which games came is no matter.
    other = small_book(*reversed(lines))
    if not valued:
        assert dump(other) == data


def test_an_othello_book_and_one_of_a_game_known_by_its_moves():
    book = random_book(1, 20)
    evaluate_book(book, Stub())
    assert check(load(dump(book), "book")).level is ConsistencyLevel.NEGAMAXED
    assert contents(load(dump(book), "book")) == contents(book)
    game = tengen.game("pente", size=9)
    pente = ValuedBook(game, horizon=4)
    for start in range(4):
        pente.add(play_out(game, [0, 11 * start, 3, 40 + start]))
    again = load(dump(pente), "pente")
    assert contents(again) == contents(pente)
    assert dump(again) == dump(pente)


def test_damage_is_told_with_its_byte_and_the_book_is_kept(tmp_path):
    path = tmp_path / "small.book"
    book = small_book([0, 1, 2, 3, 4], [1, 1, 1, 1, 1])
    evaluate_book(book, Stub())
    write_book(book, path)
    data = path.read_bytes()
    for length in range(len(data)):
        with pytest.raises(BookError, match=r"at byte \d+|is not a book"):
            load(data[:length], "cut")
    for place in range(len(data)):
        wrong = bytearray(data)
        wrong[place] ^= 0x40
        with pytest.raises(BookError, match=r"at byte \d+|is not a book|of version"):
            load(bytes(wrong), "damaged")
    with pytest.raises(BookError, match="follows its end"):
        load(data + b"x", "long")
    with pytest.raises(BookError, match="cannot be read"):
        read_book(tmp_path / "none.book")
    assert contents(read_book(path)) == contents(book)


def test_trees_that_make_no_sense_are_refused():
    """Right checksums around wrong trees: what somebody else's program might write."""
    book = small_book([0, 1])
    good = book_bytes(book, dump_trees(book))
    assert contents(load(good, "good")) == contents(book)
    trees = dump_trees(book)
    refused = 0
    for place in range(len(trees)):
        for bit in range(8):
            wrong = bytearray(trees)
            wrong[place] ^= 1 << bit
            try:
                check(load(book_bytes(book, bytes(wrong)), "wrong"))  # another book, but a book
            except BookError as error:
                assert re.search(r"at byte \d+", str(error))  # noqa: PT017
                refused += 1
    assert refused > 10


def dump_trees(book):
    from tengen.books.book_file import _trees

    return _trees(book)


def book_bytes(book, trees):
    from tengen.books import book_file

    before = book_file._trees
    book_file._trees = lambda _: trees
    try:
        return dump(book)
    finally:
        book_file._trees = before


# ---- Novello's


def test_novello_books_round_trip():
    book = random_book(3, 6)
    evaluate_book(book, Stub())
    data = dump_nbb(book)
    again = load_nbb(data, "book.nbb")
    assert contents(again) == contents(book)
    assert dump_nbb(again) == data
    with pytest.raises(BookError, match="8x8"):
        dump_nbb(small_book([0]))


def packed(content):
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("A", content)
    return file.getvalue()


def test_a_novello_book_written_by_hand():
    """The start, a branch all of whose moves are played, and the one position after it: a leaf worth -3."""
    # a1 is the highest bit: d4 and e5 are White's, e4 and d5 Black's, who is to move.
    bit = {f"{c}{r}": 63 - (8 * (r - 1) + "abcdefgh".index(c)) for c in "abcdefgh" for r in range(1, 9)}
    black, white = 1 << bit["e4"] | 1 << bit["d5"], 1 << bit["d4"] | 1 << bit["e5"]
    root = struct.pack(">iQQ", 2, black, white)
    # The third legal move, its node with an empty list of children, then the end of the root's and its -2.
    content = root + bytes([2]) + bytes([2, 1]) + struct.pack("bbbb", -3, -1, -1, -2)
    book = load_nbb(packed(content), "hand.nbb")
    assert len(book) == 2
    assert book.lookup(OTHELLO.start()).all_played
    assert book.lookup(OTHELLO.start()).value == 3
    assert book.lookup(OTHELLO.start().play("f5")).kind is NodeKind.LEAF
    for wrong, reason in (
        (content[:-1], "cut off at byte 26"),
        (struct.pack(">i", 3), "version 2"),
        (root + bytes([7]), "kind"),
        (root + bytes([2, 4]), "not legal"),
    ):
        with pytest.raises(BookError, match=reason):
            load_nbb(packed(wrong), "hand.nbb")
    with pytest.raises(BookError, match="not a Novello book"):
        load_nbb(b"PK nothing", "hand.nbb")


# ---- kills


def test_a_kill_leaves_the_old_book_or_the_new_one(tmp_path):
    """While it is valued, grown, learned or counted; the same call goes on. soak/ has hundreds of kills."""
    command = [sys.executable, "-m", "tests.helpers.book_crashes", str(tmp_path), "6", "60", "5"]
    told = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, timeout=300, cwd=ROOT).stdout)
    assert told["changed"] >= 2


def test_merging_read_books(tmp_path):
    one, other = random_book(7, 4), random_book(8, 4)
    evaluate_book(one, Stub())
    evaluate_book(other, Stub())
    write_book(other, tmp_path / "other.book")
    merge(one, read_book(tmp_path / "other.book"))
    evaluate_book(one, Stub())
    assert check(one).level is ConsistencyLevel.NEGAMAXED
    assert add_and_evaluate(one, play_out(OTHELLO, [1] * 60), Stub()) > 0
