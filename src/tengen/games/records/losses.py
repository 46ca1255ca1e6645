"""What a format cannot keep: counted before it is written, so that no loss is silent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from tengen.games.records.tree import Record

# What a record may hold, in the words that people are shown. A format names those that it keeps.
TREE = frozenset({"variations", "comments", "marks", "set-up stones", "evaluations", "times of moves"})
HEADER = frozenset({"names", "ratings", "event", "round", "place", "date", "time control", "result"})


def features(record: Record, source: str) -> Iterator[str]:
    """Everything in a record that could be lost, once for each place; properties only if another format's."""
    for name, present in (
        ("names", any(record.names)),
        ("ratings", any(record.ratings)),
        ("event", record.event),
        ("round", record.round),
        ("place", record.place),
        ("date", record.date),
        ("time control", record.time),
        ("result", record.result),
    ):
        if present:
            yield name
    foreign = record.source != source
    for node in record.root.walk():
        if len(node.children) > 1:  # an empty node at the end is none
            lines = sum(1 for child in node.children if child.move is not None or child.children)
            yield from ["variations"] * (lines - 1)
        if node.comment:
            yield "comments"
        if node.marks:
            yield "marks"
        if node.set_up is not None:
            yield "set-up stones"
        if node.value is not None:
            yield "evaluations"
        if node.seconds is not None:
            yield "times of moves"
        if foreign:
            yield from (f"property {name}" for name in node.properties)


def losses(records: Iterable[Record], source: str, keeps: frozenset[str]) -> list[str]:
    """What is dropped when these records are written in the format `source`, as `comments (3)`."""
    counts = Counter(feature for record in records for feature in features(record, source) if feature not in keeps)
    return [f"{feature} ({count})" if count > 1 else feature for feature, count in sorted(counts.items())]
