"""A game as it is kept: its record, who played it, how it ended, and what whoever plays it wants to find again."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tengen.games.records import Record
from tengen.players.player import Player


def new_id() -> str:
    return str(uuid.uuid4())


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass
class GameEntry:
    """A kept game, finished or not.

    The main line of `record.root` is the game; all else in the tree are variations. `players` are as they were
    when they played, config and all; a side is None where only a name is known, as in imported files. `end` is
    empty while a game is unfinished, then says why it ended (`resignation`, `time`, the rules' own reason);
    `record.result` says who won. `presumed` is the player taken to have won an unfinished game that was left for a
    rematch: it is for display and never counts. `state` is what the layer that plays needs to go on (clock, move
    looked at): JSON that the store keeps and does not read. `revision` counts the saves; an entry that is not the
    newest cannot be saved over one that is. A `draft` is stored and can be loaded, but is on no list,
    counts nowhere and is removed 30 days after its last save; saved with `draft` False, it becomes a game like any
    other. `attempted` is the time of a save that got no answer from the
    database: it may be stored or not.
    """

    record: Record
    players: tuple[Player | None, Player | None] = (None, None)
    end: str = ""
    presumed: int | None = None
    state: Mapping[str, Any] = field(default_factory=dict)
    rated: bool = False
    draft: bool = False
    id: str = field(default_factory=new_id)
    started: datetime = field(default_factory=_now)
    changed: datetime = field(default_factory=_now)
    revision: int = 0
    attempted: datetime | None = field(default=None, compare=False, repr=False)

    @property
    def is_finished(self) -> bool:
        return bool(self.end)
