"""Tengen: play, analyse and solve abstract board games.

    >>> import tengen
    >>> position = tengen.game("othello").start().play("f5")
    >>> position.write_moves(position.legal_moves)
    ['d6', 'f4', 'f6']

The names in `dir(tengen)` are the public API; everything else is private and may change in any version.
Nothing heavy is imported until it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tengen.api import analyse, book, game, match, player, read, review, rows, solve, thermograph, write
    from tengen.core import errors
    from tengen.core.game import Game, Move
    from tengen.core.outcome import Outcome
    from tengen.core.position import Position
    from tengen.games.records import Record
    from tengen.players.config import EngineConfig
    from tengen.players.player import Player
    from tengen.search.limits import Limits
    from tengen.search.report import Report, Value

__version__ = "0.2.0"

__all__ = [
    "EngineConfig",
    "Game",
    "Limits",
    "Move",
    "Outcome",
    "Player",
    "Position",
    "Record",
    "Report",
    "Value",
    "__version__",
    "analyse",
    "book",
    "errors",
    "game",
    "match",
    "player",
    "read",
    "review",
    "rows",
    "solve",
    "thermograph",
    "write",
]

_HOMES = {
    "EngineConfig": "tengen.players.config",
    "Game": "tengen.core.game",
    "Limits": "tengen.search.limits",
    "Move": "tengen.core.game",
    "Outcome": "tengen.core.outcome",
    "Player": "tengen.players.player",
    "Position": "tengen.core.position",
    "Record": "tengen.games.records",
    "Report": "tengen.search.report",
    "Value": "tengen.search.report",
    "errors": "tengen.core",
    "game": "tengen.games",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'tengen' has no attribute {name!r}")
    if name == "errors":
        return import_module("tengen.core.errors")
    return getattr(import_module(_HOMES.get(name, "tengen.api")), name)


def __dir__() -> list[str]:
    return __all__
