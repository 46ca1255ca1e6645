"""Compiled threat search and brute-force verification."""
