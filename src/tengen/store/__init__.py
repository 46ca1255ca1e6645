"""What lasts: games, players and ratings.

`players` says who plays, `entry` what is kept of a game, `store` keeps it; the errors are in `errors`. Importing
this package loads no database: that is for `tengen.store.store`.
"""
