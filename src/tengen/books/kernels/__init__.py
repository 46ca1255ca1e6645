"""Compiled loops of opening books."""
