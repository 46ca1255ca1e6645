"""Novello's book format in plain Python, slow and simple, to compare `tengen.books.nbb` with."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

import tengen.games
from tengen.books.book import ValuedBook
from tengen.books.container import DAMAGE, max_unpacked_bytes
from tengen.books.errors import BookError
from tengen.books.kernels.nodes import NODE
from tengen.books.nodes import ALL_PLAYED, NO_VALUE, ROOT, UNKNOWN, NodeKind

VERSION = 2
MIN_EMPTIES = 20  # positions with fewer empty squares are not in the book
Pair = tuple[int, int]  # mover and opponent, with a1 as the lowest bit

_ROOT = struct.Struct(">QQ")
_VERSION = struct.Struct(">i")
_ALL = (1 << 64) - 1
_NOT_A, _NOT_H = 0xFEFEFEFEFEFEFEFE, 0x7F7F7F7F7F7F7F7F
_STEPS = ((1, _NOT_A), (-1, _NOT_H), (8, _ALL), (-8, _ALL), (9, _NOT_A), (-9, _NOT_H), (7, _NOT_H), (-7, _NOT_A))
_STAMP = (1980, 1, 1, 0, 0, 0)  # makes the output reproducible


def dump_nbb(book: ValuedBook) -> bytes:
    """Encode a book in Novello's format."""
    _check(book)
    known = {_key(node): index for index, node in enumerate(book.nodes.array[: len(book)])}
    out = bytearray(_VERSION.pack(VERSION))
    written: set[Pair] = set()
    for order in reversed(book.nodes.by_stage().values()):
        for index in order.tolist():
            pair = _key(book.nodes.array[index])
            if pair not in written:
                root = _theirs(pair)
                out += _ROOT.pack(*map(_reversed, root))
                _write_node(book, known, root, written, out)
    entry = zipfile.ZipInfo("A", _STAMP)
    entry.compress_type = zipfile.ZIP_DEFLATED
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr(entry, bytes(out))
    return packed.getvalue()


def load_nbb(data: bytes, name: str) -> ValuedBook:
    """Decode a Novello book; `name` is for messages."""
    most = max_unpacked_bytes(len(data))
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file, file.open(file.infolist()[0]) as entry:
            content = entry.read(most + 1)
    except (zipfile.BadZipFile, *DAMAGE) as error:
        raise BookError(f"{name} is not a Novello book: {str(error)[:200]}") from None
    if len(content) > most:
        raise BookError(f"{name} unpacks to more than {most:,} bytes: too large for a book")
    if len(content) < _VERSION.size or _VERSION.unpack_from(content)[0] != VERSION:
        raise BookError(f"{name} is not a Novello book of version {VERSION}")
    return _Reader(content, name).book()


def _check(book: ValuedBook) -> None:
    expected = ValuedBook(tengen.games.game("othello"))
    if book.parameters() != expected.parameters():
        raise BookError(f"Novello books are for 8x8 Othello, in discs, down to {MIN_EMPTIES} empty squares")


def _write_node(book: ValuedBook, known: dict[Pair, int], pair: Pair, written: set[Pair], out: bytearray) -> None:
    own = _least(pair)
    node = book.nodes.array[known[own]]
    written.add(own)
    out.append(int(node["kind"]))
    if node["kind"] != NodeKind.BRANCH:
        out += struct.pack("b", int(node["value"]))
    before = 0
    for place, (_, after) in enumerate(_successors(pair)):
        if after is not None and _least(after) in known and _least(after) not in written:
            out += struct.pack("b", place - before)
            before = place
            _write_node(book, known, _theirs(after), written, out)
    out += struct.pack("b", -1)
    if node["kind"] == NodeKind.BRANCH:
        deviation = int(node["move"])
        if deviation >= 0:
            goal = dict(_successors(own))[deviation]
            leaves = list(_leaves(book, known, pair))
            found = None if goal is None else _least(goal)
            deviation = leaves.index(found) if found in leaves else UNKNOWN
        out += struct.pack("b", deviation)


def _leaves(book: ValuedBook, known: dict[Pair, int], pair: Pair) -> Iterator[Pair]:
    """Leaves after each move, in Novello's order."""
    for _, after in _successors(pair):
        if after is not None and (index := known.get(_least(after))) is not None:
            if book.nodes.array[index]["kind"] == NodeKind.LEAF:
                yield _least(after)


class _Reader:
    def __init__(self, data: bytes, name: str) -> None:
        self._data = data
        self._name = name
        self._at = _VERSION.size
        self._rows: list[list[int]] = []  # fields of NODE
        self._known: dict[Pair, int] = {}

    def book(self) -> ValuedBook:
        while self._at < len(self._data):
            mover, enemy = map(_reversed, _ROOT.unpack(self._take(_ROOT.size)))
            too_few = (mover | enemy).bit_count() < 4
            if mover & enemy or too_few or not _moves((mover, enemy)):
                raise self._damaged("a tree begins with an invalid position", _ROOT.size)
            self._read_node(_theirs((mover, enemy)), ROOT, 0)
        book = ValuedBook(tengen.games.game("othello"))
        array = np.zeros(len(self._rows), NODE)
        for index, row in enumerate(self._rows):
            array[index] = tuple(row)
        book.nodes.fill(array)
        book.negamax()
        return book

    def _read_node(self, pair: Pair, parent: int, via: int) -> None:
        own = _least(pair)
        stage = (pair[0] | pair[1]).bit_count() - 4
        if own in self._known or stage > 60 - MIN_EMPTIES:
            raise self._damaged("a position occurs twice or too late in the game")
        kind = self._byte()
        if kind not in tuple(NodeKind):
            raise self._damaged("unknown kind of position", 1)
        value = NO_VALUE if kind == NodeKind.BRANCH else self._byte()
        if kind != NodeKind.BRANCH and abs(value) > 64:
            raise self._damaged("a value is more than 64 discs", 1)
        index = self._known[own] = len(self._rows)
        row = [*own, parent, value, UNKNOWN, via, stage, kind]
        self._rows.append(row)
        moves = list(_successors(pair))
        place = 0
        while (step := self._byte()) != -1:
            place += step
            after = moves[place][1] if 0 <= place < len(moves) else None
            if after is None:
                raise self._damaged("a move is not legal", 1)
            self._read_node(_theirs(after), index, _code(own, _least(after)))
        if kind == NodeKind.BRANCH:
            row[4] = self._deviation(own, moves)

    def _deviation(self, own: Pair, moves: list[tuple[int, Pair | None]]) -> int:
        number = self._byte()
        if number < 0:
            return max(number, ALL_PLAYED)
        there = [_least(after) for _, after in moves if after is not None]
        leaves = [one for one in there if one in self._known and self._rows[self._known[one]][7] == NodeKind.LEAF]
        if number >= len(leaves):
            raise self._damaged("the index of a leaf is too large", 1)
        return _code(own, leaves[number])

    def _byte(self) -> int:
        return int(struct.unpack("b", self._take(1))[0])

    def _take(self, count: int) -> bytes:
        if self._at + count > len(self._data):
            raise BookError(f"{self._name} is cut off at byte {len(self._data)} of its content")
        self._at += count
        return self._data[self._at - count : self._at]

    def _damaged(self, reason: str, back: int = 0) -> BookError:
        return BookError(f"{self._name} is damaged at byte {self._at - back} of its content: {reason}")


# ---- boards: pairs of mover and enemy


def _key(node: np.void) -> Pair:
    return int(node["high"]), int(node["low"])


def _code(own: Pair, goal: Pair) -> int:
    """The move from a canonical image to a position; the smallest if there are several."""
    return min(move for move, after in _successors(own) if after is not None and _least(after) == goal)


@lru_cache(maxsize=1 << 12)
def _successors(pair: Pair) -> tuple[tuple[int, Pair | None], ...]:
    """Moves from h8 to a1, each with the position after it and a forced pass; None if the game ends."""
    found: list[tuple[int, Pair | None]] = []
    moves = _moves(pair)
    for square in range(63, -1, -1):
        if moves >> square & 1:
            flips = _flips(pair, square)
            after = (pair[1] & ~flips, pair[0] | flips | 1 << square)
            if not _moves(after):
                after = (after[1], after[0])
            found.append((square, after if _moves(after) else None))
    return tuple(found)


def _moves(pair: Pair) -> int:
    mover, enemy = pair
    moves = 0
    for step, mask in _STEPS:
        run = _shifted(mover, step) & mask & enemy
        for _ in range(5):
            run |= _shifted(run, step) & mask & enemy
        moves |= _shifted(run, step) & mask
    return moves & ~(mover | enemy) & _ALL


def _flips(pair: Pair, square: int) -> int:
    mover, enemy = pair
    flips = 0
    for step, mask in _STEPS:
        line, disc = 0, _shifted(1 << square, step) & mask
        while disc & enemy:
            line |= disc
            disc = _shifted(disc, step) & mask
        if disc & mover:
            flips |= line
    return flips


def _shifted(bits: int, step: int) -> int:
    return (bits << step if step > 0 else bits >> -step) & _ALL


@lru_cache(maxsize=1 << 14)
def _images(pair: Pair) -> tuple[Pair, ...]:
    movers, enemies = _turned(pair[0]), _turned(pair[1])
    return tuple(zip(movers, enemies, strict=True))


def _turned(bits: int) -> list[int]:
    """The eight images of a board: identity, rows reversed, columns reversed, both; then these transposed."""
    rows = bits.to_bytes(8, "little")
    flat = [rows, rows[::-1], rows.translate(_MIRROR), rows[::-1].translate(_MIRROR)]
    upright = [int.from_bytes(one, "little") for one in flat]
    return upright + [_swapped(one) for one in upright]


_MIRROR = bytes(int(f"{row:08b}"[::-1], 2) for row in range(256))


def _swapped(bits: int) -> int:
    for shift, mask in ((7, 0x00AA00AA00AA00AA), (14, 0x0000CCCC0000CCCC), (28, 0x00000000F0F0F0F0)):
        swap = (bits ^ bits >> shift) & mask
        bits ^= swap ^ swap << shift
    return bits


def _reversed(bits: int) -> int:
    return int.from_bytes(bits.to_bytes(8, "little").translate(_MIRROR), "big")


def _signed(bits: int) -> int:
    return bits - (1 << 64) if bits >> 63 else bits


def _least(pair: Pair) -> Pair:
    """Our canonical image."""
    return min(_images(pair))


def _theirs(pair: Pair) -> Pair:
    """Novello's canonical image."""
    return min(_images(pair), key=lambda image: [_signed(_reversed(bits)) for bits in image])
