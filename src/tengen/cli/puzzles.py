"""`tengen puzzles`: the questions of the deck, and generating files of puzzles."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tengen.cli.console import console, errors, show_step
from tengen.cli.inputs import check_folders, open_store
from tengen.cli.options import OnlyGame, Seed
from tengen.core.errors import OptionError

if TYPE_CHECKING:
    from tengen.store.store import Store


def puzzles(
    kind: Annotated[
        str, typer.Argument(help="generate: the kind of puzzles, such as go-life or othello-endgame")
    ] = "",
    file: Annotated[Path | None, typer.Argument(help="generate: the JSON file to write")] = None,
    game: OnlyGame = "",
    new: Annotated[int, typer.Option(min=0, max=100, help="new questions a day")] = 10,
    show_figures: Annotated[bool, typer.Option("--stats", help="show the figures of the deck instead")] = False,
    minutes: Annotated[
        int, typer.Option(min=0, max=30, help="a timed run of this length; answers are not stored")
    ] = 0,
    practise: Annotated[
        int,
        typer.Option(min=0, max=50, help="make this number of new puzzles of what you miss most"),
    ] = 0,
    solver: Annotated[
        str, typer.Option(help="whose deck: an account or any name; default: who used a deck last")
    ] = "",
    count: Annotated[int, typer.Option(min=1, help="generate: number of puzzles")] = 80,
    seed: Seed = 1,
) -> None:
    """Answer today's questions: the own mistakes, drills and puzzles, each when it is due.

    With KIND and FILE, generate a file of puzzles with proved answers, as those that ship with the package.

    Example: tengen puzzles --game go

    Example: tengen puzzles --minutes 3

    Example: tengen puzzles --practise 5

    Example: tengen puzzles go-life go-life.json --count 20
    """
    if file is not None:
        _generate(kind, file, count, seed)
        return
    if kind:
        raise OptionError(
            "to generate puzzles, name the file to write; without a kind, today's questions are asked"
        )
    from tengen.app.deck import DeckSettings, find_solver
    from tengen.terminal.deck_session import DeckSession

    settings = DeckSettings(new, (game.lower(),) if game else ())
    with open_store() as store:
        session = DeckSession(console, errors, store, find_solver(store, solver), settings)
        if minutes:
            session.run_timed(minutes)
        elif practise:
            _practise(store, find_solver(store, solver), practise, settings.games)
        elif show_figures:
            session.show_statistics()
        else:
            session.run()


def _practise(store: Store, solver: str, count: int, games: tuple[str, ...]) -> None:
    """Make new puzzles about what a person misses most."""
    from tengen.app.mistakes import MAX_CARDS
    from tengen.app.puzzle_themes import theme_names
    from tengen.app.weak_spots import puzzles_for
    from tengen.runtime.host import EngineHost

    with EngineHost(1) as host, errors.status("Composing puzzles …"):
        found = asyncio.run(puzzles_for(store.histories(solver), count, host, asyncio.to_thread, games))
    added = [puzzle for puzzle in found if store.add_card(solver, puzzle, MAX_CARDS)]
    for puzzle in added:
        console.print(f"{puzzle.kind}: {theme_names(puzzle.themes)}")
    console.print(f"{len(added)} new puzzles in the deck")


def _generate(kind: str, file: Path, count: int, seed: int) -> None:
    from tengen.app.puzzle_files import write_puzzle_file
    from tengen.app.puzzle_generation import generate_puzzles
    from tengen.runtime.host import EngineHost

    check_folders(file)
    with EngineHost(1) as host:
        found = asyncio.run(generate_puzzles(kind, count, seed, host, show_step))
    command = f"tengen puzzles {kind} {file.name} --count {count} --seed {seed}"
    write_puzzle_file(file, found, {"command": command})
    console.print(f"{file}: {len(found)} puzzles")
