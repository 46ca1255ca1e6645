"""Game-independent search.

Read in this order: `limits` and `report` (input and output), `engine` (the interface), `driver` (iterative
deepening for any kernel), `alphabeta` with `kernels.alphabeta`, `tree_engine` with `tree`, `tree_search` and
`kernels.mcts`, `uct` with `kernels.uct`, `simple`.
"""
