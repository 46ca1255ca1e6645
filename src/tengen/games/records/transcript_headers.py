"""Header lines of pasted Othello games: names, ratings, result, date and event in the forms that sites write them.

    [Black "Ann"]      Black: Ann (1850)      Ann vs Bob      Ann 34 - 30 Bob      Result: 34-30

Lines that are not understood become notes of the record, so nothing is dropped silently.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tengen.games.records.results import iso_date, result_by_margin, winner
from tengen.games.records.tree import Record

MAX_HEADER_LINES = 40  # per game
_MAX_NOTE_LENGTH = 100
_MAX_RESULT_LENGTH = 40  # of a line that is only a result; longer ones are text that happens to contain a score

_TAG = re.compile(r'\[\s*+(\w[\w ]{0,30}?)\s*+"([^"]*+)"\s*+\]')
_FIELD = re.compile(r"(\w[\w ]{0,30}?)\s*+[:=]\s*+(.*)")
_SCORED = re.compile(r"(\S.*?)\s++\(?(\d{1,2})\)?\s*+[-:–]\s*+\(?(\d{1,2})\)?\s++(\S.*)")
_PAIR = re.compile(r"(\S.*?)\s++(?:vs?\.?|against|gegen|contre|対)\s++(\S.*)", re.IGNORECASE)
_ROUND = re.compile(r"(?:round|runde|ronde)\s++(\d{1,3})\b.*", re.IGNORECASE)
_SCORE = re.compile(r"(\d{1,2})\s*+[-:–]\s*+(\d{1,2})(?!\d)")
_DISCS = re.compile(r"(\S.*?)\s*+[(\[]\s*+(\d{1,4})\s*+[)\]]")  # a name with discs or a rating in brackets

_NAMES = {
    "black": 0, "white": 1, "schwarz": 0, "weiß": 1, "weiss": 1, "noir": 0, "blanc": 1, "noirs": 0, "blancs": 1,
    "黒": 0, "白": 1, "先手": 0, "後手": 1, "black player": 0, "white player": 1, "player 1": 0, "player 2": 1,
    "dark": 0, "light": 1, "first": 0, "second": 1,
}  # fmt: skip
_RATINGS = {"blackelo": 0, "whiteelo": 1, "blackrating": 0, "whiterating": 1, "black rating": 0, "white rating": 1}
_RESULTS = frozenset({"result", "score", "final score", "ergebnis", "résultat", "結果"})
_FIELDS = {
    "event": "event", "tournament": "event", "turnier": "event", "tournoi": "event", "大会": "event",
    "date": "date", "datum": "date", "日付": "date", "round": "round", "site": "place", "place": "place",
    "location": "place", "timecontrol": "time", "time control": "time",
}  # fmt: skip


def discs_result(black: int, white: int) -> str:
    """The result for a number of discs; empty squares count for the winner."""
    empty = 64 - black - white
    return result_by_margin(black - white + (empty if black > white else -empty if white > black else 0))


def apply_header(record: Record, lines: Sequence[str]) -> None:
    """Fill in a record from its header lines."""
    for line in lines[:MAX_HEADER_LINES]:
        tags = _TAG.findall(line) or [field.groups() for field in [_FIELD.fullmatch(line)] if field is not None]
        understood = [_apply_field(record, name.lower(), value.strip()) for name, value in tags]
        if not (understood and all(understood)) and not _apply_players(record, line):
            record.notes.append(f"header line not understood: {line[:_MAX_NOTE_LENGTH]}")
    if len(lines) > MAX_HEADER_LINES:
        record.notes.append(f"{len(lines) - MAX_HEADER_LINES} more header lines were not read")


def _apply_field(record: Record, name: str, value: str) -> bool:
    """Apply `name: value`; False if it is not understood. A value of ? or - means unknown."""
    known = "" if value in ("?", "-") else value
    if name in _NAMES:
        _set_name(record, _NAMES[name], known)
    elif name in _RATINGS:
        _set_rating(record, _RATINGS[name], known)
    elif name in _RESULTS:
        return not known or _set_result(record, known)
    elif name in _FIELDS:
        setattr(record, _FIELDS[name], iso_date(known) if name in ("date", "datum", "日付") else known)
    else:
        return False
    return True


def _apply_players(record: Record, line: str) -> bool:
    scored = _SCORED.fullmatch(line)
    if scored is not None and int(scored[2]) + int(scored[3]) <= 64:
        _set_name(record, 0, scored[1])
        _set_name(record, 1, scored[4])
        record.result = record.result or discs_result(int(scored[2]), int(scored[3]))
        return True
    pair = _PAIR.fullmatch(line)
    if pair is not None:
        _set_name(record, 0, pair[1])
        _set_name(record, 1, pair[2])
        return True
    round_number = _ROUND.fullmatch(line)
    if round_number is not None:
        record.round = round_number[1]
        return True
    return _set_result(record, line) if len(line) <= _MAX_RESULT_LENGTH else False


def _set_name(record: Record, player: int, text: str) -> None:
    number = _DISCS.fullmatch(text)
    if number is not None:
        text = number[1]
        if int(number[2]) > 64:
            _set_rating(record, player, number[2])
    names = list(record.names)
    names[player] = text
    record.names = (names[0], names[1])


def _set_rating(record: Record, player: int, text: str) -> None:
    ratings = list(record.ratings)
    ratings[player] = text
    record.ratings = (ratings[0], ratings[1])


def _set_result(record: Record, text: str) -> bool:
    """Set the result if the text has one: a score in discs, or SGF's notation."""
    if winner(text) is not None:
        record.result = record.result or text
        return True
    score = _SCORE.search(text)
    if score is None or not 4 <= int(score[1]) + int(score[2]) <= 64:
        return False
    record.result = record.result or discs_result(int(score[1]), int(score[2]))
    return True
