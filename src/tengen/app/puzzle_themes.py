"""What a puzzle is about: ladder, net, snapback, eye shape, capturing race, edge, parity, double threat, …

Themes are detected from the position, the task and the moves that are known to be right. In Go, the line that
follows the solution is played with the tactical reader; everything else follows from the rules. `detect_themes`
may load compiled code: call it where puzzles are made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, cast

from tengen import games
from tengen.app.move_reasons import move_reasons
from tengen.core.diagram import Point, Stone, connected, neighbours
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.core.translation import mark
from tengen.games.go import Go
from tengen.games.othello import Othello
from tengen.games.pente import Pente
from tengen.store.puzzles import Puzzle

if TYPE_CHECKING:
    from tengen.engines.go.reading.tactics import TacticalReader

THEMES = {
    "capture": mark("capture"),
    "ladder": mark("ladder"),
    "net": mark("net"),
    "snapback": mark("snapback"),
    "throw-in": mark("throw-in"),
    "life": mark("life and death"),
    "eye-shape": mark("eye shape"),
    "race": mark("capturing race"),
    "ko": mark("ko"),
    "save": mark("stones in danger"),
    "connection": mark("connection"),
    "atari": mark("atari"),
    "group": mark("life of groups"),
    "corner": mark("corner"),
    "edge": mark("edge"),
    "mobility": mark("mobility"),
    "parity": mark("parity"),
    "row": mark("row"),
    "double-threat": mark("double threat"),
    "split": mark("parts of the board"),
}
"""Names by theme, translated where they are shown."""

LADDER_ATARIS = 2  # that follow each other, for a ladder
MAX_LINE = 16


def theme_names(themes: Iterable[str]) -> str:
    """Themes in words, in the current language."""
    return ", ".join(_(THEMES[one]) for one in themes if one in THEMES)


def detect_themes(puzzle: Puzzle) -> tuple[str, ...]:
    """The themes of a puzzle, in the order of `THEMES`."""
    game = games.game(puzzle.game, **dict(puzzle.options))
    position = game.start().play_all(puzzle.moves)
    found = {reason.theme for move in puzzle.right for reason in move_reasons(position, move)}
    if puzzle.game in _DETECTORS:
        found |= set(_DETECTORS[puzzle.game](puzzle, position))
    return tuple(theme for theme in THEMES if theme in found)


def _edges(puzzle: Puzzle, position: Position) -> Iterator[str]:
    """Othello: a solution on the edge, but not in a corner."""
    last = len(position.diagram().columns) - 1
    for move in puzzle.right:
        for column, row in position.game.points(position.game.read_move(move, position)):
            if {column, row} & {0, last} and not {column, row} <= {0, last}:
                yield "edge"


def _double_threats(puzzle: Puzzle, position: Position) -> Iterator[str]:
    """Pente: after the solution there are at least two ways to win at once."""
    for move in puzzle.right:
        after = position.play(move)
        if after.is_over:
            continue
        reply = next((one for one in after.legal_moves if not after.play(one).is_over), None)
        if reply is None:
            continue
        # A pass is not allowed: what wins after a reply that changes nothing is found by trying two replies.
        wins = _wins(after.play(reply))
        others = [one for one in after.legal_moves if one not in wins and one != reply]
        if len(wins) > 1 and others and len(_wins(after.play(others[-1]))) > 1:
            yield "double-threat"


def _wins(position: Position) -> list[int]:
    return [
        move
        for move in position.legal_moves
        if (end := position.play(move)).is_over and end.outcome and end.outcome.winner == position.to_move
    ]


# ---- Go


def _go_themes(puzzle: Puzzle, position: Position) -> Iterator[str]:
    """Themes of a problem with marked stones; without them, what the solution captures."""
    if any("ko" in one.reason.split() for one in puzzle.report.candidates):
        yield "ko"
    if not puzzle.marked:
        return
    target = puzzle.marked[0]
    colour = position.diagram().contents()[target]
    own = int(colour) - 1 == position.to_move
    if puzzle.kind == "go-race":
        yield "race"
    elif puzzle.kind == "go-connection":
        yield "connection"
    elif puzzle.kind != "go-capture":
        yield "life"
        if _vital_points(position, puzzle) and puzzle.kind == "go-life":
            yield "eye-shape"
    for move in puzzle.right:
        if _is_throw_in(position, move):
            yield "throw-in"
        if not own and puzzle.kind == "go-capture":
            yield from _capture_themes(position, move, target)


def _vital_points(position: Position, puzzle: Puzzle) -> bool:
    """Whether the solution lies inside: beside the marked stones' colour or empty points only."""
    contents = position.diagram().contents()
    owner = contents[puzzle.marked[0]]
    for move in puzzle.right:
        for point in position.game.points(position.game.read_move(move, position)):
            beside = [contents[one] for one in neighbours(point) if one in contents]
            if all(stone in (owner, Stone.EMPTY) for stone in beside):
                return True
    return False


def _is_throw_in(position: Position, move: str) -> bool:
    """Whether the move puts a lone stone into atari, without capturing anything."""
    after = position.play(move)
    contents, before = after.diagram().contents(), position.diagram().contents()
    points = position.game.points(position.game.read_move(move, position))
    if not points or sum(map(bool, contents.values())) <= sum(map(bool, before.values())):
        return False
    string = _string(contents, points[0])
    return len(string) == 1 and len(_liberties(contents, string)) == 1


def _capture_themes(position: Position, move: str, target: Point) -> Iterator[str]:
    """Ladder, net or snapback: how the marked stones are captured after the solution."""
    from tengen.engines.go.board import geometry_for_size
    from tengen.engines.go.reading.tactics import TacticalReader

    game = cast(Go, position.game)
    reader = TacticalReader(geometry_for_size(game.width, game.height))
    contents = position.diagram().contents()
    first = game.points(game.read_move(move, position))[0]
    string = _string(contents, target)
    yield "capture"
    after = position.play(move)
    then = after.diagram().contents()
    if _is_throw_in(position, move):
        (liberty,) = _liberties(then, _string(then, first))
        taken = after.play(game.write_move(game.point(liberty))) if _can_play(after, liberty) else None
        if taken is not None and not taken.diagram().contents()[first]:
            ending = taken.diagram().contents()
            if ending[target] and len(_liberties(ending, _string(ending, target))) == 1:
                yield "snapback"
                return
    if first not in _liberties(contents, string):
        yield "net"
        return
    if _atari_count(after, target, reader) >= LADDER_ATARIS:
        yield "ladder"


def _can_play(position: Position, point: Point) -> bool:
    return position.game.point(point) in position.legal_moves  # type: ignore[attr-defined]


def _atari_count(after: Position, target: Point, reader: TacticalReader) -> int:
    """How many moves in a row put the string into atari while it runs, this one included."""
    game, position, count = cast(Go, after.game), after, 0
    for _step in range(MAX_LINE):
        contents = position.diagram().contents()
        if not contents[target]:
            break
        liberties = _liberties(contents, _string(contents, target))
        if len(liberties) != 1:
            break
        count += 1
        (run,) = liberties
        if not _can_play(position, run):
            break
        position = position.play(game.point(run))
        contents = position.diagram().contents()
        if len(_liberties(contents, _string(contents, target))) != 2:
            break
        reader.load(position)
        answer = reader.attack(reader.geometry.point(target)).move
        stride = reader.geometry.stride
        point = (answer % stride - 1, answer // stride - 1)
        if not answer or not _can_play(position, point):
            break
        position = position.play(game.point(point))
    return count


def _string(contents: dict[Point, Stone], point: Point) -> set[Point]:
    return set(connected(point, {one for one, stone in contents.items() if stone is contents[point]}))


def _liberties(contents: dict[Point, Stone], string: set[Point]) -> set[Point]:
    return {beside for one in string for beside in neighbours(one) if contents.get(beside) is Stone.EMPTY}


_DETECTORS: dict[str, Callable[[Puzzle, Position], Iterator[str]]] = {
    Go.name: _go_themes,
    Othello.name: _edges,
    Pente.name: _double_threats,
}
