"""Compiled parts of the feature-weight training."""
