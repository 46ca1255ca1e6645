"""The players of Pente and its family.

To read in this order: `kernels/lines` (the lines of the board as words).
"""
