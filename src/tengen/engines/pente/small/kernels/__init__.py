"""Compiled search of the small-board solver."""
