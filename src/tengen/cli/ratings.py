"""The command `tengen ratings`."""

from __future__ import annotations

import json
import math
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tengen.cli.console import console, say
from tengen.core.errors import OptionError

if TYPE_CHECKING:
    from tengen.arena.ratings import History, RatingTable, ScoredGame

_SHOWN = 8  # players in a plot over time


def ratings(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="[FILE]...", help="games of these files, not of the library")
    ] = None,
    game: Annotated[str, typer.Option("--game", "-g", help="games of this game only")] = "",
    tournament: Annotated[
        Path | None, typer.Option(metavar="FILE", help="games of this tournament, not of the library")
    ] = None,
    since: Annotated[str, typer.Option(metavar="DATE", help="games from this day on, as 2026-01-31")] = "",
    until: Annotated[str, typer.Option(metavar="DATE", help="games up to this day")] = "",
    least: Annotated[int, typer.Option(help="show players with at least so many games")] = 1,
    anchor: Annotated[
        str, typer.Option(metavar="NAME=ELO", help="this player has this rating; else their mean is 0")
    ] = "",
    over: Annotated[str, typer.Option(metavar="PERIOD", help="over time: by day, week, month or year")] = "",
    drift: Annotated[float, typer.Option(help="Elo that a player may change by in a year, with --over")] = 70.0,
    output: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="write it here")] = None,
    table: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="write it here")] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="write it here, with plots")] = None,
) -> None:
    """Say who is how strong by all games together, with error bars: of the library, of files or of a tournament.

    Example: tengen ratings --game othello --since 2026-01-01

    Example: tengen ratings games.sgf more.ggf --anchor "GNU Go 1=1800" --html ratings.html
    """
    from tengen.arena.ratings import over_time, rate

    if files and tournament:
        raise OptionError("games are taken from files or from a tournament, not from both")
    if tournament and (game or since or until):
        raise OptionError("all games of a tournament are rated: give no --game, --since or --until")
    found = _of_tournament(tournament) if tournament else _games(files or [], game, since, until)
    if not found:
        raise OptionError("there are no finished games between two players to rate by")
    if over:
        if anchor or table:
            raise OptionError("ratings over time have no --anchor and no --csv")
        history = over_time(found, over, drift)
        _show_history(history)
        _write(output, json.dumps(history.to_dict(), indent=1))
        _write(html, _history_page(history))
        return
    rated = rate(found, anchor=_anchor(anchor), least=least)
    if not rated.rows:
        raise OptionError(f"nobody has {least} games among these {len(found)}")
    console.print(rated.table())
    strengths = rated.strengths
    advantage = f"moving first is worth {strengths.advantage:+.0f} ± {1.96 * strengths.advantage_error:.0f} Elo"
    say(f"{len(found)} games; {advantage}; equals draw {100 * strengths.draws:.0f} %")
    _write(output, json.dumps(rated.to_dict(), indent=1))
    _write(table, rated.to_csv())
    _write(html, _page(rated))


def _of_tournament(file: Path) -> list[ScoredGame]:
    from tengen.arena.tournament import Tournament
    from tengen.store.store import Store

    with Store.open() as store:
        return Tournament.read(file, store).load_standings().scored()


def _games(files: list[Path], game: str, since: str, until: str) -> list[ScoredGame]:
    from tengen.arena.ratings import games_from_files, games_from_store
    from tengen.games import game_class
    from tengen.store.listing import Filter
    from tengen.store.store import Store

    if game:
        game_class(game)  # for its error
    for day in filter(None, (since, until)):
        _check_day(day)
    if files:
        found = list(games_from_files(files, game))
    else:
        which = Filter(game=game or None, finished=True, since=since or None, until=until or None)
        with Store.open() as store:
            return list(games_from_store(store, which))
    days = (since or "0001-01-01", until or "9999-12-31")
    return [one for one in found if not (since or until) or days[0] <= str(one.day or "") <= days[1]]


def _check_day(text: str) -> None:
    try:
        date.fromisoformat(text)
    except ValueError:
        raise OptionError(f"a day is written as 2026-01-31, not {text!r}") from None


def _anchor(text: str) -> tuple[str, float] | None:
    if not text:
        return None
    name, equals, elo = text.rpartition("=")
    try:
        if not math.isfinite(number := float(elo if equals else "")):
            raise ValueError
        return name.strip(), number
    except ValueError:
        raise OptionError(f"an anchor is written as NAME=ELO, not {text!r}") from None


def _show_history(history: History) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table("player", "from", "to", "Elo then", "Elo now", "±", "games")
    for name, moments in history.players.items():
        table.add_row(
            *(Text(name), str(moments[0].day), str(moments[-1].day)),
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
    return document("Ratings", [("Strength", plot), ("Table", html_table(_HEAD, rows))])


def _history_page(history: History) -> str:
    from tengen.arena.plots import Point, document, lines

    series = {
        name: [Point(one.day.toordinal(), one.elo, one.error) for one in moments]
        for name, moments in list(history.players.items())[:_SHOWN]
    }
    days = sorted({one.day for moments in history.players.values() for one in moments})
    marks = {float(day.toordinal()): day.isoformat() for day in days[:: max(1, len(days) // 5)]}
    return document("Ratings over time", [(f"By {history.period}", lines(series, "Elo over time", marks))])


_HEAD = ("", "player", "Elo", "±", "points", "games")


def _write(path: Path | None, text: str) -> None:
    from tengen.games import records

    if path is not None:
        records.save(path, text.encode())
        say(f"written: {path}")
