"""Records in the terminal: read with progress, shown, converted."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

from tengen.core.diagram import Diagram, Point
from tengen.core.errors import OptionError
from tengen.games import names as game_names
from tengen.games import records
from tengen.games.records import Node, Record, RecordError
from tengen.games.records.replay import positions
from tengen.terminal.board import draw
from tengen.terminal.progress import run_with_progress

_MOST_SAID = 20  # bad games by name; the others are counted


def is_record(word: str) -> bool:
    """Whether a word of the command line means a file rather than a game."""
    if Path(word).is_file():
        return True
    return word.lower() not in game_names() and (Path(word).exists() or bool(Path(word).suffix) or "/" in word)


def find(errors: Console, path: Path, number: int, all_counted: bool = False) -> tuple[Record, int]:
    """One game of a file, counted from 1, whatever the others are like; and how many there are, if asked for.

    Progress is shown if that takes longer than a second.
    """
    bad: dict[int, RecordError] = {}
    good = 0

    def look() -> Record | None:
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

    chosen = run_with_progress(errors, look, lambda: f"Reading {path.name}: {good:,} games" if good else "")
    if number in bad:
        raise bad[number]
    games = good + len(bad)
    if chosen is None:
        raise OptionError(f"{path} has {_games(games)}: give -n 1 to {games:,}, not {number}")
    return chosen, games


def _games(count: int) -> str:
    return "1 game" if count == 1 else f"{count:,} games"


def convert(console: Console, errors: Console, source: Path, target: Path, to: str) -> bool:
    """Write what one file holds into another, and say what was lost on the way. False if games had to be left out.

    Games go through one by one, so memory does not grow with their number.
    """
    if target.exists() and source.exists() and target.samefile(source):
        raise OptionError(f"{target}: a file is not converted into itself")
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
    said = [f"{source}: {note}" for note in notes]
    said += [
        f"{source}: game {number} is left out: {_reason(number, bad[number])}" for number in [*bad][:_MOST_SAID]
    ]
    if len(bad) > _MOST_SAID:
        said.append(f"{source}: and {len(bad) - _MOST_SAID:,} more are left out")
    if dropped:
        said.append(f"{target}: not kept: {', '.join(dropped)}")
    for line in said:
        errors.print(line, highlight=False, markup=False, soft_wrap=True)
    console.print(f"{target}: {_games(done)} written", highlight=False, markup=False, soft_wrap=True)
    return not bad


def _reason(number: int, error: RecordError) -> str:
    """What is wrong, and where if that is more than which game."""
    place = error.place.removeprefix(f"game {number}").lstrip(", ")
    return f"{place}: {error.message}" if place else error.message


def up_to(record: Record, number: int | None, branches: tuple[int, ...] = ()) -> tuple[list[Node], int, int]:
    """The nodes up to a move (the last one if none is asked for), its number, and how many moves there are."""
    nodes = record.nodes(branches)
    moves = [index for index, node in enumerate(nodes) if node.move is not None]
    if number is None:
        number = len(moves)
    if not 0 <= number <= len(moves):
        raise OptionError(f"a move's number should be 0 (the start) to {len(moves)}, not {number}")
    if number:
        upto = nodes[: moves[number - 1] + 1]
    else:  # with what is set up before the first move; a root may already be that move
        upto = nodes[: moves[0] if moves else len(nodes)] or [Node()]
    return list(upto), number, len(moves)


def show(console: Console, record: Record, number: int | None, branches: tuple[int, ...]) -> None:
    """The position after a move (the last one if none is asked for), what is said of it, and how it may go on."""
    upto, number, count = up_to(record, number, branches)
    position = positions(record, upto)[-1]
    for line in header(record):
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    console.print(draw(position))
    node = upto[-1]
    played = "" if node.move is None else f" ({position.game.write_move(node.move)})"
    console.print(f"After move {number} of {count}{played}", highlight=False)
    for line in _remarks(node, position.diagram()):
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    for line in _variations(record, node):
        console.print(line, highlight=False, markup=False, soft_wrap=True)


def header(record: Record) -> list[str]:
    """Who played, where, and how it ended."""
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


def _remarks(node: Node, diagram: Diagram) -> list[str]:
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
    """The other moves in the record, if there is more than one."""
    if len(node.children) < 2:
        return []
    lines = ["Goes on with (--line):"]
    for index, child in enumerate(node.children):
        value = "" if child.value is None else f"  value {child.value:g}"
        move = "(no move)" if child.move is None else record.game.write_move(child.move)
        lines.append(f"  {index}  {move}{value}")
    return lines
