"""Small convolutional networks for engines, trained with torch and evaluated by `search.kernels.network`.

Read the modules in this order:

1. `weights`   the arrays of a network, and its file
2. `evaluator` a network on a board: the data of the kernel
3. `samples`   training positions, and the symmetries of a square board
4. `trainer`   training with torch, which is needed only here
"""
