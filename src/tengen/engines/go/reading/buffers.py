"""Allocation of the readers' arrays, and loading of positions into a reading board."""

from __future__ import annotations

import numpy as np

from tengen.core.position import Position
from tengen.engines.go.board import Array, Geometry
from tengen.engines.go.kernels.board import BORDER, EMPTY
from tengen.engines.go.reading.kernels import board as board_kernels
from tengen.engines.go.reading.kernels import candidates, capture, life_dfpn, life_proof
from tengen.games.go import rules


def new_board(geometry: Geometry) -> board_kernels.Arrays:
    """An empty reading board."""
    points, words = geometry.points, geometry.words
    stride = geometry.stride
    steps = (1, -1, stride, -stride, stride + 1, stride - 1, -stride + 1, -stride - 1)
    cells = np.zeros(5 * points, np.uint16)
    cells[:points] = BORDER
    cells[geometry.inside] = EMPTY
    return board_kernels.Arrays(
        shape=np.array([stride, words, points, len(geometry.inside), *steps], np.int64),
        cells=cells,
        libs=np.zeros(points * words, np.uint64),
        log=np.zeros(board_kernels.LOG_SIZE, np.int64),
        word_log=np.zeros(board_kernels.WORD_LOG_SIZE, np.uint64),
        facts=np.zeros(board_kernels.FACT_COUNT, np.int64),
        key=np.zeros(1, np.uint64),
        keys=geometry.keys,
        marks=np.zeros(points, np.int64),
        inside=geometry.inside,
    )


def load_position(board: board_kernels.Arrays, geometry: Geometry, position: Position) -> None:
    """Set up a board from a position."""
    state = position.state
    content = state.go_stones[geometry.to_rules[geometry.inside]].astype(np.int64)
    load_stones(board, geometry, content)
    board.facts[board_kernels.KO] = geometry.from_rules[int(state.ko)]
    board.facts[board_kernels.KO_FOR] = int(state.turn) + 1


def load_stones(board: board_kernels.Arrays, geometry: Geometry, content: Array) -> None:
    """Set up stones. `content` has the colour of each point, or EMPTY, row by row."""
    board.cells[geometry.inside] = EMPTY
    board.libs[:] = 0
    board.facts[:] = 0
    board.marks[:] = 0
    board.key[0] = 0
    stones = content != rules.EMPTY
    board_kernels.set_up(board, geometry.inside[stones], content[stones])


def new_search(geometry: Geometry) -> capture.Arrays:
    """Arrays of a capture search."""
    return capture.Arrays(
        facts=np.zeros(candidates.SEARCH_FACT_COUNT, np.int64),
        frames=np.zeros(capture.FRAME_SIZE * capture.MAX_PLIES, np.int64),
        keys=np.zeros(capture.MAX_PLIES, np.uint64),
        moves=np.zeros(capture.MAX_MOVES, np.int64),
        lines=np.zeros(capture.MAX_PLIES * capture.MAX_PLIES, np.int64),
        lengths=np.zeros(capture.MAX_PLIES, np.int64),
        killers=np.zeros(capture.MAX_PLIES, np.int64),
        wins=np.zeros(2 * geometry.points, np.int64),
        near=np.zeros(geometry.points, np.int64),
        far=np.zeros(geometry.points, np.int64),
        front=np.zeros(2 * geometry.points, np.int64),
        touched=np.zeros(geometry.points, np.int64),
        table_keys=np.zeros(1 << capture.TABLE_BITS, np.uint64),
        table=np.zeros(1 << capture.TABLE_BITS, np.int64),
    )


def new_dfpn(geometry: Geometry) -> life_dfpn.Arrays:
    """Arrays of a proof-number search, for life and death or for captures."""
    points = geometry.points
    children = life_dfpn.MAX_CHILDREN * life_dfpn.MAX_PLIES
    return life_dfpn.Arrays(
        flags=np.zeros(points, np.int64),
        candidates=np.zeros(points + 1, np.int64),
        zone=np.zeros(points + 1, np.int64),
        escapes=np.zeros(points + 1, np.int64),
        frames=np.zeros(life_dfpn.FRAME_SIZE * life_dfpn.MAX_PLIES, np.int64),
        saved_keys=np.zeros(life_dfpn.MAX_PLIES, np.uint64),
        path_keys=np.zeros(life_dfpn.MAX_PLIES, np.uint64),
        path=np.zeros(1 << life_dfpn.PATH_BITS, np.int64),
        moves=np.zeros(children, np.int64),
        child_keys=np.zeros(children, np.uint64),
        priors=np.zeros(children, np.int64),
        wins=np.zeros(2 * points, np.int64),
        salt=np.zeros(1, np.uint64),
        table_keys=np.zeros(1 << life_dfpn.TABLE_BITS, np.uint64),
        table=np.zeros(2 << life_dfpn.TABLE_BITS, np.int64),
        replies=np.zeros(1 << life_dfpn.TABLE_BITS, np.int16),
        checked=np.zeros(1 << life_proof.CHECK_BITS, np.uint64),
        regions=np.zeros(points, np.int64),
        members=np.zeros(points, np.int64),
        starts=np.zeros(points + 2, np.int64),
        eliminated=np.zeros(points + 2, np.int64),
        alive=np.zeros(points, np.int64),
    )


def new_benson(geometry: Geometry) -> dict[str, Array]:
    """Arrays of Benson's algorithm."""
    points = geometry.points
    return {
        "regions": np.zeros(points, np.int64),
        "members": np.zeros(points, np.int64),
        "starts": np.zeros(2 * points + 4, np.int64),
        "alive": np.zeros(points, np.int64),
    }
