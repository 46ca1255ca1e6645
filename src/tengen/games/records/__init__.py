"""Reading and writing game records: one tree for all formats.

    >>> from tengen.games import records
    >>> (record,) = records.parse("f5d6c3d3c4")
    >>> record.game.name, len(record.moves())
    ('othello', 5)
    >>> print(records.serialise([record], "sgf").data.decode())
    (;FF[4]GM[2]CA[UTF-8]SZ[8]
    ;B[f5];W[d6];B[c3];W[d3];B[c4])
    <BLANKLINE>

`tree` defines records, `replay` plays them out, `files` recognises, reads and writes files; every format has its
own module. docs/guide/records.md lists what each format can store.
Formats are imported on first use, because they need the rules of the games.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tengen.games.records.atomic_files import save
from tengen.games.records.errors import RecordError
from tengen.games.records.tree import Mark, Node, Record, SetUp

if TYPE_CHECKING:
    from tengen.games.records.files import (
        Format,
        OnBad,
        Written,
        format_for,
        format_named,
        formats,
        parse,
        read,
        recognise,
        register,
        serialise,
        stream,
        write,
    )

__all__ = [
    "Format",
    "Mark",
    "Node",
    "OnBad",
    "Record",
    "RecordError",
    "SetUp",
    "Written",
    "format_for",
    "format_named",
    "formats",
    "parse",
    "read",
    "recognise",
    "register",
    "save",
    "serialise",
    "stream",
    "write",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("tengen.games.records.files"), name)
