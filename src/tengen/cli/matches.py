"""The commands `tengen match`, `calibrate`, `bench` and `tactics`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tengen.cli.console import LiveResult, console, errors, show_step
from tengen.cli.inputs import check_folders, create_game, delete_checkpoint, open_store
from tengen.cli.option_groups import ParallelGames, grouped
from tengen.cli.options import Fresh, GameName, GameOption, JsonFile, Options, RecordsFile, Seed, TimeControlText
from tengen.core.errors import OptionError
from tengen.core.key_values import pairs

if TYPE_CHECKING:
    from tengen.arena.engine_match import EngineMatch
    from tengen.arena.game_runner import PlayedGame
    from tengen.arena.match_score import MatchScore
    from tengen.core.game import Game
    from tengen.store.store import Store


@dataclass(frozen=True)
class MatchOptions:
    """Games, openings, clock and rating of a match."""

    games: Annotated[int, typer.Option("--games", "-n", help="maximum number of games, even")] = 100
    clock: TimeControlText = "none"
    openings: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|xot",
            help="use the first moves of these games, such as a list of XOT openings; xot: eight random balanced "
            "moves",
        ),
    ] = None
    plies: Annotated[
        int | None, typer.Option(min=0, help="opening length; default: 4, or the whole games of --openings")
    ] = None
    sprt: Annotated[
        str, typer.Option(metavar="ELO0,ELO1", help="stop when one of two Elo differences is accepted")
    ] = ""
    seed: Seed = 1
    rated: Annotated[bool, typer.Option("--rated", help="rate the games")] = False

    def create(self, game: Game, players: tuple[str, str], store: Store) -> EngineMatch:
        from tengen.app.arena_plans import MatchPlan

        plan = MatchPlan(
            game.name,
            players,
            game.options(),
            games=self.games,
            sprt=self.sprt,
            time=self.clock,
            openings="" if self.openings is None else str(self.openings),
            plies=self.plies,
            seed=self.seed,
            rated=self.rated,
        )
        return plan.create(store, Path())


@dataclass(frozen=True)
class RunOptions(ParallelGames):
    """Where the games are played, how an interrupted match continues, and a table of the games."""

    csv: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="write one line per game to this file, for pandas; *.parquet is written as Parquet",
        ),
    ] = None
    fresh: Fresh = False
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            "--checkpoint",
            "--resume",
            metavar="FILE",
            help="file in which finished games are kept until the end; default: in the data folder",
        ),
    ] = None


@grouped
def match(
    first: Annotated[
        str,
        typer.Argument(
            metavar="A", help="a player's name; or uct:nodes=500,rave=100; or gtp:gnugo --mode gtp, in quotes"
        ),
    ],
    second: Annotated[str, typer.Argument(metavar="B", help="the other player, the same way")],
    played: MatchOptions,
    run: RunOptions,
    options: Options = None,
    game: GameOption = "othello",
    save: RecordsFile = None,
    output: JsonFile = None,
) -> None:
    """Play many games between two players, each opening with both colours, and estimate the Elo difference.

    Each finished game is saved. Run the same command again to continue, also with more --games.

    Example: tengen match uct:nodes=500 uct:nodes=1000 --game go size=9 --games 200 --sprt 0,50

    Example: tengen match "gtp:gnugo --mode gtp --chinese-rules --capture-all-dead" uct --game go size=9
    """
    from tengen.app.table_files import check_table, write_rows
    from tengen.app.tables import rows
    from tengen.games import records
    from tengen.terminal.record_files import report_dropped

    check_table(run.csv)
    rules = create_game(game, options)
    if save is not None:
        records.format_for(save, rules.name)  # for its error, before hours of play
    check_folders(save, output, run.csv)
    with open_store() as store:
        series = played.create(rules, (first, second), store)
        checkpoint = Path(series.checkpoint(run.checkpoint).path)
        begun = checkpoint.exists()
        if run.fresh:
            delete_checkpoint(checkpoint, "a match")
        for path in (save, output, run.csv):
            if path is not None and path.exists() and not begun:
                raise OptionError(f"{path} exists: choose another file")
        names = [player.name for player in series.players]
        console.print(f"{names[0]} against {names[1]}: {rules.describe()}, {played.games} games")
        shown: list[MatchScore] = []
        try:
            with LiveResult() as live:

                def on_game(score: MatchScore, game: PlayedGame) -> None:
                    shown[:] = [score]
                    live.show(score.line, score.line)

                shown[:] = [
                    series.play(
                        store,
                        checkpoint=checkpoint,
                        concurrency=run.concurrency,
                        cluster=run.cluster,
                        on_game=on_game,
                    )
                ]
        finally:
            if shown:
                _report(shown[0])
                if save is not None:
                    report_dropped(
                        errors, save, records.write((series.record(one) for one in shown[0].counted()), save)
                    )
                if run.csv is not None:
                    write_rows(run.csv, rows(shown[0]))
                if output is not None:
                    data = {
                        "game": rules.name,
                        "options": rules.options(),
                        "time": played.clock,
                        "seed": played.seed,
                        **shown[0].to_dict(),
                    }
                    records.save(output, json.dumps(data, indent=1, allow_nan=False).encode())


def calibrate(
    game: GameName,
    options: Options = None,
    games: Annotated[int, typer.Option("--games", "-n", help="games per pair of neighbours, even")] = 60,
    moves: Annotated[int, typer.Option(help="number of moves of each player that are reviewed")] = 100,
    concurrency: Annotated[int | None, typer.Option(min=1, help="games at a time; default: one per core")] = None,
) -> None:
    """Measure the built-in opponents of a game: Elo of each against the next, mean loss and time per move.

    The results of a player are printed as soon as they are known. The same command resumes after an interruption.

    Example: tengen calibrate othello --games 100

    Example: tengen calibrate go size=9 --concurrency 1
    """
    from tengen.arena.calibration import measure_levels
    from tengen.players.opponents import opponents

    with LiveResult() as live:
        measure_levels(
            create_game(game, options),
            opponents(game),
            games,
            moves=moves,
            concurrency=concurrency,
            on_game=lambda score: live.show(score.line, score.line),
            on_level=lambda level: console.print(str(level)),
        )


def _report(tally: MatchScore) -> None:
    from tengen.arena.statistics import interval, score, superiority

    counts = tally.counts()
    low, high = interval(counts)
    console.print(tally.table())
    for fault in tally.faults():
        console.print(f"lost by an error: {fault}")
    console.print(
        f"score {100 * score(counts):.1f} % ({100 * low:.1f} to {100 * high:.1f} % with 95 % confidence)"
    )
    console.print(
        f"{tally.difference()}, {tally.normalized_difference()}; "
        f"likelihood that {tally.names[0]} is stronger: {100 * superiority(counts):.1f} %"
    )
    console.print("pairs of 0, ½, 1, 1½, 2 points: " + ", ".join(map(str, counts)))
    if tally.sprt is not None:
        console.print(f"sequential test: {tally.decision()}")


def bench(
    against: Annotated[str, typer.Option(help="compare with another program: open_spiel")] = "",
    seconds: Annotated[float, typer.Option(help="time per measurement")] = 1.0,
    only: Annotated[str, typer.Option(help="only this game")] = "",
    endgames: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="instead solve this many Othello endgames with 20 empty squares"),
    ] = None,
    threads: Annotated[int, typer.Option(help="threads for the endgames")] = 1,
    without: Annotated[
        list[str] | None, typer.Option(help="switch off hashing, ordering, stability, etc or probcut; repeatable")
    ] = None,
) -> None:
    """Measure the speed of all kernels, also relative to a reference loop timed in the same run.

    Example: tengen bench --against open_spiel

    Example: tengen bench --endgames 100 --without stability
    """
    from tengen.arena import bench as measuring

    if endgames is not None:
        from tengen.arena.othello_endgame_bench import measure

        switched_off = dict.fromkeys(without or (), False)
        solved = measure(
            endgames, threads=threads, on_step=lambda done: show_step(f"{done} of {endgames}"), **switched_off
        )
        console.print(str(solved))
        return
    if not seconds > 0:
        raise OptionError(f"--seconds must be above 0, not {seconds:g}")
    if against not in ("", "open_spiel"):
        raise OptionError(f"--against must be open_spiel, not {against!r}")
    console.print(measuring.run(seconds=seconds, only=only, against=against, on_step=show_step))


def tactics(
    options: Options = None,
    games: Annotated[int, typer.Option(min=1, help="number of self-play games whose positions are tested")] = 20,
    seed: Seed = 1,
    nodes: Annotated[int, typer.Option(min=1, help="nodes per move of these games")] = 1000,
    last: Annotated[
        int | None, typer.Option(min=1, help="test only positions before the last N moves, where most wins are")
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="print the positions as move lists")] = False,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="write positions with a win in two or three stones to this file"),
    ] = None,
) -> None:
    """Measure how many wins the Pente engine finds; each is verified against every defence.

    Example: tengen tactics --games 100 variant=tournament

    Example: tengen tactics --save wins.sgf
    """
    from tengen.arena.pente_tactics import measure
    from tengen.engines.pente.engine import PenteEngine
    from tengen.games import records
    from tengen.games.pente import Pente
    from tengen.games.records import Record

    game = Pente.create(**pairs(options))
    if save is not None:
        records.format_for(save, game.name)  # for its error, before minutes of play
    if not PenteEngine.plays(game) or game.stones != 1:
        raise OptionError(f"tactics can be measured only with one stone per turn, not for {game.describe()}")
    found = measure(game, games=games, seed=seed, nodes=nodes, last=last, on_step=show_step)
    console.print(str(found))
    for fault in (*found.missed, *found.false):
        console.print(f"FAULT {fault}")
    if save is not None:
        wins = (moves for stones in (2, 3) for moves in found.found[stones])
        records.write((Record.of(game.start().play_all(moves.split())) for moves in wins), save)
    if show:
        for stones, positions in found.found.items():
            for moves in positions:
                console.print(f"{stones} {moves}")
