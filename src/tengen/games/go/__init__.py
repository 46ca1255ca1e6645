"""Go, any size to 25x25: `rules` (compiled), `handicap`, `game`, and `counting` of positions and games."""

from tengen.games.go.game import PASS, RULE_SETS, Go

__all__ = ["PASS", "RULE_SETS", "Go"]
