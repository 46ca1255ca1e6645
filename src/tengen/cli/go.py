"""`tengen go …`: status of strings, and ladders."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tengen.cli.console import console, errors
from tengen.cli.option_groups import command_group
from tengen.cli.options import Json, MoveNumber, Number
from tengen.core.errors import OptionError

if TYPE_CHECKING:
    from tengen.core.diagram import Point
    from tengen.core.position import Position
    from tengen.engines.go.reading.status import StringStatus
    from tengen.games.go import Go

app = command_group("Tactics in Go: status of strings, ladders.")

File = Annotated[Path, typer.Argument(help="a record of a game of Go")]


def position_of_record(path: Path, number: int, move: int | None) -> tuple[Position, Go]:
    """The position after `move` of a game in a file; by default its last position."""
    from tengen.games.go import Go
    from tengen.games.records.replay import positions
    from tengen.terminal import record_files as records

    record, _ = records.find(errors, path, number)
    position = positions(record, records.up_to(record, move)[0])[-1]
    if not isinstance(position.game, Go):
        raise OptionError(f"{path}: game {number} is not Go but {position.game.title}")
    return position, position.game


@app.command()
def status(
    file: File,
    move: MoveNumber = None,
    number: Number = 1,
    as_json: Json = False,
    groups: Annotated[
        bool, typer.Option("--groups", help="also read the life of groups, which takes longer")
    ] = False,
) -> None:
    """Show the status of each string, with the moves that kill and save it.

    Example: tengen go status game.sgf 120
    """
    from tengen.app.go_groups import group_facts, write_groups
    from tengen.engines.go.groups.board_life import read_groups
    from tengen.engines.go.reading.status import Status, StatusTracker
    from tengen.terminal.board import draw
    from tengen.terminal.progress import run_with_progress

    position, game = position_of_record(file, number, move)
    tracker = StatusTracker(game)
    strings = run_with_progress(errors, lambda: tracker.update(position))
    if as_json:
        console.print(json.dumps([_facts(string, game) for string in strings]))
        return
    console.print(draw(position))
    order = {status: rank for rank, status in enumerate((Status.URGENT, Status.DEAD, Status.UNCONDITIONALLY_DEAD))}
    for string in sorted(strings, key=lambda string: (order.get(string.status, len(order)), -len(string.stones))):
        console.print(_words(string, game))
    if groups:
        console.print("Groups:")
        found = run_with_progress(errors, lambda: read_groups(position, tracker, strings))
        for line in write_groups([group_facts(game, group) for group in found], game.players):
            console.print(line)


@app.command()
def ladder(
    file: File,
    string: Annotated[str, typer.Argument(help="a stone of the string, such as D4")],
    move: MoveNumber = None,
    number: Number = 1,
) -> None:
    """Show whether a string is caught in a ladder, and the moves.

    Example: tengen go ladder game.sgf D4
    """
    from tengen.engines.go.board import geometry_for
    from tengen.engines.go.kernels.board import BLACK, WHITE
    from tengen.engines.go.reading.tactics import Result, TacticalReader
    from tengen.terminal.progress import run_with_progress

    position, game = position_of_record(file, number, move)
    point = game.read_move(string, position)
    geometry = geometry_for(game)
    tactics = TacticalReader(geometry)
    tactics.load(position)
    at = int(geometry.from_rules[point])
    if tactics.colour(at) not in (BLACK, WHITE):
        raise OptionError(f"there is no stone at {string.upper()}")
    answer = run_with_progress(errors, lambda: tactics.attack(at, max_budget=0))
    attacker = game.players[2 - tactics.colour(at)]
    if answer.result is Result.FAILS:
        console.print(f"{attacker} has no ladder on {string.upper()}")
        return
    ko = "" if answer.result is Result.WORKS else ", by a ko"
    line = " ".join(_name(game, geometry.coordinates(point)) for point in answer.line)
    console.print(f"{attacker} captures {string.upper()} in a ladder{ko}: {line}")


def _name(game: Go, point: Point) -> str:
    return game.write_move(game.point(point))


def _words(string: StringStatus, game: Go) -> str:
    owner, enemy = game.players[string.player], game.players[1 - string.player]
    stones = sorted(string.stones, key=lambda point: (point[1], point[0]))
    size = "1 stone" if len(stones) == 1 else f"{len(stones)} stones"
    liberties = "1 liberty" if string.liberties == 1 else f"{string.liberties} liberties"
    text = f"{owner} {_name(game, stones[0])} ({size}, {liberties}): {string.status.value}"
    if string.is_estimate:
        text += ", not proved"
    if len(string.group) > len(stones):
        text += f", in a group of {len(string.group)} stones"
    if string.attack_line:
        ko = " by a ko" if string.attack > 1 else ""
        text += f"; {enemy} captures it{ko}: {' '.join(_name(game, point) for point in string.attack_line)}"
    if string.defence_line:
        ko = " by a ko" if string.defence > 1 else ""
        text += f"; {owner} saves it{ko}: {' '.join(_name(game, point) for point in string.defence_line)}"
    return text


def _facts(string: StringStatus, game: Go) -> dict[str, object]:
    return {
        "player": game.players[string.player],
        "stones": sorted(_name(game, point) for point in string.stones),
        "group": sorted(_name(game, point) for point in string.group),
        "liberties": string.liberties,
        "reader": string.reader.value,
        "status": string.status.value,
        "sure": string.proved,
        "attack": int(string.attack),
        "attack_line": [_name(game, point) for point in string.attack_line],
        "defence": int(string.defence),
        "defence_line": [_name(game, point) for point in string.defence_line],
    }
