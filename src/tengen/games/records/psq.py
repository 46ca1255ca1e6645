"""Piskvork's `.psq` files, the format of Gomocup's games: a header, one move per line, the names and a code.

    Piskvorky 15x15, 11:11, 0     columns x rows, levels of the players, the player who began (0 or 1)
    8,8,1500                      column and row from 1 at the top left, and milliseconds
    …
    pbrain-one.zip                the players, if the game was part of a tournament
    pbrain-two.zip
    -1                            an error code, -1 for none; anything may follow

A file does not name the rules: it is read as gomoku in which five or more win, or exactly five if the moves go on
after a longer row. Files of several games, one after the other, are read and written as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from tengen.core.errors import TengenError
from tengen.core.translation import mark
from tengen.games import game as create_game
from tengen.games.pente.game import Pente
from tengen.games.records.encoding import decode
from tengen.games.records.errors import RecordError, RecordTooLarge
from tengen.games.records.gomoku_rules import is_plain
from tengen.games.records.record_size import RecordSize
from tengen.games.records.tree import Node, Record

KEEPS = frozenset({"names", "times of moves"})

_HEADER = re.compile(r"Piskvorky\s+(\d{1,4})\s*x\s*(\d{1,4})\s*,.*?(?:,\s*([01]))?\s*", re.ASCII)
_MOVE = re.compile(r"\s*(\d{1,9})\s*,\s*(\d{1,9})\s*(?:,\s*(\d{1,12})\s*)?", re.ASCII)
_CODE = re.compile(r"\s*-?\d{1,9}\s*", re.ASCII)
_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*Piskvorky\s")


def recognises(data: bytes) -> bool:
    return _START.match(data) is not None


def read(data: bytes) -> Iterator[Record | RecordError]:
    text, note = decode(data)
    lines = re.split(r"\r\n|\r|\n", text)
    begin = 0
    while begin < len(lines):
        if not lines[begin].strip():
            begin += 1
            continue
        end = begin + 1
        while end < len(lines) and not lines[end].lstrip().startswith("Piskvorky"):
            end += 1
        try:
            record = _read_game(lines, begin, end)
            if note:
                record.notes.append(note)
            yield record
        except RecordError as error:
            yield error
        begin = end


def _read_game(lines: list[str], begin: int, end: int) -> Record:
    place = f"line {begin + 1}"
    header = _HEADER.fullmatch(lines[begin].strip())
    if header is None:
        raise RecordError(f"expected Piskvorky 15x15, 0:0, 0, not {lines[begin].strip()[:40]!r}", place)
    if header[1] != header[2]:
        raise RecordError(f"the board has {header[1]}x{header[2]} points: only square boards are supported", place)
    try:
        game = create_game("pente", variant="gomoku", exact=False, size=int(header[1]))
    except TengenError as error:
        raise RecordError(str(error), place) from None
    assert isinstance(game, Pente)
    record = Record(game, source="psq")
    node, size = record.root, RecordSize()
    at = begin + 1
    while at < end and (found := _MOVE.fullmatch(lines[at])):
        try:
            size.add_move()
        except RecordTooLarge as error:
            raise RecordTooLarge(error.message, f"line {at + 1}") from None
        column, row = int(found[1]), int(found[2])
        if not (1 <= column <= game.size and 1 <= row <= game.size):
            raise RecordError(f"{column},{row} is not on the board of {game.size}x{game.size}", f"line {at + 1}")
        node = node.add(Node(game.point((column - 1, row - 1)), None))
        if found[3] is not None and int(found[3]):
            node.seconds = int(found[3]) / 1000
        at += 1
    late = next((number for number in range(at, end) if _MOVE.fullmatch(lines[number])), None)
    if late is not None:  # the line before it is damaged, not the end of the moves
        raise RecordError(f"expected a move as 8,8,0, not {lines[at].strip()[:30]!r}", f"line {at + 1}")
    names = [line.strip() for line in lines[at : min(end, at + 2)]]
    if len(names) == 2 and all(map(_is_name, names)):
        began = int(header[3] or 0)
        record.names = names[began], names[1 - began]
    elif names and names[0] and _CODE.fullmatch(names[0]) is None:
        raise RecordError(
            f"expected a move as 8,8,0, two names or a code, not {names[0][:30]!r}", f"line {at + 1}"
        )
    return _with_rules(record)


def _with_rules(record: Record) -> Record:
    """The record as exactly five, if its moves are legal only so."""
    try:
        record.check()
    except RecordError:
        exact = replace(record, game=replace(record.game, exact=True))  # type: ignore[call-arg]
        try:
            exact.check()
        except RecordError:
            return record
        exact.notes.append(mark("the game goes on after a longer row, so exactly five win"))
        return exact
    return record


def write_each(records: Iterable[Record]) -> Iterator[bytes]:
    for record in records:
        yield _write(record).encode("utf-8", errors="replace")


def _write(record: Record) -> str:
    game = record.game
    assert isinstance(game, Pente)
    if not is_plain(game):
        raise RecordError(mark("a .psq file has only games of gomoku that start with an empty board"))
    lines = [f"Piskvorky {game.size}x{game.size}, 0:0, 0"]
    for node in record.nodes():
        if node.move is not None:
            ((column, row),) = game.points(node.move)
            lines.append(f"{column + 1},{row + 1},{round(1000 * (node.seconds or 0))}")
    if any(record.names):
        lines += [_name(name) or f"player {number}" for number, name in enumerate(record.names, 1)]
    return "\n".join([*lines, "-1"]) + "\n"


def _name(name: str) -> str:
    """A name as one line that is read as such."""
    plain = re.sub(r"[\r\n]+", " ", name).strip()
    return plain if not plain or _is_name(plain) else f"player {plain}"


def _is_name(line: str) -> bool:
    """Whether a line is neither empty nor a code, a move or a header."""
    return bool(line) and not (_CODE.fullmatch(line) or _MOVE.fullmatch(line) or line.startswith("Piskvorky"))
