"""What is true of games and positions: `tengen analyse`, `solve`, `perft`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tengen.cli.console import console, errors
from tengen.cli.options import EngineName, GameName, Moves, Options, Settings, Threads, position_from
from tengen.core.errors import OptionError
from tengen.core.key_values import pairs

if TYPE_CHECKING:
    from tengen.core.position import Position


def analyse(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="games in any format that is read here")],
    number: Annotated[int, typer.Option("--number", "-n", help="only this game of the file, from 1")] = 0,
    engine: EngineName = "",
    seconds: Annotated[float | None, typer.Option(help="for each position; 1 if no limit is given")] = None,
    nodes: Annotated[int | None, typer.Option(help="at most so many positions or simulations")] = None,
    depth: Annotated[int | None, typer.Option(help="plies, for engines that count them")] = None,
    threads: Threads = 1,
    settings: Settings = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="a line of JSON for each game instead of tables")
    ] = False,
    save: Annotated[Path | None, typer.Option(help="write the games with values, comments and marks")] = None,
) -> None:
    """Value every move of the games in a file: losses, better moves, where the game turned, what is proved.

    Games that cannot be read are named and left out; the exit code is 1 then. Ctrl-C shows what is known so far.

    Example: tengen analyse game.sgf --seconds 2 --save analysed.sgf
    """
    from tengen.players.config import DEFAULT_LEVEL, Level
    from tengen.players.syntax import parse_config, with_items
    from tengen.runtime.host import EngineHost
    from tengen.terminal.analyse import MEMORY, Reading

    if number < 0:
        raise OptionError(f"games are counted from 1, not {number}")
    config = with_items(parse_config(engine), pairs(settings))
    level = Level(seconds, nodes, depth) or config.level or DEFAULT_LEVEL
    config = replace(config, level=level, threads=threads)
    reading = Reading(console, errors, source, config, number, as_json, save)
    with EngineHost(1, threads=threads, memory_mb=MEMORY) as host:
        reading.run(host)
    if reading.interrupted:
        raise KeyboardInterrupt
    if reading.bad:
        raise typer.Exit(1)


def solve(
    game: Annotated[
        str, typer.Argument(metavar="GAME|FILE", help="clobber, go, othello or pente; or a file of positions")
    ],
    options: Options = None,
    moves: Moves = "",
    number: Annotated[int, typer.Option("--number", "-n", help="only this position of the file, from 1")] = 0,
    wld: Annotated[bool, typer.Option("--wld", help="only who wins: often much sooner")] = False,
    every_move: Annotated[bool, typer.Option("--all", help="the exact value of every legal move")] = False,
    engine: EngineName = "",
    threads: Threads = 1,
    table: Annotated[int | None, typer.Option(metavar="MB", help="memory for the engine's table or tree")] = None,
    settings: Settings = None,
) -> None:
    """Prove the result of a position under best play, or of every position in a file.

    The lines of an OBF file are positions; of other files, where each game ends. Where a file says what moves are
    worth, it is checked: the exit code is 1 if a result differs. Ctrl-C shows what is proved so far.

    Example: tengen solve othello size=4 --all

    Example: tengen solve endgames.obf --wld

    Example: tengen solve pente game.sgf
    """
    from tengen.players.syntax import parse_config, with_items
    from tengen.terminal import records
    from tengen.terminal.solve import Puzzle, Solving
    from tengen.terminal.wait import patiently

    config = replace(with_items(parse_config(engine), pairs(settings)), threads=threads, book=False)
    solving = Solving(console, errors, config, wld, every_move, table)
    sound = True
    if options and not records.is_record(game) and records.is_record(options[0]):
        game, options = options[0], options[1:]  # a file says by itself which game it is of
    if records.is_record(game):
        if options or moves:
            raise OptionError("a file has its own positions: give no options or moves")
        sound = solving.batch(Path(game), number)
    else:
        solving.one(Puzzle(patiently(errors, lambda: position_from(game, options, moves))))
    if solving.interrupted:
        raise KeyboardInterrupt
    if solving.wrong or not sound:
        raise typer.Exit(1)


def perft(
    game: GameName,
    options: Options = None,
    depth: Annotated[int, typer.Option("--depth", "-d", help="plies")] = 6,
    moves: Moves = "",
    divide: Annotated[bool, typer.Option("--divide", help="the count after each move")] = False,
    positions: Annotated[bool, typer.Option("--positions", help="Go: count all legal positions instead")] = False,
    all_games: Annotated[
        bool, typer.Option("--games", help="Go: count all games without repetition instead")
    ] = False,
) -> None:
    """Count the lines of play of each length: the proof that the rules are right.

    Example: tengen perft othello --depth 9
    """
    import time

    from tengen.search import perft as counting
    from tengen.terminal.wait import patiently

    counting.check_depth(depth)
    position = patiently(errors, lambda: position_from(game, options, moves))
    if positions or all_games:
        _count_go(position, all_games)
        return
    patiently(errors, lambda: counting.perft(position, 1))
    if divide:
        total = 0
        for move, count in counting.divide(position, depth):
            total += count
            console.print(f"{position.game.write_move(move)}: {count}", highlight=False)
        console.print(f"total: {total}", highlight=False)
        return
    for plies in range(min(1, depth), depth + 1):
        started = time.perf_counter()
        with errors.status(f"ply {plies} …"):
            count = counting.perft(position, plies)
        seconds = time.perf_counter() - started
        console.print(f"{plies:>3} {count:>20,}   {seconds:8.2f} s", highlight=False)


def _count_go(position: Position, all_games: bool) -> None:
    from tengen.core.interrupt import run_interruptible
    from tengen.games.go import Go
    from tengen.games.go.counting import count_games, count_legal_positions

    game = position.game
    if not isinstance(game, Go):
        raise OptionError(f"--positions and --games count Go, not {game.name}")
    count = count_games if all_games else count_legal_positions
    with errors.status("counting …"):
        number = run_interruptible(lambda stop: count(game.width, game.height, stop))
    console.print(
        f"{game.width}x{game.height}: {number:,} {'games' if all_games else 'legal positions'}", highlight=False
    )
