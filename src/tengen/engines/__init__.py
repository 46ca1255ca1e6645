"""Engines with game-specific knowledge, one subpackage per game, and the registry of all engines."""
