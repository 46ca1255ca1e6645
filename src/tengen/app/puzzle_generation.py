"""Generation of puzzles: of the files that ship with the package, and of single ones about a theme."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from random import Random

from tengen import games
from tengen.app import go_puzzles
from tengen.app.puzzle_themes import detect_themes
from tengen.app.puzzles import puzzle_kind
from tengen.core.position import Position
from tengen.runtime.host import EngineHost
from tengen.store.puzzles import Puzzle

Log = Callable[[str], None]


async def generate_puzzles(kind: str, count: int, seed: int, host: EngineHost, log: Log) -> list[Puzzle]:
    """Compose `count` different puzzles of a kind. Raises `OptionError` if there is no such kind."""
    found = puzzle_kind(kind)
    if kind in go_puzzles.KINDS:
        return list(islice(_go_puzzles(kind, seed, log), count))
    random = Random(seed)
    made: dict[bytes, Puzzle] = {}
    while len(made) < count:
        puzzle = await found.compose(host, random)
        if puzzle is not None:
            puzzle = finished(puzzle)
            made[puzzle.digest] = puzzle
            log(f"{len(made)} of {count} puzzles")
    return list(made.values())


def _go_puzzles(kind: str, seed: int, log: Log) -> Iterator[Puzzle]:
    from tengen.engines.go.puzzles.capture_problems import generate_capture_problems
    from tengen.engines.go.puzzles.connection_problems import generate_connection_problems
    from tengen.engines.go.puzzles.life_problems import generate_life_problems, generate_race_problems

    generators = {
        go_puzzles.CAPTURE: generate_capture_problems,
        go_puzzles.LIFE: generate_life_problems,
        go_puzzles.RACE: generate_race_problems,
        go_puzzles.CONNECTION: generate_connection_problems,
    }
    made = generators[kind](seed)
    for number, problem in enumerate(made, 1):
        log(f"{number} puzzles")
        yield _with_themes(go_puzzles.to_puzzle(problem, kind))


def go_puzzle_about(kind: str, theme: str, seed: int, attempts: int) -> Puzzle:
    """A new puzzle of Go with a theme; after this number of attempts, one without it. Loads compiled code."""
    found = islice(_go_puzzles(kind, seed, lambda text: None), attempts)
    first = next(found)
    if not theme or theme in first.themes:
        return first
    return next((one for one in found if theme in one.themes), first)


def finished(puzzle: Puzzle) -> Puzzle:
    """A composed puzzle as it is stored: with themes, without a history that does not matter."""
    return _with_themes(_without_history(puzzle))


def _with_themes(puzzle: Puzzle) -> Puzzle:
    return replace(puzzle, themes=detect_themes(puzzle))


def _without_history(puzzle: Puzzle) -> Puzzle:
    """The puzzle with its position as the start, where nothing but the stones matters."""
    if puzzle.game != "othello":
        return puzzle
    position = games.game(puzzle.game, **dict(puzzle.options)).start().play_all(puzzle.moves)
    options = {**puzzle.options, "board": f"{_letters(position)} {'XO'[position.to_move]}"}
    return Puzzle(puzzle.kind, puzzle.game, options, (), puzzle.task, puzzle.right, puzzle.report)


def _letters(position: Position) -> str:
    return "".join(".XO"[stone] for row in position.diagram().stones for stone in row)
