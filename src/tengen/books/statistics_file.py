"""File format of statistics books: header, compressed counts, checksum."""

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
from tengen.games.records.atomic_files import save

MAGIC = b"TENGENST"
VERSION = 1
SUFFIX = ".stats"
DIGEST = 16

_MAX_COUNT = 1 << 53  # integers in JSON are exact below this
_HEAD = struct.Struct("<8sIQ")  # magic, version, length of the compressed data


def write_statistics(book: StatisticsBook, path: Path) -> None:
    """Write a book to a file, replacing it atomically."""
    save(path, dump(book))


def read_statistics(path: Path) -> StatisticsBook:
    """Read a book from a file."""
    return load(read_bytes(path), str(path))


def dump(book: StatisticsBook) -> bytes:
    """Encode a book; books with the same content give the same bytes."""
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
    """Decode a book; `name` is for messages."""
    (length,) = read_head(data, name, _HEAD, MAGIC, VERSION, "a book of statistics")
    end = _HEAD.size + length
    if len(data) < end + DIGEST:
        raise BookError(f"{name} is cut off at byte {len(data)}")
    if data[end:] != blake2b(data[:end], digest_size=DIGEST).digest():
        raise BookError(f"{name} is damaged between byte {_HEAD.size} and byte {len(data)}: its checksum is wrong")
    try:
        return _book(*json.loads(unpack(data[_HEAD.size : end], name)))
    except DAMAGE as error:
        raise BookError(f"{name} is damaged at byte {_HEAD.size}: {str(error)[:200]}") from None


def _book(facts: dict[str, Any], sections: dict[str, Any]) -> StatisticsBook:
    if facts["game"] not in tengen.games.names():
        raise ValueError("unknown game")
    book = StatisticsBook(facts["game"], depth=_whole(facts["depth"]), min_games=_whole(facts.get("min_games", 1)))
    book.progress = {str(name): _whole(count) for name, count in dict(facts["progress"]).items()}
    for name, positions in sections.items():
        book.sections[name] = {
            bytes.fromhex(key): {_place(place): _counts(counts) for place, counts in moves}
            for key, moves in positions
        }
    return book


def _whole(value: Any) -> int:
    if type(value) is not int or not 0 <= value < _MAX_COUNT:
        raise ValueError("a number is invalid")
    return value


def _place(place: Any) -> int | tuple[int, int]:
    if isinstance(place, list):
        column, row = place
        return _code(column), _code(row)
    return _code(place)


def _code(value: Any) -> int:
    if type(value) is not int or abs(value) >= _MAX_COUNT:
        raise ValueError("a move is invalid")
    return value


def _counts(values: list[Any]) -> Counts:
    for value in values:
        if type(value) not in (int, float) or not 0 <= value < _MAX_COUNT:
            raise ValueError("a number is invalid")
    return Counts(*values)
