"""The list of games: any order both ways, filtered, in pages, quick with a million games.

Each game (`othello`, `go`) has an index for every order; a list of all of them is put together from theirs. A page
begins after the last row of the one before (its *cursor*), found by that index, so the thousandth page costs what
the first does. These indexes also hold what lists are filtered by. A filter that few games pass is answered by the
index of its rarest condition, and sorted; one that many pass by walking along the order's index until the page is
full. Which of the two is found out by looking for at most `FEW` + 1 of the games.
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
from tengen.store.errors import StoreError
from tengen.store.part import Part
from tengen.store.rows import DECIDED, UNKNOWN, ListedGame, folded, listed
from tengen.store.schema import ORDERS, game_counts, games

FEW = 2000  # games that are fetched and sorted for a page
MANY = 10_000  # games that are counted anew each time
POSITIONS = "positions"  # a lock: shared by those who store games, alone for those who count them
PAGE = 50

Cursor: TypeAlias = tuple[str | float | int, int]


@dataclass(frozen=True)
class Filter:
    """Which games: all conditions that are set hold. `Filter()` is every game that is not deleted.

    `player` is an id, on either side; `name` is how a name on either side begins, in any case. `board` is `9x9`.
    `winner` is 0, 1, "draw" or "unknown". `since` and `until` are dates as games have them, both included.
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
    """Part of a list. `after` leads to the next page, None at the end."""

    games: tuple[ListedGame, ...]
    after: Cursor | None


class Listing(Part):
    """Lists of games."""

    def list_games(
        self,
        which: Filter = ALL,
        *,
        order: str = "date",
        descending: bool = True,
        limit: int = PAGE,
        after: Cursor | None = None,
    ) -> Page:
        """A page of games by `date`, `first` or `second` player, `size`, `rules`, `result`, `moves` or `changed`.

        Equal ones follow each other as they were stored. `after` is that of the page before.
        """
        if order not in ORDERS:
            raise OptionError(f"games are listed by {', '.join(ORDERS)}, not by {order!r}")
        if limit < 1:
            raise OptionError(f"a page should have at least 1 game, not {limit}")
        column = ORDERS[order]
        rows: list[Any] = []
        with self._database.read() as connection:
            for game in _kinds(connection, which):
                rows += self._page(connection, replace(which, game=game), column, descending, limit + 1, after)
        # Text is sorted by code points in the database too.
        rows.sort(key=lambda row: (getattr(row, column.name), row.number), reverse=descending)
        shown = rows[:limit]
        cursor = (getattr(shown[-1], column.name), shown[-1].number) if len(rows) > limit else None
        return Page(tuple(listed(row) for row in shown), cursor)

    def _page(
        self,
        connection: Connection,
        which: Filter,
        order: Column[Any],
        descending: bool,
        limit: int,
        after: Cursor | None,
    ) -> Sequence[Any]:
        """The first rows of one game that pass, found in the way that is quick for so many."""
        ways = [way.desc() if descending else way.asc() for way in (order, games.c.number)]
        numbers = self._few(connection, which)
        if numbers is not None:
            chosen = select(games).where(games.c.number.in_(numbers))
        else:
            index = "deleted_games" if which.deleted else _INDEX_OF[order.name]
            chosen = self._using(index, select(games.c.number)).where(*_conditions(which, order.name))
        if after is not None:
            here, there = tuple_(order, games.c.number), tuple_(*after)
            chosen = chosen.where(here < there if descending else here > there)
        chosen = chosen.order_by(*ways).limit(limit)
        if numbers is None:
            walked = chosen.subquery()
            chosen = select(games).join(walked, walked.c.number == games.c.number).order_by(*ways)
        return connection.execute(chosen).all()

    def _few(self, connection: Connection, which: Filter) -> list[int] | None:
        """The numbers of the games of one kind that pass a filter; None if it is none, or if they are many."""
        if which == Filter(game=which.game):
            return None
        found: set[int] = set()
        for side in _sides(which):
            index, column = self._rarest(connection, which, side)
            numbers = select(games.c.number).where(*_conditions(which, column, side)).limit(FEW + 1)
            found.update(connection.scalars(self._using(index, numbers)))
            if len(found) > FEW:
                return None
        return sorted(found)

    def _rarest(self, connection: Connection, which: Filter, side: str | None) -> tuple[str, str]:
        """The index that has the fewest games to look at for a filter, and the column that it is for."""
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
                some = select(games.c.number).where(*_conditions(one, column, side)).limit(MANY)
                counted = select(func.count()).select_from(self._using(index, some).subquery())
                sizes[index] = connection.scalar(counted) or 0
            best = min(sizes, key=lambda index: sizes[index])
        return best, _COLUMN_OF.get(best, "")

    def _using(self, index: str, chosen: Select[Any]) -> Select[Any]:
        """Tell SQLite which index to take: it keeps no statistics here, and would take any that fits."""
        return chosen.with_hint(games, f"INDEXED BY {index}", "sqlite")

    def all_games(
        self,
        which: Filter = ALL,
        *,
        order: str = "date",
        descending: bool = True,
    ) -> Iterator[ListedGame]:
        """Every game of a list, page after page."""
        after: Cursor | None = None
        while True:
            page = self.list_games(which, order=order, descending=descending, limit=1000, after=after)
            yield from page.games
            after = page.after
            if after is None:
                return

    def ids_like(self, beginning: str, *, deleted: bool = False) -> list[str]:
        """The ids that begin so, three at most: enough to know whether it is none, one or several."""
        gone = _text("deleted IS NOT NULL AND NOT draft" if deleted else "deleted IS NULL")
        with self._database.read() as connection:
            chosen = select(games.c.id).where(games.c.id.between(beginning, beginning + "g"), gone).limit(3)
            return list(connection.scalars(chosen))

    def count_games(self, which: Filter = ALL) -> int:
        """How many games pass the filter."""
        if which == Filter(game=which.game, finished=True):  # most are: count the others
            return self.count_games(Filter(game=which.game)) - self.count_games(replace(which, finished=False))
        if which == Filter(game=which.game, imported=True):
            return self.count_games(Filter(game=which.game)) - self.count_games(replace(which, imported=False))
        total = 0
        uncounted = 0
        with self._database.read() as connection:
            for game in _kinds(connection, which):
                if which == Filter(game=which.game):
                    count, fresh = _count_all(connection, str(game))
                    total, uncounted = total + count, uncounted + fresh
                else:
                    total += self._count(connection, replace(which, game=game))
        if uncounted > MANY:
            with suppress(StoreError):  # nothing but the time of the next count depends on it
                self._keep_counts()
        return total

    def _count(self, connection: Connection, which: Filter) -> int:
        """Count the games of one kind that pass; names on either side are counted once."""
        total = 0
        for side in _sides(which):
            index, column = self._rarest(connection, which, side)
            chosen = select(func.count()).select_from(games)
            here = chosen.where(*_conditions(which, column, side))
            total += connection.scalar(self._using(index, here)) or 0
            if side == "first":
                both = here.where(_is_on(which, "second"))
                total -= connection.scalar(self._using(index, both)) or 0
        return total

    def _keep_counts(self) -> None:
        """Keep the numbers of all games, so that they need not be counted again."""
        with self._database.write(long=True) as connection:
            # No game is being stored now, so none with a lower number can turn up later.
            self._database.hold(connection, POSITIONS)
            through = connection.scalar(select(func.max(games.c.number))) or 0
            counted = select(games.c.game, func.count()).where(_text("deleted IS NULL")).group_by(games.c.game)
            rows = [
                {"game": game, "through": through, "total": total} for game, total in connection.execute(counted)
            ]
            connection.execute(delete(game_counts))
            if rows:
                connection.execute(insert(game_counts), rows)


def correct_count(connection: Connection, game: str, number: int, change: int) -> None:
    """A game that is in a kept count was listed (1) or taken off the lists (-1)."""
    connection.execute(
        update(game_counts)
        .where(game_counts.c.game == game, game_counts.c.through >= number)
        .values(total=game_counts.c.total + change)
    )


def _count_all(connection: Connection, game: str) -> tuple[int, int]:
    """How many games of a kind are listed, and how many of them had to be counted."""
    kept = connection.execute(select(game_counts).where(game_counts.c.game == game)).one_or_none()
    condition = [_text("deleted IS NULL"), games.c.game == game]
    if kept is not None:
        condition.append(games.c.number > kept.through)
    chosen = select(func.count()).select_from(games).where(*condition)
    if kept is not None:
        chosen = chosen.with_hint(games, "NOT INDEXED", "sqlite")  # but by number
    fresh = connection.scalar(chosen) or 0
    return (kept.total if kept is not None else 0) + fresh, fresh


def _kinds(connection: Connection, which: Filter) -> Sequence[str | None]:
    """The games that a list is put together from, found by a step in the index for each; None is any game."""
    if which.game is not None or which.deleted:  # what is deleted has one index for all
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
    """The sides to ask for one by one: SQLite takes one index for both sides of an "or"."""
    return _SIDES if which.player is not None or which.name is not None else (None,)


def _is_on(which: Filter, side: str) -> ColumnElement[bool]:
    """That the player who is asked for is on a side, or the name if no player is."""
    if which.player is not None:
        return games.c[f"{side}_player"] == which.player
    begin = folded(which.name or "")
    return games.c[f"{side}_folded"].between(begin, begin + "\U0010ffff")


def _conditions(which: Filter, used: str = "", side: str | None = None) -> list[ColumnElement[bool]]:
    """The filter in SQL, for an index on the column `used`.

    With a side, the player that is asked for is on that side, or the name if no player is.
    """
    # As the indexes say it: SQLite compares the conditions word by word.
    gone = "deleted IS NOT NULL AND NOT draft" if which.deleted else "deleted IS NULL"
    found: list[ColumnElement[bool]] = [_text(gone)]
    if which.game is not None:
        found.append(games.c.game == which.game)
    if which.player is not None:
        found.append(or_(*(_is_on(which, who) for who in ([side] if side else _SIDES))))
        side = None
    if which.name is not None:
        named = Filter(name=which.name)
        found.append(or_(*(_is_on(named, who) for who in ([side] if side else _SIDES))))
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
        return score == UNKNOWN
    return score > 0 if winner == 0 else and_(score < 0, score >= -DECIDED)
