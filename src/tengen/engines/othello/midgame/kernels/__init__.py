"""Compiled evaluation and selective search of the midgame."""
