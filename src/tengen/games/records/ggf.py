"""GGF, the format of Othello servers and NBoard. One game per line: `(;GM[Othello]…BO[8 …]B[F5/eval/time]…;)`.

A match of several games may be preceded by their number. Evaluations are from the mover's point of view; a move
with a time but no evaluation is written `F5//2.4`. There are no escapes or variations, and one comment per move.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator

from tengen.core.errors import TengenError
from tengen.core.game import Game, Move
from tengen.games import game as create_game
from tengen.games.records.dropped_features import HEADER
from tengen.games.records.encoding import decode
from tengen.games.records.errors import RecordError, RecordTooLarge, TextPositions
from tengen.games.records.record_size import RecordSize
from tengen.games.records.replay import implied_pass, start_position, without_standard_board
from tengen.games.records.results import has_time, iso_date, margin, number, result_by_margin, winner, write_number
from tengen.games.records.tree import Node, Record

KEEPS = HEADER - {"event", "round"} | {"comments", "evaluations", "times of moves"}

_BEGIN = re.compile(r"\s*+(?:\d{1,3}+\s*+)?+\(\s*+;")
_NEXT = re.compile(r"\(\s*+;\s*+GM\s*+\[", re.IGNORECASE)  # resume here after an unreadable game
# A value cannot contain the start of another game: its closing bracket is missing then.
_PROPERTY = re.compile(
    rf"\s*+([A-Za-z]{{1,20}}+)\s*+\[([^\](]*+(?:\((?!{_NEXT.pattern[2:]})[^\](]*+)*+)\]", re.IGNORECASE
)
_END = re.compile(r"\s*+;\s*+\)")
_HEADER = {"PC": "place", "DT": "date", "TI": "time"}
_HOW = {"r": "R", "t": "T", "s": ""}  # resigned, out of time, agreed


def recognises(data: bytes) -> bool:
    return re.search(rb"\(\s*;\s*GM\s*\[\s*othello\s*\]", data[:4096], re.IGNORECASE) is not None


def read(data: bytes) -> Iterator[Record | RecordError]:
    text, note = decode(data)
    reader = _Reader(text)
    while text[reader.position :].strip() if len(text) - reader.position < 100 else True:
        try:
            record = reader.record()
        except RecordError as error:
            yield error
            following = _NEXT.search(text, reader.position)
            if following is None:
                return
            reader.position = following.start()
            continue
        if note:
            record.notes.append(note)
        yield record


class _Reader:
    """Reads games from a text. `position` advances past invalid games, too, so that nothing is read twice."""

    def __init__(self, text: str) -> None:
        self.position = 0
        self._text = text
        self._places = TextPositions(text)
        self._last = text.rfind("]") + 1  # no value ends after this

    def record(self) -> Record:
        """Read the game at `position`."""
        begin = _BEGIN.match(self._text, self.position)
        if begin is None:
            place = self._places(self.position)
            self.position += 1
            raise RecordError("expected a game, which begins with (;", place)
        self.position = begin.end()
        properties = []
        size = RecordSize()
        while (found := _PROPERTY.match(self._text, self.position, self._last)) is not None:
            properties.append((found[1].upper(), found[2], found.start(1)))
            self.position = found.end()
            try:
                size.add_nodes()
            except RecordTooLarge as error:
                raise error.within(place=self._places(begin.start())) from None
        end = _END.match(self._text, self.position)
        if end is None:
            raise RecordError("expected a property as PB[…], or ;) at the end of the game",
                              self._places(self.position))  # fmt: skip
        self.position = end.end()
        return self._record(properties, begin.start(), size)

    def _record(self, properties: list[tuple[str, str, int]], start: int, size: RecordSize) -> Record:
        boards = [(value, offset) for name, value, offset in properties if name == "BO"]
        if len(boards) != 1:
            raise RecordError(f"expected one board BO[…] in a game, not {len(boards)}", self._places(start))
        place = boards[0][1]
        try:
            record = Record(_read_board(boards[0][0]), source="ggf")
            names, ratings = ["", ""], ["", ""]
            node = record.root
            kept: dict[int, tuple[Node, dict[str, list[str]]]] = {}  # by the identity of the node

            def keep(node: Node, name: str, value: str) -> None:
                kept.setdefault(id(node), (node, {}))[1].setdefault(name, []).append(value)

            for name, value, offset in properties:
                place = offset
                if name in ("PB", "PW"):
                    names["BW".index(name[1])] = value
                elif name in ("RB", "RW"):
                    ratings["BW".index(name[1])] = value
                elif name in _HEADER:
                    setattr(record, _HEADER[name], value)
                elif name in ("B", "W"):
                    size.add_move()
                    node = node.add(_read_move(record.game, "BW".index(name), value))
                elif name == "CO" and not node.comment:
                    node.comment = value
                elif name == "RE":
                    record.result = _read_result(value)
                    if _write_result(record.result) != value:
                        keep(record.root, name, value)
                elif name not in ("GM", "BO") and not (name == "TY" and value == _kind(record.game)):
                    keep(node, name, value)
            for node, found in kept.values():
                node.properties = {**node.properties, **{name: tuple(values) for name, values in found.items()}}
            record.names, record.ratings = (names[0], names[1]), (ratings[0], ratings[1])
            return record
        except RecordError as error:
            raise error.within(place=self._places(place)) from None


def _kind(game: Game) -> str:
    return str(game.options()["size"])


def _read_board(value: str) -> Game:
    size, _, squares = value.strip().partition(" ")
    if size not in ("8", "6", "4"):
        raise RecordError(f"expected a board of 8, 6 or 4 squares a side, not {size[:10]!r}")
    try:
        return without_standard_board(create_game("othello", size=int(size), board=squares))
    except TengenError as error:
        raise RecordError(str(error)) from None


def _read_move(game: Game, player: int, value: str) -> Node:
    square, *figures = (part.strip() for part in value.split("/"))
    try:
        move = game.read_move("pass" if square.lower() in ("pas", "pass") else square, start_position(game))
    except TengenError as error:
        raise RecordError(str(error)) from None
    node = Node(move, player)
    value_text, seconds_text = (*figures, "", "")[:2]
    points, seconds = number(value_text), number(seconds_text)
    if len(figures) > 2 or (value_text and points is None) or (seconds_text and seconds is None):
        node.properties = {"figures": ("/".join(figures),)}
        return node
    node.value = points if points is None or player == 0 else -points
    node.seconds = seconds
    return node


def _read_result(value: str) -> str:
    points, _, how = value.strip().partition(":")
    figure = number(points)
    if figure is None:
        return "" if value.strip() == "?" else value
    if how.lower()[:1] in ("r", "t") and figure != 0:
        return f"{'B' if figure > 0 else 'W'}+{_HOW[how.lower()[0]]}"
    return result_by_margin(figure)


def _write_result(result: str) -> str:
    points = margin(result)
    if points is not None:
        return f"{points:+.2f}"
    who = winner(result)
    if who is None:
        return result or "?"
    how = result[2:3].lower()
    return f"{'+-'[who]}64.00{f':{how}' if how in ('r', 't') else ''}"


# ---- writing


def write_each(records: Iterable[Record]) -> Iterator[bytes]:
    for record in records:
        yield f"{_write(record)}\n".encode("utf-8", errors="replace")


def _write(record: Record) -> str:
    game = record.game
    own = record.source == "ggf"
    kept = record.root.properties if own else {}
    raw = kept.get("RE", ("",))[0]
    result = raw if raw and _read_result(raw) == record.result else _write_result(record.result)
    date = record.date if own else iso_date(record.date).replace("-", ".")
    size = int(_kind(game))
    board, to_move = game.text(start_position(game)).split()  # type: ignore[attr-defined]
    rows = [board[row * size : (row + 1) * size] for row in range(size)]
    squares = " ".join([*rows, to_move]).replace("X", "*")
    parts = [("GM", "Othello"), ("PC", record.place), ("DT", date)]
    parts += [
        ("PB", record.names[0]),
        ("PW", record.names[1]),
        ("RB", record.ratings[0]),
        ("RW", record.ratings[1]),
    ]
    parts += [("TI", record.time), ("TY", kept.get("TY", (_kind(game),))[0]), ("RE", result)]
    parts += [(name, value) for name, values in kept.items() if name not in ("TY", "RE") for value in values]
    parts += [("CO", record.root.comment), ("BO", f"{size} {squares}")]
    for player, move, node in _moves(record):
        parts.append(("BW"[player], _write_move(game, player, move, node if node is not None else Node())))
        if node is not None:
            parts.append(("CO", node.comment))
            if own:
                others = [(name, values) for name, values in node.properties.items() if name != "figures"]
                parts += [(name, value) for name, values in others for value in values]
    keep_empty = ("PB", "PW")
    return "(;" + "".join(
        f"{name}[{value.replace(']', ')')}]" for name, value in parts if value or name in keep_empty
    ) + ";)"  # fmt: skip


def _moves(record: Record) -> Iterator[tuple[int, Move, Node | None]]:
    """The moves of the main line including passes, each with its node if it has one."""
    nodes = iter([node for node in record.nodes() if node.move is not None])
    no_move = implied_pass(record.game)
    node = next(nodes, None)
    positions = record.positions()
    for before, after in itertools.pairwise(positions):
        assert after.move is not None
        if node is not None and node.move == after.move:
            yield before.to_move, after.move, node
            node = next(nodes, None)
        else:
            assert after.move == no_move
            yield before.to_move, after.move, None


def _write_move(game: Game, player: int, move: Move, node: Node) -> str:
    square = "PA" if move == implied_pass(game) else game.write_move(move).upper()
    if "figures" in node.properties:
        return f"{square}/{node.properties['figures'][0]}"
    value = node.value if node.value is None or player == 0 else -node.value
    figures = ["" if figure is None else write_number(figure) for figure in (value, node.seconds)]
    return "/".join([square, *figures]).rstrip("/")


def lost(record: Record) -> list[str]:
    """Losses: closing brackets, which have no escape, and the time of day in dates."""
    dropped = ["time of day"] if record.source != "ggf" and has_time(record.date) else []
    texts = [*record.names, *record.ratings, record.place, record.date, record.time]
    texts += [node.comment for node in record.root.walk()]
    return dropped + (["brackets in texts"] if any("]" in text for text in texts) else [])
