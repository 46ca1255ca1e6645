"""File format of valued books, specified in docs/guide/books.md.

Files are replaced atomically. Errors name the byte at which a file is damaged; nothing is read from such a file.
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
from tengen.books.kernels import tree_codec as tree_codec
from tengen.books.kernels.nodes import NODE
from tengen.books.nodes import Array, slots_for
from tengen.core.errors import TengenError
from tengen.games.records.atomic_files import save

MAGIC = b"TENGENBK"
VERSION = 1
BLOCK = 1 << 16
DIGEST = 16
SUFFIX = ".book"

_HEAD = struct.Struct("<8sII")  # magic, version, length of the parameters
_CHECK = struct.Struct("<I")  # CRC-32
_BLOCK = struct.Struct("<II")  # length, CRC-32 of the bytes
_MAX_NODES = 1 << 28

_REASONS = {
    tree_codec.CUT: "it ends in the middle of a position",
    tree_codec.BAD_KIND: "there is no such kind of position",
    tree_codec.BAD_NUMBER: "a number is invalid",
    tree_codec.BAD_ROOT: "a tree begins with an invalid position",
    tree_codec.ILLEGAL: "a move is not legal",
    tree_codec.TWICE: "a position occurs twice",
    tree_codec.TOO_MANY: "there are more positions than announced",
}


def write_book(book: ValuedBook, path: Path) -> None:
    """Write a book to a file, replacing it atomically."""
    save(path, dump(book))


def read_book(path: Path) -> ValuedBook:
    """Read a book and compute the values of its branches."""
    return load(read_bytes(path), str(path))


def dump(book: ValuedBook) -> bytes:
    """Encode a book; books with the same content give the same bytes."""
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
    """Decode a book; `name` is for messages."""
    parameters, head = _read_head(data, name)
    trees, places = _read_blocks(data, len(head) + _CHECK.size, name, head)
    try:
        game = tengen.games.game(parameters["game"], **parameters["options"])
        for number in ("horizon", "grain", "positions"):
            if type(parameters[number]) is not int:
                raise TypeError(f"{number} is not an integer")
        if type(parameters["proved"]) is not bool:
            raise TypeError("proved is not a boolean")
        book = ValuedBook(
            game,
            horizon=parameters["horizon"],
            value_unit=parameters["grain"],
            proved=parameters["proved"],
        )
        positions = parameters["positions"]
        if not 0 <= positions <= min(_MAX_NODES, len(trees)):
            raise ValueError(f"{positions} positions in {len(trees)} bytes")
    except (*DAMAGE, TengenError) as error:
        raise BookError(
            f"{name} is damaged at byte {_HEAD.size}: its parameters are invalid ({str(error)[:200]})"
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
        raise BookError(f"{name} is damaged at byte {_HEAD.size}: its parameters are invalid")
    return parameters, data[:end]


def _read_blocks(data: bytes, at: int, name: str, head: bytes) -> tuple[bytes, int]:
    """The concatenated tree data, and the offset of its first block."""
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
    out = np.empty((tree_codec.BYTES_PER_NODE + tree_codec.BYTES_PER_ROOT) * len(book) + 64, np.uint8)
    states, lists = _tree_buffers(book, len(book))
    seen = np.zeros(len(book), np.bool_)
    horizon = np.int64(book.horizon)
    length = tree_codec.write_trees(order, nodes.has_move_count, horizon, nodes.arrays(), seen, states, lists, out)
    if length < 0:
        raise BookError("a position of the book cannot be reached from the start of the game")
    return out[:length].tobytes()


def _tree_buffers(book: ValuedBook, positions: int) -> tuple[Array, Array]:
    """Buffers for states and move lists of each depth of a tree; some trees begin before the standard start.

    No tree is deeper than its number of positions, so a short file with a huge horizon allocates little.
    """
    deepest = min(book.horizon, positions) + 8
    return np.zeros(deepest, book.game.record), np.zeros((deepest, book.game.max_legal_moves + 3), np.int64)


def _read_trees(book: ValuedBook, data: Array, positions: int, name: str, first: int) -> None:
    nodes = book.nodes
    array = np.zeros(positions, NODE)
    slots = slots_for(positions)
    ended = np.zeros(3, np.int64)
    states, lists = _tree_buffers(book, positions)
    arrays = nodes.arrays()._replace(nodes=array, slots=slots)
    tree_codec.read_trees(data, nodes.has_move_count, np.int64(book.horizon), arrays, states, lists, ended)
    how, at, count = ended.tolist()
    place = first + at + _BLOCK.size * (at // BLOCK + 1)  # each block has a header
    if how != tree_codec.GOOD:
        raise BookError(f"{name} is damaged at byte {place}: {_REASONS[how]}")
    if count != positions:
        raise BookError(f"{name} is damaged at byte {place}: {count} positions, where {positions} were announced")
    nodes.take(array, slots)
