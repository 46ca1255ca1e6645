"""The commands `tengen analyse`, `tengen solve` and `tengen perft`."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tengen.cli.console import console, errors
from tengen.cli.inputs import check_folders, position_from
from tengen.cli.option_groups import LimitOptions, SearchOptions, grouped
from tengen.cli.options import GameName, Moves, Options
from tengen.core.errors import OptionError

if TYPE_CHECKING:
    from tengen.core.position import Position
    from tengen.search.report import Report


@grouped
def analyse(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="game records in any known format")],
    search: SearchOptions,
    limits: LimitOptions,
    number: Annotated[
        int, typer.Option("--number", "-n", min=0, help="analyse only this game of the file, counting from 1")
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="print one line of JSON per game")] = False,
    lines: Annotated[
        int, typer.Option(min=0, help="also show this many of the best moves of each position, with their lines")
    ] = 0,
    save: Annotated[
        Path | None, typer.Option(help="write the games with values and comments to this file")
    ] = None,
    csv: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="write one line per move to this file, for pandas; *.parquet is written as Parquet",
        ),
    ] = None,
) -> None:
    """Evaluate every move of the games in a file: loss, best move, turning points, exact values.

    Unreadable games are reported and skipped; the exit code is then 1. Ctrl-C shows the results so far.

    Example: tengen analyse game.sgf --seconds 2 --save analysed.sgf

    Example: tengen analyse games.sgf --nodes 2000 --csv moves.csv

    Example: tengen analyse game.sgf --engine "gtp:gnugo --mode gtp" --lines 3
    """
    from tengen.app.table_files import check_table, write_table
    from tengen.app.tables import REVIEW_COLUMNS
    from tengen.players.config import DEFAULT_LIMITS
    from tengen.runtime.host import EngineHost
    from tengen.terminal.analyse_command import ENGINE_MEMORY_MB, AnalyseCommand

    config = search.config()
    config = replace(config, limits=limits.limits() or config.limits or DEFAULT_LIMITS)
    check_folders(csv)
    check_table(csv)
    command = AnalyseCommand(console, errors, source, config, number, as_json, save, lines)
    with EngineHost(1, threads=config.threads, memory_mb=ENGINE_MEMORY_MB) as host:
        command.run(host)
    if csv is not None:
        write_table(csv, REVIEW_COLUMNS, command.rows)
    if command.interrupted:
        raise KeyboardInterrupt
    if command.bad:
        raise typer.Exit(1)


@grouped
def solve(
    game: Annotated[
        str, typer.Argument(metavar="GAME|FILE", help="clobber, go, othello or pente; or a file of positions")
    ],
    search: SearchOptions,
    options: Options = None,
    moves: Moves = "",
    number: Annotated[
        int, typer.Option("--number", "-n", help="solve only this position of the file, counting from 1")
    ] = 0,
    wld: Annotated[bool, typer.Option("--wld", help="prove only who wins, which is often much faster")] = False,
    every_move: Annotated[bool, typer.Option("--all", help="show the exact value of every legal move")] = False,
    table: Annotated[
        int | None, typer.Option(metavar="MB", help="memory of the engine's transposition table or tree")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(min=0.001, help="time limit for each position; default: none")
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="check that the end of each solved line has the same value")
    ] = False,
    workers: Annotated[
        int | None, typer.Option(min=1, help="files: solve positions in this many worker processes")
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="files: keep results here, so that the same command continues after a kill"
        ),
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="one position: write a proof that `tengen verify` checks"),
    ] = None,
) -> None:
    """Prove the result of a position under best play, or of every position in a file.

    An OBF file has one position per line; of other files the final position of each game is solved. Move values in
    the file are verified: the exit code is 1 if one differs. Ctrl-C shows the results so far.

    Example: tengen solve othello size=4 --all

    Example: tengen solve endgames.obf --wld

    Example: tengen solve endgames.obf --workers 2 --checkpoint endgames.jobs --seconds 60

    Example: tengen solve pente game.sgf

    Example: tengen solve clobber board=XOXOXOXO --certificate proof.json
    """
    from tengen.app.position_solving import SolvingMethod
    from tengen.terminal import record_files as records
    from tengen.terminal.progress import run_with_progress
    from tengen.terminal.solve_command import Puzzle, SolveCommand

    config = replace(search.config(), book=False)
    method = SolvingMethod(config, wld, every_move, table, seconds, verify)
    command = SolveCommand(console, errors, method)
    all_read = True
    if options and not records.is_record(game) and records.is_record(options[0]):
        game, options = options[0], options[1:]  # the file determines the game
    if records.is_record(game):
        if certificate is not None:
            raise OptionError("a certificate is for one position: give a game with its options and moves")
        if options or moves:
            raise OptionError("the positions come from the file: give no options or moves")
        if workers is None and checkpoint is None:
            all_read = command.solve_file(Path(game), number)
        else:
            from tengen.jobs import LocalExecutor

            check_folders(checkpoint)
            all_read = command.solve_file_in_workers(
                Path(game), number, lambda: LocalExecutor(workers or 1), checkpoint
            )
    elif workers is not None or checkpoint is not None:
        raise OptionError("--workers and --checkpoint are for files of positions (see: tengen solve --help)")
    else:
        check_folders(certificate)
        position = run_with_progress(errors, lambda: position_from(game, options, moves))
        report = command.solve_one(Puzzle(position))
        if certificate is not None and report is not None and not command.interrupted:
            _write_certificate(position, report, certificate)
    if command.interrupted:
        raise KeyboardInterrupt
    if command.wrong or not all_read:
        raise typer.Exit(1)


def _write_certificate(position: Position, report: Report, file: Path) -> None:
    from tengen.app.proofs.certify import certify
    from tengen.games.records.atomic_files import save

    with errors.status("Writing and checking the proof …"):
        text = certify(position, report)
    save(file, text.encode())
    console.print(f"proof   {file}")


def verify(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="proofs in any known format")],
    seconds: Annotated[float | None, typer.Option(min=0.001, help="time limit for each file")] = None,
) -> None:
    """Check proofs with small programs that know only the rules, and say what they prove.

    Proofs are written by `tengen solve --certificate`, `tengen problem --certificate` and `tengen clobber solve
    --proof`. A damaged or changed file is refused. The exit code is 1 if a file was not accepted.

    Example: tengen verify proof.json
    """
    from tengen.app.proofs.proof_file import Effort, InvalidProof, NotChecked, read_proof_file, verify_text

    refused = False
    for file in files:
        try:
            with errors.status(f"{file} …") as status:
                effort = Effort(
                    float("inf") if seconds is None else seconds,
                    lambda count, file=file: status.update(f"{file}: {count:,} positions …"),  # type: ignore[misc]
                )
                found = verify_text(read_proof_file(file), effort)
            console.print(f"{file}: {found.claim} ({found.work} checked)")
        except NotChecked as error:
            refused = True
            console.print(f"{file}: NOT CHECKED: {error}")
        except InvalidProof as error:
            refused = True
            console.print(f"{file}: NOT ACCEPTED: {error}")
    if refused:
        raise typer.Exit(1)


def perft(
    game: GameName,
    options: Options = None,
    depth: Annotated[int, typer.Option("--depth", "-d", help="number of plies")] = 6,
    moves: Moves = "",
    divide: Annotated[bool, typer.Option("--divide", help="show the count after each move")] = False,
    positions: Annotated[bool, typer.Option("--positions", help="Go: count all legal positions instead")] = False,
    all_games: Annotated[
        bool, typer.Option("--games", help="Go: count all games without repetition instead")
    ] = False,
) -> None:
    """Count the move sequences of each length, to verify the rules.

    Example: tengen perft othello --depth 9
    """
    from tengen.search import perft as counting
    from tengen.terminal.progress import run_with_progress

    counting.check_depth(depth)
    position = run_with_progress(errors, lambda: position_from(game, options, moves))
    if positions or all_games:
        _count_go(position, all_games)
        return
    run_with_progress(errors, lambda: counting.perft(position, 1))
    if divide:
        total = 0
        for move, count in counting.divide(position, depth):
            total += count
            console.print(f"{position.game.write_move(move)}: {count}")
        console.print(f"total: {total}")
        return
    for plies in range(min(1, depth), depth + 1):
        started = time.perf_counter()
        with errors.status(f"ply {plies} …"):
            count = counting.perft(position, plies)
        seconds = time.perf_counter() - started
        console.print(f"{plies:>3} {count:>20,}   {seconds:8.2f} s")


def _count_go(position: Position, all_games: bool) -> None:
    from tengen.core.interrupt import run_interruptible
    from tengen.games.go import Go
    from tengen.games.go.counting import count_games, count_legal_positions

    game = position.game
    if not isinstance(game, Go):
        raise OptionError(f"--positions and --games are for Go, not {game.name}")
    count = count_games if all_games else count_legal_positions
    with errors.status("counting …"):
        number = run_interruptible(lambda stop: count(game.width, game.height, stop))
    console.print(f"{game.width}x{game.height}: {number:,} {'games' if all_games else 'legal positions'}")
