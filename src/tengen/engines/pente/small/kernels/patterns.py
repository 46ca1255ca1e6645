"""Patterns of small boards, on all points at once: rows, captures, and who can no longer win.

A *run* is four points in a row, written as the bit of its first point; the two in the middle are captured by
stones at both ends.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import popcount
from tengen.core.compiled.kernel import inner
from tengen.engines.pente.small.board_tables import AXES

_0, _1, _2, _3 = (np.uint64(n) for n in range(4))


@inner
def row_points(work, own, enemy):
    """Points that make a row."""
    points = _0
    for i in range(work.line_count):
        gap = work.lines[i] & ~own
        if gap & (gap - _1) == _0 and gap & enemy == _0:
            points |= gap
    return points


@inner
def line_points(work, own, enemy, empty):
    """Empty points of lines that have three, two and one stones of this side, and none of the other."""
    three, two, one = _0, _0, _0
    for i in range(work.line_count):
        line = work.lines[i]
        if line & enemy == _0 and line & own != _0:
            gaps = line & empty
            missing = popcount(gaps)
            if missing == _2:
                three |= gaps
            elif missing == _3:
                two |= gaps
            else:
                one |= gaps
    return three, two, one


@inner
def capture_points(work, own, enemy, empty):
    """Points that capture at least one, two and three pairs."""
    one, two, three = _0, _0, _0
    for axis in range(AXES):
        step = work.steps[axis]
        end = step + step + step
        runs = (enemy >> step) & (enemy >> (step + step)) & work.starts[axis]
        for points in (runs & empty & (own >> end), ((runs & own) << end) & empty):
            three |= two & points
            two |= one & points
            one |= points
    return one, two, three


@inner
def winning_captures(work, points, pairs):
    """Of what `capture_points` found, the points that win. Captures of four or more pairs are not looked for."""
    one, two, three = points
    missing = work.goal - pairs
    if work.goal == 0 or missing > 3:
        return _0
    return one if missing == 1 else two if missing == 2 else three


@inner
def captured_by(work, stone, own, enemy):
    """Stones captured by a stone on a point, given as its bit."""
    captured = _0
    for axis in range(AXES):
        step = work.steps[axis]
        end = step + step + step
        runs = (enemy >> step) & (enemy >> (step + step)) & work.starts[axis]
        runs &= (stone & (own >> end)) | (own & (stone >> end))
        captured |= (runs << step) | (runs << (step + step))
    return captured


@inner
def threat_points(work, own, enemy, empty):
    """Points of which a stone exposes an own pair to capture, and points that threaten to capture a pair."""
    exposing, threatening = _0, _0
    for axis in range(AXES):
        step = work.steps[axis]
        two, end = step + step, step + step + step
        flanked = ((enemy & (empty >> end)) | (empty & (enemy >> end))) & work.starts[axis]
        exposing |= (flanked & (empty >> step) & (own >> two)) << step
        exposing |= (flanked & (own >> step) & (empty >> two)) << two
        open_runs = (enemy >> step) & (enemy >> two) & empty & (empty >> end) & work.starts[axis]
        threatening |= open_runs | (open_runs << end)
    return exposing, threatening


@inner
def cannot_win(work, own, enemy, empty, pairs, moves):
    """Whether a side that has captured `pairs` pairs can no longer win, whatever both sides do.

    A point can belong to a side if it does now, if it is empty, or if the other side's stone there can be
    captured. A run can be captured if its points can belong to the right sides, and a stone can be placed at one
    end. Both hold more often the more can be captured; so this starts with the present stones, and repeats until
    nothing is added. If the other side can capture nothing, no run is captured twice, because the capturing
    stones stay. If neither side can, `moves` are all that remain.
    """
    own_points, enemy_points, free = own | empty, enemy | empty, empty
    while True:
        captured, lost, own_runs, enemy_runs = _0, _0, _0, _0
        for axis in range(AXES):
            step = work.steps[axis]
            two, end = step + step, step + step + step
            playable = (free | (free >> end)) & work.starts[axis]
            runs = own_points & (enemy_points >> step) & (enemy_points >> two) & (own_points >> end) & playable
            captured |= (runs << step) | (runs << two)
            own_runs += popcount(runs)
            runs = enemy_points & (own_points >> step) & (own_points >> two) & (enemy_points >> end) & playable
            lost |= (runs << step) | (runs << two)
            enemy_runs += popcount(runs)
        captured &= enemy
        lost &= own
        if (captured | lost) & ~free == _0:
            break
        own_points |= captured
        enemy_points |= lost
        free |= captured | lost
    if own_runs != _0 and (enemy_runs != _0 or pairs + np.int64(own_runs) >= work.goal):
        return False
    is_final = own_runs | enemy_runs == _0
    for i in range(work.line_count):
        line = work.lines[i]
        if line & ~own_points == _0 and not (is_final and popcount(line & empty) > moves):
            return False
    return True
