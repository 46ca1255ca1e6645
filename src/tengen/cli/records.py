"""Games in files, and positions: `tengen convert`, `tengen show`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tengen.cli.console import console, errors
from tengen.cli.options import EngineName, Moves, Number, parse_integer, position_from
from tengen.core.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tengen.core.position import Position
    from tengen.search.engine import Engine
    from tengen.search.report import Report

_DEEPEST = 100  # moves below the root that are written of a tree


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
            help="think, and draw this: visits, win-rate, ownership, criticality (Go), worth, territory, moyo, "
            "area (Go, by --engine strings), black-rows, … (Pente)"
        ),
    ] = "",
    nodes: Annotated[
        int, typer.Option(min=1, help="positions or simulations to think for, with --heat or --tree")
    ] = 2000,
    engine: EngineName = "",
    svg: Annotated[Path | None, typer.Option(help="write the heat map to this file instead")] = None,
    tree: Annotated[
        Path | None, typer.Option(help="think, and write the tree of the search to this file, as JSON")
    ] = None,
) -> None:
    """Draw a position, of a game or from a file.

    Example: tengen show go size=9 --moves "E5 C3" --dump

    Example: tengen show game.sgf 30

    Example: tengen show go size=9 --moves "E5 C3" --heat ownership --svg owners.svg

    Example: tengen show game.sgf 30 --heat visits

    Example: tengen show go size=9 --moves "E5 C3" --tree tree.json
    """
    from tengen.games.records.replay import positions
    from tengen.terminal import records
    from tengen.terminal.board import draw
    from tengen.terminal.wait import patiently

    if records.is_record(game):
        if moves or dump or len(options or ()) > 1:
            raise OptionError("a file is shown with the number of a move, and --number, --line, --heat or --tree")
        after = parse_integer(options[0], "a move's number") if options else None
        record, _ = records.find(errors, Path(game), number)
        branches = tuple(parse_integer(word, "a variation") for word in line.replace(",", " ").split())
        if heat or svg or tree:
            upto, *_ = records.up_to(record, after, branches)
            _show_thought(lambda: positions(record, upto)[-1], heat, nodes, engine, svg, tree)
        else:
            records.show(console, record, after, branches)
        return

    if heat or svg or tree:
        _show_thought(lambda: position_from(game, options, moves), heat, nodes, engine, svg, tree)
        return

    def look() -> tuple[Position, dict[str, Any]]:
        position = position_from(game, options, moves)
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


def _show_thought(
    find: Callable[[], Position], overlay: str, nodes: int, engine: str, svg: Path | None, tree: Path | None
) -> None:
    """Let an engine think; draw a heat map, in the terminal or as a file, and write its tree."""
    from tengen.engines.registry import create, default_engine
    from tengen.games.records.atomic_files import save
    from tengen.search.limits import Limits
    from tengen.terminal.heat import heat_of, heat_svg, heat_text
    from tengen.terminal.wait import patiently

    def think() -> tuple[Position, Report, Engine]:
        position = find()
        thinker = create(engine or default_engine(position.game), position.game)
        return position, thinker.search(position, Limits(nodes=nodes)), thinker

    position, report, thinker = patiently(errors, think)
    if tree is not None:
        save(tree, _tree_of(thinker, report.engine, nodes))
        if not (overlay or svg):
            return
    heat = heat_of(report, overlay or "visits")
    title = f"{report.engine}: {heat.name} after {report.nodes} nodes; {report.best}, {report.value}"
    if svg is not None:
        save(svg, heat_svg(position, heat, title).encode())
        return
    console.print(heat_text(position, heat))
    console.print(heat.legend, highlight=False, markup=False)
    console.print(title, highlight=False, markup=False)


def _tree_of(engine: Engine, name: str, nodes: int) -> bytes:
    """What was visited often enough to mean something."""
    from tengen.search.tree import Tree

    tree = getattr(engine, "tree", None)
    if not isinstance(tree, Tree):
        raise OptionError(f"{name} keeps no tree of its search; uct does, and so does Go's own engine")
    return json.dumps(tree.to_dict(depth=_DEEPEST, least_visits=max(2, nodes // 1000)), indent=1).encode()
