"""Linear Clobber by plain minimax on strings: nothing but the rules."""

from __future__ import annotations

from functools import cache


def moves(strip: str, mover: str) -> list[str]:
    """The strips after each move."""
    pairs = (("XO", ".X"), ("OX", "X.")) if mover == "X" else (("OX", ".O"), ("XO", "O."))
    return [
        strip[:place] + after + strip[place + 2 :]
        for place in range(len(strip) - 1)
        for before, after in pairs
        if strip[place : place + 2] == before
    ]


@cache
def mover_wins(strip: str, mover: str) -> bool:
    """Who cannot move loses."""
    other = "O" if mover == "X" else "X"
    return any(not mover_wins(after, other) for after in moves(strip, mover))


def outcome(strip: str) -> str:
    return {(True, True): "N", (True, False): "L", (False, True): "R", (False, False): "P"}[
        mover_wins(strip, "X"), mover_wins(strip, "O")
    ]
