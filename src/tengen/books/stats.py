"""What is in a book, counted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tengen.books.book import ValuedBook
from tengen.books.levels import Checked, check
from tengen.books.nodes import NO_VALUE, NodeKind


@dataclass(frozen=True)
class StageCount:
    """Positions after so many moves, by kind."""

    stage: int
    solved: int
    leaves: int
    branches: int


@dataclass(frozen=True)
class Stats:
    """A book in numbers."""

    positions: int
    solved: int
    leaves: int
    branches: int
    unvalued: int
    checked: Checked
    stages: tuple[StageCount, ...]


def stats_of(book: ValuedBook) -> Stats:
    nodes = book.nodes.array[: len(book)]
    kinds, stages = nodes["kind"], nodes["stage"]
    rows = []
    for stage in np.unique(stages).tolist():
        there = kinds[stages == stage]
        rows.append(StageCount(stage, *(int(np.sum(there == kind)) for kind in NodeKind)))
    solved, leaves, branches = (int(np.sum(kinds == kind)) for kind in NodeKind)
    unvalued = int(np.sum(nodes["value"] == NO_VALUE))
    return Stats(len(book), solved, leaves, branches, unvalued, check(book), tuple(rows))
