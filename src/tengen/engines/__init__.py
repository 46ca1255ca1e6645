"""How to play well: one folder for each game that has knowledge of its own."""
