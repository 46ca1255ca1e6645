"""Reasons for a move, derived from the rules: captures, threats, mobility, parity, parts of the board.

Facts hold whatever the opponent does; the others are rules of thumb. They are cheap: no search is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import singledispatch

from tengen.core.diagram import Point, Stone, connected, neighbours
from tengen.core.errors import TengenError
from tengen.core.game import Game
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.core.translation import ngettext, translate
from tengen.games.clobber import Clobber, subgames
from tengen.games.go import Go
from tengen.games.othello import Othello
from tengen.games.pente import Pente

MAX_PARITY_EMPTIES = 16  # in Othello, parity matters near the end
FEW_MOVES = 4
FAR = 3  # steps, in Go
_AXES = ((1, 0), (0, 1), (1, 1), (1, -1))


@dataclass(frozen=True)
class Reason:
    """Something that speaks for or against a move. `is_fact` says that it follows from the rules.

    `is_read` says that it was found by reading ahead; then a fact is proved. `is_against` says that it speaks
    against the move. `theme` is what it is about, in one word, by which mistakes are counted; empty if it is
    nothing in particular.
    """

    text: str
    is_fact: bool = True
    theme: str = ""
    is_read: bool = False
    is_against: bool = False


def move_reasons(position: Position, move: str) -> tuple[Reason, ...]:
    """The reasons for a move; empty if there are none or the move is illegal."""
    game = position.game
    try:
        after = position.play(move)
    except TengenError:
        return ()
    if after.is_over and after.outcome is not None and not game.counts_dead_stones:
        return (Reason(_("ends the game: {result}").format(result=translate(game.write_outcome(after.outcome)))),)
    points = game.points(after.move) if after.move is not None else ()
    return tuple(_reasons(game, position, after, points[-1])) if points else ()


def supporting(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    """The reasons that speak for a move."""
    return tuple(reason for reason in reasons if not reason.is_against)


@singledispatch
def _reasons(game: Game, position: Position, after: Position, point: Point) -> Iterator[Reason]:
    """What the rules of a game say about a move to `point`."""
    return iter(())


def _opponent(position: Position) -> str:
    return _(position.game.players[1 - position.to_move])


# ---- Go


@_reasons.register
def _go(game: Go, position: Position, after: Position, point: Point) -> Iterator[Reason]:
    old, new = position.diagram().contents(), after.diagram().contents()
    own = Stone(position.to_move + 1)
    other = Stone.SECOND if own is Stone.FIRST else Stone.FIRST
    captured = sum(old[one] is other and new[one] is Stone.EMPTY for one in old)
    if captured:
        yield Reason(
            ngettext("captures {count} stone", "captures {count} stones", captured).format(count=captured),
            theme="capture",
        )
    if new[point] is not own:
        return
    string = _string(new, point)
    merged = [one for one in _strings_beside(old, point) if old[next(iter(one))] is own]
    saved = sum(len(one) for one in merged if len(_liberties(old, one)) == 1)
    if saved and len(_liberties(new, string)) > 1:
        yield Reason(
            ngettext("takes {count} stone out of atari", "takes {count} stones out of atari", saved).format(
                count=saved
            ),
            theme="save",
        )
    if len(merged) > 1:
        yield Reason(_("connects {count} strings").format(count=len(merged)), theme="connection")
    threatened = sum(
        len(one)
        for one in _strings_beside(new, point)
        if new[next(iter(one))] is other and len(_liberties(new, one)) == 1
    )
    if threatened:
        yield Reason(
            ngettext("puts {count} stone in atari", "puts {count} stones in atari", threatened).format(
                count=threatened
            ),
            theme="atari",
        )
    last = len(position.diagram().columns) - 1, len(position.diagram().rows) - 1
    if len(string) == 1 and any(one in (0, most) for one, most in zip(point, last, strict=True)):
        near = [one for one, stone in old.items() if stone and _distance(one, point) <= FAR]
        if not near:
            yield Reason(_("is on the edge of the board, far from other stones"), theme="edge", is_against=True)
    if len(_liberties(new, string)) == 1:
        yield Reason(
            ngettext(
                "leaves {count} own stone in atari", "leaves {count} own stones in atari", len(string)
            ).format(count=len(string)),
            theme="atari",
            is_against=True,
        )


def _distance(one: Point, other: Point) -> int:
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def _string(contents: dict[Point, Stone], point: Point) -> frozenset[Point]:
    return frozenset(connected(point, {one for one, stone in contents.items() if stone is contents[point]}))


def _strings_beside(contents: dict[Point, Stone], point: Point) -> set[frozenset[Point]]:
    beside = [one for one in neighbours(point) if contents.get(one, Stone.EMPTY) is not Stone.EMPTY]
    return {_string(contents, one) for one in beside}


def _liberties(contents: dict[Point, Stone], string: frozenset[Point]) -> set[Point]:
    return {beside for one in string for beside in neighbours(one) if contents.get(beside) is Stone.EMPTY}


# ---- Othello


@_reasons.register
def _othello(game: Othello, position: Position, after: Position, point: Point) -> Iterator[Reason]:
    diagram = position.diagram()
    last = len(diagram.columns) - 1
    corners = {(0, 0), (0, last), (last, 0), (last, last)}
    opponent = _opponent(position)
    if point in corners:
        yield Reason(_("takes a corner"), theme="corner")
    if after.to_move == position.to_move:
        yield Reason(_("{player} must pass").format(player=opponent), theme="mobility")
        return
    replies = [game.points(move)[-1] for move in after.legal_moves if game.points(move)]
    given = [one for one in replies if one in corners]
    had_before = {game.points(move)[-1] for move in position.legal_moves if game.points(move)}
    if given:
        names = ", ".join(f"{diagram.columns[column]}{diagram.rows[row]}" for column, row in sorted(given))
        text = _("lets {player} take the corner {corner}")
        yield Reason(text.format(player=opponent, corner=names), theme="corner", is_against=True)
    count = len(replies)
    if count <= FEW_MOVES:
        text = ngettext("leaves {player} only {count} move", "leaves {player} only {count} moves", count)
        yield Reason(text.format(player=opponent, count=count), theme="mobility")
    elif count > len(had_before):
        text = _("leaves {player} {count} moves, more than the {own} you had")
        yield Reason(text.format(player=opponent, count=count, own=len(had_before)), is_against=True)
    empty = {one for one, stone in diagram.contents().items() if stone is Stone.EMPTY}
    if len(empty) <= MAX_PARITY_EMPTIES:
        region = _region(empty, point)
        if len(region) % 2 and len(region) < len(empty):
            text = ngettext(
                "plays into an odd region of {count} square, where it may move last",
                "plays into an odd region of {count} squares, where it may move last",
                len(region),
            )
            yield Reason(text.format(count=len(region)), is_fact=False, theme="parity")


def _region(empty: set[Point], start: Point) -> set[Point]:
    """The empty squares connected with one, diagonals included."""
    found, waiting = {start}, [start]
    while waiting:
        column, row = waiting.pop()
        for beside in ((column + dx, row + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)):
            if beside in empty and beside not in found:
                found.add(beside)
                waiting.append(beside)
    return found


# ---- Pente


@_reasons.register
def _pente(game: Pente, position: Position, after: Position, point: Point) -> Iterator[Reason]:
    old, new = position.diagram().contents(), after.diagram().contents()
    own = new[point]
    if own is Stone.EMPTY:
        return
    other = Stone.SECOND if own is Stone.FIRST else Stone.FIRST
    opponent = _opponent(position)
    captured = sum(old[one] is other and new[one] is Stone.EMPTY for one in old)
    if captured:
        yield Reason(_("captures {count} stones").format(count=captured), theme="capture")
    row = game.row
    if _completes(old, point, other, row):
        yield Reason(_("stops {count} in a row").format(count=row), theme="row")
    elif len(_completing(old, point, other, row)) > 1:
        yield Reason(_("stops an open four") if row == 5 else _("stops a double threat"), theme="row")
    wins = _completing(new, point, own, row)
    if len(wins) > 1:
        yield Reason(_("makes an open four") if row == 5 else _("makes a double threat"), theme="row")
    elif wins:
        yield Reason(_("threatens {count} in a row").format(count=row), theme="row")
    elif _makes_open_three(new, point, own, row):
        yield Reason(_("makes an open three"), is_fact=False)
    if game.captures != "none":
        pairs = _pairs(new, point, other)
        if pairs:
            yield Reason(_("threatens to capture {count} stones").format(count=2 * pairs), theme="capture")
        exposed = sum(_is_exposed(new, point, axis, own, other) for axis in _AXES)
        if exposed:
            yield Reason(
                _("{player} can then capture {count} stones").format(player=opponent, count=2 * exposed),
                theme="capture",
                is_against=True,
            )


def _line(point: Point, axis: tuple[int, int], low: int, high: int) -> list[Point]:
    return [(point[0] + step * axis[0], point[1] + step * axis[1]) for step in range(low, high + 1)]


def _completes(contents: dict[Point, Stone], point: Point, stone: Stone, row: int) -> bool:
    """Whether a stone at a point would make a row."""
    for axis in _AXES:
        run = 1
        for way in (1, -1):
            step = way
            while contents.get((point[0] + step * axis[0], point[1] + step * axis[1])) is stone:
                run, step = run + 1, step + way
        if run >= row:
            return True
    return False


def _completing(contents: dict[Point, Stone], point: Point, stone: Stone, row: int) -> set[Point]:
    """With a stone at a point, the empty points on its lines that would then make a row."""
    placed = {**contents, point: stone}
    return {
        one
        for axis in _AXES
        for one in _line(point, axis, 1 - row, row - 1)
        if placed.get(one) is Stone.EMPTY and _completes(placed, one, stone, row)
    }


def _makes_open_three(contents: dict[Point, Stone], point: Point, stone: Stone, row: int) -> bool:
    """Whether one more stone on a line of a point would make two threats at once."""
    return any(
        len(_completing(contents, one, stone, row)) > 1
        for axis in _AXES
        for one in _line(point, axis, 2 - row, row - 2)
        if contents.get(one) is Stone.EMPTY
    )


def _pairs(contents: dict[Point, Stone], point: Point, other: Stone) -> int:
    """The pairs of the opponent beside a stone whose other end is empty."""
    found = 0
    for axis in _AXES:
        for way in (1, -1):
            places = _line(point, (way * axis[0], way * axis[1]), 1, 3)
            one, two, end = (contents.get(place) for place in places)
            found += one is other and two is other and end is Stone.EMPTY
    return found


def _is_exposed(
    contents: dict[Point, Stone], point: Point, axis: tuple[int, int], own: Stone, other: Stone
) -> bool:
    """Whether the stone forms a pair on this line that the opponent can capture."""
    for first in (-1, 0):
        before, one, two, behind = (contents.get(each) for each in _line(point, axis, first - 1, first + 2))
        if one is own and two is own and {before, behind} == {other, Stone.EMPTY}:
            return True
    return False


# ---- Clobber


@_reasons.register
def _clobber(game: Clobber, position: Position, after: Position, point: Point) -> Iterator[Reason]:
    parts, before = subgames(game.text(after)), subgames(game.text(position))
    if len(parts) > len(before):
        yield Reason(_("splits the board into {count} parts").format(count=len(parts)), theme="split")
    elif len(parts) < len(before):
        yield Reason(_("ends one part; {count} are left").format(count=len(parts)))
    count, had = len(after.legal_moves), len(position.legal_moves)
    if count <= FEW_MOVES:
        text = ngettext("leaves {player} only {count} move", "leaves {player} only {count} moves", count)
        yield Reason(text.format(player=_opponent(position), count=count))
    elif count < had:
        yield Reason(
            _("leaves {player} {count} moves; you had {own}").format(
                player=_opponent(position), count=count, own=had
            )
        )
