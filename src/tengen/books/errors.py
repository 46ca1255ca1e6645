"""What can be wrong with a book."""

from tengen.core.errors import TengenError


class BookError(TengenError):
    """A book that cannot be read, written or used as asked."""
