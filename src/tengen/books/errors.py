"""Errors of opening books."""

from tengen.core.errors import TengenError


class BookError(TengenError):
    """A book cannot be read, written or used as requested."""
