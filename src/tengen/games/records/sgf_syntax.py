"""The syntax of SGF: trees of nodes with properties, without their meaning.

The parser accepts common deviations from the standard: junk around the games, lower-case letters in names (FF[3]),
blanks anywhere, missing ends. Everything else is an error with its position. A sequence of plain moves, which
makes up most of a collection, is matched by one regular expression.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

from tengen.games.records.errors import RecordError, TextPositions
from tengen.games.records.tree import Node

Values = dict[str, list[str]]

ROOT_ONLY = ("FF[", "GM[")  # a tree or variation that begins with one of these is a game

# All quantifiers are possessive or unambiguous, so matching takes linear time.
_START = re.compile(r"\(\s*+;")
_LOST = re.compile(r"[;(]\s*+[A-Za-z]{1,9}+\s*+\[")  # properties outside any game: a bracket is misplaced
_BLANK = re.compile(r"\s*+")
_NAME = re.compile(r"\s*+([A-Za-z]{1,40}+)\s*+(?=\[)")
_ROOT = re.compile(r"\(\s*+;\s*+(FF|GM)\s*+\[")  # as `ROOT_ONLY`
_BRACKET = re.compile(r"\[[^\]\\]*+(?:\\.[^\]\\]*+)*+(?:\]|\\?\Z)|[()]", re.DOTALL)
_VALUE = re.compile(r"\s*+\[([^\]\\]*+(?:\\.[^\]\\]*+)*+)\]", re.DOTALL)
_RUN = re.compile(r"(?:\s*+;\s*+[BW]\s*+\[\w{0,2}\]){1,500}(?=\s*+[;()])")
_MOVE = re.compile(r"([BW])\s*+\[(\w*+)\]")
_LOWER = str.maketrans("", "", "abcdefghijklmnopqrstuvwxyz")
_ESCAPE = re.compile(r"\\(\r\n|\n\r|.)", re.DOTALL)
_BREAK = re.compile(r"\r\n|\n\r|\r")


class Builder(Protocol):
    """Builds nodes from properties."""

    def node(self, parent: Node, values: Values) -> Node:
        """Add a node to its parent; returns the node to continue from. Errors need no position."""

    def run(self, parent: Node, moves: list[tuple[str, str]]) -> Node:
        """Add a sequence of plain moves."""

    def cut(self, place: str) -> None:
        """Called if the text ends too early."""

    def finish(self) -> None:
        """Called when the tree is complete."""


class Opener(Protocol):
    """Starts a game from the properties of its root."""

    def __call__(self, values: Values) -> tuple[Builder, Node]: ...


def games(text: str, open_game: Opener) -> Iterator[Builder | RecordError]:
    """Iterate over the game trees of a text; yields an error in place of an unreadable one."""
    reader = _Reader(text, open_game)
    start, lost = reader.next_game(0)
    if lost is not None:
        yield RecordError("properties before the first game", lost)
    elif start is None:
        raise RecordError("expected a game, which begins with (;", reader.places(len(text)))
    while start is not None:
        found, position = reader.game(start.end())
        start, lost = reader.next_game(position)
        if lost is not None and not isinstance(found, RecordError):
            found = RecordError("properties after the end of a game: a ) too many, or no (;", lost)
        yield found


class _Reader:
    """Reads game trees from a text."""

    def __init__(self, text: str, open_game: Opener) -> None:
        self.places = TextPositions(text)
        self._text = text
        self._open_game = open_game
        self._root: tuple[int, int] = (0, -1)  # no root starts between these two offsets

    def next_game(self, position: int) -> tuple[re.Match[str] | None, str | None]:
        """The start of the next game, and the position of any properties before it that belong to no game."""
        start = _START.search(self._text, position)
        lost = _LOST.search(self._text, position, start.start() if start else len(self._text))
        return start, None if lost is None else self.places(lost.start())

    def _next_root(self, position: int) -> int:
        """Offset of the next root with FF or GM first, or the end of the text. Searches each part only once."""
        searched, found = self._root
        if not searched <= position <= found:
            root = _ROOT.search(self._text, position)
            found = len(self._text) if root is None else root.start()
            self._root = position, found
        return found

    def _end_of_game(self, start: int, broken: int) -> tuple[int, bool]:
        """Where to resume after a game with an error at `broken`, and whether that could be determined.

        This is after the game's closing bracket, or at the next root if that comes first.
        """
        depth = 1
        root = self._next_root(broken)
        for bracket in _BRACKET.finditer(self._text, start, root):
            if bracket[0] == "(":
                depth += 1
            elif bracket[0] == ")":
                depth -= 1
                if depth == 0:
                    return bracket.end(), True
        return root, root < len(self._text)

    def game(self, position: int) -> tuple[Builder | RecordError, int]:
        """Read the game tree whose root properties start at `position`; returns it or its error, and its end."""
        text = self._text
        start = began = position
        parents: list[Node] = []
        try:
            root, position, cut = _properties(text, position)
            builder, node = self._open_game(root)
            parents.append(node)
            fresh = False  # whether a variation was just opened and has no node yet
            while not cut:
                run = _RUN.match(text, position)
                if run is not None:
                    began = run.start()
                    node = builder.run(node, _MOVE.findall(run[0]))
                    position = run.end()
                    fresh = False
                position = _BLANK.match(text, position).end()  # type: ignore[union-attr]
                began = position
                symbol = text[position : position + 1]
                position += 1
                if symbol == ";":
                    values, position, cut = _properties(text, position)
                    if values or not cut:
                        node = builder.node(node, values)
                    fresh = False
                elif symbol == "(" and not fresh:
                    another = _ROOT.match(text, began)
                    if another is not None and another[1] in root:
                        raise RecordError("a game begins inside another: a ) is missing before it")
                    parents.append(node)
                    fresh = True
                elif symbol == ")" and not fresh:
                    node = parents.pop()
                    if not parents:
                        builder.finish()
                        return builder, position
                elif symbol == "":
                    break
                else:
                    wanted = "; to begin a node" if fresh else "a property, ; ( or )"
                    raise RecordError(f"expected {wanted}, not {symbol!r}")
            builder.cut(self.places(len(text)))
            builder.finish()
            return builder, len(text)
        except RecordError as error:
            position, found = self._end_of_game(start, began)
            error = error.within(place=self.places(began))
            if not found:
                error = type(error)(f"{error.message}; nothing after it can be read", error.place)
            return error, position


def _properties(text: str, position: int) -> tuple[Values, int, bool]:
    """The properties of one node, their end, and whether the text ends within them."""
    found: Values = {}
    while True:
        name = _NAME.match(text, position)
        if name is None:
            rest = text[position:].strip() if len(text) - position < 60 else "?"
            # The text ends here, or after a name without a value.
            return found, position, rest == "" or rest.isalpha()
        key = name[1].translate(_LOWER) or name[1].upper()
        values = found.setdefault(key, [])
        position = name.end()
        while (value := _VALUE.match(text, position)) is not None:
            values.append(value[1])
            position = value.end()
        if text.startswith("[", _BLANK.match(text, position).end()):  # type: ignore[union-attr]
            # A value without a closing bracket extends to the end of the text.
            if not values:
                del found[key]
            return found, len(text), True


def to_text(raw: str) -> str:
    """Decode a value: resolve escapes, remove soft line breaks, normalise line breaks."""
    if "\\" in raw:
        raw = _ESCAPE.sub(lambda match: "" if match[1][0] in "\r\n" else match[1], raw)
    return _BREAK.sub("\n", raw) if "\r" in raw else raw


def to_value(text: str, composed: bool = False) -> str:
    """Encode a text as a value; in a composed value, colons are escaped, too."""
    text = text.replace("\\", "\\\\").replace("]", "\\]")
    return text.replace(":", "\\:") if composed else text


def write(name: str, values: list[str] | tuple[str, ...]) -> str:
    """A property with its raw values."""
    return name + "".join(f"[{value}]" for value in values)
