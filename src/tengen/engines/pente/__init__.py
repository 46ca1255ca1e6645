"""The engines for Pente and its family.

Reading order for the strong player: `kernels.lines` (lines of the board as words), `patterns` (classes of lines),
`kernels.board`, `kernels.incremental` and `kernels.moves` (board state and its updates), `kernels.immediate_wins`,
`threats.kernels.forced_wins` (threat-space search), `threats.proof` and `threats.brute_force` (verification),
`search.kernels` (`evaluation`, `scores`, `move_ordering`, `pvs`), `threats.kernels.two_stone_threats` and
`search.kernels.two_stone_pvs` (two stones per turn), `search.searcher`, `engine`, `training`, `puzzles`.
`small` solves small boards. `classic` is a separate, simpler player.
"""
