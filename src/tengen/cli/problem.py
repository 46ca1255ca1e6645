"""`tengen problem`: life and death of a string of Go, and collections of problems."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tengen.cli.console import console, errors
from tengen.cli.inputs import check_folders, open_store
from tengen.cli.options import MoveNumber, Number
from tengen.core.errors import OptionError

if TYPE_CHECKING:
    from tengen.core.diagram import Point
    from tengen.core.position import Position


def problem(
    file: Annotated[
        Path | None, typer.Argument(help="a record of Go, or with --import a collection of problems")
    ] = None,
    string: Annotated[str, typer.Argument(help="a stone of the string, such as D4")] = "",
    move: MoveNumber = None,
    number: Number = 1,
    certificate: Annotated[
        Path | None, typer.Option(metavar="FILE", help="write a proof that `tengen verify` checks")
    ] = None,
    load: Annotated[
        bool, typer.Option("--import", help="add the problems of the file that can be proved to your deck")
    ] = False,
    library: Annotated[
        int,
        typer.Option(min=0, help="look for this number of problems in the stored games and add them to your deck"),
    ] = 0,
    solver: Annotated[str, typer.Option(help="import: whose deck (see tengen puzzles)")] = "",
) -> None:
    """Is a string of Go alive, dead, or does it depend on the next move or a ko?

    A result is called proved only if the string is shut in by living stones; otherwise it was read.

    Example: tengen problem corner.sgf B1 --certificate proof.json

    Example: tengen problem collection.sgf --import

    Example: tengen problem --library 10
    """
    if library:
        if file is not None or certificate is not None:
            raise OptionError("with --library, give no file")
        _search_library(library, solver)
        return
    if file is None:
        raise OptionError("name a file, or look through the stored games with --library COUNT")
    if load:
        if string or certificate is not None:
            raise OptionError("with --import, give only the file")
        _import(file, solver)
        return
    if not string:
        raise OptionError("name a stone of the string, such as D4")
    check_folders(certificate)
    _examine(file, string, move, number, certificate)


def _examine(file: Path, string: str, move: int | None, number: int, certificate: Path | None) -> None:
    from tengen.app.problems import VERDICTS, Outcome, ProblemReader
    from tengen.cli.go import position_of_record
    from tengen.terminal.board import draw
    from tengen.terminal.progress import run_with_progress

    position, game = position_of_record(file, number, move)
    target = game.points(game.read_move(string, position))[0]
    reader = run_with_progress(errors, lambda: ProblemReader(position, target))
    found = run_with_progress(errors, reader.examine)
    owner, attacker = game.players[found.owner], game.players[1 - found.owner]
    console.print(draw(position))
    verdict = VERDICTS[found.verdict].format(owner=owner, attacker=attacker)
    console.print(f"{owner} {string.upper()}: {verdict} ({'proved' if found.is_proved else 'read, not proved'})")
    if found.kill:
        console.print(f"{attacker} kills it with {found.kill}")
    if found.save:
        console.print(f"{owner} saves it with {found.save}")
    mover = game.players[position.to_move]
    results = run_with_progress(errors, reader.moves)
    for outcome in Outcome:
        moves = [f"{one.move}{'' if one.is_proved else '?'}" for one in results if one.outcome is outcome]
        if moves:
            console.print(f"{mover} moves first, {outcome.value}: {' '.join(moves)}")
    if any(not one.is_proved for one in results):
        console.print("? not proved")
    if certificate is not None:
        _certify(position, target, certificate)


def _certify(position: Position, target: Point, file: Path) -> None:
    """Write a proof of what the side to move achieves, or of what it cannot prevent."""
    from tengen.app.proofs.certify import go_answer
    from tengen.games.records.atomic_files import save

    with errors.status("Writing and checking the proof …"):
        made = go_answer(position, target)
    save(file, made.to_json().encode())
    console.print(f"proof   {file}")


def _search_library(count: int, solver: str) -> None:
    """Look for proved problems in the stored games of Go, the latest first."""
    from tengen.app.deck import find_solver
    from tengen.app.mistakes import MAX_CARDS
    from tengen.app.problems import problem_of_game
    from tengen.store.listing import Filter

    added = games = 0
    with open_store() as store, errors.status("Reading …") as status:
        who = find_solver(store, solver)
        for listed in store.all_games(Filter(game="go")):
            if added == count:
                break
            if not (listed.finished or listed.imported):
                continue
            games += 1
            status.update(f"game {games:,}, {added:,} problems …")
            found = problem_of_game(store.load(listed.id).record.positions())
            added += found is not None and store.add_card(who, found, MAX_CARDS)
    console.print(f"{added:,} problems added to the deck from {games:,} games")


def _import(file: Path, solver: str) -> None:
    from tengen.app.deck import find_solver
    from tengen.app.mistakes import MAX_CARDS
    from tengen.app.problems import problem_of
    from tengen.games import records
    from tengen.games.go import Go
    from tengen.terminal import record_files

    bad: dict[int, records.RecordError] = {}
    added = known = unproved = wrong = 0
    with open_store() as store, errors.status("Reading …") as status:
        who = find_solver(store, solver)
        for number, record in record_files.numbered_records(errors, file, 0, bad):
            status.update(f"Problem {number} …")
            if not isinstance(record.game, Go):
                unproved += 1
                continue
            line = record.positions()
            found = problem_of(line[0])
            if found is None:
                unproved += 1
                continue
            if len(line) > 1 and line[1].move is not None:
                given = record.game.write_move(line[1].move)
                if given not in found.right:
                    wrong += 1
                    errors.print(f"problem {number}: the file plays {given}; proved is {', '.join(found.right)}")
            if store.add_card(who, found, MAX_CARDS):
                added += 1
            else:
                known += 1
    for error in bad.values():
        errors.print(f"skipped: {error}")
    console.print(
        f"{added:,} problems added to the deck, {known:,} known, {unproved:,} not proved, "
        f"{wrong:,} with another solution in the file"
    )
