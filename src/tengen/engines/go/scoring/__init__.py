"""The score of games that are finished or nearly so."""
