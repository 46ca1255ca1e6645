"""Rows of the table `games`: what lists show of a game, and its sort keys."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from tengen.core.game import Game
from tengen.games.records import Record
from tengen.games.records.results import is_draw, margin, winner
from tengen.players.player import is_guest_name
from tengen.store.game_entry import GameEntry

MAX_TEXT_LENGTH = 200  # of a text in a list
DECISIVE_SCORE = 100_000.0  # larger than any margin: decided without points
UNKNOWN_SCORE = -1_000_000_000.0
_SIZE_OPTIONS = frozenset({"width", "height", "size", "board"})


@dataclass(frozen=True)
class ListedGame:
    """A game as shown in a list. `players` are ids, None where only a name is known."""

    id: str
    game: str
    board: str
    rules: str
    names: tuple[str, str]
    players: tuple[str | None, str | None]
    date: str
    result: str
    moves: int
    finished: bool
    imported: bool
    started: datetime
    changed: datetime
    deleted: datetime | None


def game_row(entry: GameEntry, imported: bool = False) -> dict[str, Any]:
    """The row of an entry in `games`, without number and revision."""
    record = entry.record
    names = display_names(entry)
    date = record.date or ("" if imported else entry.started.astimezone(UTC).date().isoformat())
    width, height = board_size(record.game)
    line = main_line_moves(record)
    return {
        "id": entry.id,
        "game": record.game.name,
        "size": width * height,
        "board": f"{width}x{height}" if width else "",
        "rules": clean(describe_rules(record.game)),
        "first_name": clean(names[0]),
        "second_name": clean(names[1]),
        "first_folded": folded(names[0]),
        "second_folded": folded(names[1]),
        "first_player": entry.players[0].id if entry.players[0] else None,
        "second_player": entry.players[1].id if entry.players[1] else None,
        "date": clean(date)[:40],
        "result": clean(record.result)[:40],
        "score": sort_score(record.result),
        "moves": len(line),
        "finished": entry.is_finished,
        "imported": imported,
        "started": to_microseconds(entry.started),
        "changed": to_microseconds(entry.changed),
        "digest": digest_of(record, line, names, date),
        "deleted": None,
    }


def row_to_listed_game(row: Any) -> ListedGame:
    """Convert a row of `games`."""
    own = {field.name: getattr(row, field.name) for field in fields(ListedGame) if hasattr(row, field.name)}
    own.update(
        names=(row.first_name, row.second_name),
        players=(row.first_player, row.second_player),
        started=from_microseconds(row.started),
        changed=from_microseconds(row.changed),
        deleted=None if row.deleted is None else from_microseconds(row.deleted),
    )
    return ListedGame(**own)


def display_names(entry: GameEntry) -> tuple[str, str]:
    """Names to list: the players' names, or else those in the record, where guests may have given one."""
    first, second = (
        player.name if player is not None and not (is_guest_name(player.name) and name) else name
        for player, name in zip(entry.players, entry.record.names, strict=True)
    )
    return first, second


@lru_cache(maxsize=256)
def board_size(game: Game) -> tuple[int, int]:
    """Width and height of the board according to the options; (0, 0) if they do not say."""
    options = game.options()
    if "width" in options:
        return int(options["width"]), int(options["height"])
    if "size" in options:
        return int(options["size"]), int(options["size"])
    rows = str(options.get("board", "")).split("/")
    return (len(rows[0]), len(rows)) if rows[0] else (0, 0)


@lru_cache(maxsize=256)
def describe_rules(game: Game) -> str:
    """Short text for the rules without the size: the variant, or the options that differ from the defaults."""
    variant = getattr(game, "variant", None)
    defaults = type(game).create().options()
    changed = [
        f"{name}={value}"
        for name, value in game.options().items()
        if name not in _SIZE_OPTIONS and value != defaults.get(name)
    ]
    return str(variant) if variant else " ".join(changed) or "standard"


def sort_score(result: str) -> float:
    """Sort key of a result: margin of the first player, or `UNKNOWN_SCORE`."""
    points = margin(result)
    if points is not None:
        return max(-DECISIVE_SCORE, min(DECISIVE_SCORE, points))
    who = winner(result)
    return UNKNOWN_SCORE if who is None else (DECISIVE_SCORE, -DECISIVE_SCORE)[who]


def outcome_code(result: str) -> int:
    """The winner (0 or 1), 2 for a draw, 3 for unknown."""
    who = winner(result)
    return who if who is not None else 2 if is_draw(result) else 3


def main_line_moves(record: Record) -> list[int]:
    """Moves of the main line as recorded, without implied passes."""
    node = record.root
    line = [] if node.move is None else [int(node.move)]
    while node.children:
        node = node.children[0]
        if node.move is not None:
            line.append(int(node.move))
    return line


def digest_of(record: Record, line: list[int], names: tuple[str, str], date: str) -> bytes:
    """Digest to detect duplicates: rules, main line, names, date and result."""
    head = [record.game.name, record.game.options(), line, [folded(name) for name in names], date, record.result]
    return hashlib.blake2b(json.dumps(head).encode(), digest_size=16).digest()


def clean(text: str) -> str:
    """Make text acceptable to every database: valid Unicode, no NUL, limited length."""
    return text.encode("utf-8", "replace").decode().replace("\0", "")[:MAX_TEXT_LENGTH]


def folded(name: str) -> str:
    return clean(" ".join(name.casefold().split()))


def to_microseconds(time: datetime) -> int:
    """Exact microseconds since 1970 in UTC; a float would round."""
    since = time.astimezone(UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def from_microseconds(microseconds: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)
