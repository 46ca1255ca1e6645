"""Othello: an evaluation by patterns, learned from self-play alone.

Read `patterns` (what is looked at), `evaluation` (how it becomes a value), then `training`.
"""
