"""What lasts: games, players and ratings.

`players` says who plays, `entry` what is kept of a game.
"""
