"""Puzzles: positions from games in which the side to move wins with its n-th stone, and not sooner.

Every move and every answer is tried (`brute_force.winning_moves`), so the list of first moves that win in time is
complete. Positions come from quick self-play games with evaluation noise. Some puzzles are bundled; `tengen pente
puzzles` makes others.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.engines.pente.engine import PenteEngine
from tengen.engines.pente.search_threads import SearchThread
from tengen.engines.pente.threats.brute_force import MAX_STONES, winning_moves
from tengen.engines.pente.threats.proof import build_proof
from tengen.games.pente.game import COLOURS, Pente
from tengen.games.records import Record
from tengen.games.records.tree import Node
from tengen.search.limits import Limits

SHIPPED = Path(__file__).with_name("puzzles.json")
MIN_STONES, MAX_SOLUTIONS = 2, 2
"""Shortest win that makes a puzzle, and the largest number of winning first moves."""
MAX_PLIES = 100
_MAX_QUIET_THREATS = 2
_OPENING_STONES = (3, 8)
"""Range of the number of random stones at the start of a game."""
_ID_PREFIX = "pente-"


class PuzzleError(TengenError):
    """A file that is not a puzzle file, or a puzzle with a wrong solution."""


@dataclass(frozen=True)
class WinPuzzle:
    """The position after `moves` of a game with these options, in which `side` wins with `stones` stones.

    `solutions` are all first moves that do; `line` is one continuation of the first solution to the end. Moves are
    in the game's notation.
    """

    options: Mapping[str, Any]
    moves: tuple[str, ...]
    side: str
    stones: int
    solutions: tuple[str, ...]
    line: tuple[str, ...]

    @property
    def id(self) -> str:
        """Hash of position and game."""
        identity = json.dumps([dict(self.options), self.moves], sort_keys=True)
        return f"{_ID_PREFIX}{hashlib.blake2b(identity.encode(), digest_size=5).hexdigest()}"

    @property
    def proof(self) -> str:
        """`unique` if exactly one move wins in time, else `complete`: all solutions are known."""
        return "unique" if len(self.solutions) == 1 else "complete"

    @property
    def task(self) -> str:
        return mark("{player} to play and win in {count}").format(player=self.side, count=self.stones)

    @property
    def position(self) -> Position:
        return Pente.create(**self.options).start().play_all(self.moves)

    @property
    def record(self) -> Record:
        """The game so far as the main line, with the task as its last comment and the solutions as variations.

        An empty node ends the main line, so that it stops where the puzzle starts.
        """
        position = self.position
        record = Record.of(position)
        end = record.nodes()[-1]
        end.comment = self.task
        end.add(Node())
        for solution in self.solutions:
            at, node = position, end
            for text in self.line if solution == self.line[0] else (solution,):
                move = at.game.read_move(text, at)
                node = node.add(Node(move, at.to_move))
                at = at.play(move)
        return record

    def to_data(self) -> dict[str, Any]:
        """JSON-compatible data."""
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


def is_puzzle_id(text: str) -> bool:
    """Whether a text has the form of a `WinPuzzle.id`."""
    return re.fullmatch(rf"{_ID_PREFIX}[0-9a-f]{{10}}", text) is not None


def make_puzzle(
    position: Position, thread: SearchThread, *, max_solutions: int = MAX_SOLUTIONS
) -> WinPuzzle | None:
    """The puzzle of a position; None without a win in two or three stones, or with too many solutions."""
    proof = build_proof(position, threes=_MAX_QUIET_THREATS, thread=thread)
    if proof is None or proof.plies == 1:  # too easy, or too hard to see
        return None
    for stones in range(1, MAX_STONES + 1):
        moves = winning_moves(position, stones)
        if moves:
            break
    if stones < MIN_STONES or not 1 <= len(moves) <= max_solutions:
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
    """A line to the end: a winning move, then the answer that leaves the fewest winning moves."""
    while True:
        move = winning_moves(position, stones)[0]
        yield position.game.write_move(move)
        position = position.play(move)
        stones -= 1
        if position.is_over:
            return
        best = min(position.legal_moves, key=lambda answer: _ease_of_win(position.play(answer), stones))
        yield position.game.write_move(best)
        position = position.play(best)


def _ease_of_win(position: Position, stones: int) -> tuple[int, int]:
    """How easy the win is to find: number of immediate wins, and of moves that win in time."""
    if position.is_over:
        return len(position.state.pente_stones), 0
    return len(winning_moves(position, 1)), len(winning_moves(position, stones))


def generate_puzzles(
    game: Pente, *, games: int, seed: int, nodes: int, log: Callable[[str], None]
) -> Iterator[WinPuzzle]:
    """Puzzles from `games` quick games; at most one for each number of stones and game, the latest."""
    rng = np.random.default_rng(seed)
    thread = SearchThread()
    known: set[str] = set()
    for number in range(games):
        engine = PenteEngine(table=4, seed=int(rng.integers(2**31)), error=80, threes=False)
        position = random_opening(game, rng)
        while not position.is_over and position.ply < MAX_PLIES:
            position = position.play(engine.search(position, Limits(nodes=nodes)).best)
        lengths_found: set[int] = set()
        for earlier in reversed(list(position.line())[-2 * MAX_STONES - 2 : -1]):
            puzzle = make_puzzle(earlier, thread)
            if puzzle is not None and puzzle.stones not in lengths_found and puzzle.id not in known:
                lengths_found.add(puzzle.stones)
                known.add(puzzle.id)
                yield puzzle
        log(f"game {number + 1} of {games}, {len(known)} puzzles")


def check_puzzle(puzzle: WinPuzzle) -> None:
    """Verify a puzzle by trying everything again. Raises `PuzzleError`."""
    position = puzzle.position
    if winning_moves(position, puzzle.stones - 1):
        raise PuzzleError(f"{puzzle.id}: there is a shorter win")
    moves = tuple(map(position.game.write_move, winning_moves(position, puzzle.stones)))
    if moves != puzzle.solutions:
        raise PuzzleError(f"{puzzle.id}: {' '.join(moves)} win, not {' '.join(puzzle.solutions)}")
    after = position.play_all(puzzle.line)
    if after.outcome is None or after.outcome.winner != position.to_move:
        raise PuzzleError(f"{puzzle.id}: the line does not end with the win")


def write_puzzles(path: Path, puzzles: Sequence[WinPuzzle], provenance: Mapping[str, Any]) -> None:
    """Write a puzzle file with its provenance."""
    lines = ",\n  ".join(json.dumps(puzzle.to_data()) for puzzle in puzzles)
    path.write_text(
        f'{{"made": {json.dumps(dict(provenance))},\n "puzzles": [\n  {lines}\n ]}}\n', encoding="utf-8"
    )


def read_puzzles(path: Path) -> tuple[WinPuzzle, ...]:
    """Read a file written by `write_puzzles`."""
    try:
        return tuple(map(WinPuzzle.from_data, json.loads(path.read_text(encoding="utf-8"))["puzzles"]))
    except OSError as error:
        raise PuzzleError(f"no Pente puzzles: {path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise PuzzleError(f"{path} is not a file of Pente puzzles: {error}") from error


@functools.cache
def shipped_puzzles() -> tuple[WinPuzzle, ...]:
    """The bundled puzzles, easy ones first."""
    return read_puzzles(SHIPPED)


def random_opening(game: Pente, rng: np.random.Generator) -> Position:
    """A few stones near the centre."""
    while True:
        position = game.start()
        for _ in range(rng.integers(*_OPENING_STONES, endpoint=True)):
            middle = (game.size + 1) / 2
            near = [
                move
                for move in position.legal_moves
                if abs(move % 20 - middle) <= 4 and abs(move // 20 - middle) <= 4
            ]
            position = position.play(near[rng.integers(len(near))])
        if not position.is_over:
            return position
