"""Opening books for any game: one whose values are proved consistent, one that counts results.

Read the modules of the valued book in this order:

1. `symmetry`  what moves become when the board is turned or mirrored
2. `nodes`     the positions: kept in one array, found by hashing (`kernels.nodes` has the loops)
3. `book`      what the positions mean: asking, adding, values
4. `levels`    how far a book can be trusted, proved node by node
5. `valuing`   searching what is not known yet, as a job; learning a game
6. `growth`    deviate, fill, prune, merge; `stats` counts
7. `probe`     the table that a search asks
8. `options`   what explorers see
"""

from tengen.books.book import Entry, ValuedBook
from tengen.books.errors import BookError
from tengen.books.levels import Checked, Level, check
from tengen.books.nodes import NodeKind
from tengen.books.options import Book, Option
from tengen.books.valuing import BookEngine, learn, value

__all__ = [
    "Book",
    "BookEngine",
    "BookError",
    "Checked",
    "Entry",
    "Level",
    "NodeKind",
    "Option",
    "ValuedBook",
    "check",
    "learn",
    "value",
]
