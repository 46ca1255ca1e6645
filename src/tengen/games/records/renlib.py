"""RenLib libraries (`.lib`): one tree of moves on 15x15 with comments, usually of renju.

After a header of 20 bytes (FF, `RenLib`, FF, the version) come the nodes in preorder, two bytes each:

    first byte    bits 0-3 column from 1, bits 4-7 row from 0 at the top; 0 for a node without a move
    second byte   80 has a sibling, 40 has no child, 20 or 08 has a comment, 10 and 04 marks, 01 extended

An extended node has two more bytes; bit 0 of the first of them announces a text for the board. Texts come after
the bytes of their node, end with a zero and may be padded with more; `\\b` ends the first line of a longer
comment.

A file does not name the rules. It is read as gomoku in which five or more win, because libraries of renju also
contain lines with forbidden moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tengen.core.game import Move
from tengen.core.translation import mark
from tengen.games import game as create_game
from tengen.games.pente.game import Pente
from tengen.games.records.encoding import decode
from tengen.games.records.errors import RecordError, RecordTooLarge
from tengen.games.records.gomoku_rules import is_plain
from tengen.games.records.record_size import RecordSize
from tengen.games.records.tree import Node, Record
from tengen.games.records.tree_transforms import moves_only

KEEPS = frozenset({"variations", "comments"})
SIZE = 15

_MAGIC = b"\xffRenLib\xff"
_HEADER_BYTES = 20
_HEADER = _MAGIC + b"\x03\x04" + b"\xff" * 10
_SIBLING, _NO_CHILD, _OLD_COMMENT, _COMMENT, _EXTENDED = 0x80, 0x40, 0x20, 0x08, 0x01
_BOARD_TEXT = 0x01  # in the first byte of an extension


def recognises(data: bytes) -> bool:
    return data.startswith(_MAGIC)


def read(data: bytes) -> Iterator[Record | RecordError]:
    try:
        yield _read(data)
    except RecordError as error:
        yield error


def _read(data: bytes) -> Record:
    if len(data) < _HEADER_BYTES or not recognises(data):
        raise RecordError("expected the header of a RenLib file, 20 bytes from FF RenLib FF on", "byte 0")
    game = create_game("pente", variant="gomoku", exact=False, size=SIZE)
    assert isinstance(game, Pente)
    record = Record(game, source="renlib")
    size, notes = RecordSize(), dict[str, None]()
    parent, waiting = record.root, list[Node]()  # the parents of siblings that are still to come
    at = _HEADER_BYTES
    while True:
        start = at
        if at + 2 > len(data):
            raise RecordError("the file ends within its tree", f"byte {at}")
        point, flags = data[at], data[at + 1]
        at += 2
        texts = bool(flags & (_COMMENT | _OLD_COMMENT))
        board_text = False
        if flags & _EXTENDED:
            board_text = at < len(data) and bool(data[at] & _BOARD_TEXT)
            at += 2
        try:
            size.add_nodes()
        except RecordTooLarge as error:
            raise RecordTooLarge(error.message, f"byte {start}") from None
        node = parent
        if point or start > _HEADER_BYTES:  # else it is the root
            node = parent.add(Node(_move(game, point, start)))
        for is_comment in [True] * texts + [False] * board_text:
            text, at, note = _text(data, at)
            if is_comment:
                node.comment = text
            if note:
                notes[note] = None
        if flags & _SIBLING and node is not record.root:
            waiting.append(parent)
        if not flags & _NO_CHILD:
            parent = node
        elif waiting:
            parent = waiting.pop()
        else:
            break
    try:
        size.check_moves(record.root)
    except RecordTooLarge as error:
        raise RecordTooLarge(error.message, f"byte {at}") from None
    record.notes += notes
    if any(data[at:]):
        record.notes.append(mark("the file goes on after the end of its tree: the rest is ignored"))
    return moves_only(record)


def _move(game: Pente, point: int, at: int) -> Move | None:
    if point == 0:
        return None
    column, row = (point & 0x0F) - 1, point >> 4
    if column < 0 or row >= SIZE:
        raise RecordError(f"{point:#04x} is not a point of a board of {SIZE}x{SIZE}", f"byte {at}")
    return game.point((column, row))


def _text(data: bytes, at: int) -> tuple[str, int, str]:
    """A text, the offset after it and its padding, and a note on its encoding."""
    end = data.find(b"\0", at)
    if end < 0:
        raise RecordError("a comment has no end", f"byte {at}")
    text, note = decode(data[at:end])
    while end < len(data) and data[end] == 0:
        end += 1
    lines = text.replace("\b", "\n").replace("\r\n", "\n").replace("\r", "\n")
    return lines, end, note


def write_each(records: Iterable[Record]) -> Iterator[bytes]:
    for number, record in enumerate(records):
        if number:
            raise RecordError(mark("a .lib file has one game: write the others to other files"))
        yield from _write(record)


def _write(record: Record) -> Iterator[bytes]:
    game = record.game
    assert isinstance(game, Pente)
    if not is_plain(game):
        raise RecordError(mark("a .lib file has only games of gomoku or renju that start with an empty board"))
    if game.size != SIZE:
        raise RecordError(mark("a .lib file has only boards of 15x15"))
    yield _HEADER
    waiting = [(record.root, False)]
    while waiting:
        node, has_sibling = waiting.pop()
        flags = _SIBLING * has_sibling | _NO_CHILD * (not node.children) | _COMMENT * bool(node.comment)
        point = 0
        if node.move is not None:
            ((column, row),) = game.points(node.move)
            point = column + 1 | row << 4
        yield bytes([point, flags])
        if node.comment:
            text = node.comment.replace("\0", " ").replace("\b", " ").replace("\r", "")
            first, newline, rest = text.partition("\n")
            text = first + "\b" * bool(newline) + rest.replace("\n", "\r\n")
            data = text.encode("utf-8", errors="replace") + b"\0"
            yield data + b"\0" * (len(data) % 2)
        last = len(node.children) - 1
        waiting += reversed([(child, index < last) for index, child in enumerate(node.children)])
