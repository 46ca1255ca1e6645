"""Games in files, and positions: `tengen convert`, `tengen show`. Heavy modules are imported inside."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from tengen.core.errors import OptionError
from tengen.terminal.arguments import Moves, Number, described, whole

if TYPE_CHECKING:
    from tengen.core.position import Position

console = Console()
errors = Console(stderr=True)


def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="a file of games; its content tells the format")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="its suffix tells the format")],
    to: Annotated[str, typer.Option(help="the format, if not by the suffix: sgf, ggf, obf, wthor, …")] = "",
) -> None:
    """Write games in another format; what it cannot keep is said.

    Games that cannot be read are named and left out; the exit code is 1 then.

    Example: tengen convert games.wtb games.sgf
    """
    from tengen.terminal import records

    if not records.convert(console, errors, source, target, to):
        raise typer.Exit(1)


def show(
    game: Annotated[str, typer.Argument(metavar="GAME|FILE", help="clobber, go or othello; or a file of games")],
    options: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[OPTION=VALUE]...|[MOVE]", help="the game's options; or after which move of the file"
        ),
    ] = None,
    moves: Moves = "",
    number: Number = 1,
    line: Annotated[str, typer.Option(help="a file's variations to follow, as 1,0 at the first two forks")] = "",
    dump: Annotated[
        bool, typer.Option("--dump", help="all that the rules know: strings, liberties, ko, keys")
    ] = False,
) -> None:
    """Draw a position, of a game or from a file.

    Example: tengen show go size=9 --moves "E5 C3" --dump

    Example: tengen show game.sgf 30
    """
    from tengen.terminal import records
    from tengen.terminal.board import draw
    from tengen.terminal.wait import patiently

    if records.is_record(game):
        if moves or dump or len(options or ()) > 1:
            raise OptionError("a file is shown with the number of a move, and no other options")
        after = whole(options[0], "a move's number") if options else None
        record, _ = records.find(errors, Path(game), number)
        branches = tuple(whole(word, "a variation") for word in line.replace(",", " ").split())
        records.show(console, record, after, branches)
        return

    def look() -> tuple[Position, dict[str, Any]]:
        position = described(game, options, moves)
        facts = {
            "game": position.game.describe(),
            **position.game.dump(position),
            "key": f"{position.key:016x}",
            "legal moves": str(len(position.legal_moves)),
        }
        return position, facts

    position, facts = patiently(errors, look)
    console.print(draw(position))
    for name, fact in facts.items() if dump else ():
        for line in fact if isinstance(fact, list) else [fact]:
            console.print(f"{name}: {line}", highlight=False, markup=False, soft_wrap=True)
