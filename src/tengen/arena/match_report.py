"""What a page shows about a match: headline figures, tables and plots, also while it is played."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape

import numpy as np

from tengen.arena import plots
from tengen.arena.match_score import MatchScore
from tengen.arena.statistics import POINTS, Sprt, elo_of, interval, normalized_elo, score, superiority
from tengen.core.translation import mark

Figures = list[tuple[str, str]]
Sections = list[tuple[str, str]]

PAIR_NAMES = ("0", "½", "1", "1½", "2")
_CURVE_POINTS = 80
_MAX_ELO = 1200.0  # of a curve, where every game was won
_MIN_CURVE_PAIRS = 4  # before that, an error band is as wide as the plot


def figures(played: MatchScore) -> Figures:
    """The headline numbers of a match."""
    counts = played.counts()
    mean = float(score(counts))
    found: Figures = [(mark("score"), f"{100 * mean:.1f} %")]
    low, high = (float(end) for end in interval(counts))
    found.append((mark("Elo"), difference(elo_of(mean), elo_of(low), elo_of(high))))
    found.append((mark("normalised Elo"), difference(*normalized_elo(counts))))
    found.append((mark("likelihood of superiority"), f"{100 * superiority(counts):.1f} %"))
    if played.sprt is not None:
        lower, upper = played.sprt.bounds
        found.append((mark("LLR"), f"{float(played.sprt.ratio(counts)):+.2f} ({lower:.2f}, {upper:.2f})"))
    return found


def difference(middle: float, low: float, high: float) -> str:
    """`+38 (+12, +65)`."""
    return f"{signed(middle)} ({signed(low)}, {signed(high)})"


def signed(elo: float) -> str:
    return f"{round(elo):+d}" if math.isfinite(elo) else "+∞" if elo > 0 else "−∞"


def sections(played: MatchScore) -> Sections:
    """The tables and plots of a match: heading and HTML."""
    counts = played.counts()
    points = played.pair_points()
    found: Sections = [(mark("Result"), result_table(played))]
    if played.sprt is not None:
        found.append((mark("Log-likelihood ratio"), ratio_curve({"": points}, played.sprt, played.sprt.bounds)))
    found.append((mark("Elo over the games"), elo_curve({"": points})))
    pairs = dict(zip(PAIR_NAMES, counts, strict=True))
    found.append((mark("Pairs by points"), plots.columns(pairs, f"pairs by the points of {played.names[0]}")))
    if faults := played.faults():
        found.append((mark("Lost by a fault"), "".join(f"<p>{escape(fault)}</p>" for fault in faults)))
    return found


def result_table(played: MatchScore) -> str:
    """Both players' results, as in the terminal."""
    table = played.table()
    heads = [str(column.header) for column in table.columns]
    rows = [
        [str(cell) for cell in cells] for cells in zip(*(column.cells for column in table.columns), strict=True)
    ]
    return plots.html_table(("", *heads), [("", *row) for row in rows])


def cumulative_counts(points: Sequence[float]) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """The counts after each number of pairs: a row of five for each."""
    rows = np.zeros((len(points), len(POINTS)), np.int64)
    for row, one in enumerate(points):
        rows[row, round(2 * one)] = 1
    return rows.cumsum(axis=0)


def ratio_curve(series: dict[str, list[float]], sprt: Sprt, bounds: tuple[float, float]) -> str:
    """The log-likelihood ratio over the pairs, of one or several tests, with the bounds of a decision."""
    lines = {}
    for name, points in series.items():
        at = _places(len(points))
        counts = cumulative_counts(points)[at] if points else np.zeros((0, len(POINTS)))
        ratios: Iterable[float] = sprt.ratio(counts) if points else ()
        lines[name] = [plots.Point(0, 0.0)] + [
            plots.Point(int(place) + 1, float(ratio)) for place, ratio in zip(at, ratios, strict=True)
        ]
    lower, upper = bounds
    levels = {lower: f"Elo {sprt.elo0:g} accepted", upper: f"Elo {sprt.elo1:g} accepted"}
    return plots.lines(lines, "log-likelihood ratio over the pairs", levels=levels)


def elo_curve(series: dict[str, list[float]]) -> str:
    """The Elo difference over the games, with its error band."""
    lines = {}
    for name, points in series.items():
        at = [place for place in _places(len(points)) if place + 1 >= min(_MIN_CURVE_PAIRS, len(points))]
        counts = cumulative_counts(points)[at] if points else np.zeros((0, 5))
        lows, highs = interval(counts) if len(counts) else ([], [])
        line = []
        for place, low, high in zip(at, np.atleast_1d(lows), np.atleast_1d(highs), strict=True):
            ends = [max(-_MAX_ELO, min(_MAX_ELO, elo_of(float(end)))) for end in (low, high)]
            line.append(plots.Point(2 * int(place) + 2, sum(ends) / 2, (ends[1] - ends[0]) / 2))
        lines[name] = line
    return plots.lines(lines, "Elo over the games")


def _places(length: int) -> list[int]:
    """At most `_CURVE_POINTS` indices into a list of this length, the last one included."""
    if length <= _CURVE_POINTS:
        return list(range(length))
    return sorted({round((step + 1) * length / _CURVE_POINTS) - 1 for step in range(_CURVE_POINTS)})
