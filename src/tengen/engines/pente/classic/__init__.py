"""The classic Pente player: a utility that counts lines, candidates by priority, alpha-beta deep and narrow.

Read in this order: `tuning` (every figure), `kernels/patterns` (what a few points of a line mean),
`kernels/counts` (what is counted of a board, kept up to date), `kernels/utility` (what a position is worth),
`kernels/candidates` (which moves are looked at), `kernels/search` (the search), `searcher` (the search at a
root), `resistance` (lost positions), `engine` (the player); beside it `live` (the value of a shown position)
and `research` (what the search's choices tell).
"""
