"""The text format of pente.org: tags, then `1. K10 M9 2. N10 …` and the score. The grammar is that of `text`.

The tag Game names the variant; the board is 19x19. Options that the variant does not determine (another size, the
tournament rule) are stored in tags named after our options, which other programs ignore.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from tengen.core.game import Game
from tengen.games import game as create_game
from tengen.games.records.dropped_features import HEADER
from tengen.games.records.errors import RecordError
from tengen.games.records.pente_colours import assume_choices, has_opening
from tengen.games.records.results import american_date, from_score, has_time, iso_date, to_score
from tengen.games.records.text import apart, game_tag, header_tags, read_with, write_text
from tengen.games.records.tree import Record

KEEPS = HEADER

# The site's game names, and our options `variant` and `opening` for each.
GAMES: dict[str, dict[str, Any]] = {
    "Pente": {"variant": "standard"},
    "Keryo-Pente": {"variant": "keryo"},
    "Gomoku": {"variant": "gomoku"},
    "G-Pente": {"variant": "g-pente"},
    "Poof-Pente": {"variant": "poof"},
    "O-Pente": {"variant": "o-pente"},
    "Boat-Pente": {"variant": "boat"},
    "Connect6": {"variant": "connect6"},
    "D-Pente": {"variant": "standard", "opening": "d-pente"},
    "DK-Pente": {"variant": "keryo", "opening": "d-pente"},
    "Swap2-Pente": {"variant": "standard", "opening": "swap2"},
    "Swap2-Keryo": {"variant": "keryo", "opening": "swap2"},
}
_PREFIX = re.compile(r"(?:speed|turn-based|tb)[ -]", re.IGNORECASE)
_ORDER = (
    "Game", "Site", "Event", "Round", "Section", "Date", "Time", "TimeControl", "Rated", "Player 1 Name",
    "Player 2 Name", "Player 1 Rating", "Player 2 Rating", "Player 1 Type", "Player 2 Type", "Result",
)  # fmt: skip


def _options(name: str) -> dict[str, Any] | None:
    name = _PREFIX.sub("", name).lower()
    return next((options for known, options in GAMES.items() if known.lower() == name), None)


def recognises(data: bytes) -> bool:
    name = game_tag(data)
    return name != "pente" and _options(name) is not None  # lower-case "pente" is the format `text`


def read(data: bytes) -> Iterator[Record | RecordError]:
    for record in read_with(data, "pente.org", _make_game):
        if isinstance(record, RecordError):
            yield record
            continue
        if has_opening(record.game):  # the site does not record the choices of colour
            assume_choices(record)
        date = iso_date(record.date)
        if american_date(date) == record.date:
            record.date = date
        yield record


def _make_game(tags: dict[str, str]) -> Game:
    name = tags.get("Game", "")
    options = dict(_options(name) or {"variant": name})
    kind = type(create_game("pente"))
    own = [field for field in kind.create().options() if field in tags]
    options |= {field: tags.pop(field) for field in own}
    game = create_game("pente", **options)
    if _name(game)[0] == name:
        del tags["Game"]
    return game


def _name(game: Game) -> tuple[str, dict[str, str]]:
    """The site's name for a game, and tags for the options that the name does not determine."""
    best: tuple[str, dict[str, str]] | None = None
    for name, options in GAMES.items():
        told = create_game("pente", **options).options()
        rest = {option: str(value) for option, value in game.options().items() if told[option] != value}
        if best is None or len(rest) < len(best[1]):
            best = name, rest
    assert best is not None
    return best


def write_each(records: Iterable[Record]) -> Iterator[bytes]:
    return apart(map(_write, records))


def _write(record: Record) -> str:
    name, rest = _name(record.game)
    tags = {"Game": name} | header_tags(record, "pente.org")
    if _options(tags["Game"]) != GAMES[name]:
        tags["Game"] = name  # the game was changed after reading
    if "Date" in tags:
        tags["Date"] = american_date(record.date if record.source == "pente.org" else iso_date(record.date))
    ordered = {tag: tags[tag] for tag in _ORDER if tag in tags}
    return write_text(record, ordered | rest | tags, tree=False)


def lost(record: Record) -> list[str]:
    dropped = ["time of day"] if record.source != "pente.org" and has_time(record.date) else []
    score = to_score(record.result)
    return dropped + ([] if score == "*" or from_score(score) == record.result else ["manner of the win"])
