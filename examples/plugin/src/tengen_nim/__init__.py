"""Nim with one heap, and an engine that plays it perfectly, as a plugin of Tengen."""
