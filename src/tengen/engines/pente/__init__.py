"""The players of Pente and its family.

To read in this order: `kernels/lines` (the lines of the board as words), `patterns` (what a stone makes of a
line), `kernels/board` (what every point is worth), `kernels/changes`, `kernels/moves` and `kernels/wins` (how that
is kept up to date), `kernels/threats` (forced wins), `proof` and `exhaustive` (how they are checked),
`kernels/evaluation`, `weights` and `training` (what a position is worth), `kernels/ordering`, `kernels/values` and
`kernels/search` (the search), `kernels/turns` and `kernels/turn_search` (the same with two stones a turn),
`searcher`, `engine` (the player), `puzzles`.
"""
