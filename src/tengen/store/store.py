"""`Store`: all persistent data behind one object.

    >>> from tengen.store.store import Store
    >>> with Store.in_memory() as store:
    ...     store.count_games()
    0

Its methods come from one mixin per module: `games` (save and load), `listing` (filtered lists), `players`,
`ratings`, `explorer` (games by position), `import_export`, `reports` (engine analysis), `puzzles`, `deck` (what to
repeat, and when), `drafts`, `seats` and `visitors` (web app), and `accounts`, `sessions` and `ownership` (servers
with several users). `database` owns connections and transactions, `schema` the tables, `upgrade` migrations.
"""

from __future__ import annotations

from types import TracebackType
from typing import Self

from sqlalchemy import text

from tengen.store.accounts import Accounts
from tengen.store.database import Database
from tengen.store.deck import Deck
from tengen.store.drafts import Drafts
from tengen.store.games import Games
from tengen.store.import_export import ImportExport
from tengen.store.ownership import Ownership
from tengen.store.players import Players
from tengen.store.puzzles import Puzzles
from tengen.store.ratings import Ratings
from tengen.store.reports import Reports
from tengen.store.schema import metadata
from tengen.store.seats import SeatStorage
from tengen.store.sessions import Sessions
from tengen.store.upgrade import upgrade_schema
from tengen.store.visitors import Visitors


class Store(
    Games,
    Drafts,
    ImportExport,
    Players,
    Ratings,
    Reports,
    Puzzles,
    Deck,
    SeatStorage,
    Visitors,
    Accounts,
    Sessions,
    Ownership,
):
    """The persistent data of Tengen. Safe to use from several threads and several processes at once."""

    @classmethod
    def open(cls, url: str | None = None) -> Self:
        """Open the store at a database URL or file path, creating or upgrading it if necessary.

        Without `url`, uses the environment variable `TENGEN_DATABASE`, else a SQLite file in the data folder.
        """
        database = Database.from_url(url)
        try:
            upgrade_schema(database)
        except BaseException:
            database.close()
            raise
        return cls(database)

    @classmethod
    def in_memory(cls) -> Self:
        """A temporary in-memory store, for demonstrations and tests."""
        database = Database.in_memory()
        with database.write() as connection:
            metadata.create_all(connection)
        return cls(database)

    @property
    def name(self) -> str:
        """The location, without a password, for messages."""
        return self._database.name

    @property
    def url(self) -> str | None:
        """URL, including the password, with which another process can open this store; None if in memory."""
        url = self._database.engine.url
        return None if self._database.is_sqlite and not url.database else url.render_as_string(hide_password=False)

    def ping(self) -> None:
        """Raise `StoreUnavailable` if the database does not answer."""
        with self._database.read() as connection:
            connection.execute(text("SELECT 1"))

    def set_close_timeout(self, seconds: float) -> None:
        """Limit all further waiting for the database to `seconds` in total, before the program exits."""
        self._database.set_close_timeout(seconds)

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
