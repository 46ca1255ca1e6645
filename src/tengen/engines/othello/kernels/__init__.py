"""Compiled code shared by midgame and endgame: transposition table, workspace layout, entry points, book probe."""
