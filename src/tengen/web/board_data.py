"""Positions and engine overlays as JSON data for the board component."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from tengen.app.move_preview import Aim, positions_along
from tengen.app.puzzles import result_words
from tengen.app.value_display import short_value, write_candidate
from tengen.core import locale_format
from tengen.core.diagram import Point, Stone
from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.core.translation import translate
from tengen.games.go.territory import territory
from tengen.games.records import Node
from tengen.search.report import Candidate, Kind, Overlay, Report, Value
from tengen.store.puzzles import Puzzle

_SYMBOLS = {Stone.EMPTY: ".", Stone.FIRST: "X", Stone.SECOND: "O", Stone.NEUTRAL: "#"}
_SHAPES = {"triangle", "square", "circle", "cross"}
MAX_CANDIDATES = 12  # drawn on the board
MAX_LINE_MOVES = 16  # of a candidate's line, beside the board

BoardData = dict[str, Any]


def stone_letters(position: Position) -> str:
    """The stones row by row, one letter per point."""
    return "".join(_SYMBOLS[stone] for row in position.diagram().stones for stone in row)


def board_data(position: Position, *, playable: bool, node: Node | None = None) -> BoardData:
    """The board to draw. Legal moves are included only if it is `playable`."""
    diagram, game = position.diagram(), position.game
    moves = position.legal_moves if playable else ()
    return {
        "game": game.name,
        "title": game.title,
        "players": list(game.players),
        "kind": diagram.kind,
        "putsStones": game.moves_put_stones,
        "columns": list(diagram.columns),
        "rows": list(diagram.rows),
        "stones": stone_letters(position),
        "stars": sorted(diagram.stars),
        "last": sorted(diagram.marked),
        "lastText": "" if position.move is None else game.write_move(position.move),
        "ply": position.ply,
        "toMove": position.to_move,
        "moves": [[game.write_move(move), *game.points(move)] for move in moves if game.points(move)],
        "numbers": _numbers(position),
        "winning": [list(point) for point in game.winning_points(position)],
        "changed": _changed(position),
        "marks": [] if node is None else _marks(node),
    }


def puzzle_board(position: Position, marked: Sequence[Point], *, playable: bool = True) -> BoardData:
    """The board of a puzzle, with circles on the stones that its task is about."""
    marks = [{"c": column, "r": row, "shape": "circle", "text": ""} for column, row in marked]
    return {**board_data(position, playable=playable), "marks": marks}


def proof_overlay(position: Position, puzzle: Puzzle) -> dict[str, Any]:
    """The proved values on the points; arrows only for right moves, because others would mislead.

    In problems about marked stones, most points fail: only the right moves are shown.
    """
    report = puzzle.report
    if puzzle.marked:
        report = replace(report, candidates=tuple(one for one in report.candidates if one.move in puzzle.right))
    found = candidate_overlay(position, report)
    return {**found, "arrows": found["arrows"][: len(puzzle.right)]}


def _changed(position: Position) -> list[list[int]]:
    """The stones that the last move captured or flipped."""
    if position.parent is None or position.move is None:
        return []
    own = position.game.points(position.move)
    changes = position.parent.diagram().changes(position.diagram())
    return [list(change.point) for change in changes if change.before and change.point not in own]


def _numbers(position: Position) -> list[tuple[int, int, int]]:
    """The number of the latest move at each point."""
    found: dict[Point, int] = {}
    for place in position.line():
        if place.move is not None:
            points = place.game.points(place.move)
            if points:
                found[points[-1]] = place.ply
    return [(column, row, number) for (column, row), number in found.items()]


def _marks(node: Node) -> list[dict[str, Any]]:
    found = []
    for mark in node.marks:
        if len(mark.points) == 1 and (mark.text or mark.kind in _SHAPES):
            column, row = mark.points[0]
            found.append({"c": column, "r": row, "shape": mark.kind, "text": mark.text[:3]})
    return found


def aim_data(aim: Aim, point: Point) -> dict[str, Any]:
    """The effect of a move at a point, for the line below the board."""
    return {"point": point, "text": aim.text, "problem": aim.problem, "lost": sorted(aim.lost)}


def line_preview(position: Position, moves: Sequence[str]) -> dict[str, Any]:
    """The board after a line of moves, with their numbers."""
    line = positions_along(position, moves)
    numbers = {point: number for number, point in _last_points(line)}
    after = line[-1] if line else position
    return {"stones": stone_letters(after), "numbers": [(c, r, number) for (c, r), number in numbers.items()]}


def describe_ending(position: Position, move: str) -> str:
    """How the game ends if this move ends it; empty if it does not."""
    after, game = position.play(move), position.game
    if not after.is_over:
        return ""
    if game.can_remove_dead_stones:
        return _("Ends the game; dead stones are marked next.")
    assert after.outcome is not None
    result = translate(game.write_outcome(after.outcome)).partition(":")[0]
    return _("Ends the game now: {result}").format(result=result)


def ghost_stones(position: Position, moves: Sequence[str]) -> list[tuple[int, int, int, str]]:
    """The numbered stones of an expected line, drawn translucent."""
    line = positions_along(position, moves)
    players = [one.to_move for one in (position, *line)]
    found: dict[Point, tuple[int, str]] = {}
    for number, point in _last_points(line):
        found.setdefault(point, (players[number - 1], str(number)))
    return [(column, row, *what) for (column, row), what in found.items()]


def _last_points(line: Sequence[Position]) -> Iterator[tuple[int, Point]]:
    """The number of each move of a line, and the point where it ends; moves without a point are left out."""
    for number, after in enumerate(line, 1):
        assert after.move is not None
        for point in after.game.points(after.move)[-1:]:
            yield number, point


# ---- overlays


def dead_stone_overlay(position: Position, dead: Sequence[Point]) -> dict[str, Any]:
    """Dead stones and territory of an ended game."""
    owned = territory(position.diagram(), dead)
    heat = [
        (
            column,
            row,
            0.3 if owner == 0 else -0.3,
            _("territory of {player}").format(player=_(position.game.players[owner])),
        )
        for (column, row), owner in sorted(owned.items())
    ]
    return {"dead": list(dead), "heat": heat}


def is_proved_loss(value: Value) -> bool:
    """Whether a value proves a loss, which is drawn differently from a proved win."""
    return value.unit == "wins" and value.high is not None and value.high < 0


def candidate_overlay(position: Position, report: Report) -> dict[str, Any]:
    """The candidate moves of an engine, as labels on points or arrows between them."""
    labels, arrows = [], []
    for rank, candidate in enumerate(report.candidates[:MAX_CANDIDATES], 1):
        try:
            points = position.game.points(position.game.read_move(candidate.move, position))
        except TengenError:
            continue
        if len(points) == 1:
            labels.append((*points[0], short_value(candidate.value).replace(" ", ""), rank))
        elif len(points) > 1 and rank <= 3:
            arrows.append((*points[0], *points[-1], rank))
    return {"candidates": labels, "arrows": arrows}


_BY_SIDE = {"ownership", "territory", "moyo", "area"}  # positive: first player, negative: second player


def overlay_data(overlay: Overlay, players: Sequence[str]) -> dict[str, Any]:
    """An engine's overlay: numbers as heat, text as labels, with a legend.

    Numbers up to 1 are drawn unscaled, larger ones relative to the largest.
    """
    heat: list[tuple[int, int, float, str]] = []
    labels: list[tuple[int, int, str]] = []
    numbers = [content for _column, _row, content in overlay.points if not isinstance(content, str)]
    most = max(map(abs, numbers), default=0.0)
    scale = most if most > 1 else 1.0
    for column, row, content in overlay.points:
        if isinstance(content, str):
            labels.append((column, row, content))
        elif content:
            heat.append((column, row, round(content / scale, 3), f"{content:.3g}"))
    return {"heat": heat, "labels": labels, "legend": _legend(overlay.name, numbers, most, players)}


def _legend(name: str, numbers: Sequence[float], most: float, players: Sequence[str]) -> str:
    if not numbers:
        return ""
    largest = _("maximum {value}").format(value=f"{most:,.3g}") if most > 1 else ""
    if name in _BY_SIDE:
        shapes = _("■ {first}, ◆ {second}; larger is more certain").format(
            first=_(players[0]), second=_(players[1])
        )
    elif min(numbers) < 0:
        shapes = _("■ above 0, ◆ below 0; larger is more")
    else:
        shapes = _("larger is more")
    return "; ".join(part for part in (shapes, largest) if part)


def candidate_value(candidate: Candidate, report: Report) -> str:
    """The value of a candidate in a few characters; a dash if it was not searched."""
    return "–" if is_unsearched(candidate, report) else short_value(candidate.value)


def is_unsearched(candidate: Candidate, report: Report) -> bool:
    """Whether nothing is known of a move, because the proof of the best one made a search needless."""
    value, is_proved = candidate.value, report.value.kind is Kind.EXACT
    return is_proved and value.kind is Kind.HEURISTIC and value.unit == "wins" and value.amount == 0


def candidate_rows(report: Report) -> list[dict[str, Any]]:
    """The candidates and their lines, for the list beside the board."""
    return [
        {
            "value": candidate_value(candidate, report),
            "kind": str(candidate.value.kind),
            "proved": _("proved"),
            "points": "" if candidate.points is None else locale_format.number(candidate.points, 1, sign=True),
            "words": _("Not searched") if is_unsearched(candidate, report) else write_candidate(candidate),
            "lost": is_proved_loss(candidate.value),
            "line": list(candidate.line[:MAX_LINE_MOVES]) or [candidate.move],
            "visits": _thousands(candidate.visits),
        }
        for candidate in report.candidates
    ]


def puzzle_rows(position: Position, puzzle: Puzzle) -> list[dict[str, Any]]:
    """What is known of the moves of a puzzle, for the list beside the board.

    In problems about marked stones, the moves near these come first: those far away all fail.
    """
    if not puzzle.marked:
        return candidate_rows(puzzle.report)

    def distance(candidate: Candidate) -> int:
        points = position.game.points(position.game.read_move(candidate.move, position))
        steps = (abs(point[0] - x) + abs(point[1] - y) for point in points for x, y in puzzle.marked)
        return min(steps, default=0)

    fails = {one.move: one.value.amount < puzzle.report.value.amount for one in puzzle.report.candidates}
    found = sorted(puzzle.report.candidates, key=lambda one: (fails[one.move], distance(one)))
    rows = candidate_rows(replace(puzzle.report, candidates=tuple(found)))
    return [{**row, "value": result_words(puzzle, one)} for row, one in zip(rows, found, strict=True)]


def _thousands(count: int) -> str:
    if count < 10_000:
        return str(count or "")
    return f"{count / 1000:.0f}k" if count < 10_000_000 else f"{count / 1_000_000:.0f}M"
