"""File formats of valued books: ours, and those of other Othello programs. Read by content, written by suffix."""

from __future__ import annotations

from pathlib import Path

from tengen.books import book_file, edax_book, egaroucid_book
from tengen.books.book import ValuedBook
from tengen.books.edax_book import dump_edax, load_edax
from tengen.books.egaroucid_book import dump_egaroucid, load_egaroucid
from tengen.books.nbb import dump_nbb, load_nbb

FOREIGN = "Novello (.nbb), Edax (.dat) or Egaroucid (.egbk3)"

_READERS = {b"PK": load_nbb, edax_book.MAGIC: load_edax, egaroucid_book.MAGIC: load_egaroucid}
_BY_SUFFIX = {".nbb": load_nbb, ".dat": load_edax, ".egbk3": load_egaroucid}
_WRITERS = {".nbb": dump_nbb, ".dat": dump_edax, ".egbk3": dump_egaroucid}


def load_book(data: bytes, name: str) -> ValuedBook:
    """Decode a book in any known format; `name` is for messages, and used if the content is not recognised."""
    for magic, read in _READERS.items():
        if data.startswith(magic):
            return read(data, name)
    by_suffix = _BY_SUFFIX.get(Path(name).suffix.lower(), book_file.load)
    return book_file.load(data, name) if data.startswith(book_file.MAGIC) else by_suffix(data, name)


def dump_book(book: ValuedBook, path: Path) -> bytes:
    """Encode a book in the format of the file's suffix; ours if it is unknown."""
    return _WRITERS.get(path.suffix.lower(), book_file.dump)(book)
