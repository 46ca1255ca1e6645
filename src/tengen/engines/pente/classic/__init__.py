"""The classic Pente player: a utility that counts lines, candidates by priority, alpha-beta deep and narrow.

Reading order: `tunables` (all settings), `kernels.line_patterns` (lookup tables), `kernels.counts` (incremental
counts of a board), `kernels.utility` (evaluation), `kernels.candidates` (move generation), `kernels.search`,
`searcher` (adapter to iterative deepening), `lost_positions`, `engine`. `static_evaluation` evaluates single
positions; `choice_statistics` and `filter_curves` measure the move ordering.
"""
