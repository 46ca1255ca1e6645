"""Exact solver for Clobber: values of combinatorial games, search over sums, proofs.

Read `solver` first; then `engine` (plays), `analysis` (explains a position), `patterns` (repeated patterns),
`proof` and `checker`, and `database`.
"""
