"""How tournaments and tunings stand, for whoever watches from another program, such as the web app.

Each has a JSON file beside its checkpoint, written anew now and then. What is in it is to be shown as it is:
headings with HTML in which every name is escaped.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tengen.core.folders import data_folder
from tengen.games import records

KINDS = ("tournaments", "tunings")
_EVERY = 1.0  # seconds between two writings, at least
_SHARE = 20  # and so many times what the last one took: never more than a small part of the time
_ID = re.compile(r"[0-9a-f]{24}")


def folder(kind: str) -> Path:
    """Where checkpoints and status files of a kind are."""
    return data_folder() / kind


@dataclass(frozen=True)
class Status:
    """How something stands. `state` is running, stopped or finished; `recent` are games, the newest first."""

    name: str
    about: str
    game: str
    state: str
    caption: str
    sections: list[tuple[str, str]]
    recent: list[dict[str, Any]] = field(default_factory=list)
    time: float = field(default_factory=time.time)
    id: str = ""
    kind: str = ""


class Teller:
    """Writes a status file, not too often."""

    def __init__(self, checkpoint: Path) -> None:
        self._path = checkpoint.with_suffix(".json")
        self._next = 0.0

    def tell(self, status: Callable[[], Status], *, at_once: bool = False) -> None:
        """Write what `status` makes, if it is time for it."""
        began = time.monotonic()
        if not at_once and began < self._next:
            return
        with suppress(OSError):  # whoever watches sees the next one
            records.save(self._path, json.dumps(asdict(status())).encode())
        now = time.monotonic()
        self._next = now + max(_EVERY, _SHARE * (now - began))


def find(kind: str, identity: str) -> Status | None:
    """The one with this id, if it can be read."""
    if kind not in KINDS or not _ID.fullmatch(identity):
        return None
    try:
        data = json.loads((folder(kind) / f"{identity}.json").read_bytes())
        return Status(**{**data, "id": identity, "kind": kind})
    except (OSError, ValueError, TypeError):
        return None


def find_all() -> list[Status]:
    """All that there are, the newest first."""
    found = [
        find(kind, path.stem) for kind in KINDS if folder(kind).is_dir() for path in folder(kind).glob("*.json")
    ]
    return sorted((one for one in found if one is not None), key=lambda one: -one.time)
