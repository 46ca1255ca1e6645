"""The store: everything that lasts, in one place.

    >>> from tengen.store.store import Store
    >>> with Store.in_memory() as store:
    ...     store.count_games()
    0

Its parts: `games` saves and loads, `listing` lists, `roster` knows the players, `ratings` rates them, `explorer`
finds positions, `transfer` imports and exports, `analysis` keeps reports, `puzzles` what is to be solved,
`seats` and `visitors` what the web app remembers; `accounts`, `sessions` and `ownership` are for a server with
several users. `database` and `upgrade` are the ground.
"""

from __future__ import annotations

from types import TracebackType
from typing import Self

from sqlalchemy import text

from tengen.store.accounts import Accounts
from tengen.store.analysis import Analysis
from tengen.store.database import Database
from tengen.store.games import Games
from tengen.store.ownership import Ownership
from tengen.store.puzzles import Puzzles
from tengen.store.ratings import Ratings
from tengen.store.roster import Roster
from tengen.store.schema import metadata
from tengen.store.seats import SeatKeeping
from tengen.store.sessions import Sessions
from tengen.store.transfer import Transfer
from tengen.store.upgrade import bring_up_to_date
from tengen.store.visitors import Visitors


class Store(
    Games, Transfer, Roster, Ratings, Analysis, Puzzles, SeatKeeping, Visitors, Accounts, Sessions, Ownership
):
    """All that lasts. May be used from several threads and by several processes at once."""

    @classmethod
    def open(cls, url: str | None = None) -> Self:
        """The store at a URL or file; without one that of `TENGEN_DATABASE`, or the one in the data folder.

        It is made if there is none, and upgraded if it is of an older version.
        """
        database = Database.at(url)
        try:
            bring_up_to_date(database)
        except BaseException:
            database.close()
            raise
        return cls(database)

    @classmethod
    def in_memory(cls) -> Self:
        """A store that leaves nothing behind, for demonstrations and tests."""
        database = Database.in_memory()
        with database.write() as connection:
            metadata.create_all(connection)
        return cls(database)

    @property
    def name(self) -> str:
        """Where it is, for messages."""
        return self._database.name

    @property
    def url(self) -> str | None:
        """What another process opens it by, with its password; None for one in memory."""
        url = self._database.engine.url
        return None if self._database.is_sqlite and not url.database else url.render_as_string(hide_password=False)

    def ping(self) -> None:
        """Raise `StoreUnavailable` if the database does not answer."""
        with self._database.read() as connection:
            connection.execute(text("SELECT 1"))

    def limit_waiting(self, seconds: float) -> None:
        """Give the database this many seconds to finish what is still to be stored: the program wants to end."""
        self._database.limit_waiting(seconds)

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
