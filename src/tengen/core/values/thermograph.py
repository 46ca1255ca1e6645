"""Thermographs: exact computation and drawing."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from tengen.core.values.game_value import GameValue

Wall = tuple[tuple[Fraction, Fraction], ...]  # (tax, value), tax rising from -1; constant above the last

_FLOOR = Fraction(-1)


@dataclass(frozen=True)
class Thermograph:
    """Left and right walls as functions of the tax t >= -1; they meet at the temperature and continue as the
    mast.
    """

    left: Wall
    right: Wall

    @property
    def temperature(self) -> Fraction:
        """The smallest tax from which on the walls coincide: -1 for integers, >= 0 for hot games and
        infinitesimals.
        """
        return max(self.left[-1][0], self.right[-1][0])

    @property
    def mean(self) -> Fraction:
        return self.left[-1][1]

    def svg(self) -> str:
        """The conventional drawing: tax upwards, Left's values to the left."""
        return draw(self)

    def _repr_svg_(self) -> str:
        return self.svg()


def at(wall: Wall, tax: Fraction) -> Fraction:
    """The value of a wall at a tax."""
    for (t0, x0), (t1, x1) in pairwise(wall):
        if tax <= t1:
            return x0 + (x1 - x0) * (tax - t0) / (t1 - t0)
    return wall[-1][1]


def thermograph(value: GameValue) -> Thermograph:
    """The thermograph of a value."""
    known: dict[int, Thermograph] = {}
    for form in value.positions():
        game = value.values.from_form(form)
        lefts = [known[option.form].right for option in game.left_options]
        rights = [known[option.form].left for option in game.right_options]
        known[form] = _cooled(lefts, rights, game)
    return known[value.form]


def _cooled(lefts: list[Wall], rights: list[Wall], game: GameValue) -> Thermograph:
    from tengen.core.values.notation import number_of

    if not lefts or not rights:
        whole = number_of(game)
        if whole is None:  # a game in which only one player can move is an integer
            raise AssertionError("a canonical form with options on one side is an integer")
        mast: Wall = ((_FLOOR, whole),)
        return Thermograph(mast, mast)
    left = _best([_taxed(wall, -1) for wall in lefts], largest=True)
    right = _best([_taxed(wall, 1) for wall in rights], largest=False)
    meeting = _meeting(left, right)
    mean = at(left, meeting)
    return Thermograph(_cut(left, meeting, mean), _cut(right, meeting, mean))


def _taxed(wall: Wall, sign: int) -> Wall:
    """The wall shifted by the tax, up to a tax at which all walls have met."""
    end = max(wall[-1][0], Fraction(0)) + 2 * max(abs(x) for _, x in wall) + 1000
    return (*((t, x + sign * t) for t, x in wall), (end, wall[-1][1] + sign * end))


def _best(walls: list[Wall], *, largest: bool) -> Wall:
    """The maximum or minimum of several walls, with all corners."""
    best = walls[0]
    for wall in walls[1:]:
        taxes = sorted({t for t, _ in best} | {t for t, _ in wall})
        corners: list[Fraction] = []
        for t0, t1 in pairwise(taxes):
            corners.append(t0)
            d0, d1 = at(best, t0) - at(wall, t0), at(best, t1) - at(wall, t1)
            if d0 * d1 < 0:
                corners.append(t0 + (t1 - t0) * d0 / (d0 - d1))
        corners.append(taxes[-1])
        choose = max if largest else min
        best = _straightened(tuple((t, choose(at(best, t), at(wall, t))) for t in corners))
    return best


def _straightened(wall: Wall) -> Wall:
    kept: list[tuple[Fraction, Fraction]] = []
    for t, x in wall:
        while len(kept) > 1 and (x - kept[-1][1]) * (t - kept[-2][0]) == (x - kept[-2][1]) * (t - kept[-1][0]):
            kept.pop()
        kept.append((t, x))
    return tuple(kept)


def _meeting(left: Wall, right: Wall) -> Fraction:
    """The smallest tax from which on Left's wall does not exceed Right's."""
    taxes = sorted({t for t, _ in left} | {t for t, _ in right})
    for t0, t1 in reversed(list(pairwise(taxes))):
        d0, d1 = at(left, t0) - at(right, t0), at(left, t1) - at(right, t1)
        if d0 > 0:
            return t0 + (t1 - t0) * d0 / (d0 - d1)
    return taxes[0]


def _cut(wall: Wall, tax: Fraction, mean: Fraction) -> Wall:
    return _straightened((*((t, x) for t, x in wall if t < tax), (tax, mean)))


def stops(value: GameValue) -> tuple[Fraction, Fraction]:
    """Left and Right stops: the numbers reached when Left or Right moves first and play ends at a number."""
    graph = thermograph(value)
    return at(graph.left, Fraction(0)), at(graph.right, Fraction(0))


def draw(graph: Thermograph, width: int = 320, height: int = 240) -> str:
    """A thermograph as SVG."""
    top = max(graph.temperature, Fraction(0)) + 1
    points = [x for wall in (graph.left, graph.right) for _, x in wall]
    low, high = min(points) - 1, max(points) + 1
    margin = 30

    def place(tax: Fraction, x: Fraction) -> str:
        across = margin + float((high - x) / (high - low)) * (width - 2 * margin)
        down = height - margin - float((tax + 1) / (top + 1)) * (height - 2 * margin)
        return f"{across:.1f},{down:.1f}"

    lines = []
    for wall, colour in ((graph.left, "#1f4e9c"), (graph.right, "#b3261e")):
        path = " ".join(place(t, x) for t, x in (*wall, (top, graph.mean)))
        lines.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
    for x in sorted({graph.mean, at(graph.left, Fraction(0)), at(graph.right, Fraction(0))}):
        across = place(_FLOOR, x).split(",")[0]
        lines.append(f'<text x="{across}" y="{height - 8}" text-anchor="middle" font-size="12">{x}</text>')
    zero = place(Fraction(0), low).split(",")[1]
    lines.append(f'<line x1="{margin}" y1="{zero}" x2="{width - margin}" y2="{zero}" stroke="#999"/>')
    title = f"<title>mean {graph.mean}, temperature {graph.temperature}</title>"
    box = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box}>{title}{"".join(lines)}</svg>'
