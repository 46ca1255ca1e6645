"""The file of a valued book, byte by byte in docs/guide/books.md.

It is written whole under another name and renamed, so that a book on the disk is always the old or the new one.
Whatever is wrong with a file is told with the byte at which it was found, and nothing is taken from it.
"""

from __future__ import annotations

import json
import struct
import zlib
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

import tengen.games
from tengen.books.book import ValuedBook
from tengen.books.container import DAMAGE, read_bytes, read_head
from tengen.books.errors import BookError
from tengen.books.kernels import forest
from tengen.books.kernels.nodes import NODE
from tengen.books.nodes import Array, Scratch, slots_for
from tengen.core.errors import TengenError
from tengen.games.records.saving import save

MAGIC = b"TENGENBK"
VERSION = 1
BLOCK = 1 << 16
DIGEST = 16
SUFFIX = ".book"

_HEAD = struct.Struct("<8sII")  # magic, version, length of the parameters
_CHECK = struct.Struct("<I")  # CRC-32
_BLOCK = struct.Struct("<II")  # length, CRC-32 of the bytes
_MOST_NODES = 1 << 28

_REASONS = {
    forest.CUT: "it ends in the middle of a position",
    forest.BAD_KIND: "there is no such kind of position",
    forest.BAD_NUMBER: "a number makes no sense",
    forest.BAD_ROOT: "a tree begins at no position of the game",
    forest.ILLEGAL: "a move is not legal",
    forest.TWICE: "a position comes a second time",
    forest.TOO_MANY: "there are more positions than announced",
}


def write_book(book: ValuedBook, path: Path) -> None:
    """Put a book into a file, in place of the one that was there."""
    save(path, dump(book))


def read_book(path: Path) -> ValuedBook:
    """The book in a file, with the values of its branches."""
    return load(read_bytes(path), str(path))


def dump(book: ValuedBook) -> bytes:
    """A book as the bytes of its file: the same for books that know the same."""
    parameters = json.dumps(book.parameters() | {"positions": len(book)}, sort_keys=True).encode()
    head = _HEAD.pack(MAGIC, VERSION, len(parameters)) + parameters
    parts = [head, _CHECK.pack(zlib.crc32(head))]
    trees = _trees(book)
    for first in range(0, len(trees), BLOCK):
        block = trees[first : first + BLOCK]
        parts += [_BLOCK.pack(len(block), zlib.crc32(block)), block]
    parts += [_BLOCK.pack(0, 0), _digest(head, trees)]
    return b"".join(parts)


def load(data: bytes, name: str) -> ValuedBook:
    """The book in these bytes; `name` is for messages."""
    parameters, head = _read_head(data, name)
    trees, places = _read_blocks(data, len(head) + _CHECK.size, name, head)
    try:
        game = tengen.games.game(parameters["game"], **parameters["options"])
        for number in ("horizon", "grain", "positions"):
            if type(parameters[number]) is not int:
                raise TypeError(f"{number} is no whole number")
        if type(parameters["proved"]) is not bool:
            raise TypeError("proved is neither true nor false")
        book = ValuedBook(
            game,
            horizon=parameters["horizon"],
            grain=parameters["grain"],
            proved=parameters["proved"],
        )
        positions = parameters["positions"]
        if not 0 <= positions <= min(_MOST_NODES, len(trees)):
            raise ValueError(f"{positions} positions in {len(trees)} bytes")
    except (*DAMAGE, TengenError) as error:
        raise BookError(
            f"{name} is damaged at byte {_HEAD.size}: its parameters make no sense ({str(error)[:200]})"
        ) from None
    try:
        _read_trees(book, np.frombuffer(trees, np.uint8), positions, name, places)
        book.negamax()
    except DAMAGE as error:
        raise BookError(f"{name} is damaged: {str(error)[:200]}") from None
    return book


def _read_head(data: bytes, name: str) -> tuple[dict[str, Any], bytes]:
    (length,) = read_head(data, name, _HEAD, MAGIC, VERSION, "a book")
    end = _HEAD.size + length
    if len(data) < end + _CHECK.size:
        raise BookError(f"{name} is cut off at byte {len(data)}, in its head")
    if _CHECK.unpack_from(data, end)[0] != zlib.crc32(data[:end]):
        raise BookError(f"{name} is damaged at byte {len(MAGIC)}: its head has a wrong checksum")
    try:
        parameters = json.loads(data[_HEAD.size : end])
    except DAMAGE as error:
        raise BookError(f"{name} is damaged at byte {_HEAD.size}: {str(error)[:200]}") from None
    if not isinstance(parameters, dict):
        raise BookError(f"{name} is damaged at byte {_HEAD.size}: its parameters make no sense")
    return parameters, data[:end]


def _read_blocks(data: bytes, at: int, name: str, head: bytes) -> tuple[bytes, int]:
    """The trees, and where their first block begins."""
    first, blocks = at, []
    while True:
        if len(data) < at + _BLOCK.size:
            raise BookError(f"{name} is cut off at byte {len(data)}")
        length, check = _BLOCK.unpack_from(data, at)
        if length == check == 0:
            break
        if not 0 < length <= BLOCK:
            raise BookError(f"{name} is damaged at byte {at}: no block is of {length} bytes")
        block = data[at + _BLOCK.size : at + _BLOCK.size + length]
        if len(block) < length:
            raise BookError(f"{name} is cut off at byte {len(data)}")
        if zlib.crc32(block) != check:
            raise BookError(f"{name} is damaged at byte {at}: a block of {length} bytes has a wrong checksum")
        blocks.append(block)
        at += _BLOCK.size + length
    at += _BLOCK.size
    if len(data) < at + DIGEST:
        raise BookError(f"{name} is cut off at byte {len(data)}")
    trees = b"".join(blocks)
    if data[at : at + DIGEST] != _digest(head, trees):
        raise BookError(f"{name} is damaged at byte {at}: the checksum of the whole is wrong")
    if len(data) > at + DIGEST:
        raise BookError(f"{name} is damaged at byte {at + DIGEST}: something follows its end")
    return trees, first


def _digest(head: bytes, trees: bytes) -> bytes:
    return blake2b(head + trees, digest_size=DIGEST).digest()


def _trees(book: ValuedBook) -> bytes:
    nodes = book.nodes
    parts = list(nodes.by_stage().values())[::-1]
    order = np.concatenate(parts) if parts else np.zeros(0, np.int64)
    out = np.empty((forest.BYTES_A_NODE + forest.BYTES_A_ROOT) * len(book) + 64, np.uint8)
    states, lists = _room(book, len(book))
    length = forest.write_forest(
        order,
        nodes.tells_moves,
        np.int64(book.horizon),
        states,
        *nodes.tools(),
        np.zeros(len(book), np.bool_),
        lists,
        out,
    )
    if length < 0:
        raise BookError("a position of the book cannot be reached from the start of the game")
    return out[:length].tobytes()


def _room(book: ValuedBook, positions: int) -> tuple[Array, Array]:
    """States and lists of moves for each depth of trees; some come before the usual start.

    No tree is deeper than it has positions: a short file that announces a far horizon gets no room for it.
    """
    deepest = min(book.horizon, positions) + 8
    return np.zeros(deepest, book.game.record), np.zeros((deepest, book.game.max_legal_moves + 3), np.int64)


def _read_trees(book: ValuedBook, data: Array, positions: int, name: str, first: int) -> None:
    nodes = book.nodes
    scratch = Scratch(book.game, nodes.start)
    array = np.zeros(positions, NODE)
    slots = slots_for(positions)
    ended = np.zeros(3, np.int64)
    states, lists = _room(book, positions)
    forest.read_forest(
        data,
        nodes.tells_moves,
        np.int64(book.horizon),
        scratch.stack,
        states,
        array,
        slots,
        nodes.images.forward,
        nodes.images.back,
        scratch.moves,
        scratch.bits,
        lists,
        ended,
    )
    how, at, count = ended.tolist()
    place = first + at + _BLOCK.size * (at // BLOCK + 1)  # each block has a head of its own
    if how != forest.GOOD:
        raise BookError(f"{name} is damaged at byte {place}: {_REASONS[how]}")
    if count != positions:
        raise BookError(f"{name} is damaged at byte {place}: {count} positions, where {positions} were announced")
    nodes.take(array, slots)
