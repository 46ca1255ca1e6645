"""Sorted, filtered and paged lists of games, fast with a million games.

Each sort order has an index per game (`othello`, `go`); a list over all games merges the per-game lists. Pages use
keyset pagination (a *cursor* is the last row of the previous page), so all pages cost the same. The indexes also
contain the filter columns. A selective filter is answered through the index of its most selective condition and
sorted in memory; any other filter scans the sort order's index until the page is full. Fetching up to
`MAX_SORTED_GAMES` + 1 matches decides which.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Select,
    and_,
    delete,
    func,
    insert,
    literal_column,
    or_,
    select,
    tuple_,
    update,
)

from tengen.core.errors import OptionError
from tengen.store.component import StoreComponent
from tengen.store.errors import StoreError
from tengen.store.rows import DECISIVE_SCORE, UNKNOWN_SCORE, ListedGame, folded, row_to_listed_game
from tengen.store.schema import ORDERS, game_counts, games

MAX_SORTED_GAMES = 2000  # up to this many matches are sorted in memory for a page
MAX_UNCACHED_COUNT = 10_000  # counts over more games than this are cached
POSITIONS_LOCK = "positions"  # advisory lock: shared for saving games, exclusive for counting them
PAGE_SIZE = 50

Cursor: TypeAlias = tuple[str | float | int, int]


@dataclass(frozen=True)
class Filter:
    """Conditions that a game must all satisfy. `Filter()` matches every game that is not deleted.

    `player` is an id and `name` a case-insensitive prefix, both on either side. `board` is like `9x9`. `since` and
    `until` are inclusive dates.
    """

    game: str | None = None
    player: str | None = None
    name: str | None = None
    board: str | None = None
    rules: str | None = None
    winner: Literal[0, 1, "draw", "unknown"] | None = None
    finished: bool | None = None
    imported: bool | None = None
    since: str | None = None
    until: str | None = None
    deleted: bool = False


ALL = Filter()


@dataclass(frozen=True)
class Page:
    """One page of a list. `after` is the cursor of the next page, None at the end."""

    games: tuple[ListedGame, ...]
    after: Cursor | None


class Listing(StoreComponent):
    """Lists of games."""

    def list_games(
        self,
        which: Filter = ALL,
        *,
        order: str = "date",
        descending: bool = True,
        limit: int = PAGE_SIZE,
        after: Cursor | None = None,
    ) -> Page:
        """A page of games, ordered by one of `schema.ORDERS`; ties in the order in which games were stored.

        `after` is the previous page's cursor.
        """
        if order not in ORDERS:
            raise OptionError(f"games are listed by {', '.join(ORDERS)}, not by {order!r}")
        if limit < 1:
            raise OptionError(f"a page should have at least 1 game, not {limit}")
        column = ORDERS[order]
        rows: list[Any] = []
        with self._database.read() as connection:
            for game in _game_names(connection, which):
                rows += self._page(connection, replace(which, game=game), column, descending, limit + 1, after)
        # Text is sorted by code points in the database too.
        rows.sort(key=lambda row: (getattr(row, column.name), row.number), reverse=descending)
        shown = rows[:limit]
        cursor = (getattr(shown[-1], column.name), shown[-1].number) if len(rows) > limit else None
        return Page(tuple(row_to_listed_game(row) for row in shown), cursor)

    def _page(
        self,
        connection: Connection,
        which: Filter,
        order: Column[Any],
        descending: bool,
        limit: int,
        after: Cursor | None,
    ) -> Sequence[Any]:
        """The first matching rows of one game, by whichever strategy is faster."""
        ways = [way.desc() if descending else way.asc() for way in (order, games.c.number)]
        numbers = self._matching_numbers(connection, which)
        if numbers is not None:
            chosen = select(games).where(games.c.number.in_(numbers))
        else:
            index = "deleted_games" if which.deleted else _INDEX_OF[order.name]
            chosen = self._with_index(index, select(games.c.number)).where(*_conditions(which, order.name))
        if after is not None:
            here, there = tuple_(order, games.c.number), tuple_(*after)
            chosen = chosen.where(here < there if descending else here > there)
        chosen = chosen.order_by(*ways).limit(limit)
        if numbers is None:
            walked = chosen.subquery()
            chosen = select(games).join(walked, walked.c.number == games.c.number).order_by(*ways)
        return connection.execute(chosen).all()

    def _matching_numbers(self, connection: Connection, which: Filter) -> list[int] | None:
        """Numbers of matching games of one kind; None without a filter or if there are too many to sort."""
        if which == Filter(game=which.game):
            return None
        found: set[int] = set()
        for side in _sides(which):
            index, column = self._most_selective_index(connection, which, side)
            numbers = select(games.c.number).where(*_conditions(which, column, side)).limit(MAX_SORTED_GAMES + 1)
            found.update(connection.scalars(self._with_index(index, numbers)))
            if len(found) > MAX_SORTED_GAMES:
                return None
        return sorted(found)

    def _most_selective_index(self, connection: Connection, which: Filter, side: str | None) -> tuple[str, str]:
        """The index with the fewest candidates for a filter, and its first filter column."""
        if which.deleted:
            return "deleted_games", ""
        if which.player is not None:
            return f"games_of_{side}", f"{side}_player"
        single: dict[str, Filter] = {}
        if which.finished is False:
            single["unfinished_games"] = Filter(finished=False)
        if which.imported is False:
            single["played_games"] = Filter(imported=False)
        if which.name is not None:
            single[f"games_by_{side}"] = Filter(game=which.game, name=which.name)
        if which.board is not None:
            single["games_by_size"] = Filter(game=which.game, board=which.board)
        if which.rules is not None:
            single["games_by_rules"] = Filter(game=which.game, rules=which.rules)
        if which.winner is not None:
            single["games_by_result"] = Filter(game=which.game, winner=which.winner)
        if which.since is not None or which.until is not None:
            single["games_by_date"] = Filter(game=which.game, since=which.since, until=which.until)
        if not single:
            return "games_by_changed", "changed"
        best = next(iter(single))
        if len(single) > 1:
            sizes: dict[str, int] = {}
            for index, one in single.items():
                column = _COLUMN_OF.get(index, "")
                some = select(games.c.number).where(*_conditions(one, column, side)).limit(MAX_UNCACHED_COUNT)
                counted = select(func.count()).select_from(self._with_index(index, some).subquery())
                sizes[index] = connection.scalar(counted) or 0
            best = min(sizes, key=lambda index: sizes[index])
        return best, _COLUMN_OF.get(best, "")

    def _with_index(self, index: str, chosen: Select[Any]) -> Select[Any]:
        """Force an index: without statistics, SQLite would use any that fits."""
        return chosen.with_hint(games, f"INDEXED BY {index}", "sqlite")

    def all_games(
        self,
        which: Filter = ALL,
        *,
        order: str = "date",
        descending: bool = True,
    ) -> Iterator[ListedGame]:
        """Iterate over all matching games, fetching page by page."""
        after: Cursor | None = None
        while True:
            page = self.list_games(which, order=order, descending=descending, limit=1000, after=after)
            yield from page.games
            after = page.after
            if after is None:
                return

    def ids_with_prefix(self, beginning: str, *, deleted: bool = False) -> list[str]:
        """Up to three ids with this prefix: enough to tell none, one and several apart."""
        gone = _text("deleted IS NOT NULL AND NOT draft" if deleted else "deleted IS NULL")
        with self._database.read() as connection:
            chosen = select(games.c.id).where(games.c.id.between(beginning, beginning + "g"), gone).limit(3)
            return list(connection.scalars(chosen))

    def count_games(self, which: Filter = ALL) -> int:
        """Number of matching games."""
        if which == Filter(game=which.game, finished=True):  # most games are finished: count the others
            return self.count_games(Filter(game=which.game)) - self.count_games(replace(which, finished=False))
        if which == Filter(game=which.game, imported=True):
            return self.count_games(Filter(game=which.game)) - self.count_games(replace(which, imported=False))
        total = 0
        uncounted = 0
        with self._database.read() as connection:
            for game in _game_names(connection, which):
                if which == Filter(game=which.game):
                    count, fresh = _count_all(connection, str(game))
                    total, uncounted = total + count, uncounted + fresh
                else:
                    total += self._count(connection, replace(which, game=game))
        if uncounted > MAX_UNCACHED_COUNT:
            with suppress(StoreError):  # the cache is only an optimisation
                self._cache_counts()
        return total

    def _count(self, connection: Connection, which: Filter) -> int:
        """Count matching games of one kind; a game with the name on both sides counts once."""
        total = 0
        for side in _sides(which):
            index, column = self._most_selective_index(connection, which, side)
            chosen = select(func.count()).select_from(games)
            here = chosen.where(*_conditions(which, column, side))
            total += connection.scalar(self._with_index(index, here)) or 0
            if side == "first":
                both = here.where(_plays_side(which, "second"))
                total -= connection.scalar(self._with_index(index, both)) or 0
        return total

    def _cache_counts(self) -> None:
        """Cache the number of games of each kind."""
        with self._database.write(long=True) as connection:
            # The exclusive lock waits for running saves: no game with a lower number can appear later.
            self._database.lock(connection, POSITIONS_LOCK)
            through = connection.scalar(select(func.max(games.c.number))) or 0
            counted = select(games.c.game, func.count()).where(_text("deleted IS NULL")).group_by(games.c.game)
            rows = [
                {"game": game, "through": through, "total": total} for game, total in connection.execute(counted)
            ]
            connection.execute(delete(game_counts))
            if rows:
                connection.execute(insert(game_counts), rows)


def adjust_count(connection: Connection, game: str, number: int, change: int) -> None:
    """Adjust the cached count when a game is added to the lists (1) or removed (-1)."""
    connection.execute(
        update(game_counts)
        .where(game_counts.c.game == game, game_counts.c.through >= number)
        .values(total=game_counts.c.total + change)
    )


def _count_all(connection: Connection, game: str) -> tuple[int, int]:
    """Number of listed games of a kind, and how many of them were not in the cache."""
    cached = connection.execute(select(game_counts).where(game_counts.c.game == game)).one_or_none()
    condition = [_text("deleted IS NULL"), games.c.game == game]
    if cached is not None:
        condition.append(games.c.number > cached.through)
    chosen = select(func.count()).select_from(games).where(*condition)
    if cached is not None:
        chosen = chosen.with_hint(games, "NOT INDEXED", "sqlite")  # use the primary key
    fresh = connection.scalar(chosen) or 0
    return (cached.total if cached is not None else 0) + fresh, fresh


def _game_names(connection: Connection, which: Filter) -> Sequence[str | None]:
    """Names of the games to merge, by an index skip-scan; None stands for all games at once."""
    if which.game is not None or which.deleted:  # deleted games share one index
        return [which.game]
    found: list[str] = []
    while True:
        further = select(func.min(games.c.game)).where(games.c.game > (found[-1] if found else ""))
        game = connection.scalar(further.where(_text("deleted IS NULL")))
        if game is None:
            return found
        found.append(game)


_SIDES = ("first", "second")
_INDEX_OF = {column.name: f"games_by_{order}" for order, column in ORDERS.items()}
_COLUMN_OF = {index: column for column, index in _INDEX_OF.items()}


def _sides(which: Filter) -> Sequence[str | None]:
    """Sides to query separately, because SQLite uses only one index for an OR."""
    return _SIDES if which.player is not None or which.name is not None else (None,)


def _plays_side(which: Filter, side: str) -> ColumnElement[bool]:
    """Condition that the wanted player, or else the wanted name, is on a side."""
    if which.player is not None:
        return games.c[f"{side}_player"] == which.player
    begin = folded(which.name or "")
    return games.c[f"{side}_folded"].between(begin, begin + "\U0010ffff")


def _conditions(which: Filter, used: str = "", side: str | None = None) -> list[ColumnElement[bool]]:
    """The filter in SQL, for an index on the column `used`.

    With `side`, the wanted player, or else the wanted name, must be on that side.
    """
    # Literally as in the index definitions: SQLite matches partial-index conditions textually.
    gone = "deleted IS NOT NULL AND NOT draft" if which.deleted else "deleted IS NULL"
    found: list[ColumnElement[bool]] = [_text(gone)]
    if which.game is not None:
        found.append(games.c.game == which.game)
    if which.player is not None:
        found.append(or_(*(_plays_side(which, who) for who in ([side] if side else _SIDES))))
        side = None
    if which.name is not None:
        named = Filter(name=which.name)
        found.append(or_(*(_plays_side(named, who) for who in ([side] if side else _SIDES))))
    if which.board is not None:
        found.append(games.c.board == which.board)
        width, _, height = which.board.partition("x")
        if used == "size" and width.isdecimal() and height.isdecimal():
            found.append(games.c.size == int(width) * int(height))
    if which.rules is not None:
        found.append(games.c.rules == which.rules)
    if which.winner is not None:
        found.append(_won(games.c.score, which.winner))
    if which.finished is not None:
        found.append(_text("finished" if which.finished else "NOT finished"))
    if which.imported is not None:
        found.append(_text("imported" if which.imported else "NOT imported"))
    if which.since is not None:
        found.append(games.c.date >= which.since)
    if which.until is not None:
        found.append(games.c.date <= which.until + "\U0010ffff")
    return found


def _text(condition: str) -> ColumnElement[bool]:
    return literal_column(f"({condition})")


def _won(score: ColumnElement[Any], winner: object) -> ColumnElement[bool]:
    if winner == "draw":
        return score == 0
    if winner == "unknown":
        return score == UNKNOWN_SCORE
    return score > 0 if winner == 0 else and_(score < 0, score >= -DECISIVE_SCORE)
