"""Reviews of games with planted blunders name the planted move, and nothing unproved is called proved.

Built-in opponents of the highest levels play each other, except for one planted move that decides the game: a
winning move of Clobber not played, a group of Go killed, a five of Pente missed, a corner of Othello given away.
`TENGEN_SOAK_GAMES` is the number of games of all four together, of which two fifths are Clobber; other games are
played with another `TENGEN_SOAK_SEED`.

Values that the reviews call exact are checked independently: Clobber by trying everything, Othello and Pente with
the checkers of proofs (Othello up to 10 empty squares, Pente wins; each for at most `TENGEN_SOAK_CHECK_S`
seconds), Go has none.
"""

from __future__ import annotations

import math
import os
import time
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from random import Random

import pytest

import tengen
from tengen.app.bulk_review import GameReview, default_config
from tengen.app.proofs.certify import othello_value, pente_win
from tengen.app.proofs.proof_file import Effort, NotChecked, verify_text
from tengen.app.review import quick_config, summarise
from tengen.core.errors import OptionError
from tengen.core.position import Position
from tengen.engines.registry import default_engine
from tengen.players.config import EngineConfig
from tengen.players.opponents import levels
from tengen.runtime.host import EngineHost
from tengen.runtime.turn import create_engine, take_turn
from tengen.search.engine import Engine
from tengen.search.limits import Limits
from tengen.search.report import Kind, Report

GAMES = int(os.environ.get("TENGEN_SOAK_GAMES", "50"))
SEED = int(os.environ.get("TENGEN_SOAK_SEED", "7"))
SHARES = {"clobber": 0.4, "go": 0.2, "othello": 0.2, "pente": 0.2}
MAX_PLIES = 70
MAX_CHECKED_EMPTIES = 10
MAX_OPENING_LEAD = 0.15  # of Pente, as a value from -1 to 1
CHECK_S = float(os.environ.get("TENGEN_SOAK_CHECK_S", "20"))

Plant = Callable[[Position, Random, Engine], str | None]


# ---- planting: a bad move for the side to move, or None if this position does not allow one


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


def lose_clobber(position: Position, random: Random, engine: Engine) -> str | None:
    bad = [move for move in position.legal_moves if is_won(position.play(move))]
    good = [move for move in position.legal_moves if move not in bad]
    return position.game.write_move(random.choice(bad)) if good and bad and random.random() < 0.5 else None


def give_corner(position: Position, random: Random, engine: Engine) -> str | None:
    """A move after which the opponent can take a corner, and that turns the game round."""
    if position.ply not in range(14, 40):
        return None
    before = engine.search(position, Limits(depth=10)).value.amount
    if before < 1:
        return None
    corners = {"a1", "a8", "h1", "h8"}
    moves = position.write_moves(position.legal_moves)
    random.shuffle(moves)
    for move in moves:
        after = position.play(move)
        if after.is_over or after.to_move == position.to_move:
            continue
        if corners & set(after.write_moves(after.legal_moves)):
            report = engine.search(after, Limits(depth=10))
            if report.value.amount >= 10 and report.best in corners:
                return move
    return None


def miss_five(position: Position, random: Random, engine: Engine) -> str | None:
    """Another move than a five or a tenth captured stone, after which the opponent wins at once."""
    if position.ply < 8:
        return None
    ends = [move for move in position.legal_moves if position.play(move).is_over]
    if not ends:
        return None
    others = [move for move in position.legal_moves if move not in ends]
    for move in random.sample(others, min(3, len(others))):
        after = position.play(move)
        if any(after.play(reply).is_over for reply in after.legal_moves):
            return position.game.write_move(move)
    return None


def lose_group(position: Position, random: Random, engine: Engine) -> str | None:
    """A move on the edge elsewhere, after which a group of at least four stones that lived is dead."""
    if position.ply not in range(16, 50):
        return None
    edge = [
        move for move in position.legal_moves if (points := position.game.points(move)) and {0, 8} & set(points[0])
    ]
    for move in random.sample(edge, min(3, len(edge))):
        # First a short look, which finds most moves unsuitable.
        if all(kills_group(position, move, engine, Limits(nodes=nodes)) for nodes in (500, 2500)):
            return position.game.write_move(move)
    return None


def kills_group(position: Position, move: tengen.Move, engine: Engine, limits: Limits) -> bool:
    before = engine.search(position, limits)
    if not 0.5 <= before.value.amount <= 0.97:
        return False
    report = engine.search(position.play(move), limits)
    return report.value.amount >= 0.85 and killed(position, before, report) >= 4


def killed(position: Position, before: Report, after: Report) -> int:
    """Stones of the side to move that were probably alive and are probably dead."""
    contents, own = position.diagram().contents(), position.to_move + 1
    then, now = owners(before), owners(after)
    sign = 1 if position.to_move == 0 else -1
    return sum(
        int(stone) == own and sign * then.get(point, 0) > 0.2 and sign * now.get(point, 0) < -0.4
        for point, stone in contents.items()
    )


def owners(report: Report) -> dict[tuple[int, int], float]:
    return {
        (column, row): float(owner)
        for overlay in report.overlays
        if overlay.name == "ownership"
        for column, row, owner in overlay.points
    }


PLANTS: Mapping[str, Plant] = {
    "clobber": lose_clobber,
    "go": lose_group,
    "othello": give_corner,
    "pente": miss_five,
}


# ---- games


def start_of(name: str, random: Random) -> Position:
    """An empty board, or random stones in Clobber."""
    if name == "clobber":
        stones = (random.choice("XO") if random.random() < 0.9 else "." for _ in range(random.randint(11, 14)))
        return tengen.game("clobber", board="".join(stones)).start()
    return tengen.game("go", size=9).start() if name == "go" else tengen.game(name).start()


def after_opening(position: Position, random: Random, engine: Engine) -> Position:
    """The position after a few random moves, for variety. Clobber has none, and Pente has its own."""
    for _ in range(4 if position.game.name in ("go", "othello") else 0):
        moves = [move for move in position.legal_moves if is_sensible(position, move, engine)]
        position = position.play(random.choice(moves))
    return position


def is_sensible(position: Position, move: tengen.Move, engine: Engine) -> bool:
    """Whether a move of the opening is no mistake: in Go by its place, in Othello by a short search."""
    if position.game.name == "othello":
        return abs(engine.search(position.play(move), Limits(depth=6)).value.amount) <= 4
    points = position.game.points(move)
    return bool(points) and all(2 <= one <= 6 for one in points[0])


def planted_game(name: str, random: Random) -> tuple[list[Position], int] | None:
    """A game of two high levels that one move decided, and its number; None if there was no occasion."""
    configs = [one.player.config for one in levels(name)[-2:]]
    random.shuffle(configs)
    position = start_of(name, random)
    engines = [create_engine(config, position.game, max_memory_mb=16) for config in configs]
    judge = create_engine(EngineConfig(default_engine(position.game), book=False), position.game, max_memory_mb=16)
    position = after_opening(position, random, judge)
    planted = 0
    while not position.is_over and position.ply < MAX_PLIES:
        move = None if planted else PLANTS[name](position, random, judge)
        if move is not None:
            planted = position.ply + 1
        else:
            side = position.to_move
            limits = configs[side].search_limits()
            if name == "pente" and position.ply < 6:
                move = opening_of_pente(position, random, judge)
            else:
                try:
                    move = take_turn(engines[side], configs[side], position, limits).best
                except Exception as error:  # resigned: the rest does not matter
                    if type(error).__name__ != "EngineResigned":
                        raise
                    break
        position = position.play(move)
    return (list(position.line()), planted) if planted and position.ply > planted else None


def opening_of_pente(position: Position, random: Random, engine: Engine) -> str:
    """A move near the centre after which a short search finds neither side ahead; otherwise any."""
    moves = near_centre(position)
    random.shuffle(moves)
    found = (
        move
        for move in moves[:12]
        if abs(engine.search(position.play(move), Limits(nodes=4_000)).value.amount) <= MAX_OPENING_LEAD
    )
    return position.game.write_move(next(found, moves[0]))


def near_centre(position: Position) -> list[tengen.Move]:
    middle = len(position.diagram().rows) // 2
    return [
        move
        for move in position.legal_moves
        if (points := position.game.points(move)) and all(abs(one - middle) <= 2 for one in points[0])
    ]


# ---- checks


def check_exact(position: Position, report: Report, counts: Counter[str]) -> None:
    """Check a value that is called exact. Raises AssertionError or `InvalidProof` if it is wrong."""
    name, value = position.game.name, report.value
    if name == "clobber":
        assert (value.amount > 0) == is_won(position), "called proved, but is not true"
    elif name == "othello":
        if str(position.game.text(position)).count("-") > MAX_CHECKED_EMPTIES:  # type: ignore[attr-defined]
            counts["not checked"] += 1
            return
        try:
            verify_text(othello_value(position, report).to_json(), Effort(CHECK_S))
        except NotChecked:
            counts["not checked"] += 1
            return
    elif name == "pente" and value.amount > 0:
        if not position.play(report.best).is_over:
            try:
                verify_text(pente_win(position).to_json(), Effort(CHECK_S))
            except (NotChecked, OptionError):  # a win by other means than threats
                counts["not checked"] += 1
                return
    elif name == "pente":
        end, wins_at_once = time.process_time() + CHECK_S, list[int]()
        for move in position.legal_moves:  # whatever the loser does, the opponent has a proved win
            after = position.play(move)
            if wins_soon(after, wins_at_once):
                continue
            try:
                if time.process_time() > end:
                    raise NotChecked("too many moves")
                verify_text(pente_win(after).to_json(), Effort(CHECK_S))
            except (NotChecked, OptionError):
                counts["not checked"] += 1
                return
    else:
        raise AssertionError(f"{name}: nothing proves exact values there")
    counts["checked"] += 1


def wins_soon(position: Position, known: list[int]) -> bool:
    """Whether the side to move can end the game with one move; `known` are moves that did so before."""
    legal = position.legal_moves
    for move in (*(one for one in known if one in legal), *legal):
        if position.play(move).is_over:
            if move not in known:
                known.insert(0, int(move))
            return True
    return False


@pytest.mark.timeout(4 * 3600)
@pytest.mark.parametrize("name", PLANTS)
def test_nothing_unproved_is_called_proved(name: str) -> None:
    """With `-s`, prints the planted move and the turning points of each game."""
    random, named, made = Random(SEED), 0, 0
    counts: Counter[str] = Counter()
    least = math.ceil(GAMES * SHARES[name])
    with EngineHost(1, grace_s=300.0) as host:
        while made < least:
            found = planted_game(name, random)
            if found is None:
                counts["games without an occasion"] += 1
                continue
            line, planted = found
            made += 1
            review = GameReview(host, line)
            while not review.wait(1.0):
                pass
            reports = review.reports
            by_ply = {position.ply: position for position in line}
            for ply, report in reports.items():
                if report.value.kind is Kind.EXACT:
                    check_exact(by_ply[ply], report, counts)
            points = summarise(line, reports).turning_points()
            named += bool(points) and points[0].number == planted
            shown = [f"{one.number}. {one.move} {one.loss} {one.weight:.2f}" for one in points]
            print(f"{name} game {made} of {len(line) - 1} moves: planted {planted}, named {shown}", flush=True)
    print(f"{name}: planted move named in {named} of {made} games; {dict(counts)}", flush=True)
    _played.update(named=named, made=made)


_played: Counter[str] = Counter()  # of all games above


def test_the_turning_point_is_the_planted_one() -> None:
    """In the games of the other tests that ran."""
    assert _played["named"] >= 0.95 * _played["made"]


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", PLANTS)
def test_fast_pass(name: str) -> None:
    """With `-s`, prints the CPU time of the fast pass over at most 60 moves, without compilation."""
    random, position = Random(3), tengen.game(name).start()
    while not position.is_over and position.ply < 60:
        position = position.play(random.choice(near_stones(position)))
    line = [one for one in position.line() if not one.is_over]
    config = quick_config(default_config(line[0]), len(line))
    engine = create_engine(config.for_analysis(), position.game)
    engine.search(line[0], config.search_limits())
    began = time.process_time()
    reports = [engine.search(one, config.search_limits()) for one in reversed(line)]
    print(f"{name}: {len(reports)} positions in {time.process_time() - began:.1f} s of CPU time")
    assert all(report.candidates for report in reports)


def near_stones(position: Position) -> list[tengen.Move]:
    """Moves within two lines of the middle until there are stones, then beside them; all if there are none."""
    contents = position.diagram().contents()
    stones = [point for point, stone in contents.items() if stone]
    if len(stones) < 4:
        return near_centre(position) or list(position.legal_moves)
    points = {move: position.game.points(move) for move in position.legal_moves}
    near = [
        move
        for move, found in points.items()
        if found and any(abs(found[0][0] - x) + abs(found[0][1] - y) <= 2 for x, y in stones)
    ]
    return near or list(position.legal_moves)
