"""Compiled loops of the training."""
