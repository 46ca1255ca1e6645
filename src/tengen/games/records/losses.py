"""What a format cannot keep: counted before it is written, so that no loss is silent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tengen.games.records.shape import beyond_the_end
from tengen.games.records.tree import Record

# What a record may hold, in the words that people are shown. A format names those that it keeps.
TREE = frozenset({"variations", "comments", "marks", "set-up stones", "evaluations", "times of moves"})
HEADER = frozenset({"names", "ratings", "event", "round", "place", "date", "time control", "result"})

# Properties of a format that say something of the file, not of the game: nobody misses them elsewhere.
_OF_THE_FILE = {"wthor": frozenset({"created", "size", "kind", "depth", "reserved"})}
_PROPERTIES = {("wthor", "theoretical"): "theoretical scores"}  # in words, where the name alone would not tell


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
    silent = _OF_THE_FILE.get(record.source, frozenset())
    for node in record.root.walk():
        if node.is_plain and len(node.children) < 2:
            continue
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
        if foreign and node.properties:
            for name in node.properties:
                if name not in silent:
                    yield _PROPERTIES.get((record.source, name), f"property {name}")


class Losses:
    """What is dropped while records are written, one after the other, in the format `source`."""

    def __init__(self, source: str, keeps: frozenset[str]) -> None:
        self._source = source
        self._keeps = keeps
        self._counts: Counter[str] = Counter()
        self._others: Counter[str] = Counter()

    def add(self, record: Record, others: list[str]) -> None:
        """Count what a record loses; `others` is what the format says besides."""
        self._counts.update(feature for feature in features(record, self._source) if feature not in self._keeps)
        self._others.update(others)
        if self._source != "sgf" and (lines := beyond_the_end(record)):
            self._others["lines after the end of the game"] += lines

    def words(self) -> list[str]:
        """As `comments (3)`."""
        return [
            f"{what} ({count:,})" if count > 1 else what
            for counts in (self._counts, self._others)
            for what, count in sorted(counts.items())
        ]
