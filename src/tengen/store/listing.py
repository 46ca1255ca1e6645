"""The list of games: any order both ways, filtered, in pages, quick with a million games.

Each game (`othello`, `go`) has an index for every order; a list of all of them is put together from theirs. A page
begins after the last row of the one before (its *cursor*), found by that index, so the thousandth page costs what
the first does. A filter that few games pass is answered by its own index and sorted; one that many pass is
answered by walking along the order's index until the page is full. Which of the two is found out by looking for at
most `FEW` + 1 of the games.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Select,
    and_,
    func,
    literal_column,
    or_,
    select,
    tuple_,
    union,
)

from tengen.core.errors import OptionError
from tengen.store.part import Part
from tengen.store.rows import DECIDED, UNKNOWN, ListedGame, folded, listed
from tengen.store.schema import ORDERS, games

FEW = 2000
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
                chosen = self._choose(connection, replace(which, game=game), column)
                if after is not None:
                    here, there = tuple_(column, games.c.number), tuple_(*after)
                    chosen = chosen.where(here < there if descending else here > there)
                ways = (way.desc() if descending else way.asc() for way in (column, games.c.number))
                rows += connection.execute(chosen.order_by(*ways).limit(limit + 1))
        # Text is sorted by code points in the database too.
        rows.sort(key=lambda row: (getattr(row, column.name), row.number), reverse=descending)
        shown = rows[:limit]
        cursor = (getattr(shown[-1], column.name), shown[-1].number) if len(rows) > limit else None
        return Page(tuple(listed(row) for row in shown), cursor)

    def _choose(self, connection: Connection, which: Filter, order: Column[Any]) -> Select[Any]:
        """The rows of one game that pass, in the way that is quick for so many."""
        chosen = select(games)
        if which == Filter(game=which.game):
            return chosen.where(*_conditions(which))
        # SQLite keeps no statistics here and would take any index that fits. Few games are best found by the index
        # of their player or state, if there is one, not by that of the game; many by that of the order. It takes
        # one index for both sides of an "or", so each side is asked for by itself.
        hidden: frozenset[str] = frozenset()
        if self._database.is_sqlite and (which.player or which.finished is False or which.deleted):
            hidden = frozenset({"game"})
        sides = _SIDES if which.player is not None or which.name is not None else _SIDES[:1]
        passing = [select(games.c.number).where(*_conditions(which, hidden, side)) for side in sides]
        few = [select(each.limit(FEW + 1).subquery()) for each in passing]
        if (connection.scalar(select(func.count()).select_from(union(*few).subquery())) or 0) <= FEW:
            return chosen.where(games.c.number.in_(union(*passing)))
        if self._database.is_sqlite:
            hidden = frozenset(column.name for column in games.columns) - {"game", order.name}
        return chosen.where(*_conditions(which, hidden))

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
        with self._database.read() as connection:
            total = 0
            for game in _kinds(connection, which):
                chosen = select(func.count()).select_from(games).where(*_conditions(replace(which, game=game)))
                total += connection.scalar(chosen) or 0
        return total


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


def _conditions(
    which: Filter, hidden: frozenset[str] = frozenset(), side: str | None = None
) -> list[ColumnElement[bool]]:
    """The filter in SQL. Hidden columns are written as `+column`, which keeps SQLite from using their indexes.

    With a side, the player that is asked for is on that side, or the name if no player is.
    """

    def column(name: str) -> ColumnElement[Any]:
        return literal_column(f"+games.{name}", games.c[name].type) if name in hidden else games.c[name]

    # As the indexes say it: SQLite compares the conditions word by word.
    found: list[ColumnElement[bool]] = [
        _text("deleted IS NOT NULL AND NOT draft" if which.deleted else "deleted IS NULL")
    ]
    if which.game is not None:
        found.append(column("game") == which.game)
    if which.player is not None:
        found.append(or_(*(column(f"{who}_player") == which.player for who in ([side] if side else _SIDES))))
        side = None
    if which.name is not None:
        begin = folded(which.name)
        end = begin + "\U0010ffff"
        names = (column(f"{who}_folded") for who in ([side] if side else _SIDES))
        found.append(or_(*(name.between(begin, end) for name in names)))
    if which.board is not None:
        found.append(column("board") == which.board)
        width, _, height = which.board.partition("x")
        if width.isdecimal() and height.isdecimal():  # there is an index for the number of points
            found.append(column("size") == int(width) * int(height))
    if which.rules is not None:
        found.append(column("rules") == which.rules)
    if which.winner is not None:
        found.append(_won(column("score"), which.winner))
    if which.finished is not None:
        found.append(_text("finished" if which.finished else "NOT finished"))
    if which.imported is not None:
        found.append(_text("imported" if which.imported else "NOT imported"))
    if which.since is not None:
        found.append(column("date") >= which.since)
    if which.until is not None:
        found.append(column("date") <= which.until + "\U0010ffff")
    return found


def _text(condition: str) -> ColumnElement[bool]:
    return literal_column(f"({condition})")


def _won(score: ColumnElement[Any], winner: object) -> ColumnElement[bool]:
    if winner == "draw":
        return score == 0
    if winner == "unknown":
        return score == UNKNOWN
    return score > 0 if winner == 0 else and_(score < 0, score >= -DECIDED)
