"""Compiled code of the Go player."""
