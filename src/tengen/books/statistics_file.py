"""The file of a statistics book: a head as that of a valued book, then the counts, packed, and a checksum."""

from __future__ import annotations

import json
import struct
import zlib
from hashlib import blake2b
from pathlib import Path
from typing import Any

from tengen.books.container import read_bytes, read_head
from tengen.books.errors import BookError
from tengen.books.statistics import Counts, StatisticsBook, parameters
from tengen.games.records.saving import save

MAGIC = b"TENGENST"
VERSION = 1
SUFFIX = ".stats"
DIGEST = 16

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
        return _book(*json.loads(zlib.decompress(data[_HEAD.size : end])))
    except (ValueError, TypeError, KeyError, zlib.error) as error:
        raise BookError(f"{name} makes no sense at byte {_HEAD.size}: {error}") from None


def _book(facts: dict[str, Any], sections: dict[str, Any]) -> StatisticsBook:
    book = StatisticsBook(facts["game"], depth=facts["depth"])
    book.progress = dict(facts["progress"])
    for name, positions in sections.items():
        book.sections[name] = {
            bytes.fromhex(key): {
                place if isinstance(place, int) else (place[0], place[1]): Counts(*counts)
                for place, counts in moves
            }
            for key, moves in positions
        }
    return book
