"""Small boards of the rulesets of sums, and their outcomes by plain minimax on the checker's rules."""

from __future__ import annotations

import functools
import itertools

from tengen.engines.sums.checker import GAMES, SYMBOLS, parse_position


@functools.cache
def minimax(position: str, mover: str) -> bool:
    """Whether the player to move wins, by the checker's rules, without parts and values."""
    is_impartial, game, cells = parse_position(position)
    name, other = position.partition(":")[0], "O" if mover == "X" else "X"
    width = max(c for _, c in cells) + 1
    for me in "XO" if is_impartial else mover:
        for after in GAMES[game](cells, me):
            text = "".join(after[place] for place in sorted(after))
            board = "/".join(text[at : at + width] for at in range(0, len(text), width))
            if not minimax(f"{name}:{board}", other):
                return True
    return False


def boards(name: str, rows: int, columns: int) -> list[str]:
    symbols = SYMBOLS.get(name.removeprefix("impartial "), ".XO#")
    texts = itertools.product(symbols, repeat=rows * columns)
    return ["/".join("".join(text[r * columns : (r + 1) * columns]) for r in range(rows)) for text in texts]


def outcome_by_minimax(position: str) -> str:
    wins = minimax(position, "X"), minimax(position, "O")
    return {(True, True): "N", (True, False): "L", (False, True): "R", (False, False): "P"}[wins]
