"""What a list shows of a game, and how it is sorted, taken from the entry."""

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
from tengen.store.entry import GameEntry

LONGEST = 200  # characters of a text in a list
DECIDED = 100_000.0  # a score beyond every margin: won without points
UNKNOWN = -1_000_000_000.0
_SIZE_OPTIONS = frozenset({"width", "height", "size", "board"})


@dataclass(frozen=True)
class ListedGame:
    """A game as a list shows it. `players` are their ids, None where only a name is known."""

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


def row_of(entry: GameEntry, imported: bool = False) -> dict[str, Any]:
    """The row in `games`, but for number and revision."""
    record = entry.record
    names = names_of(entry)
    date = record.date or ("" if imported else entry.started.astimezone(UTC).date().isoformat())
    width, height = size_of(record.game)
    line = main_moves(record)
    return {
        "id": entry.id,
        "game": record.game.name,
        "size": width * height,
        "board": f"{width}x{height}" if width else "",
        "rules": clean(rules_of(record.game)),
        "first_name": clean(names[0]),
        "second_name": clean(names[1]),
        "first_folded": folded(names[0]),
        "second_folded": folded(names[1]),
        "first_player": entry.players[0].id if entry.players[0] else None,
        "second_player": entry.players[1].id if entry.players[1] else None,
        "date": clean(date)[:40],
        "result": clean(record.result)[:40],
        "score": score_of(record.result),
        "moves": len(line),
        "finished": entry.is_finished,
        "imported": imported,
        "started": microseconds(entry.started),
        "changed": microseconds(entry.changed),
        "digest": digest_of(record, line, names, date),
        "deleted": None,
    }


def listed(row: Any) -> ListedGame:
    """What a row of `games` shows."""
    own = {field.name: getattr(row, field.name) for field in fields(ListedGame) if hasattr(row, field.name)}
    own.update(
        names=(row.first_name, row.second_name),
        players=(row.first_player, row.second_player),
        started=moment(row.started),
        changed=moment(row.changed),
        deleted=None if row.deleted is None else moment(row.deleted),
    )
    return ListedGame(**own)


def names_of(entry: GameEntry) -> tuple[str, str]:
    """Names for a list: the players', and where there are none those in the record."""
    first, second = (
        player.name if player is not None else name
        for player, name in zip(entry.players, entry.record.names, strict=True)
    )
    return first, second


@lru_cache(maxsize=256)
def size_of(game: Game) -> tuple[int, int]:
    """Width and height of the board, as far as the options tell: (0, 0) for a game without any."""
    options = game.options()
    if "width" in options:
        return int(options["width"]), int(options["height"])
    if "size" in options:
        return int(options["size"]), int(options["size"])
    rows = str(options.get("board", "")).split("/")
    return (len(rows[0]), len(rows)) if rows[0] else (0, 0)


@lru_cache(maxsize=256)
def rules_of(game: Game) -> str:
    """The rules in a few words, without the size: a variant's name, or the options that are not the usual ones."""
    variant = getattr(game, "variant", None)
    usual = type(game).create().options()
    changed = [
        f"{name}={value}"
        for name, value in game.options().items()
        if name not in _SIZE_OPTIONS and value != usual.get(name)
    ]
    return str(variant) if variant else " ".join(changed) or "standard"


def score_of(result: str) -> float:
    """A number to sort results by: what the first player won by, or `UNKNOWN`."""
    points = margin(result)
    if points is not None:
        return max(-DECIDED, min(DECIDED, points))
    who = winner(result)
    return UNKNOWN if who is None else (DECIDED, -DECIDED)[who]


def outcome_of(result: str) -> int:
    """0 or 1 who won, 2 a draw, 3 not known."""
    who = winner(result)
    return who if who is not None else 2 if is_draw(result) else 3


def main_moves(record: Record) -> list[int]:
    """The moves of the main line as the record has them, without passes that it leaves out."""
    node = record.root
    line = [] if node.move is None else [int(node.move)]
    while node.children:
        node = node.children[0]
        if node.move is not None:
            line.append(int(node.move))
    return line


def digest_of(record: Record, line: list[int], names: tuple[str, str], date: str) -> bytes:
    """Equal for games that are the same: rules, main line, names, date and result."""
    head = [record.game.name, record.game.options(), line, [folded(name) for name in names], date, record.result]
    return hashlib.blake2b(json.dumps(head).encode(), digest_size=16).digest()


def clean(text: str) -> str:
    """Text that every database takes: valid Unicode without zeros, not too long."""
    return text.encode("utf-8", "replace").decode().replace("\0", "")[:LONGEST]


def folded(name: str) -> str:
    return clean(" ".join(name.casefold().split()))


def microseconds(time: datetime) -> int:
    """Since 1970, exactly: a float would round."""
    since = time.astimezone(UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def moment(microseconds: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)
