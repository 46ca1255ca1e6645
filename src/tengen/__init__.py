"""Tengen: play, analyse and solve abstract board games.

    >>> import tengen
    >>> position = tengen.game("othello").start().play("f5")
    >>> position.write_moves(position.legal_moves)
    ['d6', 'f4', 'f6']

Nothing heavy is imported until it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tengen.games import game as game

__version__ = "0.2.0"
__all__ = ["__version__", "game"]


def __getattr__(name: str) -> Any:
    if name == "game":
        from tengen.games import game

        return game
    raise AttributeError(f"module 'tengen' has no attribute {name!r}")
