"""Replaying records: positions, and checking that moves are legal.

Records may omit passes: forced passes are implied, and so is a pass if the same player moves twice. For speed, a
game is checked by one kernel call; only a game that fails is replayed move by move to find the reason.
Kernels are imported on first use, so that commands that replay nothing start fast.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from tengen.core.diagram import Point, Stone
from tengen.core.errors import IllegalMove, TengenError
from tengen.core.game import Game, Move
from tengen.core.translation import mark
from tengen.games.records.errors import RecordError
from tengen.games.records.tree import Node, Record, SetUp

if TYPE_CHECKING:
    from tengen.core.position import Position


@lru_cache(maxsize=64)
def start_position(game: Game) -> Position:
    """The start position of a game, cached for collections."""
    return game.start()


@lru_cache(maxsize=64)
def implied_pass(game: Game) -> int:
    """The move code of a pass, or -1 if the game has none."""
    try:
        return int(game.read_move("pass", start_position(game)))
    except TengenError:
        return -1


def played_moves(record: Record, nodes: list[Node]) -> list[Move]:
    """The moves of a line including implied passes. Raises `RecordError` at the first illegal move."""
    return _walk(*_line(record, nodes))[0]


def positions(record: Record, nodes: list[Node]) -> list[Position]:
    """All positions of a line from the start on."""
    return _line(record, nodes)[0].start()._line_of(played_moves(record, nodes))


def check(record: Record) -> None:
    """Check the main line, up to stones set up in mid-game, after which legality is undefined."""
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
    """Final score of the main line for player 0; None if the game is not over there."""
    from tengen.core.compiled.position_kernels import describe

    game, nodes = _line(record, record.nodes())
    states = start_position(game).states.copy()
    _walk(game, nodes, states)
    _, over, score, *_ = describe(states)
    return float(score) / 1000 if over else None


def _line(record: Record, nodes: list[Node]) -> tuple[Game, list[Node]]:
    """The game including stones set up before the first move, and the nodes with moves."""
    moves: list[Node] = []
    set_ups: list[SetUp] = []
    for node in nodes:
        if node.set_up is not None:
            if moves:
                raise RecordError(
                    mark("stones are set up after move {count}: such a record cannot be replayed").format(
                        count=len(moves)
                    )
                )
            set_ups.append(node.set_up)
        if node.move is not None:
            moves.append(node)
    return start_with(record.game, set_ups, moves[0].player if moves else None), moves


def start_with(game: Game, set_ups: list[SetUp], mover: int | None) -> Game:
    """The game that starts with these set-ups. The player to move is the last one given, or else `mover`.

    The board is built first and checked once, because a file may set up stones in thousands of nodes.
    """
    if not set_ups:
        return game
    if "board" not in game.options():
        raise RecordError(mark("{format} cannot start from set-up stones").format(format=game.title))
    start = start_position(game)
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
    return with_board(game, cells, to_move)


def with_set_up(game: Game, set_up: SetUp) -> Game:
    """The game that starts with these stones."""
    return start_with(game, [set_up], None)


def with_board(game: Game, cells: list[list[Stone]], to_move: int) -> Game:
    """The game with another start position."""
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


def without_standard_board(game: Game) -> Game:
    """An Othello game with the option `board` removed if it is the standard start."""
    plain = replace(game, board="")  # type: ignore[call-arg]
    return (
        plain
        if start_position(plain).diagram() == start_position(game).diagram() and start_position(game).to_move == 0
        else game
    )


def stones_of(game: Game) -> tuple[list[Point], list[Point]]:
    """Points of both players' stones at the start."""
    contents = start_position(game).diagram().contents().items()
    first, second = ([point for point, stone in contents if stone is own] for own in (Stone.FIRST, Stone.SECOND))
    return first, second


def _walk(
    game: Game, nodes: list[Node], states: np.ndarray[Any, Any] | None = None
) -> tuple[list[Move], list[int]]:
    """Play nodes, on `states` if given; returns the moves including implied passes, and each node's player.

    The player is -1 for a pass after the end of the game.
    """
    from tengen.core.compiled.position_kernels import replay

    start = start_position(game)
    if states is None:
        states = start.states.copy()
    moves = np.array([node.move for node in nodes], np.int32)
    players = np.array([-1 if node.player is None else node.player for node in nodes], np.int32)
    room = 2 * len(nodes) + 1
    played = np.empty(room, np.int32)
    if len(moves) and not 0 <= moves.min() <= moves.max() < game.move_codes:
        raise RecordError(f"a move code is invalid in {game.title}")
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
    """The error for a move that the kernel rejected."""
    game, node = start.game, nodes[index]
    position = start
    for move in line:
        position = position._after(move)
    assert node.move is not None
    mover = game.players[position.to_move if node.player is None else node.player]
    head = f"move {index + 1}, {mover} {game.write_move(node.move)}"
    try:
        if not position.is_over and node.player not in (None, position.to_move):
            return RecordError(
                mark("{head}: it is the turn of {player}").format(head=head, player=game.players[position.to_move])
            )
        position.play(node.move)
    except IllegalMove as error:
        return RecordError(f"{head}: {error.reason}")
    except TengenError as error:
        return RecordError(f"{head}: {error}")
    raise AssertionError(f"{head} was refused by the kernel and is legal by the rules")


def with_players(record: Record) -> Record:
    """The record with the player of every move filled in. Raises `RecordError` at an illegal move."""
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
    waiting = [(record.root, start_position(game), 0)]
    while waiting:
        node, position, number = waiting.pop()
        if node.set_up is not None:
            if number:
                raise RecordError(
                    mark("stones are set up after move {number}, so the player to move is unknown").format(
                        number=number
                    )
                )
            position = start_position(with_set_up(position.game, node.set_up))
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
