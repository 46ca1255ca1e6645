"""Every figure of the classic player: the tunables, and how they are laid out for its kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tengen.search.tunables import JUDGEMENT, VISION, Tunable

ORIGINAL, MULTI_THREAT, FUKUMI = 0, 1, 2
"""The orders of candidates."""
NO_FILTER, BEST_AND_WORST, THRESHOLD = 0, 1, 2
"""The ways to leave out the rest of a node's moves."""

TUNABLES: tuple[Tunable, ...] = (
    # the utility
    Tunable("divide", False, 0, 1, "divide one side's score by the other's instead of subtracting"),
    Tunable("line", 35, 1, 100, "how much more a window is worth for each stone more in it"),
    Tunable("enclosed", 400, 0, 100_000, "worth of a four between two enemy stones"),
    Tunable("capture", 300, 0, 100_000, "worth of a captured stone more than the other side's: 200, 300 or 400"),
    Tunable("take", 80, 0, 100_000, "worth of a run that can be taken at once"),
    Tunable("threat", 20, 0, 100_000, "worth of an enemy run that is open at both ends"),
    Tunable("scale0", 1, 0, 100, "factor of captures, takes and threats with level captures"),
    Tunable("scale1", 1, 0, 100, "and with one pair more or less"),
    Tunable("scale2", 1, 0, 100, "with two pairs"),
    Tunable("scale3", 2, 0, 100, "with three pairs"),
    Tunable("scale4", 4, 0, 100, "with four pairs"),
    Tunable("scale5", 8, 0, 100, "with five pairs or more"),
    Tunable("chequer", 35, 0, 100_000, "worth of all stones standing on one colour of a chequered board"),
    Tunable("early", 10, 0, 1000, "before this move a score is multiplied by the side's stones"),
    Tunable("initiative", 45, 1, 1000, "factor of the side to move"),
    # which moves are looked at
    Tunable("width", 9, 1, 100, "moves looked at in each position"),
    Tunable("choke", 4, 1, 100, "from this ply on (the root's moves are ply 1) fewer are"),
    Tunable("choked", 5, 1, 100, "how many then"),
    Tunable("order", ORIGINAL, 0, 2, "0 the original order, 1 multiple threats first, 2 Fukumi order"),
    Tunable("captors", True, 0, 1, "answer fours only by takes that break them, not by any take"),
    Tunable("presort", True, 0, 1, "sort the root's moves by the utility after each, then search the best"),
    Tunable("start", 20, 1, 361, "moves of the root that are so sorted"),
    Tunable("closeness", False, 0, 1, "look at more moves after close positions than after others"),
    Tunable(
        "close_ratio",
        100,
        1,
        100_000,
        "a position is close if the larger score is less than so many times the other",
    ),
    Tunable("close_width", 19, 1, 100, "moves looked at after a close position"),
    Tunable("far_width", 10, 1, 100, "and after another one"),
    # how deep
    Tunable("by_level", False, 0, 1, "search each level of candidates to a depth of its own"),
    Tunable("fours", 4, -20, 20, "plies that fours are searched beyond the depth"),
    Tunable("takes", 4, -20, 20, "the same for takes"),
    Tunable("threes", 0, -20, 20, "for threes"),
    Tunable("threats", 4, -20, 20, "for threats to take"),
    Tunable("twos", -4, -20, 20, "for twos: so many plies less"),
    Tunable("ones", -5, -20, 20, "for ones"),
    Tunable("budget", False, 0, 1, "split a number of leaves among the moves instead of searching to a depth"),
    Tunable("leaves", 20_000, 1, 1_000_000_000, "that number"),
    # what is remembered, and what is left out
    Tunable("killer", True, 0, 1, "the move that cut at this ply last comes first"),
    Tunable("history", True, 0, 1, "of equal candidates, the one that cut more often comes first"),
    Tunable("table", 16, 1, 65536, "megabytes for the transposition table", megabytes=True),
    Tunable("table_from", 2, 0, 100, "positions from this ply on are kept in the table"),
    Tunable("table_left", 1, 0, 100, "and if so many plies are left to search"),
    Tunable(
        "filter",
        NO_FILTER,
        0,
        2,
        "leave out the rest of the moves after a bad one: 1 by best and worst, 2 by threshold",
    ),
    Tunable("threshold", 0.01, -10.0, 1.0, "how bad that is, up to 1 (not the best); 2 never filters at 0"),
    Tunable("exp_base", 1.0001, 1.0, 2.0, "base of the threshold's powers"),
    Tunable("resist", True, 0, 1, "in a lost position leave the fewest replies that win"),
)
WEAKNESSES: tuple[Tunable, ...] = (VISION, JUDGEMENT)

# Of the kernels' array of whole numbers: the tunables by name, then what the search adds.
_WHOLE = [tunable.name for tunable in (*TUNABLES, *WEAKNESSES) if not isinstance(tunable.default, float)]
_REAL = ["threshold", "exp_base"]
AT = {name: index for index, name in enumerate(_WHOLE)}
GENOME_SIZE = len(_WHOLE)


def genome(settings: Mapping[str, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The settings as kernels take them: int64[GENOME_SIZE], and float64[2] with the threshold and its base."""
    return (
        np.array([int(settings[name]) for name in _WHOLE], np.int64),
        np.array([settings[name] for name in _REAL], np.float64),
    )


def defaults(**changes: Any) -> dict[str, Any]:
    """The defaults of all tunables and weaknesses, with some changes."""
    return {tunable.name: tunable.default for tunable in (*TUNABLES, *WEAKNESSES)} | changes
