"""Screens in the terminal: `board` draws, `play` is a game against an engine, `wait` tells why one waits."""
