"""Reader and writer of books of the Othello program Egaroucid (`.egbk3`), little-endian.

`DICUORAGE`, version 3 (1 byte), the number of positions (4 bytes), then 25 bytes for each: mover and enemy (8
each, a1 in the highest bit), value, level (1 each), number of lines (4), value, move and level of the leaf, the
best move outside the book (1 each). A move is the number of its bit; values are the mover's.
"""

from __future__ import annotations

import struct

import numpy as np

from tengen.books.book import ValuedBook
from tengen.books.errors import BookError
from tengen.books.foreign_books import ForeignPositions, book_from_positions
from tengen.books.nbb import check_othello
from tengen.books.nodes import NO_VALUE

MAGIC = b"DICUORAGE"
VERSION = 3
LEVEL = 10  # written for all positions, whose depth is unknown: this level solves positions with 20 empty squares
NO_SCORE, NO_MOVE, NO_LEVEL = -126, 125, -1

_HEAD = struct.Struct("<9sBI")
_POSITION = np.dtype(
    [
        ("mover", "<u8"),
        ("enemy", "<u8"),
        ("value", "i1"),
        ("level", "i1"),
        ("lines", "<i4"),
        ("leaf_value", "i1"),
        ("leaf_move", "i1"),
        ("leaf_level", "i1"),
    ]
)


def load_egaroucid(data: bytes, name: str) -> ValuedBook:
    """Decode a book of Egaroucid; `name` is for messages."""
    if not data.startswith(MAGIC):
        raise BookError(f"{name} is not a book of Egaroucid")
    if len(data) < _HEAD.size:
        raise BookError(f"{name} is cut off at byte {len(data)}, in its head")
    _, version, count = _HEAD.unpack_from(data)
    if version != VERSION:
        raise BookError(
            f"{name} is a book of Egaroucid of version {version}; this program reads version {VERSION}"
        )
    if len(data) != _HEAD.size + count * _POSITION.itemsize:
        raise BookError(
            f"{name} is damaged at byte {len(data)}: {count:,} positions need "
            f"{_HEAD.size + count * _POSITION.itemsize:,} bytes"
        )
    rows = np.frombuffer(data, _POSITION, offset=_HEAD.size)
    has_value = rows["value"] != NO_SCORE
    rows, places = rows[has_value], np.flatnonzero(has_value)
    known = (
        (np.abs(rows["leaf_value"].astype(np.int64)) <= 64) & (rows["leaf_move"] >= 0) & (rows["leaf_move"] < 64)
    )
    found = ForeignPositions(
        boards=np.stack((rows["mover"], rows["enemy"]), axis=1),
        values=rows["value"].astype(np.int64),
        leaf_moves=np.where(known, rows["leaf_move"], -1),
        leaf_values=np.where(known, rows["leaf_value"], 0).astype(np.int64),
        offsets=_HEAD.size + places * _POSITION.itemsize,
        leaves_make_branches=False,
    )
    return book_from_positions(found, name)


def dump_egaroucid(book: ValuedBook) -> bytes:
    """Encode a book for Egaroucid: all its valued positions, without leaf moves."""
    check_othello(book, "Egaroucid")
    nodes = book.nodes.array[: len(book)]
    nodes = nodes[nodes["value"] != NO_VALUE]
    nodes = nodes[np.lexsort((nodes["low"], nodes["high"], nodes["stage"]))]
    rows = np.zeros(len(nodes), _POSITION)
    rows["mover"], rows["enemy"], rows["value"] = nodes["high"], nodes["low"], nodes["value"]
    rows["level"], rows["leaf_level"] = LEVEL, NO_LEVEL
    rows["leaf_value"], rows["leaf_move"] = NO_SCORE, NO_MOVE
    return _HEAD.pack(MAGIC, VERSION, len(rows)) + rows.tobytes()
