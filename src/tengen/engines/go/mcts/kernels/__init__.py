"""Compiled parts of the Monte-Carlo tree search for Go."""
