"""The Othello engine.

To read in this order: `last` (the last four empty squares), `stability`, `table`, `endgame` (exact, few empties),
`patterns` and `evaluation`, `midgame` (everything above), `solver` (exact answers), `engine` (the player).
"""
