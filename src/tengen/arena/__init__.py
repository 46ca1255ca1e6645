"""Measuring: `bench` for speed, matches for strength.

Of a match, read `statistics` (what results tell), `openings`, `duel` (one game, in a worker), `tally` (the score)
and `series` (all of it), in this order; `contestants` and `commands` are what people write.
"""
