"""Compiled searches of the readers: captures, connections, life and death."""
