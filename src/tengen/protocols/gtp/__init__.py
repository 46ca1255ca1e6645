"""GTP 2 with common extensions, for Go and, through `gogui-rules_*`, for every game.

Reading order: `syntax` (commands and responses), `session` (the game and the engine), `server`, which combines the
command groups: `basic`, `timing`, `analysis` and `gogui` for every game; `go`, `scoring`, `reading` and
`reading_graphics` for Go.
"""
