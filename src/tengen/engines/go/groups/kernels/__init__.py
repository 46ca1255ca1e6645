"""Compiled code of the group reader."""
