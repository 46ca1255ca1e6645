"""Go up to 25x25: `rules` and `scoring` (compiled), `handicap`, `game`; `counting` of positions and games."""

from tengen.games.go.game import PASS, RULE_SETS, Go

__all__ = ["PASS", "RULE_SETS", "Go"]
