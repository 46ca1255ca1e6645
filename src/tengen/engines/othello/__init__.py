"""The Othello engine.

Reading order: `endgame.kernels` (`last_empties`, `stability`, `solver`: the exact endgame),
`kernels.table_entry`, `midgame.patterns`, `midgame.kernels` (`features`, `evaluation`, `probcut`,
`search`), `search_memory`, `searcher` (adapter to iterative deepening), `engine`. `training` makes the
evaluation's weights.
"""
