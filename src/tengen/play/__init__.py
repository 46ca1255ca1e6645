"""A match between players: turns, clock, undo, rematch, events; the engine host."""
