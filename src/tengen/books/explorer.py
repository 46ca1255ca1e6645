"""One explorer for every kind of book."""

from __future__ import annotations

from tengen.books import shelf
from tengen.books.options import Book, Option
from tengen.core.position import Position


def books_for(position: Position) -> dict[str, Book]:
    """The user's books about a game, by what they are called."""
    found: dict[str, Book | None] = {
        "Book": shelf.valued.book(position.game),
        "Statistics": shelf.statistics.book(position.game),
    }
    return {name: book for name, book in found.items() if book is not None}


def explore_books(position: Position) -> dict[str, tuple[Option, ...]]:
    """What each of them knows of a position; those that know nothing are left out."""
    found = {name: book.options(position) for name, book in books_for(position).items()}
    return {name: options for name, options in found.items() if options}
