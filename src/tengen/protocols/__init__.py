"""Talking to other programs: GTP, NBoard and Gomocup, as the engine and as the one who drives an engine.

`lines` is the host under all three, `thinker` the engine that answers; `gtp`, `nboard` and `gomocup` are the
languages that we speak as an engine. `foreign` drives other programs as engines of ours.
"""
