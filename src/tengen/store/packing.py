"""A record as bytes: small, complete, and read without recursion.

A byte with the version, then, compressed: the length of the head, the head, the moves and the players. The head is
JSON: the game, what is known of the whole game, and what few nodes have. Nodes are numbered as `Node.walk` meets
them. `moves` are two bytes each, little-endian; `players` one byte each, 2 for whoever is to move. The codes of
moves are those of this package, so a game that changed its codes would need a new version here.
"""

from __future__ import annotations

import json
import struct
import zlib
from array import array
from functools import lru_cache
from sys import byteorder
from typing import Any

from tengen import games
from tengen.core.errors import TengenError
from tengen.core.game import Game, Move
from tengen.games.records import Mark, Node, Record, SetUp
from tengen.store.errors import StoreError

VERSION = 1
_TEXTS = ("event", "round", "place", "date", "time", "result", "source")
_DAMAGE = (ValueError, LookupError, TypeError, AttributeError, RecursionError, zlib.error, struct.error)
_LARGEST = 1 << 28  # bytes when unpacked: a damaged file must not fill the memory


def pack(record: Record) -> bytes:
    """The record as bytes that `unpack` makes an equal record of, notes and source included."""
    codes: list[int] = []
    players = bytearray()
    unmoved: list[int] = []
    shape: list[tuple[int, int]] = []
    remarks: dict[int, dict[str, Any]] = {}
    waiting = [record.root]
    while waiting:  # as `Node.walk`, without a generator: collections are millions of nodes
        node = waiting.pop()
        if node.move is None:
            unmoved.append(len(codes))
        if len(node.__dict__) > 3:  # more than move, player and children
            remark = _remark(node)
            if remark:
                remarks[len(codes)] = remark
        children = node.children
        if len(children) == 1:
            waiting.append(children[0])
        else:
            shape.append((len(codes), len(children)))
            waiting.extend(reversed(children))
        codes.append(node.move or 0)
        players.append(2 if node.player is None else node.player)
    moves = array("H", codes)
    head: dict[str, Any] = {
        "game": record.game.name,
        "options": record.game.options(),
        "names": record.names,
        "unmoved": unmoved,
        "shape": shape,
    }
    if any(record.ratings):
        head["ratings"] = record.ratings
    head.update((name, value) for name in _TEXTS if (value := getattr(record, name)))
    if record.notes:
        head["notes"] = record.notes
    if remarks:
        head["remarks"] = remarks
    data = json.dumps(head, separators=(",", ":")).encode()
    if byteorder == "big":
        moves.byteswap()
    return bytes([VERSION]) + zlib.compress(struct.pack("<I", len(data)) + data + moves.tobytes() + players)


def unpack(packed: bytes) -> Record:
    """Read what `pack` wrote, of this version or an older one. Raises `StoreError` for anything else."""
    if packed[:1] != bytes([VERSION]):
        raise StoreError(
            f"a stored game has version {packed[0] if packed else 'none'}; this program reads {VERSION}"
        )
    try:
        unzip = zlib.decompressobj()
        data = unzip.decompress(packed[1:], _LARGEST)
        if not unzip.eof:
            raise ValueError("it does not end")
        (length,) = struct.unpack_from("<I", data)
        head = json.loads(data[4 : 4 + length])
        count = (len(data) - 4 - length) // 3
        moves = array("H")
        moves.frombytes(data[4 + length : 4 + length + 2 * count])
        if byteorder == "big":
            moves.byteswap()
        players = data[4 + length + 2 * count :]
        root = _tree(list(moves), players, head)
        record = Record(
            _game(head["game"], json.dumps(head["options"])),
            root,
            names=(head["names"][0], head["names"][1]),
            notes=head.get("notes", []),
            **{name: head[name] for name in _TEXTS if name in head},
        )
        if "ratings" in head:
            record.ratings = (head["ratings"][0], head["ratings"][1])
        return record
    except _DAMAGE as error:
        raise StoreError(f"a stored game is damaged: {error}") from None


def _tree(moves: list[int], players: bytes, head: dict[str, Any]) -> Node:
    if len(players) != len(moves) or not moves:
        raise ValueError("moves and players differ in number")
    whose = (0, 1, None)
    nodes = [Node(Move(move), whose[player]) for move, player in zip(moves, players, strict=True)]
    for index in head["unmoved"]:
        nodes[index].move = None
    for index, remark in head.get("remarks", {}).items():
        _remember(nodes[int(index)], remark)
    children = dict(head["shape"])
    waiting: list[list[Any]] = []  # a node and how many children it still lacks
    for index, node in enumerate(nodes):
        if waiting:
            parent = waiting[-1]
            parent[0].children.append(node)
            parent[1] -= 1
            if parent[1] == 0:
                waiting.pop()
        elif index:
            raise ValueError("a node has no parent")
        lacks = children.get(index, 1)
        if lacks:
            waiting.append([node, lacks])
    if waiting:
        raise ValueError("nodes are missing")
    return nodes[0]


def _remark(node: Node) -> dict[str, Any]:
    """What is said of a move, by the names of the fields."""
    remark: dict[str, Any] = {}
    if node.comment:
        remark["comment"] = node.comment
    if node.value is not None:
        remark["value"] = node.value
    if node.seconds is not None:
        remark["seconds"] = node.seconds
    if node.marks:
        remark["marks"] = node.marks
    if node.set_up is not None:
        remark["set_up"] = node.set_up
    if node.properties:
        remark["properties"] = dict(node.properties)
    return remark


def _points(points: list[list[int]]) -> tuple[tuple[int, int], ...]:
    return tuple((column, row) for column, row in points)


def _remember(node: Node, remark: dict[str, Any]) -> None:
    for name in ("comment", "value", "seconds"):
        if name in remark:
            setattr(node, name, remark[name])
    if "marks" in remark:
        node.marks = tuple(Mark(kind, _points(points), label) for kind, points, label in remark["marks"])
    if "set_up" in remark:
        first, second, empty, to_move = remark["set_up"]
        node.set_up = SetUp(_points(first), _points(second), _points(empty), to_move)
    if "properties" in remark:
        node.properties = {name: tuple(values) for name, values in remark["properties"].items()}


@lru_cache(maxsize=256)
def _game(name: str, options: str) -> Game:
    """The rules, once for all games that share them."""
    try:
        return games.game(name, **json.loads(options))
    except TengenError as error:
        raise StoreError(f"a stored game cannot be read by this program: {error}") from None
