"""Nim with one pile, and an engine that plays it perfectly, as a plugin of Tengen."""
