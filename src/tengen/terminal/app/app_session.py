"""What all screens share: a store, and a host for searches. A demonstration has a store of its own, in memory."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tengen.app.live_books import LiveBooks
from tengen.runtime.host import EngineHost
from tengen.store.listing import Filter
from tengen.store.rows import ListedGame
from tengen.store.store import Store


@dataclass(frozen=True)
class AppSession:
    """One sitting. `is_demo` says that nothing of it is kept."""

    store: Store
    host: EngineHost
    is_demo: bool = False
    books: LiveBooks | None = None

    @classmethod
    def open(cls, url: str | None = None) -> AppSession:
        """The store that people use. The host starts no process before it is asked for a search."""
        store = Store.open(url)
        return cls(store, EngineHost(), books=LiveBooks(store))

    @classmethod
    def demo(cls) -> AppSession:
        return cls(Store.in_memory(), EngineHost(), is_demo=True)

    def open_demo(self) -> AppSession:
        """A demonstration beside this sitting, with the same host."""
        return replace(self, store=Store.in_memory(), is_demo=True, books=None)

    def last_unfinished(self) -> ListedGame | None:
        """The game that was left last, if it was not played to its end."""
        found = self.store.list_games(Filter(finished=False), order="changed", limit=1).games
        return found[0] if found else None

    def close(self) -> None:
        if self.books is not None:
            self.books.close()
        self.host.close()
        self.store.close()
