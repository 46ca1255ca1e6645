"""What the server remembers besides the games: options by browser, who sits where, a secret. One small JSON file.

A *seat* is one side of a game that a person plays. Each has a key; whoever shows it sits there: another browser by
a link, a program by the API. A browser is remembered by its cookie, so nobody types a key twice.
"""

from __future__ import annotations

import hmac
import json
import logging
import os
import secrets
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_log = logging.getLogger(__name__)
MOST_BROWSERS = 2000  # whose options are kept; the longest unseen are forgotten
MOST_GAMES = 20_000


@dataclass
class Seats:
    """Who may act in one game: who made it, and for each side the key and the browsers that sit there."""

    owner: str
    keys: tuple[str, str] = field(default_factory=lambda: (secrets.token_urlsafe(16), secrets.token_urlsafe(16)))
    holders: tuple[list[str], list[str]] = field(default_factory=lambda: ([], []))
    open: tuple[bool, bool] = (False, False)  # sides that somebody still has to come for, by the link

    def sides(self, who: str) -> frozenset[int]:
        """The sides that a browser plays."""
        return frozenset(side for side in (0, 1) if who in self.holders[side])

    def side_of(self, key: str) -> int | None:
        """The side that a key belongs to."""
        return next((side for side in (0, 1) if hmac.compare_digest(self.keys[side].encode(), key.encode())), None)

    def guests(self) -> set[str]:
        """The browsers that came by a link."""
        return {who for holders in self.holders for who in holders} - {self.owner}

    def is_guest(self, who: str) -> bool:
        """Whether somebody came by a link: a browser at another's game, or the key of a side given away."""
        side = self.side_of(who)
        given = side is not None and (self.open[side] or any(one != self.owner for one in self.holders[side]))
        return given or who in self.guests()

    def sit(self, side: int, who: str) -> None:
        if who not in self.holders[side]:
            self.holders[side].append(who)
        if who != self.owner:
            self.open = (False, self.open[1]) if side == 0 else (self.open[0], False)


class Memory:
    """The file, read once and written after each change; `None` keeps nothing, for demonstrations."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._options: dict[str, dict[str, Any]] = {}
        self._seats: dict[str, Seats] = {}
        self._guests: set[str] = set()
        self._secret = ""
        if path is not None and path.exists():
            self._read(path)

    @property
    def secret(self) -> bytes:
        """A secret of this server's, the same after it was started again."""
        with self._lock:
            if not self._secret:
                self._secret = secrets.token_hex(32)
                self._write()
            return bytes.fromhex(self._secret)

    def options(self, browser: str) -> dict[str, Any]:
        with self._lock:
            return dict(self._options.get(browser, {}))

    def set_options(self, browser: str, **values: Any) -> None:
        with self._lock:
            known = self._options.pop(browser, {})
            self._options[browser] = {**known, **values}
            while len(self._options) > MOST_BROWSERS:
                del self._options[next(iter(self._options))]
            self._write()

    def seats(self, game_id: str) -> Seats | None:
        with self._lock:
            return self._seats.get(game_id)

    def set_seats(self, game_id: str, seats: Seats) -> None:
        with self._lock:
            self._seats[game_id] = seats
            self._guests |= seats.guests()
            while len(self._seats) > MOST_GAMES:
                del self._seats[next(iter(self._seats))]
            self._write()

    def is_guest(self, who: str) -> bool:
        """Whether a browser is known to have come by another's link."""
        with self._lock:
            return who in self._guests

    def _read(self, path: Path) -> None:
        try:
            data = json.loads(path.read_text("utf-8"))
            self._secret = bytes.fromhex(data.get("secret", "")).hex()
            self._options = {str(who): dict(values) for who, values in data["options"].items()}
            for game_id, one in data["seats"].items():
                first, second = one["holders"]
                self._seats[game_id] = Seats(
                    one["owner"], tuple(one["keys"]), (list(first), list(second)), tuple(one["open"])
                )
                self._guests |= self._seats[game_id].guests()
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            # Options can be set again, and seats be taken again by who opens a game first.
            _log.exception("%s cannot be read and is begun anew", path)

    def _write(self) -> None:
        if self._path is None:
            return
        data = {
            "secret": self._secret,
            "options": self._options,
            "seats": {
                game_id: {"owner": one.owner, "keys": one.keys, "holders": one.holders, "open": one.open}
                for game_id, one in self._seats.items()
            },
        }
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self._path.parent, prefix=".web-")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(data, file)
            os.replace(name, self._path)
        except OSError as error:
            _log.warning("options and seats are not kept: %s", error)
