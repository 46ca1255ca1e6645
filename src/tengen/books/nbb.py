"""Reader and writer of books of the Othello program Novello (`.nbb`, version 2).

A zip file with one member `A`: the number 2, then trees. A tree is its root position (mover and opponent, 64 bits
each, a1 in the highest bit) and the root node. A node has its kind; its value if solved or leaf; its children; and
the best unplayed move of a branch. Children are successors in the book that were not written before, each preceded
by the difference of its move's index among the legal moves to the previous index, initially 0; -1 ends the list.
The unplayed move is an index among the moves to leaves, or -1 or -2. Moves are ordered from h8 to a1 on the
canonical image: the least one when mover and opponent are compared as signed numbers.
"""

from __future__ import annotations

import io
import struct
import zipfile

import numpy as np

import tengen.games
from tengen.books.board_images import least_signed_images
from tengen.books.book import ValuedBook
from tengen.books.container import DAMAGE, max_unpacked_bytes
from tengen.books.errors import BookError
from tengen.books.kernels import nbb_codec
from tengen.books.kernels.nodes import NODE
from tengen.books.nodes import ALL_PLAYED, UNKNOWN, Array, NodeKind, slots_for

VERSION = 2
MIN_EMPTIES = 20  # positions with fewer empty squares are not in the book

_VERSION = struct.Struct(">i")
_STAMP = (1980, 1, 1, 0, 0, 0)  # makes the output reproducible
_REASONS = {
    nbb_codec.BAD_KIND: "unknown kind of position",
    nbb_codec.BAD_VALUE: "a value is more than 64 discs",
    nbb_codec.BAD_ROOT: "a tree begins with an invalid position",
    nbb_codec.ILLEGAL: "a move is not legal",
    nbb_codec.TWICE: "a position occurs twice or too late in the game",
}


def dump_nbb(book: ValuedBook) -> bytes:
    """Encode a book in Novello's format."""
    check_othello(book, "Novello")
    nodes = book.nodes.array[: len(book)]
    movers, enemies, number = least_signed_images(nodes["high"], nodes["low"])
    after, leaf_ranks, canonical, starts = _in_their_order(book, number)
    unplayed = nodes["move"].copy()
    chosen = _rows_of_best(nodes, starts, canonical)
    found = chosen >= 0
    unplayed[unplayed >= 0] = UNKNOWN
    unplayed[found] = _first_ranks(after, leaf_ranks, starts, chosen, found)
    stages = list(book.nodes.by_stage().values())
    order = np.concatenate(stages[::-1]) if stages else np.zeros(0, np.int64)
    out = np.zeros((nbb_codec.BYTES_PER_NODE + nbb_codec.BYTES_PER_ROOT) * len(book), np.uint8)
    size = nbb_codec.write_nbb(
        order,
        *(nodes, unplayed, np.stack((movers, enemies), axis=1), starts, after),
        np.zeros(len(book), np.bool_),
        np.zeros((nbb_codec.MAX_PLIES, 3), np.int64),
        out,
    )
    entry = zipfile.ZipInfo("A", _STAMP)
    entry.compress_type = zipfile.ZIP_DEFLATED
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr(entry, _VERSION.pack(VERSION) + out[:size].tobytes())
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
    nodes, unplayed = _read(np.frombuffer(content, np.int8), name)
    book = ValuedBook(tengen.games.game("othello"))
    book.nodes.fill(nodes)
    _set_unplayed(book, unplayed, name)
    book.negamax()
    return book


def check_othello(book: ValuedBook, program: str) -> None:
    """Raise `BookError` if a book cannot be written in the format of an Othello program."""
    expected = ValuedBook(tengen.games.game("othello"))
    if book.parameters() != expected.parameters():
        raise BookError(f"{program} books are for 8x8 Othello, in discs, down to {MIN_EMPTIES} empty squares")


def _read(data: Array, name: str) -> tuple[Array, Array]:
    """The nodes of a file, and the numbers of their best unplayed moves."""
    room = 1024
    while True:  # the number of positions is unknown: start again with more room
        room = min(4 * room, len(data))
        nodes, unplayed = np.zeros(room, NODE), np.zeros(room, np.int16)
        ended = np.zeros(3, np.int64)
        boards = np.zeros((nbb_codec.MAX_PLIES, 3), np.uint64)
        lists = np.zeros((nbb_codec.MAX_PLIES, 2), np.int64)
        nbb_codec.read_nbb(data, np.int64(_VERSION.size), nodes, slots_for(room), unplayed, boards, lists, ended)
        how, at, count = ended.tolist()
        if how != nbb_codec.FULL:
            break
    if how == nbb_codec.CUT:
        raise BookError(f"{name} is cut off at byte {len(data)} of its content")
    if how != nbb_codec.GOOD:
        raise BookError(f"{name} is damaged at byte {at} of its content: {_REASONS[how]}")
    return nodes[:count].copy(), unplayed[:count].astype(np.int64)


def _set_unplayed(book: ValuedBook, unplayed: Array, name: str) -> None:
    """Set the best unplayed moves of branches from their numbers among the moves to leaves."""
    nodes = book.nodes.array[: len(book)]
    branches = nodes["kind"] == NodeKind.BRANCH
    nodes["move"][branches] = np.maximum(unplayed[branches], ALL_PLAYED)
    _, _, number = least_signed_images(nodes["high"], nodes["low"])
    after, ranks, canonical, starts = _in_their_order(book, number)
    of = np.repeat(np.arange(len(book)), np.diff(starts))
    wanted = branches & (unplayed >= 0)
    rows = np.flatnonzero((ranks >= 0) & wanted[of] & (ranks == unplayed[of]))
    if len(rows) < np.count_nonzero(wanted):
        raise BookError(f"{name} is damaged: the index of a leaf is too large")
    # Several moves may lead to images of the same position; the smallest stands for all of them.
    moves = np.full(len(book), np.iinfo(np.int16).max, np.int64)
    goal = np.full(len(book), -1)
    goal[of[rows]] = after[rows]
    same = after == goal[of]
    np.minimum.at(moves, of[same & (after >= 0)], canonical[same & (after >= 0)])
    nodes["move"][wanted] = moves[wanted]


def _in_their_order(book: ValuedBook, number: Array) -> tuple[Array, Array, Array, Array]:
    """(successor, rank among the moves to leaves or -1, move on our image, starts), in Novello's order."""
    found = book.nodes.successors()
    theirs = book.nodes.images.forward[number[found.of], found.move]
    order = np.lexsort((theirs, found.of))
    after, canonical, of = found.node[order], found.move[order], found.of
    leaf = (after >= 0) & (book.nodes.array["kind"][np.maximum(after, 0)] == NodeKind.LEAF)
    counts = np.cumsum(leaf)
    before = np.concatenate(([0], counts))[found.starts[:-1]]
    ranks = np.where(leaf, counts - 1 - before[of], -1)
    return after, ranks, canonical, found.starts


def _rows_of_best(nodes: Array, starts: Array, canonical: Array) -> Array:
    """The row of each branch's best unplayed move; -1 if it has none."""
    of = np.repeat(np.arange(len(nodes)), np.diff(starts))
    rows = np.full(len(nodes), -1, np.int64)
    hits = np.flatnonzero((nodes["kind"][of] == NodeKind.BRANCH) & (nodes["move"][of] == canonical))
    rows[of[hits]] = hits
    return rows


def _first_ranks(after: Array, ranks: Array, starts: Array, chosen: Array, found: Array) -> Array:
    """The number of the first move to the same leaf as the chosen row; UNKNOWN if that is no leaf."""
    of = np.repeat(np.arange(len(chosen)), np.diff(starts))
    goal = np.where(found, after[np.maximum(chosen, 0)] if len(after) else -1, -1)
    first = np.full(len(chosen), np.iinfo(np.int64).max)
    rows = np.flatnonzero((ranks >= 0) & (after == goal[of]))
    np.minimum.at(first, of[rows], ranks[rows])
    return np.where(first < np.iinfo(np.int64).max, first, UNKNOWN)[found]
