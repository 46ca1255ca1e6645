"""Games in files, and positions: `tengen convert`, `tengen show`. Heavy modules are imported inside."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from tengen.core.errors import OptionError
from tengen.terminal.arguments import EngineName, Moves, Number, described, whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from tengen.core.position import Position
    from tengen.search.report import Report

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
    game: Annotated[
        str, typer.Argument(metavar="GAME|FILE", help="clobber, go, othello or pente; or a file of games")
    ],
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
    heat: Annotated[
        str,
        typer.Option(
            help="think, and draw this: visits, win-rate, ownership, criticality (Go), black-rows, … (Pente)"
        ),
    ] = "",
    nodes: Annotated[int, typer.Option(help="positions or simulations to think for, with --heat")] = 2000,
    engine: EngineName = "",
    svg: Annotated[Path | None, typer.Option(help="write the heat map to this file instead")] = None,
) -> None:
    """Draw a position, of a game or from a file.

    Example: tengen show go size=9 --moves "E5 C3" --dump

    Example: tengen show game.sgf 30

    Example: tengen show go size=9 --moves "E5 C3" --heat ownership --svg owners.svg

    Example: tengen show game.sgf 30 --heat visits
    """
    from tengen.games.records.replay import positions
    from tengen.terminal import records
    from tengen.terminal.board import draw
    from tengen.terminal.wait import patiently

    if records.is_record(game):
        if moves or dump or len(options or ()) > 1:
            raise OptionError("a file is shown with the number of a move, and --number, --line or --heat")
        after = whole(options[0], "a move's number") if options else None
        record, _ = records.find(errors, Path(game), number)
        branches = tuple(whole(word, "a variation") for word in line.replace(",", " ").split())
        if heat or svg:
            upto, *_ = records.up_to(record, after, branches)
            _show_heat(lambda: positions(record, upto)[-1], heat or "visits", nodes, engine, svg)
        else:
            records.show(console, record, after, branches)
        return

    if heat or svg:
        _show_heat(lambda: described(game, options, moves), heat or "visits", nodes, engine, svg)
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


def _show_heat(find: Callable[[], Position], overlay: str, nodes: int, engine: str, svg: Path | None) -> None:
    from tengen.engines.registry import create, default_engine
    from tengen.games.records.saving import save
    from tengen.search.limits import Limits
    from tengen.terminal.heat import heat_of, heat_svg, heat_text
    from tengen.terminal.wait import patiently

    def think() -> tuple[Position, Report]:
        position = find()
        name = engine or default_engine(position.game)
        return position, create(name, position.game).search(position, Limits(nodes=nodes))

    position, report = patiently(errors, think)
    heat = heat_of(report, overlay)
    title = f"{report.engine}: {heat.name} after {report.nodes} nodes; {report.best}, {report.value}"
    if svg is not None:
        save(svg, heat_svg(position, heat, title).encode())
        return
    console.print(heat_text(position, heat))
    console.print(heat.legend, highlight=False, markup=False)
    console.print(title, highlight=False, markup=False)
