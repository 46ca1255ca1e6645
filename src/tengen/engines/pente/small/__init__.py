"""Exact solver for small Pente boards."""
