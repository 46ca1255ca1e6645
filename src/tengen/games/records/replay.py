"""From a record to positions, and whether its moves are legal.

A record may leave passes out: a forced one is implied, and so is one where the same player moves twice in a game
that has passes. A reader checks many games, so the check is one call of a kernel for each; only a game that fails
it is played again move by move, to say why.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from tengen.core.compiled.position_kernels import describe, replay
from tengen.core.diagram import Point, Stone
from tengen.core.errors import IllegalMove, TengenError
from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.games.records.errors import RecordError
from tengen.games.records.tree import Node, Record, SetUp


@lru_cache(maxsize=64)
def start_of(game: Game) -> Position:
    """The start, once for all records of a collection that share their rules."""
    return game.start()


@lru_cache(maxsize=64)
def implied_pass(game: Game) -> int:
    """The code of the pass, or -1 in a game that has none."""
    try:
        return int(game.read_move("pass", start_of(game)))
    except TengenError:
        return -1


def played_moves(record: Record, nodes: list[Node]) -> list[Move]:
    """The moves of a line as they are played; raises `RecordError` at the first that is not legal."""
    return _walk(*_line(record, nodes))[0]


def positions(record: Record, nodes: list[Node]) -> list[Position]:
    """All positions of a line from the start on."""
    position = _line(record, nodes)[0].start()
    line = [position]
    for move in played_moves(record, nodes):
        position = position._after(move)  # checked by the kernel just now
        line.append(position)
    return line


def check(record: Record) -> None:
    """Check the main line, up to stones set up in mid-game: nobody can say what is legal after that."""
    nodes: list[Node] = []
    set_up = False
    node = record.root
    while True:
        if node.set_up is not None:
            if nodes and nodes[-1].move is not None:
                break
            set_up = True
        if node.move is not None or set_up:
            nodes.append(node)
        if not node.children:
            break
        node = node.children[0]
    if set_up:
        _walk(*_line(record, nodes))
    else:
        _walk(record.game, nodes)


def final_score(record: Record) -> float | None:
    """What the rules say of the end of the main line, for player 0; None if the game has not ended there."""
    game, nodes = _line(record, record.nodes())
    states = start_of(game).states.copy()
    _walk(game, nodes, states)
    _, over, score, *_ = describe(states)
    return float(score) / 1000 if over else None


def _line(record: Record, nodes: list[Node]) -> tuple[Game, list[Node]]:
    """The game with what is set up before the first move, and the nodes with moves."""
    moves: list[Node] = []
    set_ups: list[SetUp] = []
    for node in nodes:
        if node.set_up is not None:
            if moves:
                raise RecordError(
                    f"stones are set up after move {len(moves)}: the record keeps them, but cannot be replayed"
                )
            set_ups.append(node.set_up)
        if node.move is not None:
            moves.append(node)
    return start_with(record.game, set_ups, moves[0].player if moves else None), moves


def start_with(game: Game, set_ups: list[SetUp], mover: int | None) -> Game:
    """The game that starts with all this set up. If none of it says whose turn it is, it is the first mover's.

    All of it is put on one board, which is checked once: a file may set up stones in thousands of nodes.
    """
    if not set_ups:
        return game
    if "board" not in game.options():
        raise RecordError(f"{game.title} cannot start from set-up stones")
    start = start_of(game)
    cells = [list(row) for row in start.diagram().stones]
    to_move = start.to_move if mover is None else mover
    if any(set_up.to_move is not None for set_up in set_ups):
        to_move = start.to_move
    for set_up in set_ups:
        for points, stone in (
            (set_up.first, Stone.FIRST),
            (set_up.second, Stone.SECOND),
            (set_up.empty, Stone.EMPTY),
        ):
            for column, row in points:
                cells[row][column] = stone
        if set_up.to_move is not None:
            to_move = set_up.to_move
    return on_board(game, cells, to_move)


def with_set_up(game: Game, set_up: SetUp) -> Game:
    """The game that starts with these stones."""
    return start_with(game, [set_up], None)


def on_board(game: Game, cells: list[list[Stone]], to_move: int) -> Game:
    """The game with another start."""
    rows = "/".join("".join(".XO"[stone] for stone in row) for row in cells)
    options: dict[str, Any] = {"board": f"{rows} {'XO'[to_move]}"}
    if game.name == "othello":
        options["board"] = options["board"].replace("/", "")
    elif game.name == "clobber":
        options = {"board": rows, "first": "XO"[to_move]}
    elif game.name == "go":
        options["free_handicap"] = False
    try:
        return replace(game, **options)
    except TengenError as error:
        raise RecordError(str(error)) from None


def as_usual(game: Game) -> Game:
    """The same game of Othello, without a board if that is the usual start."""
    plain = replace(game, board="")  # type: ignore[call-arg]
    return plain if start_of(plain).diagram() == start_of(game).diagram() and start_of(game).to_move == 0 else game


def stones_of(game: Game) -> tuple[list[Point], list[Point]]:
    """The places of both players' stones at the start."""
    diagram = start_of(game).diagram()
    found: tuple[list[Point], list[Point]] = ([], [])
    for row, stones in enumerate(diagram.stones):
        for column, stone in enumerate(stones):
            if stone is not Stone.EMPTY:
                found[stone - 1].append((column, row))
    return found


def _walk(
    game: Game, nodes: list[Node], states: np.ndarray[Any, Any] | None = None
) -> tuple[list[Move], list[int]]:
    """Play nodes, on `states` if they are given: the moves as they are played, and each node's player.

    That is -1 for a pass after the end, which nobody played.
    """
    start = start_of(game)
    if states is None:
        states = start.states.copy()
    moves = np.array([node.move for node in nodes], np.int32)
    players = np.array([-1 if node.player is None else node.player for node in nodes], np.int32)
    room = 2 * len(nodes) + 1
    played = np.empty(room, np.int32)
    if len(moves) and not 0 <= moves.min() <= moves.max() < game.move_codes:
        raise RecordError(f"a move is no move of {game.title}")
    legal, count = replay(
        states,
        moves,
        players,
        np.int32(implied_pass(game)),
        np.empty(room, np.uint64),
        played,
        np.empty(game.max_legal_moves, np.int32),
    )
    line = [Move(move) for move in played[:count].tolist()]
    if legal < len(nodes):
        raise _reason(start, line, nodes, int(legal))
    return line, players.tolist()


def _reason(start: Position, line: list[Move], nodes: list[Node], index: int) -> RecordError:
    """Why a move was refused."""
    game, node = start.game, nodes[index]
    position = start
    for move in line:
        position = position._after(move)
    assert node.move is not None
    mover = game.players[position.to_move if node.player is None else node.player]
    head = f"move {index + 1}, {mover} {game.write_move(node.move)}"
    try:
        if not position.is_over and node.player not in (None, position.to_move):
            return RecordError(f"{head}: it is the turn of {game.players[position.to_move]}")
        position.play(node.move)
    except IllegalMove as error:
        return RecordError(f"{head}: {error.reason}")
    except TengenError as error:
        return RecordError(f"{head}: {error}")
    raise AssertionError(f"{head} was refused by the kernel and is legal by the rules")


def with_players(record: Record) -> Record:
    """The record with every move's player named; itself if they are. Raises `RecordError` at an illegal move."""
    if all(node.player is not None for node in record.root.walk() if node.move is not None):
        return record
    record = replace(record, root=record.root.copy())
    game = record.game
    line = record.nodes()
    if all(len(node.children) < 2 for node in line):  # as in most collections
        game, line = _line(record, line)
        for node, player in zip(line, _walk(game, line)[1], strict=True):
            if player >= 0:
                node.player = player
        return record
    no_move = implied_pass(game)
    waiting = [(record.root, start_of(game), 0)]
    while waiting:
        node, position, number = waiting.pop()
        if node.set_up is not None:
            if number:
                raise RecordError(f"stones are set up after move {number}, so nobody can say whose turn it is")
            position = start_of(with_set_up(position.game, node.set_up))
        if node.move is not None:
            number += 1
            if position.legal_moves == (no_move,) and node.move != no_move:
                position = position.play(Move(no_move))
            if node.player is None:
                node.player = position.to_move
            try:
                position = position.play(node.move)
            except TengenError as error:
                raise RecordError(f"move {number}: {error}") from None
        waiting.extend((child, position, number) for child in node.children)
    return record
