"""Compiled code of the classic player."""
