"""Reader and writer of books of the Othello program Edax (`.dat`, version 4), little-endian.

| bytes | content |
|---|---|
| 4, 4 | `XADE`, `KOOB` |
| 1, 1 | version 4, release |
| 8 | date: year (2), month, day, hour, minute, second, padding |
| 4 x 5 | level, empty squares, error in the midgame, error in the endgame, verbosity |
| 4 | number of positions |

A position has mover and enemy (8 bytes each, a1 in the lowest bit); games won, drawn, lost and unfinished (4
each); value, lower and upper bound (2 each); number of links and level (1 each); for each link score and move (1
each); score and move of the leaf, the best move that is not a link. Move 64 is a pass, 65 none. Scores are the
mover's.
"""

from __future__ import annotations

import struct
from datetime import UTC, datetime

import numpy as np

from tengen.books.board_images import least_images
from tengen.books.book import ValuedBook
from tengen.books.errors import BookError
from tengen.books.foreign_books import ForeignPositions, book_from_positions
from tengen.books.kernels import foreign_positions as kernels
from tengen.books.nbb import MIN_EMPTIES, check_othello
from tengen.books.nodes import NO_VALUE, Array, NodeKind

MAGIC = b"XADEKOOB"
VERSION, RELEASE = 4, 5
LEVEL = 10  # written for all positions, whose depth is unknown: this level solves positions with 20 empty squares
PASS, NO_MOVE = 64, 65
NO_SCORE = -127

_HEAD = struct.Struct("<8sBBH5Bx5iI")
_COUNTS = bytes(16)
_SCORES = struct.Struct("<hhhBB")
_FIXED = np.dtype(
    [
        ("mover", "<u8"),
        ("enemy", "<u8"),
        ("counts", "<u4", 4),
        ("scores", "<i2", 3),
        ("links", "u1"),
        ("level", "u1"),
    ]
)


def load_edax(data: bytes, name: str) -> ValuedBook:
    """Decode a book of Edax; `name` is for messages."""
    if not data.startswith(MAGIC):
        raise BookError(f"{name} is not a book of Edax")
    if len(data) < _HEAD.size:
        raise BookError(f"{name} is cut off at byte {len(data)}, in its head")
    if data[8] != VERSION:
        raise BookError(f"{name} is a book of Edax of version {data[8]}; this program reads version {VERSION}")
    announced = _HEAD.unpack_from(data)[-1]
    content = np.frombuffer(data, np.uint8)
    room = (len(data) - _HEAD.size) // (kernels.EDAX_FIXED_BYTES + kernels.EDAX_LINK_BYTES)
    offsets = np.zeros(room, np.int64)
    count, end = kernels.edax_offsets(content, np.int64(_HEAD.size), offsets)
    if end != len(data) or count != announced:
        raise BookError(
            f"{name} is damaged at byte {end}: it has {count:,} positions, and should have {announced:,}"
        )
    offsets = offsets[:count]
    fixed = np.zeros(count, _FIXED)
    fixed.view(np.uint8).reshape(count, -1)[:] = content[offsets[:, None] + np.arange(_FIXED.itemsize)]
    leaf_at = offsets + _FIXED.itemsize + 2 * fixed["links"].astype(np.int64)
    leaf_scores, leaf_moves = content[leaf_at].view(np.int8), content[leaf_at + 1].astype(np.int64)
    has_value = np.abs(fixed["scores"][:, 0]) <= 64  # positions that were never searched have none
    found = ForeignPositions(
        boards=np.stack((fixed["mover"], fixed["enemy"]), axis=1)[has_value],
        values=fixed["scores"][has_value, 0].astype(np.int64),
        leaf_moves=np.where(leaf_moves < PASS, leaf_moves, -1)[has_value],
        leaf_values=leaf_scores.astype(np.int64)[has_value],
        offsets=offsets[has_value],
        leaves_make_branches=True,
    )
    return book_from_positions(found, name)


def dump_edax(book: ValuedBook, when: datetime | None = None) -> bytes:
    """Encode a book for Edax: its valued branches, each with the best of its leaves; other leaves are left out."""
    check_othello(book, "Edax")
    nodes = book.nodes.array[: len(book)]
    exported = (nodes["kind"] == NodeKind.BRANCH) & (nodes["value"] != NO_VALUE)
    successors = book.nodes.successors()
    rows = list(zip(*(column.tolist() for column in successors[2:]), strict=True))
    starts, values = successors.starts.tolist(), nodes["value"].tolist()
    is_exported = exported.tolist()
    out = []
    passes: set[int] = set()  # positions that are reached by a pass of the opponent
    for index in np.flatnonzero(exported).tolist():
        links, leaf = [], (NO_SCORE, NO_MOVE)
        for move, after, sign, points in rows[starts[index] : starts[index + 1]]:
            if after == -1 or (after >= 0 and values[after] == NO_VALUE):
                continue
            score = points // 1000 if after < 0 else sign * values[after]
            if after >= 0 and is_exported[after]:
                links.append((score, move))
                if sign > 0:
                    passes.add(after)
            elif score > leaf[0]:
                leaf = score, move
        out.append(_position(nodes[index]["high"], nodes[index]["low"], values[index], links, leaf))
    chosen = np.array(sorted(passes), np.int64)
    movers, enemies = least_images(nodes["low"][chosen], nodes["high"][chosen])
    for index, mover, enemy in zip(chosen.tolist(), movers, enemies, strict=True):
        score = -values[index]
        out.append(_position(mover, enemy, score, [(score, PASS)], (NO_SCORE, NO_MOVE)))
    return _head(len(out), when or datetime.now(UTC)) + b"".join(out)


def _head(count: int, when: datetime) -> bytes:
    date = when.year, when.month, when.day, when.hour, when.minute, when.second
    return _HEAD.pack(MAGIC, VERSION, RELEASE, *date, LEVEL, MIN_EMPTIES, 0, 0, 0, count)


def _position(
    mover: Array, enemy: Array, value: int, links: list[tuple[int, int]], leaf: tuple[int, int]
) -> bytes:
    boards = struct.pack("<QQ", int(mover), int(enemy))
    scores = _SCORES.pack(value, -64, 64, len(links), LEVEL)
    return boards + _COUNTS + scores + b"".join(struct.pack("<bB", *link) for link in (*links, leaf))
