"""Crafted and damaged books: one error of ours for each, in little memory."""

from __future__ import annotations

import io
import json
import random
import struct
import tracemalloc
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b

import pytest

from tengen.books import book_file as valued
from tengen.books import nbb
from tengen.books import statistics_file as statistics
from tengen.books.book import ValuedBook
from tengen.books.errors import BookError
from tengen.books.statistics import StatisticsBook
from tengen.core.errors import TengenError
from tengen.games import game
from tengen.store.errors import StoreError
from tengen.store.record_codec import unpack_record


def book_file(parameters: object, trees: bytes = b"") -> bytes:
    """A valued book with right checksums, whatever is in it."""
    text = parameters if isinstance(parameters, bytes) else json.dumps(parameters).encode()
    head = valued._HEAD.pack(valued.MAGIC, valued.VERSION, len(text)) + text
    parts = [head, struct.pack("<I", zlib.crc32(head))]
    for at in range(0, len(trees), valued.BLOCK):
        block = trees[at : at + valued.BLOCK]
        parts += [struct.pack("<II", len(block), zlib.crc32(block)), block]
    return b"".join([*parts, struct.pack("<II", 0, 0), blake2b(head + trees, digest_size=16).digest()])


def statistics_file(content: bytes) -> bytes:
    packed = zlib.compress(content, 9)
    head = statistics._HEAD.pack(statistics.MAGIC, statistics.VERSION, len(packed))
    return head + packed + blake2b(head + packed, digest_size=16).digest()


def nbb_file(content: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("A", content)
    return packed.getvalue()


USUAL = {**ValuedBook(game("othello")).parameters(), "positions": 1}
NESTED = b"[" * 100_000
VERSION = struct.pack(">i", 2)

CRAFTED: list[tuple[Callable[[bytes, str], object], bytes]] = [
    *(
        (valued.load, book_file(parameters, b"\1\2\3"))
        for parameters in (
            b"{",
            NESTED,
            b"\xff",
            [],
            5,
            None,
            {},
            {"game": []},
            {**USUAL, "horizon": 2.5},
            {**USUAL, "horizon": "9"},
            {**USUAL, "horizon": True},
            {**USUAL, "positions": 1e300},
            {**USUAL, "positions": "x"},
            {**USUAL, "grain": None},
            {**USUAL, "grain": 1.5},
            {**USUAL, "options": [1]},
            {**USUAL, "options": {"size": []}},
            {**USUAL, "proved": 7},
            {**USUAL, "game": "chess"},
            {**USUAL, "horizon": 10**30},
            USUAL,
        )
    ),
    *(
        (statistics.load, statistics_file(content))
        for content in (
            b"",
            b"[",
            NESTED,
            b"5",
            b"[1,2]",
            b"[{},{}]",
            b'[{"game":"x","depth":1,"progress":{}},{}]',
            b'[{"game":"go","depth":"x","progress":{}},{}]',
            b'[{"game":"go","depth":1,"progress":{"a":[]}},{}]',
            b'[{"game":"go","depth":1,"progress":{}},{"a":[["zz",[]]]}]',
            b'[{"game":"go","depth":1,"progress":{}},{"a":[["00",[[[1],[1,2]]]]]}]',
            b'[{"game":"go","depth":1,"progress":{}},{"a":[["00",[[1,["x"]]]]]}]',
            b'[{"game":"go","depth":1,"progress":{}},{"a":[["00",[[1,[NaN]]]]]}]',
            b'[{"game":"go","depth":1,"progress":{}},{"a":[["00",[[1,[1,1,1,1,1,1,1,1,1]]]]]}]',
            b'[{"game":"go","depth":1,"progress":{}},{"a":5}]',
            b'[{"game":"go","depth":1,"progress":{}},[]]',
        )
    ),
    *(
        (nbb.load_nbb, nbb_file(content))
        for content in (
            b"",
            VERSION + b"\0" * 16,
            VERSION + struct.pack(">QQ", 1 << 36, 1 << 37) + b"\0\1\xff",
            VERSION + b"\xff" * 40,
            VERSION + struct.pack(">QQ", 0x0000000810000000, 0x0000001008000000) + b"\1\x7f\xff\xff",
        )
    ),
    (nbb.load_nbb, b"PK\5\6" + b"\0" * 18),
]


@pytest.mark.parametrize("number", range(len(CRAFTED)))
def test_a_crafted_book_is_one_error(number: int) -> None:
    load, data = CRAFTED[number]
    with pytest.raises(BookError) as caught:
        load(data, "x.book")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("load", "data"),
    [
        (statistics.load, statistics_file(b"[" + b" " * (200 << 20))),
        (nbb.load_nbb, nbb_file(VERSION + bytes(200 << 20))),
    ],
)
def test_a_small_file_does_not_unpack_to_a_large_one(load: Callable[[bytes, str], object], data: bytes) -> None:
    assert len(data) < 1 << 20
    tracemalloc.start()
    try:
        with pytest.raises(BookError, match="unpacks to more than"):
            load(data, "x")
        assert tracemalloc.get_traced_memory()[1] < 60 << 20
    finally:
        tracemalloc.stop()


def test_a_far_horizon_takes_no_room_in_a_short_file() -> None:
    options = game("clobber", size="64x64").options()
    parameters = {"game": "clobber", "options": options, "horizon": 4095, "grain": 1000, "proved": True}
    crafted = book_file({**parameters, "positions": 1}, b"\7")
    with pytest.raises(BookError):
        valued.load(crafted, "x")  # loads modules and kernels, which are not to be measured
    tracemalloc.start()
    try:
        with pytest.raises(BookError):
            valued.load(crafted, "x")
        assert tracemalloc.get_traced_memory()[1] < 60 << 20
    finally:
        tracemalloc.stop()


def test_damaged_books_are_errors_or_books() -> None:
    rng = random.Random(11)
    outcomes: Counter[str] = Counter()
    book = ValuedBook(game("othello"))
    book.add(game("othello").start().play_all(["f5", "d6", "c3"]).line())
    counts = StatisticsBook("othello")
    counts.add(game("othello").start().play_all(["f5", "d6", "c3"]).line(), 0)
    trees = valued._trees(book)
    content = zlib.decompress(statistics.dump(counts)[statistics._HEAD.size : -statistics.DIGEST])
    novello = zipfile.ZipFile(io.BytesIO(nbb.dump_nbb(book))).read("A")
    for _ in range(300):
        for load, inner, wrap in (
            (valued.load, trees, lambda data: book_file({**USUAL, "positions": len(book)}, data)),
            (statistics.load, content, statistics_file),
            (nbb.load_nbb, novello, nbb_file),
        ):
            data = bytearray(inner)
            for _change in range(rng.choice((1, 1, 2, 5))):
                kind, at = rng.randrange(4), rng.randrange(len(data)) if data else 0
                if kind == 0:
                    del data[at:]
                elif kind == 1 and data:
                    data[at] ^= 1 << rng.randrange(8)
                elif kind == 2:
                    data[at:at] = rng.randbytes(rng.randrange(9))
                elif data:
                    data[at] = rng.randrange(256)
            whole = wrap(bytes(data))
            try:
                load(whole, "x")
                outcomes["read"] += 1
            except BookError:
                outcomes["refused"] += 1
            broken = bytearray(whole)
            broken[rng.randrange(len(broken))] ^= 1 << rng.randrange(8)
            with suppress(BookError):
                load(bytes(broken[: rng.randrange(len(broken) + 1)]), "x")
    assert min(outcomes["read"], outcomes["refused"]) > 20


@pytest.mark.parametrize(
    "head", [b"{}", NESTED, b"[]", b"5", b'{"unmoved":[],"shape":[[0,0]]}', b'{"unmoved":[9],"shape":[]}', b"\xff"]
)
def test_a_damaged_stored_game_is_one_error(head: bytes) -> None:
    packed = bytes([1]) + zlib.compress(struct.pack("<I", len(head)) + head + bytes(3))
    with pytest.raises(StoreError) as caught:
        unpack_record(packed)
    assert isinstance(caught.value, TengenError)
