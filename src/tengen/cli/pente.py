"""`tengen pente …`: statistics of the classic engine, players, puzzles."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from tengen.cli.console import say
from tengen.cli.console import unwrapped as console
from tengen.cli.console import unwrapped_errors as errors
from tengen.core.errors import OptionError
from tengen.core.key_values import pairs

if TYPE_CHECKING:
    from tengen.core.position import Position
    from tengen.engines.pente.classic.choice_statistics import ValueSamples

app = typer.Typer(
    help="Pente: statistics of the classic engine, players, puzzles.", no_args_is_help=True, rich_markup_mode=None
)

Options = Annotated[
    list[str] | None, typer.Argument(metavar="[OPTION=VALUE]...", help="the game's options, such as size=13")
]
Count = Annotated[int, typer.Option("--positions", "-n", help="number of positions to search")]
Depth = Annotated[int, typer.Option(help="search depth in plies")]
Seed = Annotated[int, typer.Option(help="random seed")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", help="an engine setting, such as width=12; repeatable")
]
Json = Annotated[bool, typer.Option("--json", help="print JSON")]


def _prepare(
    options: list[str] | None, settings: list[str] | None, count: int, depth: int, seed: int
) -> tuple[list[Position], dict[str, Any]]:
    """Positions from quick self-play games, and the engine's complete settings."""
    from tengen.engines.pente.classic.choice_statistics import played_positions
    from tengen.engines.pente.classic.engine import ClassicEngine
    from tengen.engines.pente.classic.kernels.search import MAX_PLIES
    from tengen.engines.registry import check
    from tengen.games import game as create_game
    from tengen.search.tunables import settle
    from tengen.terminal.progress import run_with_progress

    rules = create_game("pente", **pairs(options))
    check("classic", rules)
    if count < 1:
        raise OptionError(f"--positions must be 1 or more, not {count}")
    if not 1 <= depth <= MAX_PLIES:
        raise OptionError(f"--depth must be from 1 to {MAX_PLIES}, not {depth}")
    known = (*ClassicEngine.tunables, *ClassicEngine.weaknesses)
    settled = settle("classic", known, pairs(settings))
    return run_with_progress(errors, lambda: list(played_positions(rules, settled, count, seed))), settled


@app.command("research", hidden=True)  # the former name
@app.command("move-ordering")
def move_ordering(
    options: Options = None,
    count: Count = 100,
    depth: Depth = 6,
    seed: Seed = 1,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Measure the move ordering: the level of the chosen moves, and how often killer and history moves are best.

    Example: tengen pente move-ordering --positions 200 --depth 6
    """
    from dataclasses import asdict

    from tengen.engines.pente.classic.choice_statistics import LEVEL_NAMES, collect_statistics

    positions, settled = _prepare(options, settings, count, depth, seed)
    found, _ = collect_statistics(positions, settled, depth)
    if as_json:
        say(json.dumps(asdict(found)))
        return
    say(f"{found.choices} choices in {found.nodes} nodes of {len(positions)} searches to depth {depth}")
    say(f"chosen move is on average {found.distance / max(1, found.choices):.2f} levels below the best level")
    say(f"chosen move is the killer move: {found.share(found.by_killer):.1f} %")
    say(f"chosen move is the best history move: {found.share(found.by_history):.1f} %")
    table = Table("level", "moves per position", "chosen, %")
    for level in reversed(range(len(LEVEL_NAMES))):
        moves = found.available[level] / max(1, found.choices)
        table.add_row(LEVEL_NAMES[level], f"{moves:.2f}", f"{found.share(found.chosen[level]):.1f}")
    console.print(table)


@app.command()
def choices(
    folder: Annotated[Path, typer.Argument(help="output folder for the curves (SVG)")],
    options: Options = None,
    count: Count = 40,
    depth: Depth = 5,
    plies: Annotated[int, typer.Option(help="number of plies at which all moves are evaluated")] = 2,
    seed: Seed = 1,
    settings: Settings = None,
) -> None:
    """Show the ranks of the best moves, and plot the effect of searching fewer moves.

    Example: tengen pente choices curves --positions 100
    """
    from tengen.engines.pente.classic.choice_statistics import collect_statistics
    from tengen.engines.pente.classic.filter_curves import filter_curves
    from tengen.games.records.atomic_files import save

    if not folder.is_dir():
        raise OptionError(f"{folder}: folder not found")
    if not 1 <= plies <= depth:
        raise OptionError(f"--plies must be from 1 to the depth {depth}, not {plies}")
    positions, settled = _prepare(options, settings, count, depth, seed)
    _, found = collect_statistics(positions, settled, depth, open_plies=plies)
    if not found.samples:
        raise OptionError("no position had several moves: increase --positions")
    base = settled["exp_base"]
    _tables(found, base)
    for curve in filter_curves(found, base):
        for kind, drawn in curve.pictures.items():
            path = folder / f"{curve.name}-{kind}.svg"
            save(path, drawn.encode())
            say(str(path))
        say(curve.summary)


def _tables(found: ValueSamples, base: float) -> None:
    places = max(len(values) for _, values in found.samples)
    for title, rows, form in (
        ("best value was at, %", found.best_at(), "{:.0f}"),
        ("value relative to the best", found.relative(base), "{:.2f}"),
    ):
        table = Table("depth", *(f"v{place + 1}" for place in range(places)), title=title)
        for ply, row in rows.items():
            cells = ("" if math.isnan(value) else form.format(value) for value in row[:places])
            table.add_row(str(ply + 1), *cells)
        console.print(table)


@app.command()
def player(
    name: Annotated[str, typer.Argument(help="name of the new player")],
    speed: Annotated[int, typer.Option(help="1 (strong and slow) to 10 (moves at once)")] = 5,
    vision: Annotated[int, typer.Option(help="60 to 100 in steps of 5: percentage of moves that it sees")] = 100,
    book: Annotated[bool, typer.Option(help="whether it uses the opening book")] = True,
    width: Annotated[int, typer.Option(help="number of moves searched per position")] = 9,
    captures: Annotated[str, typer.Option(help="preference for captures: low, medium or high")] = "medium",
) -> None:
    """Create and store a Pente player from a few simple settings.

    Example: tengen pente player Robin --speed 7 --vision 85 --captures high
    """
    from tengen.players.configure import config_name
    from tengen.players.opponents import pente_player
    from tengen.store.store import Store

    made = pente_player(name, speed=speed, vision=vision, book=book, width=width, captures=captures)
    with Store.open() as store:
        store.save_player(made)
    say(f"{made.id[:8]} {made.name}: {config_name(made.config)}")


@app.command()
def puzzles(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE] [OPTION=VALUE]...",
            help="file to write (.json, or records such as .sgf); the game's options, such as variant=keryo",
        ),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(help="generate new puzzles from this many quick games; default: the shipped puzzles"),
    ] = None,
    seed: Seed = 1,
    nodes: Annotated[int, typer.Option(help="nodes per move of these games")] = 1000,
) -> None:
    """Show or export puzzles: positions with a win in two or three stones, with all solutions.

    Example: tengen pente puzzles wins.sgf

    Example: tengen pente puzzles my-puzzles.json variant=tournament --games 50
    """
    from tengen.engines.pente.engine import PenteEngine
    from tengen.engines.pente.puzzles import generate_puzzles, shipped_puzzles, write_puzzles
    from tengen.games import records
    from tengen.games.pente import Pente

    options = [word for word in words or [] if "=" in word]
    files = [Path(word) for word in words or [] if "=" not in word]
    if len(files) > 1:
        raise OptionError(f"give only one output file, not {' and '.join(map(str, files))}")
    output = files[0] if files else None
    if output is not None and output.suffix != ".json":
        records.format_for(output, "pente")  # for its error, before minutes of play
    if output is not None and not output.absolute().parent.is_dir():
        raise OptionError(f"{output}: folder not found")
    if games is None:
        if options:
            raise OptionError("game options are only for new puzzles: give --games as well")
        found = list(shipped_puzzles())
        command = "tengen pente puzzles"
    else:
        if games < 1 or nodes < 1:
            raise OptionError("--games and --nodes must be 1 or more")
        game = Pente.create(**pairs(options))
        if not PenteEngine.plays(game) or game.stones != 1:
            raise OptionError(f"there are no puzzles of {game.describe()}")
        found = sorted(
            generate_puzzles(game, games=games, seed=seed, nodes=nodes, log=_step), key=lambda one: one.stones
        )
        command = " ".join(["tengen pente puzzles", *options, f"--games {games} --seed {seed} --nodes {nodes}"])
    for puzzle in found:
        say(f"{puzzle.id}  {puzzle.task}  {' '.join(puzzle.solutions)} ({puzzle.proof})")
    if output is None:
        return
    if output.suffix == ".json":
        write_puzzles(output, found, {"command": command})
    else:
        records.write((puzzle.record for puzzle in found), output)


def _step(text: str) -> None:
    """Print progress if the output is a terminal."""
    if errors.is_terminal:
        errors.print(f"[dim]{text} …[/dim]")
