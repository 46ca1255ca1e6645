"""Reviews of games with planted blunders name the planted move, and nothing unproved is called proved.

Games of Clobber between players that keep a won game, except for one planted move that throws a win away. Who
wins is known independently, by trying everything. Go groups, fives and corners are not covered here.
"""

from __future__ import annotations

import os
from functools import cache
from random import Random

import tengen
from tengen.app.bulk_review import GameReview
from tengen.app.mistakes import mistakes
from tengen.app.review import summarise
from tengen.core.position import Position
from tengen.runtime.host import EngineHost
from tengen.search.report import Kind

GAMES = int(os.environ.get("TENGEN_SOAK_GAMES", "50"))


@cache
def wins(board: str, player: str) -> bool:
    """Whether this player, to move on a strip of Clobber, wins, by trying everything."""
    other = "O" if player == "X" else "X"
    for at, stone in enumerate(board):
        for to in (at - 1, at + 1):
            if stone == player and 0 <= to < len(board) and board[to] == other:
                after = list(board)
                after[at], after[to] = ".", player
                if not wins("".join(after), other):
                    return True
    return False


def is_won(position: Position) -> bool:
    return wins(position.game.text(position), "XO"[position.to_move])  # type: ignore[attr-defined]


def planted_game(random: Random) -> tuple[list[Position], int] | None:
    """A game that one move decided, and the number of that move; None if this strip does not allow one."""
    board = "".join(random.choice("XO") if random.random() < 0.9 else "." for _ in range(random.randint(11, 14)))
    position = tengen.game("clobber", board=board).start()
    planted = 0
    while not position.is_over:
        moves = list(position.legal_moves)
        good = [move for move in moves if not is_won(position.play(move))]
        bad = [move for move in moves if move not in good]
        if good and bad and not planted and random.random() < 0.5:
            position = position.play(random.choice(bad))
            planted = position.ply
        else:
            position = position.play(random.choice(good or moves))
    return (list(position.line()), planted) if planted else None


def test_the_turning_point_is_the_planted_one() -> None:
    random, named, games = Random(7), 0, 0
    with EngineHost(1, grace_s=300.0) as host:
        while games < GAMES:
            made = planted_game(random)
            if made is None:
                continue
            line, planted = made
            games += 1
            review = GameReview(host, line)
            while not review.wait(1.0):
                pass
            reports = review.reports
            by_ply = {position.ply: position for position in line}
            for ply, report in reports.items():
                if report.value.kind is Kind.EXACT:
                    assert (report.value.amount > 0) == is_won(by_ply[ply]), "called proved, but is not true"
            summary = summarise(line, reports)
            points = summary.turning_points()
            named += bool(points) and points[0].number == planted
            assert all(one.number == planted for one in summary.moves if one.turned and one.is_exact)
            player = line[planted - 1].to_move
            assert [one.move.number for one in mistakes(line, summary, [player])] == [planted] or not points
    print(f"planted move named in {named} of {games} games")
    assert named >= 0.95 * games
