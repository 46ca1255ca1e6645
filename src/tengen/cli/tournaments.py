"""The command `tengen tournament`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tengen.cli.console import LiveResult, console, errors
from tengen.cli.inputs import check_folders, delete_checkpoint, open_store
from tengen.cli.option_groups import ParallelGames, grouped
from tengen.cli.options import CsvFile, Fresh, HtmlFile, JsonFile, RecordsFile

if TYPE_CHECKING:
    from tengen.arena.standings import Standings
    from tengen.arena.tournament import Tournament


@dataclass(frozen=True)
class OutputFiles:
    """Files for the results."""

    output: JsonFile = None
    table: CsvFile = None
    html: HtmlFile = None
    save: RecordsFile = None

    def write(self, played: Tournament, standings: Standings) -> None:
        from tengen.games import records
        from tengen.terminal.record_files import report_dropped

        if self.output is not None:
            data = {"name": played.name, **standings.to_dict()}
            records.save(self.output, json.dumps(data, indent=1, allow_nan=False).encode())
        if self.table is not None:
            records.save(self.table, standings.to_csv().encode())
        if self.html is not None:
            records.save(self.html, standings.to_html(played.name, played.describe()).encode())
        if self.save is not None:
            games = sorted(standings.played.items())
            dropped = records.write((played.match(*key[:2]).record(game) for key, game in games), self.save)
            report_dropped(errors, self.save, dropped)


@grouped
def tournament(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="description of the tournament (TOML)")],
    files: OutputFiles,
    parallel: ParallelGames,
    fresh: Fresh = False,
) -> None:
    """Run a tournament: round robin, gauntlet, knock-out or Swiss, with a live table and error bars.

    Each finished game is saved. Run the same command again to continue. The file:

    \b
        name = "Clobber cup"
        game = "clobber"
        kind = "round robin"   # gauntlet, knock-out, swiss
        games = 4              # per pairing
        [options]
        size = 20
        [players]
        "Deep" = "alphabeta:depth=3"
        "Tree" = "uct:nodes=200"
        "Dice" = "random:nodes=1"

    Example: tengen tournament cup.toml --html cup.html
    """
    from tengen.arena.tournament import Tournament
    from tengen.games import records

    check_folders(files.output, files.table, files.html, files.save)
    with open_store() as store:
        chosen = Tournament.read(file, store)
        if files.save is not None:
            records.format_for(files.save, chosen.game.name)
        if fresh:
            delete_checkpoint(Path(chosen.checkpoint().path), "a tournament")
        threads = max(player.config.threads for player in chosen.players)
        console.print(f"{chosen.name}: {chosen.describe()}")
        seen: list[Standings] = []
        try:
            with parallel.open(threads) as executor, LiveResult() as live:

                def on_game(standings: Standings) -> None:
                    seen[:] = [standings]
                    live.show(standings.table, standings.progress)

                chosen.play(store, executor, window=2 * executor.workers, on_game=on_game)
        finally:
            if seen:
                console.print(seen[0].table())
                for fault in seen[0].faults():
                    console.print(f"lost by an error: {fault}")
                files.write(chosen, seen[0])
