"""SGF, FF[4]: Go, Othello and the Pente family, with all features of a record's tree.

`sgf_syntax` parses properties and `sgf_games` converts the rules; this module converts properties to nodes and
back. Unknown properties are stored unchanged in `Node.properties`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from tengen.core.diagram import Point
from tengen.core.game import Game, Move
from tengen.games.pente.game import CHOICES
from tengen.games.records.coordinates import Coordinates, coordinates, read_value
from tengen.games.records.encoding import decode
from tengen.games.records.errors import RecordError
from tengen.games.records.pente_colours import (
    CHOICE,
    assume_choices,
    has_opening,
    swap_players,
    to_colours,
    to_players,
)
from tengen.games.records.record_size import RecordSize
from tengen.games.records.replay import with_players
from tengen.games.records.results import has_time, iso_date, number, write_number
from tengen.games.records.sgf_games import OWN, first_value, player_of, read_game, write_game
from tengen.games.records.sgf_syntax import ROOT_ONLY, Builder, Values, games, to_text, to_value, write
from tengen.games.records.tree import NO_PROPERTIES, Mark, MarkKind, Node, Properties, Record, SetUp

_MARKS: dict[str, MarkKind] = {
    "TR": "triangle", "SQ": "square", "CR": "circle", "MA": "cross", "SL": "selected",
    "TB": "first territory", "TW": "second territory",
}  # fmt: skip
_PAIRS: dict[str, MarkKind] = {"AR": "arrow", "LN": "line"}
_MARK_NAMES = {kind: name for name, kind in (_MARKS | _PAIRS).items()} | {"label": "LB"}
_HEADER = {"EV": "event", "RO": "round", "PC": "place", "DT": "date", "TM": "time", "RE": "result"}
_PLAYERS = ("PB", "PW", "BR", "WR")
_SPELT: tuple[str, ...] = ("KM", "HA", "RU")  # stored as in the file if we would write them differently
SECONDS = "MT"  # private property: the seconds spent on a move


def recognises(data: bytes) -> bool:
    """Whether a tree starts anywhere: there may be junk before it. Zero bytes in between are UTF-16."""
    return re.search(rb"\(\0?+\s*+\0?+;", data) is not None


def read(data: bytes) -> Iterator[Record | RecordError]:
    """Iterate over the games of a collection."""
    text, note = decode(data)
    for builder in games(text, _open):
        if isinstance(builder, RecordError):
            yield builder
            continue
        assert isinstance(builder, _Game)
        if note:
            builder.record.notes.append(note)
        yield builder.record


@lru_cache(maxsize=8192)
def _mark(kind: MarkKind, point: Point) -> Mark:
    """A mark, shared by all nodes that have it, because one rectangle in a file can stand for hundreds."""
    return Mark(kind, (point,))


def _open(values: Values) -> tuple[Builder, Node]:
    builder = _Game(values)
    return builder, builder.last_root


class _Game:
    """Builds the record of one game node by node."""

    def __init__(self, values: Values) -> None:
        self._root = values
        game = read_game(values, [])
        self.record = Record(game, Node(), source="sgf")
        self._size = RecordSize()
        self._game = game
        self._table = coordinates(game)
        self._moves = self._table.moves
        self._choices: dict[str, Move] = {}
        if has_opening(game):
            self._choices = {game.write_move(move): move for move in (*CHOICES, *self._moves.values())}
        record = self.record
        record.names = (first_value(values, "PB"), first_value(values, "PW"))
        record.ratings = (first_value(values, "BR"), first_value(values, "WR"))
        for name, field in _HEADER.items():
            setattr(record, field, first_value(values, name))
        own = {*OWN, *_PLAYERS, *_HEADER}
        inside = {name: found for name, found in values.items() if name not in own}
        for name in (*_PLAYERS, *_HEADER):
            if len(values.get(name, ())) > 1:  # the standard allows only one value
                inside[name] = values[name][1:]
        holder = Node()
        self.last_root = self.node(holder, inside)
        record.root = holder.children[0]
        if values.get("AE"):
            record.notes.append("AE in the root has nothing to take off")
        if "PL" in values and player_of(values) is None:
            record.notes.append(f"PL[{first_value(values, 'PL')[:20]}] is no player, and left out")

    def node(self, parent: Node, values: Values) -> Node:
        self._size.add_nodes()
        node = parent.add(Node())
        last = node
        kept: dict[str, tuple[str, ...]] = {}
        marks: list[Mark] = []
        stones: dict[str, list[str]] = {}
        for name, found in values.items():
            if name in ("B", "W"):
                if len(found) != 1:
                    raise RecordError(f"expected one move in {name}, not {len(found)}")
                if last.move is not None:  # both colours in one node, as in old files
                    last = last.add(Node())
                last.player = "BW".index(name)
                last.move = self._moves.get(found[0])
                if last.move is None:
                    last.move = read_value(self._game, self._table, to_text(found[0]))
            elif name == CHOICE and len(found) == 1 and found[0] in self._choices:
                if last.move is not None:
                    last = last.add(Node())
                last.move = self._choices[found[0]]
            elif name == "C":
                node.comment = "\n".join(map(to_text, found))
            elif name in ("AB", "AW", "AE", "PL"):
                stones[name] = found
            elif not self._annotate(node, name, found, marks):
                kept[name] = tuple(found)
        if "PL" in stones and player_of(stones) is None:
            kept["PL"] = tuple(stones.pop("PL"))
        if stones:
            node.set_up = self._set_up(stones)
        if marks:
            self._size.add_marks(len(marks))
            node.marks = tuple(marks)
        if kept:
            node.properties = kept
        return last

    def _annotate(self, node: Node, name: str, values: list[str], marks: list[Mark]) -> bool:
        """Read marks and numbers; return False if the property is to be stored unchanged."""
        if name in ("V", SECONDS):
            figure = number(values[0]) if len(values) == 1 else None
            if figure is None:
                return False
            if name == "V":
                node.value = figure
            else:
                node.seconds = figure
            return True
        try:
            if name in ("L", "M"):  # FF[3]: letters in order, and crosses
                for index, place in enumerate(self._table.all_points(values)):
                    letter = chr(ord("a") + index % 26) if name == "L" else ""
                    marks.append(Mark("label" if name == "L" else "cross", (place,), letter))
            elif name in _MARKS:
                marks.extend(_mark(_MARKS[name], point) for point in self._table.all_points(values))
            elif name in _PAIRS or name == "LB":
                found = []
                for value in values:
                    point, colon, rest = value.partition(":")
                    if not colon:
                        return False
                    place = self._table.point(point)
                    if name == "LB":
                        found.append(Mark("label", (place,), to_text(rest)))
                    else:
                        found.append(Mark(_PAIRS[name], (place, self._table.point(rest))))
                marks.extend(found)
            else:
                return False
        except RecordError:
            return False
        return True

    def _set_up(self, stones: Values) -> SetUp:
        first, second, empty = (self._table.all_points(stones.get(name, [])) for name in ("AB", "AW", "AE"))
        self._size.add_marks(len(first) + len(second) + len(empty))
        return SetUp(first, second, empty, player_of(stones))

    def run(self, parent: Node, moves: list[tuple[str, str]]) -> Node:
        self._size.add_nodes(len(moves))
        table = self._moves
        try:
            line = [table[value] for _, value in moves]
        except KeyError:
            line = [read_value(self._game, self._table, value) for _, value in moves]
        first, last = Node.chain(line, [0 if colour == "B" else 1 for colour, _ in moves])
        parent.add(first)
        return last

    def cut(self, place: str) -> None:
        self.record.notes.append(f"the end is missing: the file stops at {place}")

    def finish(self) -> None:
        """Determine what depends on the moves: the player to move at the start, and the colours in Pente."""
        record = self.record
        self._size.check_moves(record.root)
        wanted = 1
        if "HA" in self._root and "AB" not in self._root:  # Black may place the handicap stones as moves
            handicap = first_value(self._root, "HA")
            wanted = min(int(handicap), 400) if re.fullmatch("[0-9]{1,3}", handicap) else 1
        opening: list[int] = []
        node = record.root
        while True:
            if node.move is not None:
                opening.append(node.player or 0)
            if not node.children or len(opening) >= wanted:
                break
            node = node.children[0]
        if not self._root.keys().isdisjoint(("HA", "AB", "AW", "PL")):
            record.game = self._game = read_game(self._root, opening)
        if self._game.name == "pente":
            self._settle_colours(opening[0] if opening else player_of(self._root))
        if self._game.name == "go":
            stated = (("scoring", "RU"), ("komi", "KM"))
            record.assumed = tuple(option for option, name in stated if not first_value(self._root, name))
        made = write_game(self._game)
        odd: dict[str, tuple[str, ...]] = {}
        for name in _SPELT:
            if name in self._root and made.get(name, []) != self._root[name]:
                odd[name] = tuple(self._root[name])
        spelt = {name: list(values) for name, values in odd.items()}
        if odd and read_game(made | spelt, opening) != self._game:
            record.notes.append(f"RU[{first_value(self._root, 'RU')[:30]}] is not known, and left out")
            odd = {}  # together with our GM it would mean another game
        if odd:
            record.root.properties = {**odd, **record.root.properties}
        if "KM" in odd and number(first_value(self._root, "KM")) is None:
            record.notes.append(f"KM[{odd['KM'][0][:20]}] is no number: komi is taken to be 0")

    def _settle_colours(self, begins: int | None) -> None:
        """Make the first mover player 0. If stones are set up before the first move, Black is player 0."""
        record = self.record
        node = record.root
        set_up = bool(self._game.options()["board"])
        while node.move is None and not set_up:
            set_up = node.set_up is not None and bool(node.set_up.first or node.set_up.second)
            if not node.children:
                break
            node = node.children[0]
        if begins == 1 and not set_up:
            swap_players(record)
        if self._choices and has_opening(self._game):
            assume_choices(record)
            to_players(record)


# ---- writing


def write_each(records: Iterable[Record]) -> Iterator[bytes]:
    """Serialise the games of a collection one by one."""
    for record in records:
        yield _write(with_players(record)).encode("utf-8", errors="replace")


def lost(record: Record) -> list[str]:
    """Losses: the time of day in dates."""
    return ["time of day"] if record.source != "sgf" and has_time(record.date) else []


def _write(record: Record) -> str:
    game = record.game
    without_stone: frozenset[int] = frozenset()
    if has_opening(game):
        record, without_stone = to_colours(record)
    table = coordinates(game)
    head = write_game(game)
    own = record.source == "sgf"
    for name, text in zip(_PLAYERS, (*record.names, *record.ratings), strict=True):
        if text:
            head[name] = [to_value(text)]
    for name, field in _HEADER.items():
        text = getattr(record, field)
        if text:
            head[name] = [to_value(text if own or field != "date" else iso_date(text))]
    kept = dict(record.root.properties) if own else {}
    spelt = {name: list(kept.pop(name)) for name in _SPELT if name in kept}
    if spelt and _reads_as(head | spelt, record):
        head |= spelt
    for name in (*_PLAYERS, *_HEADER):
        if name in kept:
            head[name] = [*head.get(name, [""]), *kept.pop(name)]
    text = "(;" + "".join(write(name, values) for name, values in head.items())
    lines = [text + "\n"]
    width = 0
    root_kept = {name: values for name, values in kept.items() if name not in OWN}
    waiting: list[Node | str] = [record.root]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            lines.append(item)
            width = 0
            continue
        if id(item) in without_stone:
            piece = ";" + _node(game, table, item, item.properties if own else NO_PROPERTIES, is_stone=False)
        elif item.is_plain and item.move in table.values and item is not record.root:
            piece = f";{'BW'[item.player or 0]}[{table.values[item.move]}]"  # like `_node`, but faster
        elif item is record.root:
            piece = _node(game, table, item, root_kept)
        else:
            piece = _node(game, table, item, item.properties if own else NO_PROPERTIES)
            piece = (";C[]" if piece.startswith(ROOT_ONLY) else ";") + piece  # a variation, not another game
        if width + len(piece) > 76:
            lines.append("\n")
            width = 0
        lines.append(piece)
        width += len(piece)
        if len(item.children) == 1:
            waiting.append(item.children[0])
        else:
            for child in reversed(item.children):
                waiting += [")", child, "\n("]
    return "".join(lines) + ")\n"


def _reads_as(values: Values, record: Record) -> bool:
    """Whether these root properties describe the record's game, which may have been changed after reading."""
    players = [node.player or 0 for node in record.nodes() if node.move is not None]
    try:
        return read_game(values, players[:400]) == record.game
    except RecordError:
        return False


def _node(game: Game, table: Coordinates, node: Node, properties: Properties, *, is_stone: bool = True) -> str:
    parts = []
    if node.move is not None:
        place = table.values.get(node.move)
        if place is None or not is_stone:
            parts.append(write(CHOICE, [game.write_move(node.move)]))
        else:
            parts.append(write("BW"[node.player or 0], [place]))
    if node.set_up is not None:
        for name, points in zip(("AB", "AW", "AE"), node.set_up[:3], strict=True):
            if points:
                parts.append(write(name, [table.names[point] for point in points]))
        if node.set_up.to_move is not None:
            parts.append(write("PL", ["BW"[node.set_up.to_move]]))
    if node.comment:
        parts.append(write("C", [to_value(node.comment)]))
    if node.value is not None:
        parts.append(write("V", [write_number(node.value)]))
    if node.seconds is not None:
        parts.append(write(SECONDS, [write_number(node.seconds)]))
    marks: Values = {}
    for mark in node.marks:
        values = [table.names[point] for point in mark.points]
        if mark.kind == "label":
            values.append(to_value(mark.text, composed=True))
        marks.setdefault(_MARK_NAMES[mark.kind], []).append(":".join(values))
    parts += [write(name, values) for name, values in marks.items()]
    parts += [write(name, values) for name, values in properties.items()]
    return "".join(parts)
