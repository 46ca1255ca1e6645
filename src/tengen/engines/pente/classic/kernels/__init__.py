"""The compiled loops of the classic player."""
