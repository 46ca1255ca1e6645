"""Solver for small Go boards: exact values under area scoring. See docs/internals/go.md."""
