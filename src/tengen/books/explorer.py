"""Explorer over all installed books."""

from __future__ import annotations

from tengen.books import installed
from tengen.books.book_move import Book, BookMove
from tengen.core.position import Position


def explore_books(position: Position) -> dict[str, tuple[BookMove, ...]]:
    """Book moves in a position by kind of book ("Book", "Statistics"); kinds without moves are left out.

    Of the user's valued book and the shipped one, the first that knows any move is used.
    """
    counted = installed.statistics.book(position.game)
    books: dict[str, tuple[Book, ...]] = {
        "Book": installed.valued_books(position.game),
        "Statistics": () if counted is None else (counted,),
    }
    found = {
        name: next((known for book in some if (known := book.options(position))), ())
        for name, some in books.items()
    }
    return {name: options for name, options in found.items() if options}
