"""Compact, lossless binary format of records, without recursion.

A version byte, then zlib-compressed: length of the header, header, moves, players. The header is JSON: the game,
properties of the whole game, and annotations of nodes. Nodes are numbered in the order of `Node.walk`. Moves are
16-bit little-endian codes, players one byte each (2: the player to move). A game that changes its move codes needs
a new version here.
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
_MAX_UNPACKED_BYTES = 1 << 28  # protects against damaged or malicious data


def pack_record(record: Record) -> bytes:
    """Encode a record, including notes and source."""
    codes: list[int] = []
    players = bytearray()
    unmoved: list[int] = []
    shape: list[tuple[int, int]] = []
    remarks: dict[int, dict[str, Any]] = {}
    waiting = [record.root]
    while waiting:  # like `Node.walk`, but without a generator, for speed
        node = waiting.pop()
        if node.move is None:
            unmoved.append(len(codes))
        if len(node.__dict__) > 3:  # more than move, player and children
            remark = _annotations(node)
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


def unpack_record(packed: bytes) -> Record:
    """Decode a record of this or an older version. Raises `StoreError` for anything else."""
    if packed[:1] != bytes([VERSION]):
        raise StoreError(
            f"a stored game has version {packed[0] if packed else 'none'}; this program reads {VERSION}"
        )
    try:
        unzip = zlib.decompressobj()
        data = unzip.decompress(packed[1:], _MAX_UNPACKED_BYTES)
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
        _annotate(nodes[int(index)], remark)
    children = dict(head["shape"])
    waiting: list[list[Any]] = []  # [node, number of children still missing]
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


def _annotations(node: Node) -> dict[str, Any]:
    """Non-default fields of a node besides move, player and children, by name."""
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


def _annotate(node: Node, remark: dict[str, Any]) -> None:
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
    """The game with these options, cached: most records share one."""
    try:
        return games.game(name, **json.loads(options))
    except TengenError as error:
        raise StoreError(f"a stored game cannot be read by this program: {error}") from None
