"""A small tournament of Clobber."""

from __future__ import annotations

from tengen.arena.standings import Standings

CUP = """
name = "Cup"
game = "clobber"
kind = "{kind}"
rounds = {rounds}
games = 2
[options]
size = 10
[players]
"Deep" = "alphabeta:depth=2"
"Tree" = "uct:nodes=20"
"Dice" = "random:nodes=1"
"""


def results(standings: Standings) -> dict[object, object]:
    return {key: (played.winner, played.moves) for key, played in standings.played.items()}
