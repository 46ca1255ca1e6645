"""The list of games: any order both ways, filtered, in pages, quick with a million games.

A page begins after the last row of the one before (its *cursor*), found by the order's index, so the thousandth
page costs what the first does. A filter that few games pass is answered by its own index and sorted; one that many
pass is answered by walking along the order's index until the page is full. Which of the two is found out by
looking for at most `FEW` + 1 of the games.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from sqlalchemy import ColumnElement, Select, and_, func, literal_column, or_, select, tuple_

from tengen.core.errors import OptionError
from tengen.store.part import Part
from tengen.store.rows import DECIDED, UNKNOWN, ListedGame, folded, listed
from tengen.store.schema import ORDERS, games

FEW = 5000
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


@dataclass(frozen=True)
class Page:
    """Part of a list. `after` leads to the next page, None at the end."""

    games: tuple[ListedGame, ...]
    after: Cursor | None


class Listing(Part):
    """Lists of games."""

    def list_games(
        self,
        which: Filter = Filter(),  # noqa: B008 -- frozen
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
        with self._database.read() as connection:
            chosen = select(games)
            if _narrows(which):
                few = select(games.c.number).where(*_conditions(which))
                found = list(connection.scalars(few.limit(FEW + 1)))
                if len(found) <= FEW:
                    chosen = chosen.where(games.c.number.in_(found))
                else:
                    chosen = chosen.where(*_conditions(which, hidden=self._database.is_sqlite))
            else:
                chosen = chosen.where(*_conditions(which))
            if after is not None:
                here, there = tuple_(column, games.c.number), tuple_(*after)
                chosen = chosen.where(here < there if descending else here > there)
            rows = connection.execute(_sorted(chosen, column, descending).limit(limit + 1)).all()
        shown = rows[:limit]
        cursor = (getattr(shown[-1], column.name), shown[-1].number) if len(rows) > limit else None
        return Page(tuple(listed(row) for row in shown), cursor)

    def all_games(
        self,
        which: Filter = Filter(),  # noqa: B008
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
        gone = games.c.deleted.is_not(None) if deleted else games.c.deleted.is_(None)
        with self._database.read() as connection:
            chosen = select(games.c.id).where(games.c.id.between(beginning, beginning + "g"), gone).limit(3)
            return list(connection.scalars(chosen))

    def count_games(self, which: Filter = Filter()) -> int:  # noqa: B008
        """How many games pass the filter."""
        with self._database.read() as connection:
            return connection.scalar(select(func.count()).select_from(games).where(*_conditions(which))) or 0


def _sorted(chosen: Select[Any], column: ColumnElement[Any], descending: bool) -> Select[Any]:
    ways = (column, games.c.number)
    return chosen.order_by(*(way.desc() if descending else way.asc() for way in ways))


def _narrows(which: Filter) -> bool:
    """Whether the filter has a condition that the order's index does not serve."""
    return which != Filter(game=which.game, deleted=which.deleted)


def _conditions(which: Filter, hidden: bool = False) -> list[ColumnElement[bool]]:
    """The filter in SQL. `hidden` keeps SQLite from using other indexes than that of the order."""

    def column(name: str) -> ColumnElement[Any]:
        return literal_column(f"+games.{name}", games.c[name].type) if hidden else games.c[name]

    # As the indexes say it: SQLite compares the conditions word by word.
    found: list[ColumnElement[bool]] = [_text("deleted IS NOT NULL" if which.deleted else "deleted IS NULL")]
    if which.game is not None:
        found.append(games.c.game == which.game)
    if which.player is not None:
        found.append(or_(column("first_player") == which.player, column("second_player") == which.player))
    if which.name is not None:
        begin = folded(which.name)
        end = begin + "\U0010ffff"
        found.append(or_(*(column(f"{who}_folded").between(begin, end) for who in ("first", "second"))))
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
