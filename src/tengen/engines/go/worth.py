"""What urgent and big moves are worth: the score after the best line, less the score after the enemy's.

Of strings the score takes what reading says; of all else whose it is in playouts to the end, or, without playouts,
by influence. What is urgent in the end is resolved by turns: each side in its turn saves its largest string that
depends on it, or takes the enemy's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tengen.core.diagram import Point
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.go.influence import estimate
from tengen.engines.go.likely import likely_moves
from tengen.engines.go.reading.status import Status, StatusBoard, StringStatus
from tengen.engines.go.status import ownership
from tengen.games.go import PASS, Go, rules

_DEAD = (Status.DEAD, Status.UNCONDITIONALLY_DEAD)
_READ = (*_DEAD, Status.ALIVE, Status.UNCONDITIONALLY_ALIVE, Status.SEKI, Status.URGENT)
"""Of strings in these states reading knows what becomes of them."""


@dataclass(frozen=True)
class Worth:
    """A move and why it counts: `worth` in points, its line, and the enemy's if it is left alone."""

    move: Move
    worth: float
    score: float  # after the line, for who plays it
    line: tuple[Move, ...]
    theirs: tuple[Move, ...]
    reason: str


def dead_stones(strings: Iterable[StringStatus], first: int | None = None) -> frozenset[Point]:
    """The stones that are dead; with `first`, also those lost when urgent strings are resolved by turns."""
    known = list(strings)
    dead = {point for string in known if string.status in _DEAD for point in string.stones}
    if first is not None:
        side = first
        urgent = (string for string in known if string.status is Status.URGENT)
        for string in sorted(urgent, key=lambda string: (-len(string.stones), sorted(string.stones))):
            if string.player != side:
                dead |= string.stones
            side = 1 - side
    return frozenset(dead)


def with_mover(position: Position, player: int) -> Position:
    """The same stones with this player to move: by a pass, or set up anew where a pass would end the game."""
    if position.to_move == player:
        return position
    if not int(position.state.passes):
        return position.play(PASS)
    game, state = position.game, position.state
    assert isinstance(game, Go)
    marks = {rules.EMPTY: ".", 1: "X", 2: "O"}
    rows = "/".join(
        "".join(marks[int(state.go_stones[game.point((column, row))])] for column in range(game.width))
        for row in range(game.height)
    )
    taken = 0 if game.scoring == "area" else int(state.captured[0]) - int(state.captured[1])
    komi = round(int(state.komi) / 1000 - taken, 3)
    return replace(game, board=f"{rows} {'XO'[player]}", komi=komi, handicap=0).start()


def play_line(position: Position, line: Sequence[Point], first: int) -> tuple[Position, tuple[Move, ...]]:
    """Play a line that `first` begins, as far as it is legal; returns where it ends, and what was played."""
    position = with_mover(position, first)
    played: list[Move] = []
    for point in line:
        move = position.game.point(point)  # type: ignore[attr-defined]
        if position.is_over or move not in position.legal_moves:
            break
        position = position.play(move)
        played.append(move)
    return position, tuple(played)


class Appraiser:
    """The worth of moves in one position after the other."""

    def __init__(self, game: Go, *, width: int, depth: int, playouts: int) -> None:
        self._imagined = StatusBoard(game)  # of positions that are only thought of
        self._width, self._depth, self._playouts = width, depth, playouts

    def score(self, position: Position, first: int) -> float:
        """For Black, strings read again, urgent ones resolved by turns, of which `first` has the first."""
        strings = self._imagined.update(position)
        dead = dead_stones(strings, first)
        if self._playouts == 0:
            return estimate(position, dead).score
        return _expected(position, strings, dead, self._playouts)

    def urgent(self, position: Position, strings: Sequence[StringStatus]) -> list[Worth]:
        """The moves that save or take strings whose fate depends on who moves first."""
        me, found = position.to_move, []
        for string in strings:
            if string.status is not Status.URGENT or not (string.attack_line and string.defence_line):
                continue
            own = string.player == me
            ours, theirs = (
                (string.defence_line, string.attack_line) if own else (string.attack_line, string.defence_line)
            )
            name = position.game.write_move(position.game.point(min(string.stones)))  # type: ignore[attr-defined]
            stones = f"{len(string.stones)} stone{'s' if len(string.stones) > 1 else ''} at {name}"
            made = self._compare(position, ours, theirs, f"urgent: {'saves' if own else 'takes'} {stones}")
            if made is not None:
                found.append(made)
        return found

    def big(self, position: Position, move: Move, dead: frozenset[Point]) -> Worth | None:
        """A move that nothing forces: each side plays it, then the best line by influence is added."""
        me, point = position.to_move, position.game.points(move)[0]
        ours = (point, *self._best_line(position.play(move), dead))
        other = with_mover(position, 1 - me)
        theirs: tuple[Point, ...] = ()
        if move in other.legal_moves:
            theirs = (point, *self._best_line(other.play(move), dead))
        return self._compare(position, ours, theirs, "big")

    def _compare(
        self, position: Position, ours: Sequence[Point], theirs: Sequence[Point], reason: str
    ) -> Worth | None:
        me = position.to_move
        sign = 1 if me == 0 else -1
        after, line = play_line(position, ours, me)
        if not line:
            return None
        left, answer = play_line(position, theirs, 1 - me)
        # Whoever has played the line leaves what else is urgent to the other, however long the line is.
        good, bad = sign * self.score(after, 1 - me), sign * self.score(left, me)
        return Worth(line[0], good - bad, good, line, answer, reason)

    def _best_line(self, position: Position, dead: frozenset[Point]) -> tuple[Point, ...]:
        """What follows a move, by a narrow search with influence at its leaves."""
        return self._search(position, dead, self._depth)[1]

    def _search(self, position: Position, dead: frozenset[Point], depth: int) -> tuple[float, tuple[Point, ...]]:
        """(value for who is to move, line). To leave the position as it is, is always an answer."""
        sign = 1 if position.to_move == 0 else -1
        still = frozenset(point for point in dead if _is_stone(position, point))
        best = sign * estimate(position, still).score
        line: tuple[Point, ...] = ()
        if depth == 0 or position.is_over:
            return best, line
        for move in likely_moves(position, self._width):
            value, rest = self._search(position.play(move), dead, depth - 1)
            if -value > best:
                best, line = -value, (position.game.points(move)[0], *rest)
        return best, line


def _expected(position: Position, strings: Iterable[StringStatus], dead: frozenset[Point], playouts: int) -> float:
    """The score for Black: of strings whatever was read, of all else whose it is in playouts, in the mean."""
    owners = ownership(position, playouts)
    for string in strings:
        if string.status in _READ:
            player = 1 - string.player if string.stones <= dead else string.player
            owners.update(dict.fromkeys(string.stones, 1.0 - 2 * player))
    return sum(owners.values()) - int(position.state.komi) / 1000


def _is_stone(position: Position, point: Point) -> bool:
    game = position.game
    assert isinstance(game, Go)
    return bool(position.state.go_stones[game.point(point)] != rules.EMPTY)
