"""Compiled board shared by search and threats: lines, patterns, moves, tables, workspace."""
