"""Compiled code shared by the Go engines: the board and influence."""
