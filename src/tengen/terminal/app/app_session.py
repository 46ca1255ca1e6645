"""State shared by all screens: the store and the engine host. A demonstration uses a separate in-memory store."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tengen.app.live_books import LiveBooks
from tengen.players.opponents import DEFAULT_GAME
from tengen.runtime.host import EngineHost
from tengen.store.listing import Filter
from tengen.store.rows import ListedGame
from tengen.store.store import Store


@dataclass(frozen=True)
class AppSession:
    """One run of the app. With `is_demo` nothing is saved to disk."""

    store: Store
    host: EngineHost
    is_demo: bool = False
    books: LiveBooks | None = None

    @classmethod
    def open(cls, url: str | None = None) -> AppSession:
        """Open the store at `url`, by default the user's. The host starts worker processes on the first search."""
        store = Store.open(url)
        return cls(store, EngineHost(warm_up_first=DEFAULT_GAME), books=LiveBooks(store))

    @classmethod
    def demo(cls) -> AppSession:
        return cls(Store.in_memory(), EngineHost(warm_up_first=DEFAULT_GAME), is_demo=True)

    def open_demo(self) -> AppSession:
        """A demonstration session that shares this session's host."""
        return replace(self, store=Store.in_memory(), is_demo=True, books=None)

    def last_unfinished(self) -> ListedGame | None:
        """The most recently changed unfinished game, if there is one."""
        found = self.store.list_games(Filter(finished=False), order="changed", limit=1).games
        return found[0] if found else None

    def close(self) -> None:
        if self.books is not None:
            self.books.close()
        self.host.close()
        self.store.close()
