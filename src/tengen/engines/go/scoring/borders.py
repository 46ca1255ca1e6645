"""Close the borders of a nearly finished game: both sides play in open space, where that gains points, then pass.

Open space consists of the empty points between living stones of both sides. Besides, a side may answer the last
move by saving stones that are short of liberties. Nobody invades: the players consider the game nearly finished.
"""

from __future__ import annotations

from tengen.core.diagram import Point, connected, neighbours
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.go.mcts.dead_stones import judge_strings
from tengen.engines.go.positions import as_new_game, list_strings
from tengen.engines.go.strings.lookahead import Lookahead
from tengen.games.go import PASS, Go
from tengen.games.go.territory import territory

PLAYOUTS = 1500  # of a search; there are up to four per move
VERIFIED_MOVES = 2
# In points, of a move that is better than a pass. Under area rules neutral points count, too, and a useless move
# costs nothing, so that errors of the estimate should not prevent it.
MIN_GAIN = {"territory": 0.4, "area": -0.5}
MAX_MOVES = 30
MAX_LIBERTIES = 2  # of a string next to the last move that may need a reply


def close_borders(position: Position, lead: float) -> Position:
    """The position after both sides have closed the borders. `lead` is Black's estimated score."""
    position = as_new_game(position)
    for _ in range(MAX_MOVES):
        if position.is_over:
            break
        position = position.play(_best_move(position, round(lead)))
    return position


def _best_move(position: Position, lead: int) -> Move:
    """The border move that gains most points, or a pass."""
    mover, moves = position.to_move, _border_moves(position)
    sign = 1 if mover == 0 else -1
    if not moves:
        return PASS

    def search(position: Position, first: int, moves: list[Move] | None = None) -> Lookahead:
        found = Lookahead(position, first, lead=lead, max_playouts=PLAYOUTS, moves=moves)
        found.run(PLAYOUTS)
        return found

    passed = sign * search(position, 1 - mover).best_score
    best, gain = PASS, MIN_GAIN[position.game.options()["scoring"]]
    for move in search(position, mover, moves).best_moves(VERIFIED_MOVES):
        value = sign * search(position.play(move), 1 - mover).best_score - passed
        if value > gain:
            best, gain = move, value
    return best


def _border_moves(position: Position) -> list[Move]:
    """Legal moves in open space, and those that save stones next to the last move."""
    game = position.game
    assert isinstance(game, Go)
    dead = {point for string in judge_strings(position) if string.is_dead for point in string.points}
    stones = {point: player for player, points in list_strings(position) for point in points}
    owned = territory(position.diagram(), dead)
    empty = {(column, row) for column in range(game.width) for row in range(game.height)} - set(stones)
    own = {point for point, player in stones.items() if player == position.to_move and point not in dead}
    wanted: set[Point] = empty - set(owned)
    for last in () if position.move is None else game.points(position.move):
        for near in own.intersection(neighbours(last)):
            liberties = {at for stone in connected(near, own) for at in neighbours(stone)} & empty
            if len(liberties) <= MAX_LIBERTIES:
                wanted |= liberties
    return [move for move in position.legal_moves if wanted.intersection(game.points(move))]
