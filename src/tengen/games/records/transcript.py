"""Othello transcripts: `f5d6c3…`, in upper or lower case, with or without blanks, numbers and passes.

If every line can be played from the start, each line is a game; otherwise all lines together are one game.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator

from tengen.games import game as create_game
from tengen.games.records.encoding import decode
from tengen.games.records.errors import RecordError, TextPositions
from tengen.games.records.record_size import RecordSize
from tengen.games.records.replay import implied_pass, start_position
from tengen.games.records.results import margin, result_by_margin
from tengen.games.records.tree import Node, Record

KEEPS = frozenset({"result"})

_TOKEN = re.compile(
    r"[\s,;]*+(?:(?P<black>[0-9]{1,2})\s*+-\s*+(?P<white>[0-9]{1,2})(?=\s|$)"
    r"|(?P<number>\d{1,3}\s*+[.):]|\d{1,3}(?=\s))"
    r"|(?P<move>[a-hA-H][1-8]|(?i:pass|pa|ps)|--|@@))"
)
_MOVE = re.compile(r"[a-hA-H][1-8]|(?i:pass|pa|ps)|--|@@")
_LINE = re.compile(r"[^\n\r]++")
_REST = re.compile(r"[\s,;.]*+")
_START = re.compile(rb"[\s,;]*+(?:\d{1,3}\s*+(?:[.):]\s*+)?+)?+(?:[a-hA-H][1-8](?![\w\"])|(?:[a-hA-H][1-8]){2})")


def recognises(data: bytes) -> bool:
    return _START.match(data) is not None


def read(data: bytes) -> Iterator[Record | RecordError]:
    text, _ = decode(data)
    places = TextPositions(text)
    whole = _sound(text, 0, len(text), places)
    if _has_games_in_lines(text, whole, places):
        for begin, end in _lines(text):
            yield _sound(text, begin, end, places)
    else:
        yield whole


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each line that is not blank."""
    return (match.span() for match in _LINE.finditer(text) if not match[0].isspace())


def _has_games_in_lines(text: str, whole: Record | RecordError, places: TextPositions) -> bool:
    """Whether each line is a game of its own. Stores no games, because there may be millions."""
    first_lines = list(itertools.islice(_lines(text), 2))
    if len(first_lines) < 2 or any(isinstance(_sound(text, *span, places), RecordError) for span in first_lines):
        return False
    for begin, end in _lines(text):
        # A line without a move can only be part of a game.
        is_plain = _MOVE.search(text, begin, end) is not None
        if is_plain and isinstance(whole, RecordError):
            continue  # the first two lines are games, so assume that all are
        game = _sound(text, begin, end, places)
        if isinstance(game, RecordError):
            if not isinstance(whole, RecordError):
                return False
        elif not game.root.children:
            return False
    return True


def _sound(text: str, begin: int, end: int, places: TextPositions) -> Record | RecordError:
    """The game in a part of the text, or the error if it is invalid."""
    try:
        record = _record(text, begin, end, places)
        record.check()
    except RecordError as error:
        return error if begin == 0 else error.within(place=places(begin))
    return record


def _record(text: str, begin: int, end: int, places: TextPositions) -> Record:
    game = create_game("othello")
    start = start_position(game)
    record = Record(game, source="transcript")
    node = record.root
    size = RecordSize()
    position = begin
    while position < end:
        token = _TOKEN.match(text, position, end)
        if token is None or token.end() > end:
            rest = _REST.match(text, position, end)
            if rest is not None and rest.end() == end:
                break
            place = rest.end() if rest is not None else position
            raise RecordError(f"expected a square as f5, not {text[place : place + 10].split()[0]!r}",
                              places(place))  # fmt: skip
        position = token.end()
        if token["move"]:
            size.add_move()
            node = node.add(Node(game.read_move(token["move"], start)))
        elif token["black"]:
            black, white = int(token["black"]), int(token["white"])
            if black + white > 64:
                raise RecordError(f"expected a score of 64 discs, not {black}-{white}",
                                  places(token.start("black")))  # fmt: skip
            empty = 64 - black - white  # empty squares count for the winner
            record.result = result_by_margin(
                black - white + (empty if black > white else -empty if white > black else 0)
            )
    return record


def write_each(records: Iterable[Record]) -> Iterator[bytes]:
    for record in records:
        yield f"{_write(record)}\n".encode()


def _write(record: Record) -> str:
    if record.game != create_game("othello"):
        raise RecordError("a transcript is of a game on 8x8 from the usual start")
    moves = record.moves()
    if not moves:
        raise RecordError("a transcript has at least one move")
    squares = "".join(record.game.write_move(move) for move in moves if move != implied_pass(record.game))
    points = margin(record.result)
    if points is None or points % 2 or abs(points) > 64:
        return squares
    return f"{squares} {32 + int(points) // 2}-{32 - int(points) // 2}"


def lost(record: Record) -> list[str]:
    points = margin(record.result)
    return ["result"] if record.result and (points is None or points % 2 or abs(points) > 64) else []
