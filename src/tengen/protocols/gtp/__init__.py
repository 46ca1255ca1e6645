"""GTP 2 with the extensions in use, for Go and, by `gogui-rules_*`, for every game.

Read `syntax` (what a line is), then `session` (the game that is talked about), then `server`, which puts together
the groups of commands: `basic`, `timing`, `analysis` and `gogui` for every game, `go` and `scoring` for Go.
"""
