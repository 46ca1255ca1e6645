"""The memory of the readers: a board that takes moves back, loaded from a position, and what a search needs."""

from __future__ import annotations

import numpy as np

from tengen.core.position import Position
from tengen.engines.go.board import Array, Geometry
from tengen.engines.go.kernels.board import BORDER, EMPTY
from tengen.engines.go.reading.kernels import board as boards
from tengen.engines.go.reading.kernels import candidates as lists
from tengen.engines.go.reading.kernels import capture
from tengen.engines.go.reading.kernels import life_dfpn as life
from tengen.engines.go.reading.kernels import life_proof as proof
from tengen.games.go import rules


def new_board(geometry: Geometry) -> boards.Arrays:
    """An empty board to read on."""
    points, words = geometry.points, geometry.words
    stride = geometry.stride
    steps = (1, -1, stride, -stride, stride + 1, stride - 1, -stride + 1, -stride - 1)
    cells = np.zeros(5 * points, np.uint16)
    cells[:points] = BORDER
    cells[geometry.inside] = EMPTY
    return boards.Arrays(
        shape=np.array([stride, words, points, len(geometry.inside), *steps], np.int64),
        cells=cells,
        libs=np.zeros(points * words, np.uint64),
        log=np.zeros(boards.MOST_LOGGED, np.int64),
        wide=np.zeros(boards.MOST_WORDS, np.uint64),
        facts=np.zeros(boards.FACTS, np.int64),
        key=np.zeros(1, np.uint64),
        keys=geometry.keys,
        marks=np.zeros(points, np.int64),
        inside=geometry.inside,
    )


def load(board: boards.Arrays, geometry: Geometry, position: Position) -> None:
    """Make a board that of a position."""
    state = position.state
    content = state.go_stones[geometry.outward[geometry.inside]].astype(np.int64)
    load_stones(board, geometry, content)
    board.facts[boards.KO] = geometry.inward[int(state.ko)]
    board.facts[boards.KO_FOR] = int(state.turn) + 1


def load_stones(board: boards.Arrays, geometry: Geometry, content: Array) -> None:
    """content: the colour of each point of the board, or EMPTY, row by row."""
    board.cells[geometry.inside] = EMPTY
    board.libs[:] = 0
    board.facts[:] = 0
    board.marks[:] = 0
    board.key[0] = 0
    stones = content != rules.EMPTY
    boards.set_up(board, geometry.inside[stones], content[stones])


def new_search(geometry: Geometry) -> capture.Arrays:
    """What a search for a capture needs."""
    return capture.Arrays(
        facts=np.zeros(lists.SEARCH_FACTS, np.int64),
        frames=np.zeros(capture.FRAME * capture.MOST_PLIES, np.int64),
        keys=np.zeros(capture.MOST_PLIES, np.uint64),
        moves=np.zeros(capture.MOST_MOVES, np.int64),
        lines=np.zeros(capture.MOST_PLIES * capture.MOST_PLIES, np.int64),
        lengths=np.zeros(capture.MOST_PLIES, np.int64),
        killers=np.zeros(capture.MOST_PLIES, np.int64),
        wins=np.zeros(2 * geometry.points, np.int64),
        near=np.zeros(geometry.points, np.int64),
        far=np.zeros(geometry.points, np.int64),
        front=np.zeros(2 * geometry.points, np.int64),
        touched=np.zeros(geometry.points, np.int64),
        table_keys=np.zeros(1 << capture.TABLE_BITS, np.uint64),
        table=np.zeros(1 << capture.TABLE_BITS, np.int64),
    )


def new_life(geometry: Geometry) -> life.Arrays:
    """What a search for life and death needs."""
    points = geometry.points
    children = life.MOST_CHILDREN * life.MOST_PLIES
    return life.Arrays(
        ground=np.zeros(points, np.int64),
        field=np.zeros(points + 1, np.int64),
        arena=np.zeros(points + 1, np.int64),
        outs=np.zeros(points + 1, np.int64),
        frames=np.zeros(life.FRAME * life.MOST_PLIES, np.int64),
        kept_keys=np.zeros(life.MOST_PLIES, np.uint64),
        path_keys=np.zeros(life.MOST_PLIES, np.uint64),
        path=np.zeros(1 << life.PATH_BITS, np.int64),
        moves=np.zeros(children, np.int64),
        child_keys=np.zeros(children, np.uint64),
        priors=np.zeros(children, np.int64),
        wins=np.zeros(2 * points, np.int64),
        salt=np.zeros(1, np.uint64),
        table_keys=np.zeros(1 << life.TABLE_BITS, np.uint64),
        table=np.zeros(2 << life.TABLE_BITS, np.int64),
        replies=np.zeros(1 << life.TABLE_BITS, np.int16),
        checked=np.zeros(1 << proof.CHECK_BITS, np.uint64),
        regions=np.zeros(points, np.int64),
        members=np.zeros(points, np.int64),
        starts=np.zeros(points + 2, np.int64),
        struck=np.zeros(points + 2, np.int64),
        alive=np.zeros(points, np.int64),
    )


def new_regions(geometry: Geometry) -> dict[str, Array]:
    """What Benson's algorithm needs."""
    points = geometry.points
    return {
        "regions": np.zeros(points, np.int64),
        "members": np.zeros(points, np.int64),
        "starts": np.zeros(2 * points + 4, np.int64),
        "alive": np.zeros(points, np.int64),
    }
