"""Test files of the solver MCGS (`.test`): sums of linear Clobber games with expected results.

    {version 1.5}
    [clobber_1xn]
    XOXO (XXO) {B win, W loss}   /* a comment */

A block in braces asks who wins if Black (X) or White (O) moves first. Games of other kinds, impartial questions
and questions about moves are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tengen.core.errors import PositionError

_TOKEN = re.compile(
    r"\s*+(?:(?P<comment>/\*)|\[(?P<section>[^\]\[]*+)\]|\((?P<game>[^()]*+)\)|\{(?P<block>[^{}]*+)\}|(?P<word>(?:[^\s\[({/]|/(?!\*))++))"
)
_QUESTION = re.compile(r"(?P<player>[BW])(?:\s+(?P<result>win|loss))?", re.IGNORECASE)
_CELLS = re.compile(r"[XO.]++", re.IGNORECASE)
_SECTIONS = ("clobber_1xn", "clobber")
_OUTCOMES = {  # by whether Black and White win if they move first; None if not stated
    (True, True): "N",
    (True, False): "L",
    (False, True): "R",
    (False, False): "P",
    (True, None): "LN",
    (False, None): "RP",
    (None, True): "RN",
    (None, False): "LP",
}


@dataclass
class McgsTests:
    """`cases` are (line number, board, possible outcomes or None); `skipped` counts the blocks left out."""

    cases: list[tuple[int, str, str | None]] = field(default_factory=list)
    skipped: int = 0


def is_mcgs(text: str) -> bool:
    """Whether a text is such a file: it begins with its version."""
    return re.match(r"\s*+\{\s*+version\b", text) is not None


def read_mcgs(text: str) -> McgsTests:
    """Raises `PositionError` with the line number."""
    found = McgsTests()
    section, readable = "", True
    games: list[str] = []
    at, line, counted = 0, 1, 0
    while True:
        token = _TOKEN.match(text, at)
        if token is None:
            if text[at:].strip():
                rest = text[at:].lstrip()
                line += text.count("\n", counted, len(text) - len(rest))
                raise PositionError(f"line {line}: expected a game, [section] or {{question}}, not {rest[:20]!r}")
            break
        start = token.start(token.lastgroup or 0)
        line += text.count("\n", counted, start)
        counted, at = start, token.end()
        if token["comment"] is not None:
            end = text.find("*/", at)
            if end < 0:
                raise PositionError(f"line {line}: the comment has no end")
            at = end + 2
        elif token["section"] is not None:
            section = " ".join(token["section"].split()).lower()
        elif token["block"] is not None:
            questions = token["block"].strip()
            if questions.lower().startswith("version"):
                continue
            expected = _expected(questions)
            if not readable or expected is None or not games:
                found.skipped += 1
            else:
                found.cases.append((line, ".".join(games), expected or None))
            games, readable = [], True
        else:
            game = (token["game"] if token["game"] is not None else token["word"]).strip()
            if section in _SECTIONS and _CELLS.fullmatch(game):
                games.append(game.upper())
            elif section in _SECTIONS and game.strip("XOxo.") and "|" not in game:
                raise PositionError(f"line {line}: {game[:20]!r} is not a row of X, O and .")
            else:
                readable = False  # another game, or a board with several rows
    return found


def _expected(questions: str) -> str | None:
    """The possible outcomes; empty if any result will do, None if the questions are not about who wins."""
    results: dict[str, bool | None] = {"B": None, "W": None}
    for question in questions.split(",") if questions else ():
        match = _QUESTION.fullmatch(question.strip())
        if match is None:
            return None
        if match["result"]:
            results[match["player"].upper()] = match["result"].lower() == "win"
    return _OUTCOMES.get((results["B"], results["W"]), "")
