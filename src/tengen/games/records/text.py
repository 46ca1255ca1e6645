"""Plain text for every game: tags, then numbered moves. `pente_org` uses the same grammar.

    [Game "clobber"]
    [board "XOXOXO"]
    [Player 1 Name "Ann"]

    1. 1-2 {a comment} 4-3 (4-5 5-4) 2. 3-2 1-0

The grammar, with blanks between any two parts:

    record  = tag* item* [score]
    tag     = "[" name " " '"' value '"' "]"         in a value \\" and \\\\ stand for " and \\
    item    = number "." | move | "{" comment "}" | "(" item* ")"
    score   = "1-0" | "0-1" | "1/2-1/2" | "*"

A comment belongs to the move before it, or to the whole game if there is none. In a comment, \\} and \\\\ stand
for } and \\; it may start with [%eval 1.5] and [%time 2.5]. Parentheses contain a variation that replaces the move
before them. Each option of the game is a tag of the same name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import MISSING, fields
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tengen import games
from tengen.core.errors import TengenError
from tengen.core.game import Game, Move
from tengen.games.records.dropped_features import HEADER, TREE
from tengen.games.records.encoding import decode
from tengen.games.records.errors import RecordError, RecordTooLarge, TextPositions
from tengen.games.records.record_size import RecordSize
from tengen.games.records.replay import implied_pass, start_position
from tengen.games.records.results import from_score, number, to_score, write_number
from tengen.games.records.tree import Node, Record

if TYPE_CHECKING:
    from tengen.core.position import Position

KEEPS = HEADER | TREE - {"marks", "set-up stones"}

TAGS = {"Event": "event", "Round": "round", "Site": "place", "Date": "date", "TimeControl": "time"}
_PLAYER_TAGS = ("Player 1 Name", "Player 2 Name", "Player 1 Rating", "Player 2 Rating")
# All quantifiers are possessive or unambiguous, so matching takes linear time.
_TAG = re.compile(r'\s*+\[\s*+([^"\[\]\s]++(?:\s++[^"\[\]\s]++)*+)\s*+"((?:[^"\\\n]|\\.)*+)"\s*+\]')
_TAG_LINE = re.compile(r'^[ \t]*+\[\s*+[A-Za-z][^"\[\]\n]{0,60}+"[^\n]*"\s*+\]', re.MULTILINE)
_GAME_TAG = re.compile(rb'^[ \t]*+\[\s*+Game\s*+"([^"\n]{1,60})"\s*+\]', re.MULTILINE)
_COMMENT = re.compile(r"\{((?:[^}\\]|\\.)*+)\}", re.DOTALL)
_WORD = re.compile(r"[^\s(){}\[\]]++")
_NUMBER = re.compile(r"\d++\.++")
_FIGURES = re.compile(r"\[%(eval|time) ([^\]\s]{1,30}+)\]\s?")
_BLANK = re.compile(r"\s*+")
_MAX_TAG_NAME_LENGTH = 60
_MAX_TAGS = 1_000  # per record
SCORES = ("1-0", "0-1", "1/2-1/2", "*")


def recognises(data: bytes) -> bool:
    """Whether the tag `Game` names a known game."""
    return game_tag(data).lower() in games.all_names()


def game_tag(data: bytes) -> str:
    """The value of the first tag `Game`; empty if there is none."""
    match = _GAME_TAG.search(data[:8192])
    return match[1].decode("utf-8", errors="replace") if match else ""


def read(data: bytes) -> Iterator[Record | RecordError]:
    return read_with(data, "text", _make_game)


def read_with(data: bytes, source: str, make_game: Any) -> Iterator[Record | RecordError]:
    """Iterate over the records of a text. `make_game(tags)` removes the tags that it uses.

    After an unreadable record, reading resumes at the next line with a tag.
    """
    text, note = decode(data)
    reader = _Reader(text, source, make_game)
    position = _BLANK.match(text, 0).end()  # type: ignore[union-attr]
    if not text.startswith("[", position):
        raise RecordError('expected a tag as [Game "clobber"]', reader.places(position))
    while position < len(text):
        try:
            record, position = reader.record(position)
        except RecordError as error:
            yield error
            began = position
            while (tag := reader.tag(position)) is not None:
                position = tag.end()
            # Always advance: a line that looks like a tag may be invalid and must not be tried twice.
            following = _TAG_LINE.search(text, max(position, began + 1))
            if following is None:
                return
            position = following.start()
            continue
        if note:
            record.notes.append(note)
        yield record
        position = _BLANK.match(text, position).end()  # type: ignore[union-attr]


class _Reader:
    """Reads records from a text."""

    def __init__(self, text: str, source: str, make_game: Any) -> None:
        self.text = text
        self.places = TextPositions(text)
        self._source = source
        self._make_game = make_game
        self._unclosed = len(text)  # comments that start here or later are not closed

    def tag(self, position: int) -> re.Match[str] | None:
        """Match the tag at `position`; None if there is none or its name is too long."""
        found = _TAG.match(self.text, position)
        return None if found is None or len(found[1]) > _MAX_TAG_NAME_LENGTH else found

    def comment(self, position: int) -> re.Match[str]:
        """Match the comment at `position`. Raises `RecordError` if it is not closed."""
        found = _COMMENT.match(self.text, position) if position < self._unclosed else None
        if found is None:
            # If one comment is not closed, none of those after it is.
            self._unclosed = min(self._unclosed, position)
            raise RecordError("expected } at the end of a comment", self.places(position))
        return found

    def record(self, position: int) -> tuple[Record, int]:
        """Read the record at `position`; returns it and its end."""
        began = position
        tags: dict[str, str] = {}
        while (tag := self.tag(position)) is not None:
            if len(tags) == _MAX_TAGS:
                raise RecordError(f"a record has at most {_MAX_TAGS:,} tags", self.places(tag.start(1)))
            if tag[1] in tags:
                raise RecordError(f"the tag {tag[1]} is there twice", self.places(tag.start(1)))
            tags[tag[1]] = _one_line(re.sub(r"\\(.)", r"\1", tag[2]))
            position = tag.end()
        try:
            record = Record(self._make_game(tags), source=self._source)
        except TengenError as error:
            raise RecordError(str(error), self.places(began)) from None
        _header(record, tags)
        moves = _Moves(self, record)
        try:
            position, score = moves.read(position)
        except RecordTooLarge as error:
            raise error.within(place=self.places(began)) from None
        if score and to_score(record.result) != score:
            if record.result:
                raise RecordError(f"the result is {score} here and {record.result} in its tag",
                                  self.places(position - len(score)))  # fmt: skip
            record.result = from_score(score)
        return record, position


def _make_game(tags: dict[str, str]) -> Game:
    if "Game" not in tags:
        raise RecordError("expected a tag Game")
    name = tags.pop("Game")
    kind = games.game_class(name)
    return kind.create(**{field.name: tags.pop(field.name) for field in fields(kind) if field.name in tags})


def _header(record: Record, tags: dict[str, str]) -> None:
    names = [tags.pop(tag, "") for tag in _PLAYER_TAGS]
    record.names, record.ratings = (names[0], names[1]), (names[2], names[3])
    for tag, field in TAGS.items():
        setattr(record, field, tags.pop(tag, ""))
    record.result = from_score(tags.pop("Result", ""))
    if tags:
        record.root.properties = {tag: (value,) for tag, value in tags.items()}


class _Moves:
    """Reads the moves of one record into its tree."""

    def __init__(self, reader: _Reader, record: Record) -> None:
        self._reader = reader
        self._text = reader.text
        self._record = record
        self._size = RecordSize()
        self._known: dict[str, Move] = {}
        self._line = [record.root]  # from the root to the last move
        self._reached: list[Position] = []  # positions at the first nodes of the line, computed on demand
        self._comments: dict[int, tuple[Node, list[str]]] = {}  # by id of the node

    def read(self, position: int) -> tuple[int, str]:
        """Read the moves from `position` on; returns their end, and the score after them if there is one."""
        position, score = self._read(position)
        for node, comments in self._comments.values():
            node.comment = "\n".join(comments)
        self._size.check_moves(self._record.root)
        return position, score

    def _read(self, position: int) -> tuple[int, str]:
        text, places = self._text, self._reader.places
        outer: list[tuple[int, Node]] = []  # for each open variation: length of the line, and the replaced move
        while True:
            position = _BLANK.match(text, position).end()  # type: ignore[union-attr]
            symbol = text[position : position + 1]
            if symbol in ("", "["):
                break
            began = position
            if symbol == "{":
                position = self._comment(position)
            elif symbol == "(" and len(self._line) > 1:
                replaced = self._line.pop()
                outer.append((len(self._line), replaced))
                del self._reached[len(self._line) :]
                position += 1
            elif symbol == ")" and outer:
                length, replaced = outer.pop()
                del self._line[length:]
                del self._reached[length:]
                self._line.append(replaced)
                position += 1
            else:
                word = _WORD.match(text, position)
                if word is None:
                    raise RecordError(f"expected a move, not {symbol!r}", places(position))
                position = word.end()
                if word[0] in SCORES and not outer:
                    return position, word[0]
                numbered = _NUMBER.match(word[0])
                move = word[0][numbered.end() :] if numbered else word[0]
                if move:
                    self._move(move, began)
        if outer:
            raise RecordError("expected ) at the end of a variation", places(position))
        return position, ""

    def _comment(self, position: int) -> int:
        match = self._reader.comment(position)
        node = self._line[-1]
        comment, begin = match[1], 0
        while (figure := _FIGURES.match(comment, begin)) is not None and (value := number(figure[2])) is not None:
            if figure[1] == "eval":
                node.value = value
            else:
                node.seconds = value
            begin = figure.end()
        comment = re.sub(r"\\(.)", r"\1", comment[begin:], flags=re.DOTALL)
        if comment:
            self._comments.setdefault(id(node), (node, []))[1].append(comment)
        return match.end()

    def _move(self, word: str, place: int) -> None:
        game = self._record.game
        move = self._known.get(word)
        try:
            if move is None:
                start = start_position(game)
                try:
                    move = game.read_move(word, start)
                except TengenError:
                    move = None
                if move is None or game.write_move(move).lower() != word.lower():
                    # A short form, whose meaning depends on the position.
                    move = game.read_move(word, self._position())
                else:
                    self._known[word] = move
        except TengenError as error:
            raise RecordError(str(error), self._reader.places(place)) from None
        self._size.add_nodes()
        self._line.append(self._line[-1].add(Node(move)))

    def _position(self) -> Position:
        """The position at the end of the line. Raises a `TengenError` if a move is illegal."""
        del self._reached[len(self._line) :]
        if not self._reached:
            self._reached.append(start_position(self._record.game))
        no_move = implied_pass(self._record.game)
        for node in self._line[len(self._reached) :]:
            position = self._reached[-1]
            assert node.move is not None
            if no_move >= 0 and not position.is_legal(node.move) and position.legal_moves == (no_move,):
                position = position.play(Move(no_move))
            self._reached.append(position.play(node.move))
        return self._reached[-1]


# ---- writing


def write_each(records: Iterable[Record]) -> Iterator[bytes]:
    return apart(map(_write, records))


def apart(texts: Iterable[str]) -> Iterator[bytes]:
    """Encode records with an empty line between them."""
    for number_of_text, text in enumerate(texts):
        yield ("\n" * (number_of_text > 0) + text).encode("utf-8", errors="replace")


def _write(record: Record) -> str:
    game = record.game
    tags = {"Game": game.name}
    for field in fields(game):
        value = getattr(game, field.name)
        if field.default is MISSING or value != field.default:
            tags[field.name] = str(value)
    return write_text(record, tags | header_tags(record, "text"), tree=True)


def header_tags(record: Record, source: str) -> dict[str, str]:
    """Tags for everything that concerns the whole record, except the game and its options."""
    tags = {tag: getattr(record, field) for tag, field in TAGS.items()}
    tags |= dict(zip(_PLAYER_TAGS, (*record.names, *record.ratings), strict=True))
    tags["Result"] = record.result
    tags = {tag: text for tag, text in tags.items() if text}
    if record.source == source:
        tags |= {tag: values[0] for tag, values in record.root.properties.items()}
    return tags


def write_text(record: Record, tags: dict[str, str], tree: bool) -> str:
    """Tags and moves. Without `tree`, only the main line, and only the winner of the result."""
    score = to_score(record.result)
    if "Result" in tags and (from_score(score) == record.result or (not tree and score != "*")):
        tags["Result"] = score
    lines = [f'[{tag} "{_escape(text, chr(34))}"]\n' for tag, text in tags.items()]
    words = list(_words(record)) if tree else list(_main_line(record))
    return "".join(lines) + "\n" + _fill([*words, to_score(record.result)]) + "\n"


def _one_line(text: str) -> str:
    return " ".join(text.splitlines())


def _escape(text: str, closing: str) -> str:
    if closing == '"':
        text = _one_line(text)
    return text.replace("\\", "\\\\").replace(closing, "\\" + closing)


@lru_cache(maxsize=64)
def _names(game: Game) -> dict[Move, str]:
    """Cache of move names, filled by `_name`."""
    return {}


def _name(game: Game, names: dict[Move, str], move: Move) -> str:
    name = names.get(move)
    if name is None:
        name = names[move] = game.write_move(move)
    return name


def _main_line(record: Record) -> Iterator[str]:
    moves = [node.move for node in record.nodes() if node.move is not None]
    names = _names(record.game)
    for index, move in enumerate(moves):
        if index % 2 == 0:
            yield f"{index // 2 + 1}."
        yield _name(record.game, names, move)


def _words(record: Record) -> Iterator[str]:
    """The words of the tree. Each move is followed by its alternatives in parentheses."""
    game, names = record.game, _names(record.game)
    yield from _remarks(record.root)
    line = record.nodes()
    if len(line[0].children) < 2 and all(node.is_plain and len(node.children) < 2 for node in line[1:]):
        yield from _main_line(record)  # the same result, but faster
        return
    waiting: list[tuple[Node, int] | str] = []

    def push(node: Node, number: int) -> None:
        """Push the continuation of a node: its first child, that child's siblings, the child's continuation."""
        if not node.children:
            return
        main, *others = node.children
        waiting.append((main, -number - 1))
        for other in reversed(others):
            waiting.extend([")", (other, number), "("])
        waiting.append(f"{number // 2 + 1}.{'' if number % 2 == 0 else '..'}" if others or number % 2 == 0 else "")
        waiting[-1:] = [*_move_words(game, names, main)[::-1], waiting[-1]]

    push(record.root, 0)
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            if item:
                yield item
            continue
        node, number = item
        if number >= 0:  # the first move of a variation
            yield f"{number // 2 + 1}.{'' if number % 2 == 0 else '..'}"
            yield from _move_words(game, names, node)
            push(node, number + 1)
        else:
            push(node, -number)


def _move_words(game: Game, names: dict[Move, str], node: Node) -> list[str]:
    if node.move is None:
        raise RecordError("text has a move in every node but the first")
    name = _name(game, names, node.move)
    return [name] if node.is_plain else [name, *_remarks(node)]


def _remarks(node: Node) -> list[str]:
    figures = ""
    if node.value is not None:
        figures += f"[%eval {write_number(node.value)}] "
    if node.seconds is not None:
        figures += f"[%time {write_number(node.seconds)}] "
    if not figures and not node.comment:
        return []
    comment = _escape(node.comment, "}")
    if comment.startswith("[%"):  # must not be read back as an evaluation or time
        comment = "\\" + comment
    return ["{" + figures + comment + "}"]


def _fill(words: Iterable[str]) -> str:
    """Join words into lines of up to 80 characters. Comments are not split."""
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > 80:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip(" ")
    return "\n".join(lines)
