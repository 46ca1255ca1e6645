"""The test of tests/books/test_valued_book.py for a book of Go: its kernels take a minute to compile."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.helpers.valued_books import check_book_of

import tengen


def test_go_has_books_too() -> None:
    check_book_of(tengen.game("go", size=9))
