"""`tengen proofs …`: the library of solved positions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Column, Table

from tengen.cli.console import console, errors
from tengen.cli.option_groups import command_group
from tengen.cli.options import Json

if TYPE_CHECKING:
    from tengen.app.proof_library import Entry

app = command_group("The library of solved positions, each with a proof or the command that produces it.")

Identity = Annotated[str, typer.Argument(metavar="ID", help="an id, as `tengen proofs list` shows it")]


@app.command("list")
def list_proofs(
    game: Annotated[str, typer.Option("--game", "-g", help="only this game")] = "", as_json: Json = False
) -> None:
    """List the solved positions.

    Example: tengen proofs list --game clobber
    """
    from tengen.app.proof_library import library_entries

    found = library_entries(game)
    if as_json:
        console.print(json.dumps([_facts(entry) for entry in found]))
        return
    table = Table(Column("id", no_wrap=True), "position", "claim", "backed by", "time to check")
    for entry in found:
        table.add_row(entry.id, f"{entry.game} {entry.position}", entry.claim, entry.kind, _time(entry.seconds))
    console.print(table)
    console.print(
        "`tengen proofs verify` checks all certificates; `tengen proofs show ID` says how to repeat one."
    )


@app.command()
def show(identity: Identity, as_json: Json = False) -> None:
    """Show a solved position: the claim, how it was found and how to check it.

    Example: tengen proofs show clobber-xo-5
    """
    from tengen.app.proof_library import entry_named

    facts = _facts(entry_named(identity))
    if as_json:
        console.print(json.dumps(facts))
        return
    for name, value in facts.items():
        if value and name != "board":
            console.print(f"{name:10}{value}")


@app.command()
def verify(
    identities: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", help="default: all certificates")
    ] = None,
    run: Annotated[bool, typer.Option("--run", help="without a certificate: run the command again")] = False,
    seconds: Annotated[float, typer.Option(min=0, help="time limit of each check; 0 means none")] = 0.0,
) -> None:
    """Check certificates with small independent programs. The exit code is 1 if one is not accepted.

    Example: tengen proofs verify clobber-xo-5
    """
    from tengen.app.proof_library import check_entry, entry_named, library_entries, run_entry
    from tengen.app.proofs.proof_file import Effort, InvalidProof, NotChecked

    if identities:
        entries = [entry_named(identity) for identity in identities]
    else:
        entries = [entry for entry in library_entries() if entry.file]
    refused = False
    for entry in entries:
        effort = Effort(seconds or float("inf"))
        try:
            if not entry.file and not run:
                console.print(f"{entry.id}: no certificate; add --run to run: {entry.command}")
                continue
            with errors.status(f"{entry.id} …"):
                found = check_entry(entry, effort) if entry.file else run_entry(entry, effort)
            console.print(f"{entry.id}: {found.claim} ({found.work} checked)")
        except NotChecked as error:
            refused = True
            console.print(f"{entry.id}: NOT CHECKED: {error}")
        except InvalidProof as error:
            refused = True
            console.print(f"{entry.id}: NOT ACCEPTED: {error}")
    if refused:
        raise typer.Exit(1)


@app.command()
def add(
    file: Annotated[Path, typer.Argument(help="a proof in any format that `tengen verify` reads")],
    identity: Annotated[str, typer.Option("--id", help="its id; default: from the name of the file")] = "",
) -> None:
    """Check a proof and add it to your library.

    Example: tengen proofs add proof.json --id my-proof
    """
    from tengen.app.proof_library import add_proof

    entry = add_proof(file, identity)
    console.print(f"{entry.id}: {entry.position}: {entry.claim}")


def _facts(entry: Entry) -> dict[str, object]:
    return {
        "id": entry.id,
        "game": entry.game,
        "position": entry.position,
        "claim": entry.claim,
        "backed by": entry.kind,
        "file": str(entry.path) if entry.file else "",
        "sha256": entry.sha256,
        "command": entry.command,
        "seconds": entry.seconds,
        "method": entry.method,
        "board": dict(entry.board),
    }


def _time(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:g} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
