"""Positions as the board component draws them: plain data that fits into JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tengen.app.dead_stones import territory
from tengen.app.move_preview import Aim
from tengen.app.value_display import write_candidate
from tengen.core.diagram import Point, Stone
from tengen.core.errors import TengenError
from tengen.core.game import Game
from tengen.core.position import Position
from tengen.games.records import Node
from tengen.search.report import Kind, Overlay, Report, Value

_SYMBOLS = {Stone.EMPTY: ".", Stone.FIRST: "X", Stone.SECOND: "O"}
_SHAPES = {"triangle", "square", "circle", "cross"}
MOST_CANDIDATES = 12  # that are drawn on the board

Picture = dict[str, Any]


def describe(game: Game) -> str:
    """A game in a few words: `Go 9×9, japanese`."""
    diagram = game.start().diagram()
    size = f"{len(diagram.columns)}×{len(diagram.rows)}" if len(diagram.rows) > 1 else f"{len(diagram.columns)}"
    rules = [str(value) for name, value in game.options().items() if name in ("rules", "variant") and value]
    handicap = game.options().get("handicap")
    return ", ".join([f"{game.title} {size}", *rules, *([f"handicap {handicap}"] if handicap else [])])


def stones_of(position: Position) -> str:
    """The stones row by row, a letter each."""
    return "".join(_SYMBOLS[stone] for row in position.diagram().stones for stone in row)


def picture(position: Position, *, playable: bool, node: Node | None = None) -> Picture:
    """The board to draw. Legal moves are told only to who may make one."""
    diagram, game = position.diagram(), position.game
    moves = position.legal_moves if playable else ()
    return {
        "game": game.name,
        "title": game.title,
        "players": list(game.players),
        "kind": diagram.kind,
        "columns": list(diagram.columns),
        "rows": list(diagram.rows),
        "stones": stones_of(position),
        "stars": sorted(diagram.stars),
        "last": sorted(diagram.marked),
        "lastText": "" if position.move is None else game.write_move(position.move),
        "ply": position.ply,
        "toMove": position.to_move,
        "moves": [[game.write_move(move), *game.points(move)] for move in moves if game.points(move)],
        "numbers": _numbers(position),
        "marks": [] if node is None else _marks(node),
    }


def _numbers(position: Position) -> list[tuple[int, int, int]]:
    """The number of the last move at each point."""
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


def answer(aim: Aim, point: Point) -> dict[str, Any]:
    """What pointing somewhere means, for the line below the board."""
    return {"point": point, "text": aim.text, "problem": aim.problem, "lost": sorted(aim.lost)}


def ahead(position: Position, moves: Sequence[str]) -> dict[str, Any]:
    """The board after some moves that might be made, with their numbers."""
    numbers: dict[Point, int] = {}
    after = position
    for text in moves:
        try:
            after = after.play(text)
        except TengenError:  # a line may go further than the rules allow, as at a repetition
            break
        assert after.move is not None
        points = after.game.points(after.move)
        if points:
            numbers[points[-1]] = after.ply - position.ply
    return {"stones": stones_of(after), "numbers": [(c, r, number) for (c, r), number in numbers.items()]}


def end_by(position: Position, move: str) -> str:
    """What becomes of the game if this move ends it, in words; else nothing.

    Who passes should know that stones which are as good as dead count as alive, where the rules have it so.
    """
    after, game = position.play(move), position.game
    if not after.is_over:
        return ""
    if game.counts_dead_stones:
        return "ends the game; then dead stones are marked"
    assert after.outcome is not None
    return f"ends the game as it stands: {game.write_outcome(after.outcome).partition(':')[0]}"


def ghosts(position: Position, moves: Sequence[str]) -> list[tuple[int, int, int, str]]:
    """Stones that might come, numbered: what a running search expects."""
    found: dict[Point, tuple[int, str]] = {}
    after = position
    for number, text in enumerate(moves, 1):
        player = after.to_move
        try:
            after = after.play(text)
        except TengenError:
            break
        assert after.move is not None
        points = after.game.points(after.move)
        if points:
            found.setdefault(points[-1], (player, str(number)))
    return [(column, row, *what) for (column, row), what in found.items()]


# ---- overlays


def dead_stone_overlay(position: Position, dead: Sequence[Point]) -> dict[str, Any]:
    """Dead stones and territory of an ended game."""
    owned = territory(position.diagram(), dead)
    heat = [
        (column, row, 0.3 if owner == 0 else -0.3, f"{position.game.players[owner]}'s territory")
        for (column, row), owner in sorted(owned.items())
    ]
    return {"dead": list(dead), "heat": heat}


def short_value(value: Value) -> str:
    """A value in a few characters; `write_value` has the words."""
    if value.unit == "win rate":
        return f"{100 * value.amount:.0f} %"
    if value.unit == "wins" and value.low is not None and value.low == value.high:
        return "win" if value.amount > 0 else "loss" if value.amount < 0 else "draw"
    mark = "" if value.low is None or value.high is not None else "≥"
    mark = "≤" if value.low is None and value.high is not None else mark
    guessed = value.kind is Kind.HEURISTIC  # whose hundredths mean nothing
    return f"{value.amount:+.1f}" if guessed else f"{mark}{value.amount:+g}"


def is_lost(value: Value) -> bool:
    """Whether a value proves that the game is lost, which should not look like a proof that it is won."""
    return value.unit == "wins" and value.high is not None and value.high < 0


def candidates(position: Position, report: Report) -> dict[str, Any]:
    """The moves that an engine looked at, as labels on points or as arrows between them."""
    labels, arrows = [], []
    for rank, candidate in enumerate(report.candidates[:MOST_CANDIDATES], 1):
        try:
            points = position.game.points(position.game.read_move(candidate.move, position))
        except TengenError:
            continue
        if len(points) == 1:
            labels.append((*points[0], short_value(candidate.value).replace(" ", ""), rank))
        elif len(points) > 1 and rank <= 3:
            arrows.append((*points[0], *points[-1], rank))
    return {"candidates": labels, "arrows": arrows}


_BY_SIDE = {"ownership", "territory", "moyo", "area"}  # above 0 the first player's, below it the second's


def layer(overlay: Overlay, players: Sequence[str]) -> dict[str, Any]:
    """An engine's overlay: numbers as heat, text as labels, and what the shapes mean.

    Shares, which are at most 1, are drawn as they are; other numbers by their part of the largest.
    """
    heat: list[tuple[int, int, float, str]] = []
    labels: list[tuple[int, int, str]] = []
    numbers = [content for _, _, content in overlay.points if not isinstance(content, str)]
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
    largest = f"the largest is {most:,.3g}" if most > 1 else ""
    if name in _BY_SIDE:
        shapes = f"■ {players[0]}, ◆ {players[1]}; larger is surer"
    elif min(numbers) < 0:
        shapes = "■ above 0, ◆ below 0; larger is more"
    else:
        shapes = "larger is more"
    return "; ".join(part for part in (shapes, largest) if part)


def line_rows(report: Report) -> list[dict[str, Any]]:
    """Candidates with their lines, for the list beside the board."""
    return [
        {
            "value": short_value(candidate.value),
            "kind": str(candidate.value.kind),
            "words": write_candidate(candidate),
            "lost": is_lost(candidate.value),
            "line": list(candidate.line[:16]) or [candidate.move],
            "visits": _thousands(candidate.visits),
            "reason": candidate.reason,
        }
        for candidate in report.candidates
    ]


def _thousands(count: int) -> str:
    if count < 10_000:
        return str(count or "")
    return f"{count / 1000:.0f}k" if count < 10_000_000 else f"{count / 1_000_000:.0f}M"
