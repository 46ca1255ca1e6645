"""The compiled loops of books."""
