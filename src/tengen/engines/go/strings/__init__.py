"""The string player: it reads strings, values urgent and big moves, and explains its choice."""
