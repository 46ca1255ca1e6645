"""Allocation of the readers' arrays, and loading of positions into a reading board."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tengen.core.position import Position
from tengen.engines.go.board import Array, Geometry
from tengen.engines.go.kernels.board import BORDER, EMPTY
from tengen.engines.go.reading.kernels import board as board_kernels
from tengen.engines.go.reading.kernels import capture, life_proof
from tengen.engines.go.reading.kernels import proof_number_search as dfpn
from tengen.engines.go.reading.kernels.board import Board
from tengen.engines.go.reading.kernels.candidates import SEARCH_STATE
from tengen.engines.go.reading.kernels.territory import TerritoryArrays
from tengen.games.go import rules


def new_board(geometry: Geometry) -> Board:
    """An empty reading board."""
    points, words, stride = geometry.points, geometry.words, geometry.stride
    cells = np.zeros(5 * points, np.uint16)
    cells[:points] = BORDER
    cells[geometry.inside] = EMPTY
    return Board(
        stride=stride,
        words=words,
        points=points,
        area=len(geometry.inside),
        steps=np.array([1, -1, stride, -stride, stride + 1, stride - 1, -stride + 1, -stride - 1], np.int64),
        cells=cells,
        libs=np.zeros(points * words, np.uint64),
        log=np.zeros(board_kernels.LOG_SIZE, np.int64),
        word_log=np.zeros(board_kernels.WORD_LOG_SIZE, np.uint64),
        state=np.zeros(1, board_kernels.BOARD_STATE),
        saved=np.zeros(1, board_kernels.SAVED_STATE),
        keys=geometry.keys,
        marks=np.zeros(points, np.int64),
        inside=geometry.inside,
    )


def load_position(board: Board, geometry: Geometry, position: Position) -> None:
    """Set up a board from a position."""
    state = position.state
    content = state.go_stones[geometry.to_rules[geometry.inside]].astype(np.int64)
    load_stones(board, geometry, content)
    board.state[0].ko = geometry.from_rules[int(state.ko)]
    board.state[0].ko_for = int(state.turn) + 1


def load_stones(board: Board, geometry: Geometry, content: Array) -> None:
    """Set up stones. `content` has the colour of each point, or EMPTY, row by row."""
    board.cells[geometry.inside] = EMPTY
    board.libs[:] = 0
    board.state[:] = np.zeros(1, board.state.dtype)
    board.marks[:] = 0
    stones = content != rules.EMPTY
    board_kernels.set_up(board, geometry.inside[stones], content[stones])


def new_search(geometry: Geometry) -> capture.Search:
    """Arrays of a capture search."""
    return capture.Search(
        state=np.zeros(1, SEARCH_STATE),
        frames=np.zeros(capture.MAX_PLIES, capture.FRAME),
        moves=np.zeros(capture.MAX_MOVES, np.int64),
        lines=np.zeros(capture.MAX_PLIES * capture.MAX_PLIES, np.int64),
        lengths=np.zeros(capture.MAX_PLIES, np.int64),
        killers=np.zeros(capture.MAX_PLIES, np.int64),
        wins=np.zeros(2 * geometry.points, np.int64),
        near=np.zeros(geometry.points, np.int64),
        far=np.zeros(geometry.points, np.int64),
        front=np.zeros(2 * geometry.points, np.int64),
        touched=np.zeros(geometry.points, np.int64),
        zones=np.zeros(capture.MAX_PLIES * geometry.words, np.uint64),
        table_keys=np.zeros(1 << capture.TABLE_BITS, np.uint64),
        table=np.zeros(1 << capture.TABLE_BITS, np.int64),
        table_zones=np.zeros(geometry.words << capture.TABLE_BITS, np.uint64),
    )


def new_dfpn(geometry: Geometry) -> dfpn.Dfpn:
    """Arrays of a proof-number search, for life and death or for captures."""
    points = geometry.points
    return dfpn.Dfpn(
        state=np.zeros(1, dfpn.DFPN_STATE),
        frames=np.zeros(dfpn.MAX_PLIES, dfpn.FRAME),
        children=np.zeros(dfpn.MAX_PLIES * dfpn.MAX_CHILDREN, dfpn.CHILD),
        path=np.zeros(1 << dfpn.PATH_BITS, np.int64),
        table=np.zeros(2 << dfpn.TABLE_BITS, np.uint64),
        checked=np.zeros(1 << life_proof.CHECK_BITS, np.uint64),
        flags=np.zeros(points, np.int64),
        candidates=np.zeros(points + 1, np.int64),
        zone=np.zeros(points + 1, np.int64),
        escapes=np.zeros(points + 1, np.int64),
        regions=np.zeros(points, np.int64),
        members=np.zeros(points, np.int64),
        starts=np.zeros(points + 2, np.int64),
        eliminated=np.zeros(points + 2, np.int64),
        alive=np.zeros(points, np.int64),
    )


def new_benson(arrays: dfpn.Dfpn, geometry: Geometry) -> dfpn.Dfpn:
    """The same arrays with the whole board as zone."""
    whole = arrays._replace(flags=np.zeros_like(arrays.flags), zone=np.zeros_like(arrays.zone))
    whole.flags[geometry.inside] = dfpn.ZONE
    write_list(whole.zone, geometry.inside)
    return whole


def new_territory(geometry: Geometry) -> TerritoryArrays:
    """Arrays for unconditional territory."""
    return TerritoryArrays(*(np.zeros(geometry.points + 1, np.int64) for _ in TerritoryArrays._fields))


def write_list(numbers: Array, points: Array | Sequence[int]) -> None:
    """Write the number of points, then the points."""
    numbers[0] = len(points)
    numbers[1 : len(points) + 1] = points
