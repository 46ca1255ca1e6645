"""All settings of the classic player, and their layout for the kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tengen.core.compiled.records import record_type
from tengen.core.translation import mark
from tengen.search.tunables import JUDGEMENT, VISION, Tunable

ORIGINAL, MULTI_THREAT, FUKUMI = 0, 1, 2
"""Orders of candidates."""
NO_FILTER, BEST_AND_WORST, THRESHOLD = 0, 1, 2
"""Filters that prune the rest of a node's moves."""

TUNABLES: tuple[Tunable, ...] = (
    # the utility
    Tunable("divide", False, 0, 1, mark("divide one side's score by the other's instead of subtracting")),
    Tunable("line", 35, 1, 100, mark("factor of a window's value for each additional stone in it")),
    Tunable("enclosed", 400, 0, 100_000, mark("value of a four between two enemy stones")),
    Tunable(
        "capture",
        300,
        0,
        100_000,
        mark("value of each captured stone in excess of the other side's: 200, 300 or 400"),
    ),
    Tunable("take", 80, 0, 100_000, mark("value of a run that can be captured immediately")),
    Tunable("threat", 20, 0, 100_000, mark("value of an enemy run with both ends open; 40 is 20 for each end")),
    Tunable("scale0", 1, 0, 100, mark("factor of captures, takes and threats when captures are equal")),
    Tunable("scale1", 1, 0, 100, mark("the same with a difference of one pair")),
    Tunable("scale2", 1, 0, 100, mark("the same with two pairs")),
    Tunable("scale3", 2, 0, 100, mark("the same with three pairs")),
    Tunable("scale4", 4, 0, 100, mark("the same with four pairs")),
    Tunable("scale5", 8, 0, 100, mark("the same with five pairs or more")),
    Tunable(
        "chequer", 35, 0, 100_000, mark("value of having all stones on squares of one shade of a chequered board")
    ),
    Tunable(
        "early", 10, 0, 1000, mark("before this move a score is multiplied by the number of the side's stones")
    ),
    Tunable("initiative", 45, 1, 1000, mark("factor of the side to move")),
    # move generation
    Tunable("width", 9, 1, 100, mark("moves searched per node")),
    Tunable(
        "choke_ply",
        4,
        1,
        100,
        mark("from this ply on (root moves are ply 1) fewer moves are searched"),
        former_names=("choke",),
    ),
    Tunable(
        "choked_width", 5, 1, 100, mark("moves searched per node from the choke ply on"), former_names=("choked",)
    ),
    Tunable("order", ORIGINAL, 0, 2, mark("0 the original order, 1 multiple threats first, 2 Fukumi order")),
    Tunable("captors", True, 0, 1, mark("answer fours only by captures that break them")),
    Tunable("presort", True, 0, 1, mark("sort root moves by the utility after each, and search the best")),
    Tunable("presort_width", 20, 1, 361, mark("root moves sorted by presort"), former_names=("start",)),
    Tunable("closeness", False, 0, 1, mark("search more moves after close positions than after others")),
    Tunable(
        "close_ratio",
        100,
        1,
        100_000,
        mark("a position is close if the larger score is less than this many times the other"),
    ),
    Tunable("close_width", 19, 1, 100, mark("moves searched after a close position")),
    Tunable("far_width", 10, 1, 100, mark("moves searched after other positions")),
    # depth
    Tunable("by_level", False, 0, 1, mark("search each level of candidates to its own depth")),
    Tunable("fours", 4, -20, 20, mark("additional plies for fours")),
    Tunable("takes", 4, -20, 20, mark("additional plies for takes")),
    Tunable("threes", 0, -20, 20, mark("additional plies for threes")),
    Tunable("threats", 4, -20, 20, mark("additional plies for threats to capture")),
    Tunable("twos", -4, -20, 20, mark("additional plies for twos")),
    Tunable("ones", -5, -20, 20, mark("additional plies for ones")),
    Tunable(
        "budget", False, 0, 1, mark("split a budget of leaves among the moves instead of searching to a depth")
    ),
    Tunable("leaves", 20_000, 1, 1_000_000_000, mark("leaf budget")),
    # memory and pruning
    Tunable("killer", True, 0, 1, mark("try the move that last caused a cutoff at this ply first")),
    Tunable("history", True, 0, 1, mark("of equal candidates, try the one with more cutoffs first")),
    Tunable("table", 16, 1, 65536, mark("megabytes for the transposition table"), megabytes=True),
    Tunable("table_from", 2, 0, 100, mark("first ply whose positions are stored in the table")),
    Tunable("table_left", 1, 0, 100, mark("remaining depth required to store a position")),
    Tunable(
        "filter",
        NO_FILTER,
        0,
        2,
        mark("prune the remaining moves after a bad one: 1 by best and worst, 2 by threshold"),
    ),
    Tunable(
        "threshold",
        0.01,
        -10.0,
        1.0,
        mark("value below which a move is bad, up to 1 (any move but the best); filter 2 never prunes at 0"),
    ),
    Tunable("exp_base", 1.0001, 1.0, 2.0, mark("base of the exponential in filter 2")),
    Tunable("resist", True, 0, 1, mark("in a lost position, leave the fewest winning replies")),
)
WEAKNESSES: tuple[Tunable, ...] = (VISION, JUDGEMENT)

_SCALES = tuple(f"scale{pairs}" for pairs in range(6))
_LEVEL_DEPTHS = ("ones", "twos", "threats", "threes", "takes", "fours")
_FIELDS = {  # every NumPy record has a method `take`
    tunable.name: "take_value" if tunable.name == "take" else tunable.name
    for tunable in (*TUNABLES, *WEAKNESSES)
    if tunable.name not in (*_SCALES, *_LEVEL_DEPTHS)
}
_REAL = ("threshold", "exp_base")

SETTINGS = record_type(
    *((field, np.float64 if name in _REAL else np.int64) for name, field in _FIELDS.items()),
    ("scale", np.int64, (len(_SCALES),)),  # by the difference of captured pairs
    ("additional_plies", np.int64, (len(_LEVEL_DEPTHS),)),  # by level
    ("vision_seed", np.uint64),
    ("judgement_seed", np.uint64),
)


def settings_record(settings: Mapping[str, Any]) -> np.ndarray[Any, Any]:
    """Settings as kernels take them: an array of one SETTINGS record."""
    records = np.zeros(1, SETTINGS)
    for name, field in _FIELDS.items():
        records[field] = settings[name]
    records["scale"] = [settings[name] for name in _SCALES]
    records["additional_plies"] = [settings[name] for name in _LEVEL_DEPTHS]
    return records


def defaults(**changes: Any) -> dict[str, Any]:
    """Defaults of all tunables and weaknesses, with some changes."""
    return {tunable.name: tunable.default for tunable in (*TUNABLES, *WEAKNESSES)} | changes
