"""The command `tengen tournament`."""

from __future__ import annotations

import json
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.live import Live

from tengen.cli.console import console, errors, say
from tengen.core.errors import OptionError
from tengen.jobs.arguments import Cluster

if TYPE_CHECKING:
    from tengen.arena.standings import Standings
    from tengen.arena.tournament import Tournament


PLAIN_SECONDS = 30.0  # between two lines where nobody watches a terminal
LIVE_SECONDS = 0.5  # between two tables


def tournament(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="what is played, as TOML")],
    concurrency: Annotated[int | None, typer.Option(help="games at once; as many as cores allow")] = None,
    cluster: Cluster = "",
    fresh: Annotated[bool, typer.Option("--fresh", help="begin anew instead of going on")] = False,
    output: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="write the result here")] = None,
    table: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="write the table here")] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="write a page with plots here")] = None,
    save: Annotated[Path | None, typer.Option(metavar="FILE", help="write the games' records here")] = None,
) -> None:
    """Let many players play: round robin, gauntlet, knock-out or Swiss, with a live table and error bars.

    Each game is kept as it ends. The same command again goes on where it was. The file:

    \b
        name = "Clobber cup"
        game = "clobber"
        kind = "round robin"   # gauntlet, knock-out, swiss
        games = 4              # of each two who meet
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
    from tengen.jobs import available_cores, open_executor
    from tengen.jobs.checkpoint import MAGIC
    from tengen.store.store import Store

    if concurrency is not None and concurrency < 1:
        raise OptionError(f"at least one game is played at a time, not {concurrency}")
    for path in (output, table, html, save):
        if path is not None and not path.absolute().parent.is_dir():
            raise OptionError(f"{path}: there is no such folder")
    with Store.open() as store:
        chosen = Tournament.read(file, store)
        if save is not None:
            records.format_for(save, chosen.game.name)
        checkpoint = chosen.checkpoint()
        if fresh and checkpoint.exists():
            if not checkpoint.read_bytes().startswith(MAGIC):
                raise OptionError(f"{checkpoint} is not the checkpoint of a tournament: it stays as it is")
            checkpoint.unlink()
        threads = max(player.config.threads for player in chosen.players)
        workers = concurrency if concurrency or cluster else max(1, available_cores() // threads)
        say(f"{chosen.name}: {chosen.describe()}")
        seen: list[Standings] = []
        try:
            with open_executor(workers, cluster) as executor, _Live() as live:

                def on_game(standings: Standings) -> None:
                    seen[:] = [standings]
                    live.show(standings)

                chosen.play(store, executor, window=2 * executor.workers, on_game=on_game)
        finally:
            if seen:
                console.print(seen[0].table())
                for fault in seen[0].faults():
                    say(f"lost by a fault: {fault}")
                _write(chosen, seen[0], output, table, html, save)


def _write(
    chosen: Tournament,
    standings: Standings,
    output: Path | None,
    table: Path | None,
    html: Path | None,
    save: Path | None,
) -> None:
    from tengen.games import records

    if output is not None:
        data = {"name": chosen.name, **standings.to_dict()}
        records.save(output, json.dumps(data, indent=1, allow_nan=False).encode())
    if table is not None:
        records.save(table, standings.to_csv().encode())
    if html is not None:
        records.save(html, standings.to_html(chosen.name, chosen.describe()).encode())
    if save is not None:
        games = sorted(standings.played.items())
        dropped = records.write((chosen.match(*key[:2]).record(played) for key, played in games), save)
        if dropped:
            errors.print(f"{save}: not kept: {', '.join(dropped)}", highlight=False, markup=False)


class _Live(ExitStack):
    """The table as it changes: in place on a terminal, else a line now and then."""

    def __init__(self) -> None:
        super().__init__()
        self._shown = time.monotonic()
        self._live: Live | None = None
        if errors.is_terminal:
            self._live = self.enter_context(Live(console=errors, auto_refresh=False, transient=True))

    def show(self, standings: Standings) -> None:
        now = time.monotonic()
        if now - self._shown < (LIVE_SECONDS if self._live else PLAIN_SECONDS):
            return
        self._shown = now
        if self._live is not None:
            self._live.update(standings.table(), refresh=True)
        else:
            errors.print(standings.progress(), highlight=False, markup=False, soft_wrap=True)
