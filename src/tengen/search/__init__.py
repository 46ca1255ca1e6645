"""Game-independent search.

Read in this order: `limits` and `report` (input and output), `engine` (the interface), `driver` (iterative
deepening for any kernel), `alphabeta` with `kernels.alphabeta`, `uct` with `tree` and `kernels.mcts`, `simple`.
"""
