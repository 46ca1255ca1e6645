"""The midgame of Othello: pattern evaluation, its weights, and the selective search."""
