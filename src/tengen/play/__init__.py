"""A match between players: turns, clock, undo, rematch and events. No user interface."""
