"""How to play well: one folder for each game that has an engine of its own. `registry` knows all engines."""
