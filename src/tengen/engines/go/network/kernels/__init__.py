"""Compiled input features."""
