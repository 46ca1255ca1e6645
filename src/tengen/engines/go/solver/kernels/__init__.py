"""Compiled parts of the small-board solver."""
