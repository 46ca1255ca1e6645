"""Compiled parts of the solver of small boards."""
