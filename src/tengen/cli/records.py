"""The commands `tengen convert` and `tengen show`."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tengen.cli.console import console, errors
from tengen.cli.inputs import check_folders, check_game, parse_integer, position_from
from tengen.cli.option_groups import grouped
from tengen.cli.options import EngineName, Moves, Number
from tengen.core.errors import OptionError

if TYPE_CHECKING:
    from tengen.core.position import Position
    from tengen.search.engine import Engine
    from tengen.search.report import Report

PROGRAM_SECONDS = 5.0  # for an external program without limits of its own
_MAX_TREE_DEPTH = 100  # plies below the root in an exported search tree


def convert(
    source: Annotated[
        Path, typer.Argument(metavar="IN", help="game records; the format is detected from the content")
    ],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="file to write; its suffix determines the format")],
    to: Annotated[str, typer.Option(help="format, if not determined by the suffix: sgf, ggf, obf, wthor, …")] = "",
) -> None:
    """Convert game records to another format; information that it cannot store is reported.

    Unreadable games are reported and skipped; the exit code is then 1.

    Example: tengen convert games.wtb games.sgf
    """
    from tengen.terminal import record_files as records

    if not records.convert(console, errors, source, target, to):
        raise typer.Exit(1)


@dataclass(frozen=True)
class HeatMapOptions:
    """A search whose values or tree are shown."""

    heat: Annotated[
        str,
        typer.Option(
            help="search, and draw this: visits, win-rate, ownership, criticality, policy (Go), worth, territory, "
            "moyo, area (Go, by --engine strings), black-rows, … (Pente)"
        ),
    ] = ""
    nodes: Annotated[int, typer.Option(min=1, help="nodes to search with --heat or --tree")] = 2000
    engine: EngineName = ""
    svg: Annotated[Path | None, typer.Option(help="write the heat map to this SVG file")] = None
    tree: Annotated[Path | None, typer.Option(help="search, and write the search tree to this file as JSON")] = (
        None
    )

    @property
    def wanted(self) -> bool:
        return bool(self.heat or self.svg or self.tree)

    def show(self, find: Callable[[], Position]) -> None:
        """Search a position; show or save a heat map, and save the search tree."""
        from tengen.app.external_engines import analysing_program
        from tengen.engines.registry import create, default_engine
        from tengen.games.records.atomic_files import save
        from tengen.players.syntax import is_config, parse_config
        from tengen.search.limits import Limits
        from tengen.terminal.heat_map import heat_map_from_report, heat_map_svg, heat_map_text
        from tengen.terminal.progress import run_with_progress

        program = parse_config(self.engine) if is_config(self.engine) else None
        is_external = program is not None and program.program is not None
        if is_external and self.tree is not None:
            raise OptionError("an external program has no search tree; use the engine uct or go")

        def search() -> tuple[Position, Report, Engine]:
            position = find()
            if program is not None and is_external:
                limits = program.limits or Limits(nodes=self.nodes, seconds=PROGRAM_SECONDS)
                with analysing_program(program) as external:
                    return position, external.search(position, limits), external
            engine = create(self.engine or default_engine(position.game), position.game)
            return position, engine.search(position, Limits(nodes=self.nodes)), engine

        position, report, engine = run_with_progress(errors, search)
        if self.tree is not None:
            save(self.tree, _tree_json(engine, report.engine, self.nodes))
            if not (self.heat or self.svg):
                return
        heat = heat_map_from_report(report, self.heat or "visits")
        title = f"{report.engine}: {heat.name} after {report.nodes} nodes; {report.best}, {report.value}"
        if self.svg is not None:
            save(self.svg, heat_map_svg(position, heat, title).encode())
            return
        console.print(heat_map_text(position, heat))
        console.print(heat.legend)
        console.print(title)


@grouped
def show(
    game: Annotated[
        str, typer.Argument(metavar="GAME|FILE", help="clobber, go, othello or pente; or a file of game records")
    ],
    search: HeatMapOptions,
    options: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[OPTION=VALUE]...|[MOVE]", help="the game's options; or the move number in the file"
        ),
    ] = None,
    moves: Moves = "",
    number: Number = 1,
    line: Annotated[
        str, typer.Option(help="variations of the file to follow, such as 1,0 at the first two branches")
    ] = "",
    dump: Annotated[
        bool, typer.Option("--dump", help="print details of the position: strings, liberties, ko, hash key")
    ] = False,
) -> None:
    """Show a position: of a new game after some moves, or from a file.

    Example: tengen show go size=9 --moves "E5 C3" --dump

    Example: tengen show game.sgf 30

    Example: tengen show go size=9 --moves "E5 C3" --heat ownership --svg owners.svg

    Example: tengen show game.sgf 30 --heat visits

    Example: tengen show go size=9 --moves "E5 C3" --tree tree.json
    """
    from tengen.games.records.replay import positions
    from tengen.terminal import record_files as records
    from tengen.terminal.board import draw
    from tengen.terminal.progress import run_with_progress

    if records.is_record(game):
        if moves or dump or len(options or ()) > 1:
            raise OptionError("with a file, give only a move number, --number, --line, --heat or --tree")
        after = parse_integer(options[0], "a move's number") if options else None
        record, _ = records.find(errors, Path(game), number)
        branches = tuple(parse_integer(word, "a variation") for word in line.replace(",", " ").split())
        if search.wanted:
            upto, *_ = records.up_to(record, after, branches)
            search.show(lambda: positions(record, upto)[-1])
        else:
            records.show(console, record, after, branches)
        return

    if search.wanted:
        search.show(lambda: position_from(game, options, moves))
        return

    check_game(game)

    def load() -> tuple[Position, dict[str, Any]]:
        position = position_from(game, options, moves)
        facts = {
            "game": position.game.describe(),
            **position.game.dump(position),
            "key": f"{position.key:016x}",
            "legal moves": str(len(position.legal_moves)),
        }
        return position, facts

    position, facts = run_with_progress(errors, load)
    console.print(draw(position))
    for name, fact in facts.items() if dump else ():
        for line in fact if isinstance(fact, list) else [fact]:
            console.print(f"{name}: {line}")


def _tree_json(engine: Engine, name: str, nodes: int) -> bytes:
    """The search tree as JSON, without rarely visited nodes."""
    from tengen.search.tree import Tree

    tree = getattr(engine, "tree", None)
    if not isinstance(tree, Tree):
        raise OptionError(f"{name} has no search tree; use the engine uct or go")
    return json.dumps(tree.to_dict(depth=_MAX_TREE_DEPTH, least_visits=max(2, nodes // 1000)), indent=1).encode()


def picture(
    file: Annotated[Path, typer.Argument(help="game records in any known format")],
    output: Annotated[Path, typer.Argument(help="the picture: .png, .svg, .gif, .webp or .html")],
    move: Annotated[
        int | None, typer.Option("--move", "-m", min=0, help="up to this move; default: the last")
    ] = None,
    number: Number = 1,
    height: Annotated[int, typer.Option(help="height of the board in pixels; PNG, GIF and WebP")] = 600,
    seconds: Annotated[float, typer.Option(help="seconds per move of a GIF or WebP")] = 1.0,
) -> None:
    """Draw a position or a game: PNG, SVG, an animated GIF or WebP, or a page to print with diagrams and comments.

    A browser prints the page as PDF. Existing files are not overwritten.

    Example: tengen picture game.sgf position.png --move 30

    Example: tengen picture game.sgf game.gif --height 400 --seconds 0.5

    Example: tengen picture analysed.sgf game.html
    """
    from tengen.app.pictures import SUFFIXES, PictureOptions, save_picture
    from tengen.terminal import record_files as records
    from tengen.terminal.progress import run_with_progress

    if output.suffix.lower() not in SUFFIXES:
        raise OptionError(f"{output}: a picture ends in {', '.join(SUFFIXES)}")
    if output.exists():
        raise OptionError(f"{output} exists: choose another file")
    check_folders(output)
    options = PictureOptions(height, seconds)
    record, _ = records.find(errors, file, number)
    moves = len(record.nodes()) - 1
    if move is not None and move > moves:
        raise OptionError(f"{file}: game {number} has {moves} moves, not {move}")
    run_with_progress(errors, lambda: save_picture(output, record, move, options))
