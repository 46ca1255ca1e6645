"""Features of records that a format cannot store, counted on writing so that no loss is silent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tengen.core.translation import mark
from tengen.games.records.tree import Record
from tengen.games.records.tree_transforms import lines_after_end

# Features of records, as shown to users. Each format lists those that it can store.
TREE = frozenset({"variations", "comments", "marks", mark("set-up stones"), "evaluations", mark("times of moves")})
HEADER = frozenset({"names", "ratings", "event", "round", "place", "date", mark("time control"), "result"})

# Properties that describe the file rather than the game: not reported as lost.
_OF_THE_FILE = {"wthor": frozenset({"created", "size", "kind", "depth", "reserved"})}
_PROPERTIES = {("wthor", "theoretical"): mark("theoretical scores")}  # names for users


def features(record: Record, source: str) -> Iterator[str]:
    """All features that a record uses, once per occurrence; properties only if from another format."""
    for name, present in (
        ("names", any(record.names)),
        ("ratings", any(record.ratings)),
        ("event", record.event),
        ("round", record.round),
        ("place", record.place),
        ("date", record.date),
        (mark("time control"), record.time),
        ("result", record.result),
    ):
        if present:
            yield name
    foreign = record.source != source
    silent = _OF_THE_FILE.get(record.source, frozenset())
    for node in record.root.walk():
        if node.is_plain and len(node.children) < 2:
            continue
        if len(node.children) > 1:  # an empty node at the end is not a variation
            lines = sum(1 for child in node.children if child.move is not None or child.children)
            yield from ["variations"] * (lines - 1)
        if node.comment:
            yield "comments"
        if node.marks:
            yield "marks"
        if node.set_up is not None:
            yield mark("set-up stones")
        if node.value is not None:
            yield "evaluations"
        if node.seconds is not None:
            yield mark("times of moves")
        if foreign and node.properties:
            for name in node.properties:
                if name not in silent:
                    yield _PROPERTIES.get((record.source, name), f"property {name}")


class DroppedFeatures:
    """Counts the features dropped while records are written in the format `source`."""

    def __init__(self, source: str, keeps: frozenset[str]) -> None:
        self._source = source
        self._keeps = keeps
        self._counts: Counter[str] = Counter()
        self._others: Counter[str] = Counter()

    def add(self, record: Record, others: list[str]) -> None:
        """Count the lost features of a record; `others` are further ones reported by the format."""
        self._counts.update(feature for feature in features(record, self._source) if feature not in self._keeps)
        self._others.update(others)
        if self._source != "sgf" and (lines := lines_after_end(record)):
            self._others["lines after the end of the game"] += lines

    def words(self) -> list[str]:
        """Descriptions such as `comments (3)`."""
        return [
            f"{what} ({count:,})" if count > 1 else what
            for counts in (self._counts, self._others)
            for what, count in sorted(counts.items())
        ]
