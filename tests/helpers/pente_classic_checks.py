"""The classic Pente player's counts, utility and candidates, compared with the direct computation."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.pente.classic.kernels.candidates import list_candidates
from tengen.engines.pente.classic.kernels.counts import count_board, new_counts, sync_board
from tengen.engines.pente.classic.kernels.utility import UNDECIDED, evaluate
from tengen.engines.pente.classic.search_state import FRAME
from tengen.engines.pente.classic.tunables import defaults, settings_record
from tengen.games.pente import record
from tests.reference.pente_classic import Board

PLAYED = [
    {"size": 9, "variant": "freestyle"},
    {"size": 19, "variant": "standard"},
    {"size": 13, "variant": "tournament"},
    {"size": 7, "variant": "five-in-a-row", "first": "anywhere"},
    {"size": 9, "variant": "keryo", "first": "anywhere"},
    {"size": 9, "variant": "gomoku"},
    {"size": 9, "variant": "poof", "first": "anywhere"},
    {"size": 9, "variant": "boat", "first": "anywhere"},
]


def direct(position: Position) -> Board:
    """A position for the direct computation."""
    game, state = position.game, position.states[0]
    options = game.options()
    stones = {}
    for row in range(options["size"]):
        for column in range(options["size"]):
            content = int(state.pente_stones[game.point((column, row))])
            if content in (record.BLACK, record.WHITE):
                stones[column, row] = content - 1
    runs = {"none": (), "pairs": (2,), "triples": (2, 3)}[options["captures"]]
    captured = int(state.captured[0]), int(state.captured[1])
    return Board(
        options["size"], stones, captured, int(state.colour), int(state.number), runs, options["goal"],
        options["exact"], options["boat"],
    )  # fmt: skip


def lively(game: Any, seed: int, most: int = 60) -> Iterator[tuple[Position, Board]]:
    """A random game with moves close together, so that lines and captures occur; positions with their `direct`."""
    dice = random.Random(seed)
    position = game.start()
    while not position.is_over and position.ply < most:
        board = direct(position)
        yield position, board
        takes = [game.point(taker) for colour in (0, 1) for taker, _ in board.takes[colour]]
        moves = set(position.legal_moves)
        near = [move for move in takes if move in moves]
        if not near or dice.random() < 0.7:
            beside = {(x + a, y + b) for x, y in board.stones for a in (-1, 0, 1) for b in (-1, 0, 1)}
            near = [game.point(place) for place in beside if board.on(place) is None]
        position = position.play(dice.choice(sorted(moves & set(near) or moves)))


class Counted:
    """Counts of a board that follow a game, with the results of kernels."""

    def __init__(self, position: Position, **changes: Any) -> None:
        self.boards = new_counts()
        self.settings = settings_record(defaults(**changes))
        self.position = position
        count_board(self.boards, position.states)

    def go(self, position: Position, move: Move) -> None:
        """Go to the position after or before a move."""
        sync_board(self.boards, position.states, np.int64(move))
        self.position = position

    def values(self) -> tuple[float, tuple[int, ...]]:
        out = np.zeros(5, np.int64)
        viewer = int(self.position.states[0].colour)
        value = evaluate(self.boards, self.position.states, viewer, self.settings, out)
        return float(value), tuple(int(number) for number in out)

    def candidates(self, width: int) -> list[tuple[int, int]]:
        frames = np.zeros(1, FRAME)
        history = np.zeros((2, record.POINTS), np.int64)
        list_candidates(self.boards, self.position.states, self.settings, history, frames, width)
        moves = frames[0].moves[: frames[0].count]
        return [self.position.game.points(Move(int(move)))[0] for move in moves]

    def captors(self, point: Move) -> set[tuple[int, int]]:
        """By the bits of each axis, side and distance."""
        found = set()
        for bit in range(32):
            if int(self.boards[0].captors[point]) >> bit & 1:
                step = (1, record.STRIDE, record.STRIDE + 1, record.STRIDE - 1)[bit // 8] * (bit % 4 + 1)
                found.add(self.position.game.points(Move(point + (step if bit & 4 else -step)))[0])
        return found


def check_utility(game: Any, seed: int) -> int:
    """Compare all counts through a game and back; returns the number of positions."""
    line, boards = zip(*lively(game, seed), strict=True)
    counted, divided = Counted(line[0]), Counted(line[0], divide=True)
    snapshots = [counted.boards.tobytes()]
    for position, board in itertools.islice(zip(line, boards, strict=True), 1, None):
        counted.go(position, position.move)
        divided.boards, divided.position = counted.boards, position
        snapshots.append(counted.boards.tobytes())
        value, (black, white, winner, move, _) = counted.values()
        assert (black, white) == (board.score(0), board.score(1))
        if not int(position.states[0].five):  # the formula does not cover breakable rows
            assert (None if winner == UNDECIDED else (winner, move)) == board.verdict()
            assert value == board.utility(board.to_move)
            assert divided.values()[0] == board.utility(board.to_move, divide=True)
    for index in range(len(line) - 1, 0, -1):
        assert counted.boards.tobytes() == snapshots[index]
        counted.go(line[index - 1], line[index].move)
    assert counted.boards.tobytes() == snapshots[0]
    return len(line)


def check_candidates(game: Any, seed: int) -> None:
    """Compare candidates and captors at some positions of a game."""
    for position, board in lively(game, seed, 40):
        if position.ply <= 3 or (position.ply + seed) % 4 or int(position.states[0].five):
            continue  # a rule may restrict the third stone
        for order in (0, 1):
            counted = Counted(position, order=order, history=False)
            for width in (9, 200):
                listed, expected = counted.candidates(width), board.candidates(width, every_level=order == 1)
                if board.fours[1 - board.to_move] and not board.fours[board.to_move]:
                    listed, expected = sorted(listed), sorted(expected)
                assert listed == expected
        for point in board.stones:
            assert counted.captors(game.point(point)) == board.captors(point)
