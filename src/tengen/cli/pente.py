"""`tengen pente …`: statistics of the classic engine, players, puzzles."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from tengen.cli.console import console, errors, show_step
from tengen.cli.inputs import check_folders, create_game, open_store
from tengen.cli.option_groups import command_group, grouped
from tengen.cli.options import Json, Options, Seed, Settings, Vision
from tengen.core.errors import OptionError
from tengen.core.key_values import pairs

if TYPE_CHECKING:
    from tengen.core.position import Position
    from tengen.engines.pente.classic.choice_statistics import ValueSamples

app = command_group("Pente: statistics of the classic engine, players, puzzles.")


@dataclass(frozen=True)
class StatisticsOptions:
    """Positions from quick self-play games, and the settings of the engine that searches them."""

    options: Options = None
    count: Annotated[
        int | None, typer.Option("--positions", "-n", min=1, help="number of positions to search")
    ] = None
    seed: Seed = 1
    settings: Settings = None

    def prepare(self, count: int, depth: int) -> tuple[list[Position], dict[str, Any]]:
        """The positions, by default `count`, and the engine's complete settings."""
        from tengen.engines.pente.classic.choice_statistics import played_positions
        from tengen.engines.pente.classic.engine import ClassicEngine
        from tengen.engines.pente.classic.search_state import MAX_PLIES
        from tengen.engines.registry import check
        from tengen.search.tunables import settle
        from tengen.terminal.progress import run_with_progress

        rules = create_game("pente", self.options)
        check("classic", rules)
        if not 1 <= depth <= MAX_PLIES:
            raise OptionError(f"--depth must be from 1 to {MAX_PLIES}, not {depth}")
        known = (*ClassicEngine.tunables, *ClassicEngine.weaknesses)
        settings = settle("classic", known, pairs(self.settings))
        played = played_positions(rules, settings, self.count or count, self.seed)
        return run_with_progress(errors, lambda: list(played)), settings


Depth = Annotated[int, typer.Option(help="search depth in plies")]


@app.command("research", hidden=True)  # the former name
@app.command("move-ordering")
@grouped
def move_ordering(what: StatisticsOptions, depth: Depth = 6, as_json: Json = False) -> None:
    """Measure the move ordering: the level of the chosen moves, and how often killer and history moves are best.

    Example: tengen pente move-ordering --positions 200 --depth 6
    """
    from dataclasses import asdict

    from tengen.engines.pente.classic.choice_statistics import LEVEL_NAMES, collect_statistics

    positions, settings = what.prepare(100, depth)
    found, _ = collect_statistics(positions, settings, depth)
    if as_json:
        console.print(json.dumps(asdict(found)))
        return
    console.print(f"{found.choices} choices in {found.nodes} nodes of {len(positions)} searches to depth {depth}")
    console.print(
        f"chosen move is on average {found.distance / max(1, found.choices):.2f} levels below the best level"
    )
    console.print(f"chosen move is the killer move: {found.share(found.by_killer):.1f} %")
    console.print(f"chosen move is the best history move: {found.share(found.by_history):.1f} %")
    table = Table("level", "moves per position", "chosen, %")
    for level in reversed(range(len(LEVEL_NAMES))):
        moves = found.available[level] / max(1, found.choices)
        table.add_row(LEVEL_NAMES[level], f"{moves:.2f}", f"{found.share(found.chosen[level]):.1f}")
    console.print(table)


@app.command()
@grouped
def choices(
    folder: Annotated[Path, typer.Argument(help="output folder for the curves (SVG)")],
    what: StatisticsOptions,
    depth: Depth = 5,
    plies: Annotated[int, typer.Option(help="number of plies at which all moves are evaluated")] = 2,
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
    positions, settings = what.prepare(40, depth)
    _, found = collect_statistics(positions, settings, depth, open_plies=plies)
    if not found.samples:
        raise OptionError("no position had several moves: increase --positions")
    base = settings["exp_base"]
    _tables(found, base)
    for curve in filter_curves(found, base):
        for kind, drawn in curve.pictures.items():
            path = folder / f"{curve.name}-{kind}.svg"
            save(path, drawn.encode())
            console.print(str(path))
        console.print(curve.summary)


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
    vision: Vision = 100,
    book: Annotated[bool, typer.Option(help="whether it uses the opening book")] = True,
    width: Annotated[int, typer.Option(help="number of moves searched per position")] = 9,
    captures: Annotated[str, typer.Option(help="preference for captures: low, medium or high")] = "medium",
) -> None:
    """Create and store a Pente player from a few simple settings.

    Example: tengen pente player Robin --speed 7 --vision 85 --captures high
    """
    from tengen.players.configure import config_name
    from tengen.players.opponents import pente_player

    made = pente_player(name, speed=speed, vision=vision, book=book, width=width, captures=captures)
    with open_store() as store:
        store.save_player(made)
    console.print(f"{made.id[:8]} {made.name}: {config_name(made.config)}")


@app.command()
def puzzles(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE|ID...] [OPTION=VALUE]...",
            help="file to write (.json, or records such as .sgf), or puzzles to show with board and moves; "
            "the game's options, such as variant=keryo",
        ),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(min=1, help="generate new puzzles from this many quick games; default: the shipped puzzles"),
    ] = None,
    seed: Seed = 1,
    nodes: Annotated[int, typer.Option(min=1, help="nodes per move of these games")] = 1000,
) -> None:
    """List, show or export puzzles: positions with a win in two or three stones, with all solutions.

    `tengen solve` takes the exported records: their main lines end where the puzzles start.

    Example: tengen pente puzzles pente-17f97df877

    Example: tengen pente puzzles wins.sgf

    Example: tengen pente puzzles my-puzzles.json variant=tournament --games 50
    """
    from tengen.engines.pente.engine import PenteEngine
    from tengen.engines.pente.puzzles import generate_puzzles, is_puzzle_id, shipped_puzzles, write_puzzles
    from tengen.games import records
    from tengen.games.pente import Pente
    from tengen.terminal.board import draw

    options = [word for word in words or [] if "=" in word]
    shown = {word for word in words or [] if is_puzzle_id(word)}
    files = [Path(word) for word in words or [] if word not in (*options, *shown)]
    if len(files) > 1:
        raise OptionError(f"give only one output file, not {' and '.join(map(str, files))}")
    output = files[0] if files else None
    if output is not None and output.suffix != ".json":
        records.format_for(output, "pente")  # for its error, before minutes of play
    check_folders(output)
    if games is None:
        if options:
            raise OptionError("game options are only for new puzzles: give --games as well")
        found = [puzzle for puzzle in shipped_puzzles() if not shown or puzzle.id in shown]
        if unknown := shown - {puzzle.id for puzzle in found}:
            raise OptionError(f"there is no puzzle {' or '.join(sorted(unknown))}")
        command = "tengen pente puzzles"
    else:
        if shown:
            raise OptionError("give either puzzles to show or --games")
        game = Pente.create(**pairs(options))
        if not PenteEngine.plays(game) or game.stones != 1:
            raise OptionError(f"there are no puzzles of {game.describe()}")
        found = sorted(
            generate_puzzles(game, games=games, seed=seed, nodes=nodes, log=show_step), key=lambda one: one.stones
        )
        command = " ".join(["tengen pente puzzles", *options, f"--games {games} --seed {seed} --nodes {nodes}"])
    for puzzle in found:
        console.print(f"{puzzle.id}  {puzzle.task}  {' '.join(puzzle.solutions)} ({puzzle.proof})")
        if output is None and (shown or games is not None):
            console.print(draw(puzzle.position))
            console.print(f"moves  {' '.join(puzzle.moves)}", f"line   {' '.join(puzzle.line)}", sep="\n")
    if output is None:
        if not shown and games is None:
            console.print("tengen pente puzzles ID shows a puzzle with its board and moves.")
        return
    if output.suffix == ".json":
        write_puzzles(output, found, {"command": command})
    else:
        records.write((puzzle.record for puzzle in found), output)
