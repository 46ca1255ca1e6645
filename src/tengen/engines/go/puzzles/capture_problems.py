"""Capture problems: positions from quick games in which a string can be captured in two or three moves.

The tactical reader finds strings that can be captured and could be saved. `CaptureProof` then tries everything, so
that every first move that captures in time is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from tengen.core.position import Position
from tengen.engines.go.board import geometry_for_size
from tengen.engines.go.mcts.engine import GoEngine
from tengen.engines.go.puzzles.capture_proof import CaptureProof
from tengen.engines.go.puzzles.problem import (
    SIZE,
    Goal,
    Problem,
    Stones,
    position_of,
    stones_of,
    string_at,
    write_rows,
)
from tengen.engines.go.reading.tactics import Result, TacticalReader
from tengen.games.go import PASS, Go
from tengen.search.limits import Limits

MIN_MOVES, MAX_MOVES = 2, 3  # of the attacker; four would take minutes to prove
MAX_RIGHT = 1
OPENING_PLIES = 8  # random moves at the start of a game
GAME_PLIES = 60
NODES = 60  # of a move in these games; weak play leaves strings to capture


def generate_capture_problems(seed: int, log: Callable[[str], None] = lambda text: None) -> Iterator[Problem]:
    """Problems from one game after another, without end in random order, at most one of a game."""
    random = Random(seed)
    reader = TacticalReader(geometry_for_size(SIZE, SIZE))
    known: set[str] = set()
    number = 0
    while True:
        number += 1
        positions = _play_game(random)
        random.shuffle(positions)
        problem = next(
            (
                problem
                for position in positions
                for problem in _problems(stones_of(position, swapped=position.to_move == 1), reader)
            ),
            None,
        )
        log(f"game {number}")
        if problem is not None and problem.rows not in known:
            known.add(problem.rows)
            yield problem


def _play_game(random: Random) -> list[Position]:
    """The positions of a quick game after its opening."""
    engine = GoEngine(seed=random.getrandbits(30), threads=1, network=False)  # the same games on every processor
    position = Go.create(size=SIZE).start()
    positions = []
    for ply in range(GAME_PLIES):
        if position.is_over:
            break
        if ply < OPENING_PLIES:
            move = random.choice([move for move in position.legal_moves if _is_open(position, move)])
            position = position.play(move)
            continue
        positions.append(position)
        position = position.play(engine.search(position, Limits(nodes=NODES)).best)
    return positions


def _is_open(position: Position, move: int) -> bool:
    """Whether a move is not on the first line."""
    column, row = (position.game.points(move) or ((0, 0),))[0]  # type: ignore[arg-type]
    return 0 < column < SIZE - 1 and 0 < row < SIZE - 1


def _problems(stones: Stones, reader: TacticalReader) -> Iterator[Problem]:
    """The problems of a position with Black to move."""
    rows = write_rows(stones)
    position = position_of(rows)
    reader.load(position)
    strings = {string_at(stones, point) for point in stones if stones[point] == "O"}
    for string in sorted(strings):
        at = reader.geometry.point(string[0])
        if not MIN_MOVES <= reader.liberties(at) <= MAX_MOVES:
            continue
        if reader.attack(at).result is Result.WORKS and reader.defend(at).result is not Result.FAILS:
            problem = prove_capture(rows, string)
            if problem is not None:
                yield problem


def prove_capture(rows: str, string: tuple[tuple[int, int], ...]) -> Problem | None:
    """The problem of capturing a white string; None if it takes too many moves or has too many solutions."""
    position = position_of(rows)
    proof = CaptureProof(position)
    moves = proof.shortest(string[0], MAX_MOVES)
    if moves < MIN_MOVES:
        return None
    captures = proof.capturing_moves(string[0], moves)
    if len(captures) > MAX_RIGHT:
        return None
    game = position.game
    assert isinstance(game, Go)
    right = tuple(game.write_move(game.point(point)) for point in captures)
    legal = position.write_moves(move for move in position.legal_moves if move != PASS)
    wrong = tuple(move for move in legal if move not in right)
    return Problem(Goal.CAPTURE, rows, string, right, (), wrong, moves)
