"""Repetitions in boards as text: `(XO)^3` is XOXOXO."""

from __future__ import annotations

import re

from tengen.core.errors import PositionError

_REPEAT = re.compile(r"\(([XOxo.#_-]++)\)\s*+(?:[\^*]\s*+)?+([0-9]++)")
_WRONG_COUNT = re.compile(r"\)\s*+[\^*]?\s*+(-[0-9]++|[0-9]*+\.[0-9]++|[^0-9\s]\S*+)?")
MAX_QUOTED = 40


def expand_repeats(text: str, max_cells: int) -> str:
    """Write out repetitions: `(XO)^3` is XOXOXO. Raises `PositionError`."""
    room = 2 * max_cells  # remaining cells that repetitions may add, including separators

    def repeated(match: re.Match[str]) -> str:
        nonlocal room
        count = int(match[2]) if len(match[2]) < 10 else 2 * max_cells + 1
        room -= len(match[1]) * count
        if room < 0 or len(match[1]) * count > max_cells:
            raise PositionError(f"a board has at most {max_cells} cells, with {_quoted(match[0])} it has more")
        return match[1] * count

    written = _REPEAT.sub(repeated, text)
    wrong = _WRONG_COUNT.search(written)
    if wrong is not None:
        if wrong[1] and wrong[1][0] == "-":
            raise PositionError(f"a repetition count is a whole number of at least 0, not {wrong[1]}")
        raise PositionError(f"repetitions are written as (XO)^3; {_quoted(text)} cannot be read")
    if "(" in written:
        raise PositionError(f"a bracket is not closed in {_quoted(text)}; repetitions are written as (XO)^3")
    return written


def _quoted(text: str) -> str:
    return repr(text if len(text) <= MAX_QUOTED else f"{text[:MAX_QUOTED]}…")
