"""A stored game: record, players, end reason and resumable match state."""

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
    """A stored game, finished or not. The main line of `record.root` is the game; other branches are variations.

    - `players`: as they were during the game, with their engine configuration; None for a side of which only a
      name is known, as in imported files.
    - `end`: why the game ended (`resignation`, `time`, or the rules' reason); empty while unfinished. The winner
      is in `record.result`.
    - `presumed`: presumed winner of an unfinished game abandoned for a rematch; display only, never rated.
    - `state`: resumable match state (clock, cursor) as JSON, opaque to the store.
    - `revision`: number of saves. Saving fails unless it equals the stored revision (optimistic locking).
    - `draft`: loadable, but in no list, not rated, and removed 30 days after its last save. Saving with `draft`
      False turns it into a normal game.
    - `attempted`: time of a save that the database did not confirm; it may or may not have been stored.
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
