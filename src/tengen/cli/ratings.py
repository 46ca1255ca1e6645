"""The command `tengen ratings`."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from tengen.cli.console import console
from tengen.cli.inputs import check_game, open_store
from tengen.cli.option_groups import grouped
from tengen.cli.options import CsvFile, HtmlFile, JsonFile, OnlyGame
from tengen.core.errors import OptionError

if TYPE_CHECKING:
    from tengen.arena.ratings import History, RatingTable, ScoredGame

_MAX_PLOTTED = 8  # players in a plot over time


@dataclass(frozen=True)
class RatedGames:
    """Which games are rated."""

    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE]...", help="rate the games of these files, not of the library"),
    ] = None
    game: OnlyGame = ""
    tournament: Annotated[
        Path | None, typer.Option(metavar="FILE", help="rate the games of this tournament, not of the library")
    ] = None
    since: Annotated[str, typer.Option(metavar="DATE", help="first day, such as 2026-01-31")] = ""
    until: Annotated[str, typer.Option(metavar="DATE", help="last day")] = ""

    def read(self) -> list[ScoredGame]:
        from tengen.arena.ratings import games_from_files, games_from_store
        from tengen.store.listing import Filter

        if self.files and self.tournament:
            raise OptionError("give files or --tournament, not both")
        if self.tournament:
            return self._read_tournament(self.tournament)
        check_game(self.game)
        for day in filter(None, (self.since, self.until)):
            _check_day(day)
        if not self.files:
            which = Filter(
                game=self.game.lower() or None, finished=True, since=self.since or None, until=self.until or None
            )
            with open_store() as store:
                return list(games_from_store(store, which))
        found = games_from_files(self.files, self.game.lower())
        first, last = self.since or "0001-01-01", self.until or "9999-12-31"
        return [one for one in found if not (self.since or self.until) or first <= str(one.day or "") <= last]

    def _read_tournament(self, file: Path) -> list[ScoredGame]:
        from tengen.arena.tournament import Tournament

        if self.game or self.since or self.until:
            raise OptionError("--tournament cannot be combined with --game, --since or --until")
        with open_store() as store:
            return Tournament.read(file, store).load_standings().scored()


@dataclass(frozen=True)
class RatingOptions:
    """How games are rated."""

    min_games: Annotated[
        int, typer.Option("--min-games", "--least", help="show only players with at least this many games")
    ] = 1
    anchor: Annotated[
        str, typer.Option(metavar="NAME=ELO", help="fix the rating of this player; default: the mean is 0")
    ] = ""
    over: Annotated[str, typer.Option(metavar="PERIOD", help="ratings over time, by day, week, month or year")] = (
        ""
    )
    drift: Annotated[float, typer.Option(help="with --over: expected change of Elo per year")] = 70.0


@grouped
def ratings(
    games: RatedGames, how: RatingOptions, output: JsonFile = None, table: CsvFile = None, html: HtmlFile = None
) -> None:
    """Estimate Elo ratings with error bars from all games of the library, of files or of a tournament.

    Example: tengen ratings --game othello --since 2026-01-01

    Example: tengen ratings games.sgf more.ggf --anchor "GNU Go 1=1800" --html ratings.html
    """
    from tengen.arena.ratings import over_time, rate

    found = games.read()
    if not found:
        raise OptionError("there are no finished games between two players to rate")
    if how.over:
        if how.anchor or table:
            raise OptionError("--over cannot be combined with --anchor or --csv")
        history = over_time(found, how.over, how.drift)
        _show_history(history)
        _write(output, json.dumps(history.to_dict(), indent=1))
        _write(html, _history_page(history))
        return
    rated = rate(found, anchor=_anchor(how.anchor), least=how.min_games)
    if not rated.rows:
        raise OptionError(f"nobody has {how.min_games} games among these {len(found)}")
    console.print(rated.table())
    strengths = rated.strengths
    advantage = (
        f"advantage of the first move {strengths.advantage:+.0f} ± {1.96 * strengths.advantage_error:.0f} Elo"
    )
    console.print(f"{len(found)} games; {advantage}; equals draw {100 * strengths.draws:.0f} %")
    _write(output, json.dumps(rated.to_dict(), indent=1))
    _write(table, rated.to_csv())
    _write(html, _page(rated))


def _check_day(text: str) -> None:
    try:
        date.fromisoformat(text)
    except ValueError:
        raise OptionError(f"a date must look like 2026-01-31, not {text!r}") from None


def _anchor(text: str) -> tuple[str, float] | None:
    if not text:
        return None
    name, equals, elo = text.rpartition("=")
    try:
        if not math.isfinite(number := float(elo if equals else "")):
            raise ValueError
        return name.strip(), number
    except ValueError:
        raise OptionError(f"--anchor must be NAME=ELO, not {text!r}") from None


def _show_history(history: History) -> None:
    table = Table("player", "from", "to", "Elo then", "Elo now", "±", "games")
    for name, moments in history.players.items():
        table.add_row(
            *(name, str(moments[0].day), str(moments[-1].day)),
            *(f"{moments[0].elo:+.0f}", f"{moments[-1].elo:+.0f}", f"{moments[-1].error:.0f}"),
            str(sum(one.games for one in moments)),
        )
    console.print(table)


def _page(rated: RatingTable) -> str:
    from tengen.arena.plots import document, error_bars, html_table

    plot = error_bars([(row.name, row.elo, row.error) for row in rated.rows])
    rows = [
        [str(place), row.name, f"{row.elo:+.0f}", f"{row.error:.0f}", f"{row.points:g}", str(row.games)]
        for place, row in enumerate(rated.rows, 1)
    ]
    head = ("", "player", "Elo", "±", "points", "games")
    return document("Ratings", [("Strength", plot), ("Table", html_table(head, rows))])


def _history_page(history: History) -> str:
    from tengen.arena.plots import Point, document, lines

    series = {
        name: [Point(one.day.toordinal(), one.elo, one.error) for one in moments]
        for name, moments in list(history.players.items())[:_MAX_PLOTTED]
    }
    days = sorted({one.day for moments in history.players.values() for one in moments})
    marks = {float(day.toordinal()): day.isoformat() for day in days[:: max(1, len(days) // 5)]}
    return document("Ratings over time", [(f"By {history.period}", lines(series, "Elo over time", marks))])


def _write(path: Path | None, text: str) -> None:
    from tengen.games import records

    if path is not None:
        records.save(path, text.encode())
        console.print(f"written: {path}")
