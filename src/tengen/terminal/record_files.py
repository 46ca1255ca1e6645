"""Record files on the command line: find a game, show it, convert files."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

from tengen.core.diagram import Diagram, Point
from tengen.core.errors import OptionError
from tengen.games import all_names as game_names
from tengen.games import records
from tengen.games.records import Node, Record, RecordError
from tengen.games.records.replay import positions
from tengen.terminal.board import draw
from tengen.terminal.progress import run_with_progress

_MAX_REPORTED = 20  # unreadable games reported individually


def is_record(word: str) -> bool:
    """Whether a command-line argument is a file rather than the name of a game."""
    if Path(word).is_file():
        return True
    return word.lower() not in game_names() and (Path(word).exists() or bool(Path(word).suffix) or "/" in word)


def find(errors: Console, path: Path, number: int, all_counted: bool = False) -> tuple[Record, int]:
    """Game `number` of a file, counting from 1, and the number of games read (all with `all_counted`).

    Other games may be unreadable. Progress is shown after a second.
    """
    bad: dict[int, RecordError] = {}
    good = 0

    def read() -> Record | None:
        nonlocal good
        chosen: Record | None = None
        for record in records.stream(path, check=False, on_bad=bad.__setitem__):
            good += 1
            if good + len(bad) == number:
                chosen = record
            if chosen is not None and not all_counted:
                break
        if chosen is not None:
            try:
                chosen.check()
            except RecordError as error:
                raise error.within(str(path), f"game {number}") from None
        return chosen

    chosen = run_with_progress(errors, read, lambda: f"Reading {path.name}: {good:,} games" if good else "")
    if number in bad:
        raise bad[number]
    games = good + len(bad)
    if chosen is None:
        raise OptionError(f"{path} has {_games(games)}: --number must be 1 to {games:,}, not {number}")
    return chosen, games


def numbered_records(
    errors: Console, path: Path, number: int, bad: dict[int, RecordError], what: str = "game"
) -> Iterator[tuple[int, Record]]:
    """The readable records of a file with their numbers, only `number` if it is not 0; the others go to `bad`."""
    found = records.stream(path, on_bad=bad.__setitem__)
    good = 0
    while (record := run_with_progress(errors, lambda: next(found, None))) is not None:
        good += 1
        if number in (0, good + len(bad)):
            yield good + len(bad), record
        if number == good + len(bad):
            return
    if number in bad:
        raise bad[number]
    if number:
        raise OptionError(f"{path} has {good + len(bad)} {what}s: there is no {what} {number}")


def report_dropped(errors: Console, path: Path, dropped: list[str]) -> None:
    """Say what the format of a file cannot store."""
    if dropped:
        errors.print(f"{path}: not saved in this format: {', '.join(dropped)}")


def _games(count: int) -> str:
    return "1 game" if count == 1 else f"{count:,} games"


def convert(console: Console, errors: Console, source: Path, target: Path, to: str) -> bool:
    """Convert a file of games and report lost information. Returns False if games were skipped.

    Games are converted one by one, so memory does not grow with their number.
    """
    if target.exists() and source.exists() and target.samefile(source):
        raise OptionError(f"{target}: input and output are the same file")
    bad: dict[int, RecordError] = {}
    notes: dict[str, None] = {}
    done = 0
    stop = threading.Event()

    def games() -> Iterator[Record]:
        nonlocal done
        for record in records.stream(source, on_bad=bad.__setitem__):
            if stop.is_set():
                raise KeyboardInterrupt
            notes.update(dict.fromkeys(record.notes))
            yield record
            done += 1
        if bad and not done:
            first = next(iter(bad.values()))
            if len(bad) == 1:
                raise first
            raise RecordError(
                f"none of its {len(bad):,} games can be read; the first: {first.message}", first.place
            )

    dropped = run_with_progress(
        errors,
        lambda: records.write(games(), target, to),
        lambda: f"Converting {source.name}: {done:,} games" if done else "",
        stop,
    )
    for note in notes:
        errors.print(f"{source}: {note}")
    for number in [*bad][:_MAX_REPORTED]:
        errors.print(f"{source}: game {number} skipped: {_reason(number, bad[number])}")
    if len(bad) > _MAX_REPORTED:
        errors.print(f"{source}: and {len(bad) - _MAX_REPORTED:,} more skipped")
    report_dropped(errors, target, dropped)
    console.print(f"{target}: {_games(done)} written")
    return not bad


def _reason(number: int, error: RecordError) -> str:
    """The error message, preceded by its place within the game if known."""
    place = error.place.removeprefix(f"game {number}").lstrip(", ")
    return f"{place}: {error.message}" if place else error.message


def up_to(record: Record, number: int | None, branches: tuple[int, ...] = ()) -> tuple[list[Node], int, int]:
    """The nodes up to move `number` (by default the last), that number, and the number of moves."""
    nodes = record.nodes(branches)
    moves = [index for index, node in enumerate(nodes) if node.move is not None]
    if number is None:
        number = len(moves)
    if not 0 <= number <= len(moves):
        raise OptionError(f"the move number must be 0 (the start) to {len(moves)}, not {number}")
    if number:
        upto = nodes[: moves[number - 1] + 1]
    else:  # including setup nodes before the first move; the root may already be that move
        upto = nodes[: moves[0] if moves else len(nodes)] or [Node()]
    return list(upto), number, len(moves)


def show(console: Console, record: Record, number: int | None, branches: tuple[int, ...]) -> None:
    """Print the position after move `number` (by default the last), its comments and variations."""
    upto, number, count = up_to(record, number, branches)
    position = positions(record, upto)[-1]
    console.print(*header(record), draw(position), sep="\n")
    node = upto[-1]
    played = "" if node.move is None else f" ({position.game.write_move(node.move)})"
    console.print(f"After move {number} of {count}{played}")
    if name := position.game.opening_name(position):
        console.print(f"Opening: {name}")
    for line in (*_annotations(node, position.diagram()), *_variations(record, node)):
        console.print(line)


def header(record: Record) -> list[str]:
    """Players, event and result of a game."""
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


def _annotations(node: Node, diagram: Diagram) -> list[str]:
    def label(point: Point) -> str:
        return f"{diagram.columns[point[0]]}{diagram.rows[point[1]]}"

    lines = []
    if node.value is not None:
        lines.append(f"Value for the first player: {node.value:g}")
    if node.seconds is not None:
        lines.append(f"Time: {node.seconds:g} s")
    lines += [f"{mark.kind}: {' to '.join(map(label, mark.points))} {mark.text}".rstrip() for mark in node.marks]
    if node.comment:
        lines.append(node.comment)
    return lines


def _variations(record: Record, node: Node) -> list[str]:
    """The next moves in the record, if there are several."""
    if len(node.children) < 2:
        return []
    lines = ["Next moves (choose with --line):"]
    for index, child in enumerate(node.children):
        value = "" if child.value is None else f"  value {child.value:g}"
        move = "(no move)" if child.move is None else record.game.write_move(child.move)
        lines.append(f"  {index}  {move}{value}")
    return lines
