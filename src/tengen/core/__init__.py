"""What every game shares; names no game.

`Game` is a set of rules with their options, `Position` a state of play, `Move` a small integer, `Outcome` the
end with its reason, `Diagram` a board to draw. `compiled` holds the base of all kernels.
"""
