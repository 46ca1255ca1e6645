"""Opening books for any game: valued books with verified values, and statistics books with counts of results.

Modules of the valued book, in reading order:

1. `symmetry`      move tables for the symmetries of the board
2. `nodes`         the hash table of positions (`kernels.nodes` has the compiled loops)
3. `book`          the book itself: lookup, adding games, values
4. `consistency`   verification of a book, node by node
5. `evaluation`    searching positions without a value, as a resumable job; adding a game
6. `operations`    deviate, fill, prune, merge; `summary` counts positions
7. `probe`         the table that a search probes
8. `book_move`     moves as explorers show them
9. `installed`     the user's books and the shipped ones
10. `formats`      books of other Othello programs: `nbb`, `edax_book`, `egaroucid_book`

Statistics books: `shapes`, `statistics`, `live_statistics`, `weighted_choice`.
"""

from tengen.books.book import Entry, ValuedBook
from tengen.books.book_move import Book, BookMove
from tengen.books.consistency import CheckResult, ConsistencyLevel, check
from tengen.books.errors import BookError
from tengen.books.evaluation import BookEngine, add_and_evaluate, evaluate_book
from tengen.books.nodes import NodeKind

__all__ = [
    "Book",
    "BookEngine",
    "BookError",
    "BookMove",
    "CheckResult",
    "ConsistencyLevel",
    "Entry",
    "NodeKind",
    "ValuedBook",
    "add_and_evaluate",
    "check",
    "evaluate_book",
]
