"""The compiled search of the Othello engine: `last`, `stability`, `table`, `endgame`, `midgame`, `line`."""
