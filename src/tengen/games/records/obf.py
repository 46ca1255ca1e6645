"""OBF: one Othello position per line, with moves and their values for the mover.

-XXXXXX-…---- O; G8:-12; H7:-16; % a comment
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tengen.core.errors import TengenError
from tengen.games import game as create_game
from tengen.games.records.encoding import decode
from tengen.games.records.errors import RecordError, RecordTooLarge
from tengen.games.records.record_size import RecordSize
from tengen.games.records.replay import implied_pass, start_position, without_standard_board
from tengen.games.records.results import number, write_number
from tengen.games.records.tree import Node, Record

KEEPS = frozenset({"variations", "comments", "evaluations"})

_LINE = re.compile(r"\s*+([-.XO*xo]{64}|[-.XO*xo]{36}|[-.XO*xo]{16})\s*+([XO*xo])\s*+(?:;(.*))?")
_FIRST = re.compile(
    rb"(?:\s*+%[^\n]*+\n)*+\s*+(?:[-.XO*xo]{64}|[-.XO*xo]{36}|[-.XO*xo]{16})\s++[XO*xo][^\S\n\r]*+(?:[;\n\r%]|$)"
)


def recognises(data: bytes) -> bool:
    return _FIRST.match(data) is not None


def read(data: bytes) -> Iterator[Record | RecordError]:
    text, note = decode(data)
    remarks: list[str] = []
    for number_of_line, line in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        content, percent, remark = line.partition("%")
        if percent:
            remarks.append(remark.strip())
        if not content.strip():
            continue
        try:
            record = _record(content)
        except TengenError as error:
            kind = RecordTooLarge if isinstance(error, RecordTooLarge) else RecordError
            yield kind(str(error), f"line {number_of_line}")
            remarks = []
            continue
        record.root.comment = "\n".join(remarks)
        remarks = []
        if note:
            record.notes.append(note)
        yield record


def _record(content: str) -> Record:
    match = _LINE.fullmatch(content)
    if match is None:
        raise RecordError("expected a board of X, O and -, the side to move, and ; before move:score fields")
    board = match[1].replace("*", "X")
    game = without_standard_board(
        create_game("othello", size=round(len(board) ** 0.5), board=f"{board} {match[2].replace('*', 'X')}")
    )
    record = Record(game, source="obf")
    start = start_position(game)
    size = RecordSize()
    for field in (match[3] or "").split(";"):
        if not field.strip():
            continue
        size.add_nodes()
        move, colon, score = field.partition(":")
        node = record.root.add(Node(game.read_move(move, start), start.to_move))
        if node.move not in start.legal_moves:
            start.play(node.move)  # type: ignore[arg-type]  # raises with the reason
        if colon:
            points = number(score)
            if points is None:
                raise RecordError(f"expected a score as {move.strip()}:+12, not {score.strip()[:20]!r}")
            node.value = points if start.to_move == 0 else -points
    return record


def write_each(records: Iterable[Record]) -> Iterator[bytes]:
    for record in records:
        yield f"{_write(record)}\n".encode("utf-8", errors="replace")


def _write(record: Record) -> str:
    start = start_position(record.game)
    fields = [record.game.text(start)]  # type: ignore[attr-defined]
    for node in record.root.children:
        if node.move is None:
            continue
        move = "pass" if node.move == implied_pass(record.game) else record.game.write_move(node.move).upper()
        value = node.value if node.value is None or start.to_move == 0 else -node.value
        sign = "+" if value is not None and value >= 0 else ""
        fields.append(move if value is None else f"{move}:{sign}{write_number(value)}")
    line = "; ".join(fields) + ";"
    remarks = record.root.comment.split("\n") if record.root.comment else []
    return "\n".join([*(f"% {remark}" for remark in remarks[:-1]), line]) + (
        f" % {remarks[-1]}" if remarks else ""
    )


def lost(record: Record) -> list[str]:
    """Losses: everything after the first move of each line."""
    beyond = sum(1 for child in record.root.children for node in child.walk()) - len(record.root.children)
    comments = sum(1 for node in record.root.walk() if node.comment and node is not record.root)
    dropped = [f"moves after the first ({beyond})"] if beyond else []
    return dropped + ([f"comments on moves ({comments})"] if comments else [])
