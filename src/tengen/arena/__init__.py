"""Matches between engines, tournaments, ratings, tuning, and benchmarks.

Reading order for matches: `statistics` (score, Elo, SPRT), `openings`, `game_runner` (one game in a worker),
`match_score`, `engine_match`. Then `pairings`, `standings` and `tournament`; `bradley_terry` and `ratings`;
`tuning`.
"""
