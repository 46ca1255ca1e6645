"""Results as tables for pandas and spreadsheets: games, moves of a review, candidates of a report, match games.

`rows` makes a list of dictionaries; `write_table` writes CSV (UTF-8, with a header line) or Parquet.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from tengen.arena.game_runner import PlayedGame
from tengen.arena.match_score import MatchScore
from tengen.core.errors import OptionError
from tengen.core.game import Game
from tengen.games.records import Record
from tengen.games.records.atomic_files import save
from tengen.play.review import GameReview
from tengen.search.report import Report

Cell = str | int | float | None
Row: TypeAlias = dict[str, Cell]
Result: TypeAlias = Record | Iterable[Record] | Report | GameReview | MatchScore

TABLE_SUFFIXES = (".csv", ".parquet")
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


# ---- files


def is_table(path: Path) -> bool:
    """Whether a file name is that of a table."""
    return path.suffix.lower() in TABLE_SUFFIXES


def write_table(path: Path, columns: Sequence[str], lines: Iterable[Sequence[Cell]]) -> None:
    """Write a table atomically: Parquet if the name ends in .parquet, otherwise CSV.

    None is an empty cell in CSV, which pandas reads as missing.
    """
    if path.suffix.lower() == ".parquet":
        save(path, _parquet(columns, lines))
        return
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(lines)
    save(path, text.getvalue().encode())


def write_rows(path: Path, found: Sequence[Mapping[str, Cell]]) -> None:
    """Write what `rows` returned."""
    columns = list(found[0]) if found else []
    write_table(path, columns, [[row[name] for name in columns] for row in found])


def check_table(path: Path | None) -> None:
    """Raise `OptionError` if the file could not be written for want of a library; call it before long work."""
    if path is not None and path.suffix.lower() == ".parquet":
        _parquet(("column",), [(1,)])


def _parquet(columns: Sequence[str], lines: Iterable[Sequence[Cell]]) -> bytes:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise OptionError("Parquet needs pyarrow: run pip install 'tengen[parquet]', or write CSV") from None
    kept = list(lines)
    data = io.BytesIO()
    table = pyarrow.table({name: [line[at] for line in kept] for at, name in enumerate(columns)})
    parquet.write_table(table, data)
    return data.getvalue()
