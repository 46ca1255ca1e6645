"""Clobber solved: exact values, search over sums, proofs.

Read `solver` first; then `engine` (plays), `analysis` (explains), `lab` (patterns), `proof` and `checker`, and
`database`.
"""
