"""`tengen puzzles`: generate files of puzzles, as those that ship with the package."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from tengen.cli.console import console, show_step
from tengen.cli.inputs import check_folders
from tengen.cli.options import Seed


def puzzles(
    kind: Annotated[str, typer.Argument(help="the kind of puzzles, such as go-life or othello-endgame")],
    file: Annotated[Path, typer.Argument(help="the JSON file to write")],
    count: Annotated[int, typer.Option(min=1, help="number of puzzles")] = 80,
    seed: Seed = 1,
) -> None:
    """Generate puzzles with proved answers.

    Example: tengen puzzles go-life go-life.json --count 20
    """
    from tengen.app.puzzle_files import write_puzzle_file
    from tengen.app.puzzle_generation import generate_puzzles
    from tengen.runtime.host import EngineHost

    check_folders(file)
    with EngineHost(1) as host:
        found = asyncio.run(generate_puzzles(kind, count, seed, host, show_step))
    command = f"tengen puzzles {kind} {file.name} --count {count} --seed {seed}"
    write_puzzle_file(file, found, {"command": command})
    console.print(f"{file}: {len(found)} puzzles")
