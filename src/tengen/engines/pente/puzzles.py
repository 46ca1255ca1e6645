"""Puzzles: positions of games in which the side to move wins with its n-th stone from now, and not sooner.

Every move and every answer was tried (`exhaustive.winning_moves`): all first moves that win in time are listed,
and no others do. They are found in quick games of the player with itself, who misjudges a little. Some ship with
the package; `tengen pente puzzles` makes others.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.engines.pente.engine import PenteEngine
from tengen.engines.pente.search_threads import Place
from tengen.engines.pente.threats.brute_force import MOST_STONES, winning_moves
from tengen.engines.pente.threats.proof import build
from tengen.engines.pente.training import random_opening
from tengen.games.pente.game import COLOURS, Pente
from tengen.games.records import Record
from tengen.games.records.tree import Node
from tengen.search.limits import Limits

SHIPPED = Path(__file__).with_name("puzzles.json")
FEWEST, MOST_SOLUTIONS = 2, 2
"""Stones of a win that is worth asking for, and first moves that may lead to it."""
LONGEST = 100
_QUIET = 2  # quiet threats in a solution


class PuzzleError(TengenError):
    """A file that holds no puzzles, or a puzzle whose solution is not right."""


@dataclass(frozen=True)
class WinPuzzle:
    """The position after `moves` of a game with these options: `side` wins with so many `stones`.

    `solutions` are all first moves that do; `line` is one way on from the first of them, to the end. Moves are
    written as the game does.
    """

    options: Mapping[str, Any]
    moves: tuple[str, ...]
    side: str
    stones: int
    solutions: tuple[str, ...]
    line: tuple[str, ...]

    @property
    def id(self) -> str:
        """The same for the same position of the same game."""
        told = json.dumps([dict(self.options), self.moves], sort_keys=True)
        return f"pente-{hashlib.blake2b(told.encode(), digest_size=5).hexdigest()}"

    @property
    def proof(self) -> str:
        """`unique` if one move wins in time, else `complete`: all are known. Every answer to each was tried."""
        return "unique" if len(self.solutions) == 1 else "complete"

    @property
    def task(self) -> str:
        return (
            f"{self.side} to move wins with {'one stone' if self.stones == 1 else f'{self.stones} stones'}: how?"
        )

    @property
    def position(self) -> Position:
        return Pente.create(**self.options).start().play_all(self.moves)

    @property
    def record(self) -> Record:
        """The game so far; what is asked stands at its end, and each solution follows as a variation."""
        position = self.position
        record = Record.of(position)
        end = record.nodes()[-1]
        end.comment = self.task
        for solution in self.solutions:
            at, node = position, end
            for text in self.line if solution == self.line[0] else (solution,):
                move = at.game.read_move(text, at)
                node = node.add(Node(move, at.to_move))
                at = at.play(move)
        return record

    def to_data(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "id": self.id,
            "options": dict(self.options),
            "moves": " ".join(self.moves),
            "side": self.side,
            "stones": self.stones,
            "solutions": " ".join(self.solutions),
            "line": " ".join(self.line),
            "proof": self.proof,
        }

    @classmethod
    def from_data(cls, data: Any) -> WinPuzzle:
        moves, solutions, line = (tuple(data[name].split()) for name in ("moves", "solutions", "line"))
        return cls(dict(data["options"]), moves, str(data["side"]), int(data["stones"]), solutions, line)


def pose(position: Position, place: Place, *, most: int = MOST_SOLUTIONS) -> WinPuzzle | None:
    """The puzzle of a position; None if there is no win in two or three stones, a shorter one, or too many."""
    proof = build(position, threes=_QUIET, place=place)
    if proof is None or proof.plies == 1:  # wins that nobody sees are no puzzles, either
        return None
    for stones in range(1, MOST_STONES + 1):
        moves = winning_moves(position, stones)
        if moves:
            break
    if stones < FEWEST or not 1 <= len(moves) <= most:
        return None
    return WinPuzzle(
        position.game.options(),
        tuple(position.write_moves(position.moves)),
        COLOURS[int(position.state.colour)],
        stones,
        tuple(map(position.game.write_move, moves)),
        tuple(_line(position, stones)),
    )


def _line(position: Position, stones: int) -> Iterator[str]:
    """A way to the end: a winning move, then the answer against which the fewest moves win."""
    while True:
        move = winning_moves(position, stones)[0]
        yield position.game.write_move(move)
        position = position.play(move)
        stones -= 1
        if position.is_over:
            return
        best = min(position.legal_moves, key=lambda answer: _ease(position.play(answer), stones))
        yield position.game.write_move(best)
        position = position.play(best)


def _ease(position: Position, stones: int) -> tuple[int, int]:
    """How easily the win is found: moves that win at once, and in time."""
    if position.is_over:
        return len(position.state.pente_stones), 0
    return len(winning_moves(position, 1)), len(winning_moves(position, stones))


def find(game: Pente, *, games: int, seed: int, nodes: int, say: Callable[[str], None]) -> Iterator[WinPuzzle]:
    """Puzzles from so many quick games; at most one for each number of stones of a game, the latest."""
    rng = np.random.default_rng(seed)
    place = Place()
    known: set[str] = set()
    for number in range(games):
        engine = PenteEngine(table=4, seed=int(rng.integers(2**31)), error=80, threes=False)
        position = random_opening(game, rng)
        while not position.is_over and position.ply < LONGEST:
            position = position.play(engine.search(position, Limits(nodes=nodes)).best)
        asked: set[int] = set()
        for earlier in reversed(list(position.line())[-2 * MOST_STONES - 2 : -1]):
            puzzle = pose(earlier, place)
            if puzzle is not None and puzzle.stones not in asked and puzzle.id not in known:
                asked.add(puzzle.stones)
                known.add(puzzle.id)
                yield puzzle
        say(f"game {number + 1} of {games}, {len(known)} puzzles")


def check(puzzle: WinPuzzle) -> None:
    """Try everything again; raises `PuzzleError` if the puzzle is not as it says."""
    position = puzzle.position
    if winning_moves(position, puzzle.stones - 1):
        raise PuzzleError(f"{puzzle.id}: there is a shorter win")
    moves = tuple(map(position.game.write_move, winning_moves(position, puzzle.stones)))
    if moves != puzzle.solutions:
        raise PuzzleError(f"{puzzle.id}: {' '.join(moves)} win, not {' '.join(puzzle.solutions)}")
    after = position.play_all(puzzle.line)
    if after.outcome is None or after.outcome.winner != position.to_move:
        raise PuzzleError(f"{puzzle.id}: the line does not end with the win")


def write_puzzles(path: Path, puzzles: Sequence[WinPuzzle], made: Mapping[str, Any]) -> None:
    """A file of puzzles, which says how it was `made`."""
    lines = ",\n  ".join(json.dumps(puzzle.to_data()) for puzzle in puzzles)
    path.write_text(f'{{"made": {json.dumps(dict(made))},\n "puzzles": [\n  {lines}\n ]}}\n', encoding="utf-8")


def read_puzzles(path: Path) -> tuple[WinPuzzle, ...]:
    """What `write_puzzles` wrote."""
    try:
        return tuple(map(WinPuzzle.from_data, json.loads(path.read_text(encoding="utf-8"))["puzzles"]))
    except OSError as error:
        raise PuzzleError(f"no Pente puzzles: {path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise PuzzleError(f"{path} is not a file of Pente puzzles: {error}") from error


@functools.cache
def shipped_puzzles() -> tuple[WinPuzzle, ...]:
    """The puzzles of the package, easy ones first."""
    return read_puzzles(SHIPPED)
