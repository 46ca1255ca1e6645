"""The file of a statistics book: a head as that of a valued book, then the counts, packed, and a checksum."""

from __future__ import annotations

import json
import struct
import zlib
from hashlib import blake2b
from pathlib import Path
from typing import Any

import tengen.games
from tengen.books.container import DAMAGE, read_bytes, read_head, unpack
from tengen.books.errors import BookError
from tengen.books.statistics import Counts, StatisticsBook, parameters
from tengen.games.records.saving import save

MAGIC = b"TENGENST"
VERSION = 1
SUFFIX = ".stats"
DIGEST = 16

_MOST_COUNTED = 1 << 53  # what a number in JSON can be without loss
_HEAD = struct.Struct("<8sIQ")  # magic, version, length of what is packed


def write_statistics(book: StatisticsBook, path: Path) -> None:
    """Put a book into a file, in place of the one that was there."""
    save(path, dump(book))


def read_statistics(path: Path) -> StatisticsBook:
    """The book in a file."""
    return load(read_bytes(path), str(path))


def dump(book: StatisticsBook) -> bytes:
    """A book as the bytes of its file: the same for books that know the same."""
    sections = {
        name: [
            [key.hex(), [[place, list(moves[place])] for place in sorted(moves, key=str)]]
            for key, moves in sorted(section.items())
        ]
        for name, section in sorted(book.sections.items())
    }
    content = json.dumps([parameters(book), sections], separators=(",", ":")).encode()
    packed = zlib.compress(content, 6)
    head = _HEAD.pack(MAGIC, VERSION, len(packed))
    return head + packed + blake2b(head + packed, digest_size=DIGEST).digest()


def load(data: bytes, name: str) -> StatisticsBook:
    """The book in these bytes; `name` is for messages."""
    (length,) = read_head(data, name, _HEAD, MAGIC, VERSION, "a book of statistics")
    end = _HEAD.size + length
    if len(data) < end + DIGEST:
        raise BookError(f"{name} is cut off at byte {len(data)}")
    if data[end:] != blake2b(data[:end], digest_size=DIGEST).digest():
        raise BookError(f"{name} is damaged between byte {_HEAD.size} and byte {len(data)}: its checksum is wrong")
    try:
        return _book(*json.loads(unpack(data[_HEAD.size : end], name)))
    except DAMAGE as error:
        raise BookError(f"{name} makes no sense at byte {_HEAD.size}: {str(error)[:200]}") from None


def _book(facts: dict[str, Any], sections: dict[str, Any]) -> StatisticsBook:
    if facts["game"] not in tengen.games.names():
        raise ValueError("it is of no game that is known here")
    book = StatisticsBook(facts["game"], depth=_whole(facts["depth"]))
    book.progress = {str(name): _whole(count) for name, count in dict(facts["progress"]).items()}
    for name, positions in sections.items():
        book.sections[name] = {
            bytes.fromhex(key): {_place(place): _counts(counts) for place, counts in moves}
            for key, moves in positions
        }
    return book


def _whole(value: Any) -> int:
    if type(value) is not int or not 0 <= value < _MOST_COUNTED:
        raise ValueError("a number makes no sense")
    return value


def _place(place: Any) -> int | tuple[int, int]:
    if isinstance(place, list):
        column, row = place
        return _code(column), _code(row)
    return _code(place)


def _code(value: Any) -> int:
    if type(value) is not int or abs(value) >= _MOST_COUNTED:
        raise ValueError("a move makes no sense")
    return value


def _counts(values: list[Any]) -> Counts:
    for value in values:
        if type(value) not in (int, float) or not 0 <= value < _MOST_COUNTED:
            raise ValueError("a number makes no sense")
    return Counts(*values)
