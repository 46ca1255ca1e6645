"""Compiled exact search: the last empty squares, stability, and the solver up to thirteen empty squares."""
