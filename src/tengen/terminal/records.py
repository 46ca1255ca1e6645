"""Records in the terminal: read with progress, shown, converted, and kept up to date while a game is played."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from rich.console import Console

from tengen.core.errors import OptionError
from tengen.core.position import Position
from tengen.games import names as game_names
from tengen.games import records
from tengen.games.records import Node, Record, RecordError
from tengen.games.records.replay import positions
from tengen.games.records.results import of_outcome
from tengen.games.records.shape import absorb_set_up
from tengen.terminal.board import draw
from tengen.terminal.wait import patiently


def is_record(word: str) -> bool:
    """Whether a word of the command line means a file rather than a game."""
    if Path(word).is_file():
        return True
    return word.lower() not in game_names() and (Path(word).exists() or bool(Path(word).suffix) or "/" in word)


def load(errors: Console, path: Path, name: str = "") -> list[Record]:
    """All games of a file, with progress if that takes longer than a second."""
    count = 0

    def progress(number: int) -> None:
        nonlocal count
        count = number

    found = patiently(
        errors,
        lambda: records.read(path, name, on_progress=progress),
        lambda: f"Reading {path.name}: {count:,} games" if count else "",
    )
    if not found:
        raise RecordError("there is no game in it", file=str(path))
    return found


def pick(found: list[Record], number: int, path: Path) -> Record:
    """One game of a file, counted from 1."""
    if not 1 <= number <= len(found):
        raise OptionError(f"{path} has {len(found):,} games, so there is no game {number}")
    return found[number - 1]


def convert(console: Console, errors: Console, source: Path, target: Path, to: str) -> None:
    """Write what one file holds into another, and say what was lost on the way."""
    found = load(errors, source)
    if target.exists() and source.exists() and target.samefile(source):
        raise OptionError(f"{target}: a file is not converted into itself")
    for note in dict.fromkeys(note for record in found for note in record.notes):
        errors.print(f"{source}: {note}", highlight=False, markup=False, soft_wrap=True)
    dropped = patiently(
        errors, lambda: records.write(found, target, to), lambda: f"Writing {target.name}: {len(found):,} games"
    )
    if dropped:
        errors.print(f"{target}: not kept: {', '.join(dropped)}", highlight=False, markup=False, soft_wrap=True)
    games = "1 game" if len(found) == 1 else f"{len(found):,} games"
    console.print(f"{target}: {games} written", highlight=False, markup=False, soft_wrap=True)


def show(console: Console, record: Record, number: int | None, branches: tuple[int, ...]) -> None:
    """The position after a move (the last one if none is asked for), what is said of it, and how it may go on."""
    nodes = record.nodes(branches)
    moves = [index for index, node in enumerate(nodes) if node.move is not None]
    if number is None:
        number = len(moves)
    if not 0 <= number <= len(moves):
        raise OptionError(f"the game has {len(moves)} moves, so there is no move {number}")
    if number:
        upto = nodes[: moves[number - 1] + 1]
    else:  # with what is set up before the first move; a root may already be that move
        upto = nodes[: moves[0] if moves else len(nodes)] or [Node()]
    position = positions(record, upto)[-1]
    for line in _header(record):
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    console.print(draw(position))
    node = upto[-1]
    played = "" if node.move is None else f" ({position.game.write_move(node.move)})"
    console.print(f"After move {number} of {len(moves)}{played}", highlight=False)
    for line in _remarks(node):
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    for line in _variations(record, node):
        console.print(line, highlight=False, markup=False, soft_wrap=True)


def _header(record: Record) -> list[str]:
    lines = []
    sides = [
        f"{side}: {name or '?'}{f' ({rating})' if rating else ''}"
        for side, name, rating in zip(record.game.players, record.names, record.ratings, strict=True)
        if name or rating
    ]
    if sides:
        lines.append(", ".join(sides))
    about = [text for text in (record.event, record.round, record.place, record.date) if text]
    if record.result:
        about.append(f"result {record.result}")
    if about:
        lines.append(", ".join(about))
    return lines + [f"Note: {note}" for note in record.notes]


def _remarks(node: Node) -> list[str]:
    lines = []
    if node.value is not None:
        lines.append(f"Value for the first player: {node.value:g}")
    if node.seconds is not None:
        lines.append(f"Time: {node.seconds:g} s")
    lines += [f"{mark.kind}: {' to '.join(map(str, mark.points))} {mark.text}".rstrip() for mark in node.marks]
    if node.comment:
        lines.append(node.comment)
    return lines


def _variations(record: Record, node: Node) -> list[str]:
    """The other moves in the record, if there is more than one."""
    if len(node.children) < 2:
        return []
    lines = ["Goes on with (--line):"]
    for index, child in enumerate(node.children):
        value = "" if child.value is None else f"  value {child.value:g}"
        move = "(no move)" if child.move is None else record.game.write_move(child.move)
        lines.append(f"  {index}  {move}{value}")
    return lines


class Keeper:
    """Keeps a file up to date with a game that is being played. What the record held before stays in it."""

    def __init__(self, console: Console, path: Path, record: Record, form: records.Format) -> None:
        self._console = console
        self._path = path
        self._record = record
        self._complained = ""
        self._format = form

    def write(self, position: Position, result: str = "") -> list[str]:
        """Write the game as it stands; returns what the format could not keep."""
        record = replace(self._record, root=self._record.root.copy())
        record.follow(position.moves)
        outcome = position.outcome
        if not result and outcome is not None:
            result = of_outcome(outcome, position.game.unit != "wins")
        record.result = result
        return records.write([record], self._path, self._format.name)

    def save(self, position: Position, result: str = "") -> None:
        """Write, and go on if that fails: a full disk does not end a game, but people are told once."""
        try:
            dropped = self.write(position, result)
            complaint = f"{self._path}: not kept: {', '.join(dropped)}" if dropped else ""
        except RecordError as error:
            complaint = f"the game could not be saved: {error}"
        if complaint and complaint != self._complained:
            self._console.print(complaint, style="red", highlight=False, markup=False, soft_wrap=True)
        self._complained = complaint


def keeper(errors: Console, path: Path, record: Record, loaded: Path | None, games: int) -> Keeper:
    """The keeper of a file to save to; refused if that would overwrite other games."""
    if path.exists() and not (loaded is not None and path.samefile(loaded)):
        raise OptionError(f"{path} exists: go on with it by --load {path}, or save to another file")
    if path.exists() and games > 1:
        raise OptionError(f"{path} holds {games:,} games: save to another file")
    # A file that is gone on with keeps its format: its suffix may be that of another one, which keeps less.
    form = records.format_named(record.source) if path.exists() else records.format_for(path, record.game.name)
    return Keeper(errors, path, record, form)


def load_for_play(errors: Console, path: Path, number: int) -> tuple[Record, Position, int]:
    """A game to go on with, its last position, and how many games the file holds."""
    found = load(errors, path)
    record = absorb_set_up(pick(found, number, path))
    return record, patiently(errors, lambda: record.positions()[-1]), len(found)
