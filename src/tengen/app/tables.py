"""Results as rows for pandas and spreadsheets: games, moves of a review, candidates of a report, match games.

`table_files` writes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from tengen.app.table_files import Cell
from tengen.arena.game_runner import PlayedGame
from tengen.arena.match_score import MatchScore
from tengen.core.game import Game
from tengen.games.records import Record
from tengen.play.review import GameReview
from tengen.search.report import Report

Row: TypeAlias = dict[str, Cell]
Result: TypeAlias = Record | Iterable[Record] | Report | GameReview | MatchScore

MOVE_COLUMNS = (
    *("ply", "player", "move", "value", "unit", "kind"),
    *("best", "best_value", "loss", "points_lost", "turning_point"),
)
REVIEW_COLUMNS = ("game_number", "game", "black", "white", "result", *MOVE_COLUMNS, "engine")
GAME_COLUMNS = (
    *("game_number", "game", "options", "first", "second", "first_rating", "second_rating"),
    *("event", "round", "place", "date", "result", "moves", "line", "opening"),
)
CANDIDATE_COLUMNS = (
    *("rank", "move", "value", "unit", "kind", "low", "high", "visits", "line", "reason", "engine"),
)
MATCH_COLUMNS = (
    *("game_number", "pair", "opening", "first", "second", "winner", "result", "reason", "moves", "started"),
    *("first_seconds", "second_seconds", "first_nodes", "second_nodes", "seconds"),
)


def rows(result: Result) -> list[Row]:
    """A line for each game, each move of a review, each candidate of a report, or each game of a match."""
    if isinstance(result, Report):
        return [_row(CANDIDATE_COLUMNS, cells) for cells in _candidates(result)]
    if isinstance(result, GameReview):
        return [_row(MOVE_COLUMNS, cells) for cells in move_cells(result, ("first", "second"))]
    if isinstance(result, MatchScore):
        return [_row(MATCH_COLUMNS, match_cells(result, played)) for played in result.counted()]
    games = [result] if isinstance(result, Record) else result
    return [_row(GAME_COLUMNS, game_cells(number, record)) for number, record in enumerate(games, 1)]


def game_cells(number: int, record: Record) -> tuple[Cell, ...]:
    """The cells of `GAME_COLUMNS`."""
    line = record.positions()
    last, game = line[-1], record.game
    about = (record.event, record.round, record.place, record.date, record.result)
    moves = " ".join(last.write_moves(last.moves))
    opening = game.opening_name(last)
    return (number, game.name, _options(game), *record.names, *record.ratings, *about, last.ply, moves, opening)


def move_cells(review: GameReview, players: Sequence[str]) -> Iterable[tuple[Cell, ...]]:
    """The cells of `MOVE_COLUMNS`."""
    for move in review.moves:
        value = (move.value.amount, move.value.unit, str(move.value.kind))
        best = (move.best, None if move.best_value is None else move.best_value.amount)
        cost = (move.loss, move.points, int(move.turned))
        yield (move.number, players[move.player], move.move, *value, *best, *cost)


def match_cells(score: MatchScore, played: PlayedGame) -> tuple[Cell, ...]:
    """The cells of `MATCH_COLUMNS`; first and second are the players of the game in the order of play."""
    first, second = played.first, 1 - played.first
    names, thinking, nodes = score.names, played.thinking, played.nodes
    winner = None if played.winner is None else names[played.winner]
    about = (played.number, played.number // 2, played.opening, names[first], names[second])
    ending = (winner, played.result, played.reason, len(played.moves), played.started.isoformat())
    return (*about, *ending, thinking[first], thinking[second], nodes[first], nodes[second], played.wall)


def _candidates(report: Report) -> Iterable[tuple[Cell, ...]]:
    for rank, one in enumerate(report.candidates, 1):
        value = (one.value.amount, one.value.unit, str(one.value.kind), one.value.low, one.value.high)
        yield (rank, one.move, *value, one.visits, " ".join(one.line), one.reason, report.engine)


def _options(game: Game) -> str:
    """The options that differ from the defaults, as `size=9 komi=7`."""
    return game.describe().partition(" ")[2]


def _row(columns: Sequence[str], cells: Iterable[Cell]) -> Row:
    return dict(zip(columns, cells, strict=True))
