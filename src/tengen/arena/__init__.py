"""Measuring: `bench` for speed."""
