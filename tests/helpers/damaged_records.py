"""Damaged records, reproducible by seed."""

from __future__ import annotations

import random

from tengen.games import names, records
from tengen.games.records import RecordError
from tests.helpers.sample_records import GO_SERVERS, PENTE, SOUND

BITS = [
    b"(",
    b")",
    b"[",
    b"]",
    b";",
    b"\\",
    b'"',
    b"{",
    b"}",
    b":",
    b"\0",
    b"\xff",
    b"B[",
    b"tt",
    b"(;",
    b"9" * 20,
    b"AB[aa:ss]",
]


def samples() -> list[bytes]:
    found = [sample for group in (*SOUND.values(), *GO_SERVERS.values()) for sample in group]
    if "pente" in names():
        found += [sample for group in PENTE.values() for sample in group]
    return found


def damaged(rng: random.Random, originals: list[bytes]) -> bytes:
    """A valid record with a few bytes changed, removed, repeated, moved or cut off."""
    data = bytearray(rng.choice(originals))
    for _ in range(rng.choice([1, 1, 1, 2, 3, 8])):
        at = rng.randrange(len(data) + 1)
        length = rng.choice([1, 1, 2, 5, 20, 60])
        kind = rng.randrange(7)
        if kind == 0:
            del data[at : at + length]
        elif kind == 1:
            data[at : at + 1] = bytes([rng.randrange(256)])
        elif kind == 2:
            data[at:at] = rng.choice(BITS)
        elif kind == 3:
            data[at:at] = data[at : at + length]
        elif kind == 4:
            del data[at:]
        elif kind == 5:
            other = rng.choice(originals)
            start = rng.randrange(len(other))
            data[at:at] = other[start : start + length]
        elif data:
            data[at - 1] ^= 1 << rng.randrange(8)
    return bytes(data)


def outcome(data: bytes) -> str:
    """Return `games` if the data reads as valid games, `error` if it is refused in one line; otherwise raise.

    Games that remain when bad ones are skipped must be valid too.
    """
    bad: list[RecordError] = []
    found = []
    try:
        found = list(records.parse(data, on_bad=lambda number, error: bad.append(error)))
    except RecordError as error:
        bad.append(error)
    assert found or bad
    for error in bad:
        if not str(error).isprintable() or (not error.place and "Format not recognised" not in str(error)):
            return f"an error of several lines, or without a place: {error!r}"
    for record in found:
        form = records.format_named(record.source)
        if form.write is None:  # converted: the start may be described in another way
            (again,) = records.parse(records.serialise([record], "sgf").data, "sgf")
            assert again.positions()[-1].diagram() == record.positions()[-1].diagram()
            continue
        (again,) = records.parse(records.serialise([record], form).data, form.name)
        if form.name in ("ggf", "transcript"):  # passes are written in the one format and implied in the other
            assert again.moves() == record.moves()
        else:
            assert again == record
    return "error" if bad else "games"
