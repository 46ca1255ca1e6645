"""One explorer for every kind of book."""

from __future__ import annotations

from tengen.books import shelf
from tengen.books.options import Book, Option
from tengen.core.position import Position


def explore_books(position: Position) -> dict[str, tuple[Option, ...]]:
    """What the books of a game know of a position, by what they are called; those that know nothing are left out.

    Of the user's valued book and the shipped one it is the first that knows anything.
    """
    counted = shelf.statistics.book(position.game)
    books: dict[str, tuple[Book, ...]] = {
        "Book": shelf.valued_books(position.game),
        "Statistics": () if counted is None else (counted,),
    }
    found = {
        name: next((known for book in some if (known := book.options(position))), ())
        for name, some in books.items()
    }
    return {name: options for name, options in found.items() if options}
