"""Concepts shared by all games. This package names no game.

`Game` is a set of rules with options, `Position` a state of play, `Move` a small integer, `Outcome` the result
with its reason, `Diagram` a board to draw. `compiled` is the infrastructure for kernels.
"""
