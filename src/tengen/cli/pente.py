"""`tengen pente …`: how the classic player chooses, and puzzles."""

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
    help="Pente: what the classic player does; players, puzzles.", no_args_is_help=True, rich_markup_mode=None
)

Options = Annotated[
    list[str] | None, typer.Argument(metavar="[OPTION=VALUE]...", help="the game's options, as size=13")
]
Count = Annotated[int, typer.Option("--positions", "-n", help="how many positions are searched")]
Depth = Annotated[int, typer.Option(help="how deep")]
Seed = Annotated[int, typer.Option(help="another seed, other positions")]
Settings = Annotated[list[str] | None, typer.Option("--set", help="a setting of the player, as width=12")]
Json = Annotated[bool, typer.Option("--json", help="JSON instead of words")]


def _prepare(
    options: list[str] | None, settings: list[str] | None, count: int, depth: int, seed: int
) -> tuple[list[Position], dict[str, Any]]:
    """Positions of quick games, and the player's settings."""
    from tengen.engines.pente.classic.choice_statistics import played_positions
    from tengen.engines.pente.classic.engine import ClassicEngine
    from tengen.engines.pente.classic.kernels.search import MAX_PLIES
    from tengen.engines.registry import check
    from tengen.games import game as create_game
    from tengen.search.tunables import settle
    from tengen.terminal.wait import patiently

    rules = create_game("pente", **pairs(options))
    check("classic", rules)
    if count < 1:
        raise OptionError(f"at least 1 position can be searched, not {count}")
    if not 1 <= depth <= MAX_PLIES:
        raise OptionError(f"the depth should be from 1 to {MAX_PLIES}, not {depth}")
    known = (*ClassicEngine.tunables, *ClassicEngine.weaknesses)
    settled = settle("classic", known, pairs(settings))
    return patiently(errors, lambda: list(played_positions(rules, settled, count, seed))), settled


@app.command()
def research(
    options: Options = None,
    count: Count = 100,
    depth: Depth = 6,
    seed: Seed = 1,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Count what the search chooses: how far below the best level, how often the killer or the history's move.

    Example: tengen pente research --positions 200 --depth 6
    """
    from dataclasses import asdict

    from tengen.engines.pente.classic.choice_statistics import LEVEL_NAMES, collect_statistics

    positions, settled = _prepare(options, settings, count, depth, seed)
    found, _ = collect_statistics(positions, settled, depth)
    if as_json:
        say(json.dumps(asdict(found)))
        return
    say(f"{found.choices} choices in {found.nodes} nodes of {len(positions)} searches to depth {depth}")
    say(f"chosen move below the best level by {found.distance / max(1, found.choices):.2f} levels on the mean")
    say(f"chosen move is the killer of its ply: {found.share(found.by_killer):.1f} %")
    say(f"chosen move is the list's best by history: {found.share(found.by_history):.1f} %")
    table = Table("level", "moves in a position", "chosen, %")
    for level in reversed(range(len(LEVEL_NAMES))):
        moves = found.available[level] / max(1, found.choices)
        table.add_row(LEVEL_NAMES[level], f"{moves:.2f}", f"{found.share(found.chosen[level]):.1f}")
    console.print(table)


@app.command()
def choices(
    folder: Annotated[Path, typer.Argument(help="where the curves are written, as SVG")],
    options: Options = None,
    count: Count = 40,
    depth: Depth = 5,
    plies: Annotated[int, typer.Option(help="values of all moves are found out for so many plies")] = 2,
    seed: Seed = 1,
    settings: Settings = None,
) -> None:
    """Say where in the order the best moves are, and draw what filters of the others would do.

    Example: tengen pente choices curves --positions 100
    """
    from tengen.engines.pente.classic.choice_statistics import collect_statistics
    from tengen.engines.pente.classic.filter_curves import filter_curves
    from tengen.games.records.atomic_files import save

    if not folder.is_dir():
        raise OptionError(f"{folder}: there is no such folder")
    if not 1 <= plies <= depth:
        raise OptionError(f"the plies should be from 1 to the depth, {depth}, not {plies}")
    positions, settled = _prepare(options, settings, count, depth, seed)
    _, found = collect_statistics(positions, settled, depth, open_plies=plies)
    if not found.samples:
        raise OptionError("no position had a choice: take more --positions")
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
    name: Annotated[str, typer.Argument(help="what the new player is called")],
    speed: Annotated[int, typer.Option(help="1 (thinks deeply) to 10 (plays at once)")] = 5,
    vision: Annotated[int, typer.Option(help="60 to 100 in steps of 5: the share of moves that it sees")] = 100,
    book: Annotated[bool, typer.Option(help="whether it plays openings from the book")] = True,
    width: Annotated[int, typer.Option(help="how many moves it looks at in each position")] = 9,
    captures: Annotated[str, typer.Option(help="low, medium or high: how much it likes to capture")] = "medium",
) -> None:
    """Create a player of Pente by the few things that make one, and keep it in the library.

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
            help="where they go, data as .json or records as .sgf; the game's options, as variant=keryo",
        ),
    ] = None,
    games: Annotated[
        int | None, typer.Option(help="find new ones in so many quick games; else those that ship")
    ] = None,
    seed: Seed = 1,
    nodes: Annotated[int, typer.Option(help="positions searched for each move of these games")] = 1000,
) -> None:
    """Show or export positions with a win in two or three stones, of which every solution is known.

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
        raise OptionError(f"puzzles go to one file, not to {' and '.join(map(str, files))}")
    output = files[0] if files else None
    if output is not None and output.suffix != ".json":
        records.format_for(output, "pente")  # for its error, before minutes of play
    if output is not None and not output.absolute().parent.is_dir():
        raise OptionError(f"{output}: there is no such folder")
    if games is None:
        if options:
            raise OptionError("options are for new puzzles: say in how many --games to look for them")
        found = list(shipped_puzzles())
        command = "tengen pente puzzles"
    else:
        if games < 1 or nodes < 1:
            raise OptionError("at least 1 game is played, of 1 node a move")
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
    """Progress, where somebody is watching."""
    if errors.is_terminal:
        errors.print(f"[dim]{text} …[/dim]")
