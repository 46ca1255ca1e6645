"""Othello transcripts: `f5d6c3…`, in either case, with or without blanks, numbers, passes and header lines.

Without header lines, all lines together are one game if that is legal and its lines are not games by themselves.
Otherwise each line is a game if most lines begin with a first move. With header lines (see `transcript_headers`),
a game is a header and the moves after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tengen.games import game as create_game
from tengen.games.records.encoding import decode
from tengen.games.records.errors import RecordError, TextPositions
from tengen.games.records.record_size import RecordSize
from tengen.games.records.replay import implied_pass, start_position
from tengen.games.records.results import margin
from tengen.games.records.text import game_tag
from tengen.games.records.transcript_headers import apply_header, discs_result
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
_NUMBERS = r"[\s,;]*+(?:\d{1,3}\s*+(?:[.):]\s*+)?+)?+"
_MOVES = re.compile(rf"{_NUMBERS}(?:[a-hA-H][1-8](?![\w\"])|(?:[a-hA-H][1-8]){{2}}|(?:--|@@|(?i:pass|pa|ps)\b))")
_FIRST_MOVE = re.compile(rf"{_NUMBERS}(?i:d3|c4|f5|e6)")
_THREE_MOVES = re.compile(rf"{_NUMBERS}(?i:d3|c4|f5|e6)(?:{_NUMBERS}[a-hA-H][1-8]){{2}}")
_WIDE = {0xFF01 + n: 0x21 + n for n in range(94)} | {0x3000: 0x20}  # full-width letters, as typed in Japanese
_MAX_HEADER_BYTES = 4096  # of the first game, when the format is recognised


def recognises(data: bytes) -> bool:
    start = data[:_MAX_HEADER_BYTES]
    text = start.decode("utf-8", errors="replace").translate(_WIDE)
    if _MOVES.match(text):
        return True
    if text.lstrip("\ufeff \t\r\n").startswith("(;") or game_tag(start):
        return False
    return any(_THREE_MOVES.match(line[0]) is not None for line in _LINE.finditer(text))


def read(data: bytes) -> Iterator[Record | RecordError]:
    text = decode(data)[0].translate(_WIDE)
    places = TextPositions(text)
    if any(_is_header(text, *span) for span in _lines(text)):
        for header, begin, end in _paragraphs(text):
            for game in _games(text, begin, end, places):
                if isinstance(game, Record):
                    apply_header(game, header)
                yield game
    else:
        yield from _games(text, 0, len(text), places)


def _games(text: str, begin: int, end: int, places: TextPositions) -> Iterator[Record | RecordError]:
    """The games in a part of the text that has no header lines."""
    whole = _sound(text, begin, end, places)
    if _has_games_in_lines(text, begin, end, whole, places):
        for span in _game_spans(text, begin, end):
            yield _sound(text, *span, places)
    else:
        yield whole


def _lines(text: str, begin: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Start and end of each line that is not blank."""
    found = _LINE.finditer(text, begin, len(text) if end is None else end)
    return (match.span() for match in found if not match[0].isspace())


def _is_header(text: str, begin: int, end: int) -> bool:
    """Whether a line has neither moves nor numbers nor a score."""
    return _MOVES.match(text, begin, end) is None and _TOKEN.match(text, begin, end) is None


def _paragraphs(text: str) -> Iterator[tuple[list[str], int, int]]:
    """The header lines of each game, and where its moves begin and end.

    Header lines right after the moves belong to that game if a blank line or the end of the text follows.
    """
    header: list[str] = []
    moves: list[int] = []
    trailing: list[str] = []
    last_end = 0
    for begin, end in _lines(text):
        is_header = _is_header(text, begin, end)
        is_apart = text.count("\n", last_end, begin) > 1
        last_end = end
        if moves and trailing and (not is_header or is_apart):
            if is_apart:  # the trailing lines ended their paragraph
                yield header + trailing, moves[0], moves[1]
                header, moves, trailing = [], [], []
            else:
                yield header, moves[0], moves[1]
                header, moves, trailing = trailing, [], []
        if is_header and moves and is_apart:
            yield header, moves[0], moves[1]
            header, moves = [], []
        if is_header:
            (trailing if moves else header).append(text[begin:end].strip())
        else:
            moves = [moves[0] if moves else begin, end]
    if moves:
        yield header + trailing, moves[0], moves[1]


def _game_spans(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Start and end of each line with moves, together with following lines that have none, such as a score."""
    game: tuple[int, int] | None = None
    for first, last in _lines(text, begin, end):
        if game is None:
            game = first, last
        elif _MOVE.search(text, first, last) is None:
            game = game[0], last
        else:
            yield game
            game = first, last
    if game is not None:
        yield game


def _has_games_in_lines(
    text: str, begin: int, end: int, whole: Record | RecordError, places: TextPositions
) -> bool:
    """Whether each line is a game of its own. Stores no games, because there may be millions."""
    if isinstance(whole, Record):
        lines = [game for span in _lines(text, begin, end) for game in (_sound(text, *span, places),)]
        return len(lines) > 1 and all(isinstance(game, Record) and game.root.children for game in lines)
    count = begun = 0
    for first, last in _game_spans(text, begin, end):
        count += 1
        begun += _FIRST_MOVE.match(text, first, last) is not None
    return count > 1 and 2 * begun > count


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
            record.result = discs_result(black, white)
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
