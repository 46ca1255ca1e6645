"""Files of puzzles with their proofs. The package has one for each kind in `SHIPPED_KINDS`.

`tengen puzzles` writes such files (see `puzzle_generation`). A file records how it was made. It stores all
results that are proved, but only one line.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from tengen.core.errors import TengenError
from tengen.search.report import Candidate, Kind, Report, Value
from tengen.store.puzzles import Puzzle

FOLDER = Path(__file__).with_name("shipped_puzzles")
SHIPPED_KINDS = (
    "clobber-win",
    "go-capture",
    "go-life",
    "go-race",
    "go-connection",
    "othello-endgame",
    "pente-win",
)


class PuzzleFileError(TengenError):
    """A file that is not a puzzle file."""


def write_puzzle_file(path: Path, puzzles: Sequence[Puzzle], provenance: Mapping[str, Any]) -> None:
    """Write puzzles, one on each line, with their provenance."""
    lines = ",\n  ".join(json.dumps(_to_data(puzzle), separators=(",", ":")) for puzzle in puzzles)
    path.write_text(
        f'{{"made": {json.dumps(dict(provenance))},\n "puzzles": [\n  {lines}\n ]}}\n', encoding="utf-8"
    )


def read_puzzle_file(path: Path) -> tuple[Puzzle, ...]:
    """Read a file written by `write_puzzle_file`."""
    try:
        return tuple(map(_from_data, json.loads(path.read_text(encoding="utf-8"))["puzzles"]))
    except OSError as error:
        raise PuzzleFileError(f"no puzzles: {path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise PuzzleFileError(f"{path} is not a file of puzzles: {error}") from error


def shipped_file(kind: str) -> Path:
    return FOLDER / f"{kind}.json"


@functools.cache
def shipped_puzzles(kind: str) -> tuple[Puzzle, ...]:
    """The puzzles of a kind that come with the package."""
    return read_puzzle_file(shipped_file(kind))


def _to_data(puzzle: Puzzle) -> dict[str, Any]:
    report = puzzle.report
    best = max(report.candidates, key=lambda one: (one.move in puzzle.right, len(one.line)))
    data: dict[str, Any] = {
        "kind": puzzle.kind,
        "game": puzzle.game,
        "options": dict(puzzle.options),
        "moves": " ".join(puzzle.moves),
        "task": puzzle.task,
        "right": " ".join(puzzle.right),
        "by": report.engine,
        "unit": report.value.unit,
        "results": [
            [" ".join(one.move for one in group), amount, reason]
            for (amount, reason), group in groupby(
                _in_order(report), key=lambda one: (one.value.amount, one.reason)
            )
        ],
        "line": " ".join(best.line),
    }
    if puzzle.marked:
        data["marked"] = puzzle.marked
    if puzzle.themes:
        data["themes"] = puzzle.themes
    return data


def _in_order(report: Report) -> list[Candidate]:
    """The moves with a proved value, the best first."""
    proved = [one for one in report.candidates if one.value.kind is Kind.EXACT]
    return sorted(proved, key=lambda one: (-one.value.amount, one.reason))


def _from_data(data: Any) -> Puzzle:
    line = tuple(data["line"].split())
    candidates = tuple(_candidates(data, line))
    report = Report(data["by"], candidates[0].move, candidates[0].value, candidates, 0, 0.0)
    marked = tuple((int(column), int(row)) for column, row in data.get("marked", ()))
    return Puzzle(
        data["kind"],
        data["game"],
        dict(data["options"]),
        tuple(data["moves"].split()),
        data["task"],
        tuple(data["right"].split()),
        report,
        marked=marked,
        themes=tuple(map(str, data.get("themes", ()))),
    )


def _candidates(data: Any, line: tuple[str, ...]) -> Iterator[Candidate]:
    for moves, amount, reason in data["results"]:
        value = Value.exact(amount, data["unit"])
        for move in moves.split():
            yield Candidate(move, value, line if line[:1] == (move,) else (move,), reason=reason)
