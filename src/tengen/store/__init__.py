"""Persistence of games, players, ratings, puzzles and accounts, with SQLAlchemy.

`store.Store` is the entry point, `game_entry.GameEntry` a stored game, `errors` the exceptions. Importing this
package does not load SQLAlchemy.
"""
