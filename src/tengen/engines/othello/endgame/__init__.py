"""The exact endgame of Othello."""
