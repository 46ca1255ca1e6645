"""Compiled evaluation, move ordering and principal variation search."""
