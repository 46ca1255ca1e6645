"""Summary of a valued book: positions by kind and stage, consistency level."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tengen.books.book import ValuedBook
from tengen.books.consistency import CheckResult, check
from tengen.books.nodes import NO_VALUE, NodeKind


@dataclass(frozen=True)
class StageCount:
    """Number of positions after `stage` moves, by kind."""

    stage: int
    solved: int
    leaves: int
    branches: int


@dataclass(frozen=True)
class BookSummary:
    """Totals of a book, its consistency, and counts by stage."""

    positions: int
    solved: int
    leaves: int
    branches: int
    unvalued: int
    checked: CheckResult
    stages: tuple[StageCount, ...]


def summarise(book: ValuedBook) -> BookSummary:
    nodes = book.nodes.array[: len(book)]
    kinds, stages = nodes["kind"], nodes["stage"]
    rows = []
    for stage in np.unique(stages).tolist():
        there = kinds[stages == stage]
        rows.append(StageCount(stage, *(int(np.sum(there == kind)) for kind in NodeKind)))
    solved, leaves, branches = (int(np.sum(kinds == kind)) for kind in NodeKind)
    unvalued = int(np.sum(nodes["value"] == NO_VALUE))
    return BookSummary(len(book), solved, leaves, branches, unvalued, check(book), tuple(rows))
