"""Search for any game, from one source.

Read in this order: `limits` and `report` (what goes in and out), `engine` (the one entry), `driver` (iterative
deepening over any kernel), `alphabeta` with `kernels.alphabeta`, `uct` with `tree` and `kernels.mcts`, `simple`.
"""
