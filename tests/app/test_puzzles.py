"""Puzzles: that answers are right, that each counts once, and that they are made while somebody wants them."""

from __future__ import annotations

import asyncio
import re
from random import Random

import pytest

import tengen
from tengen.app import puzzles
from tengen.app.puzzles import PuzzleKind, keeps_value, puzzle_kind, puzzle_kinds, register_puzzles
from tengen.core.errors import OptionError, TengenError
from tengen.engines.pente.threats.brute_force import winning_moves
from tengen.runtime.host import EngineHost
from tengen.search.report import Candidate, Report, Value
from tengen.store.puzzles import Puzzle
from tengen.store.store import Store
from tengen.web.game_sessions import GameSessions
from tengen.web.visitor_cache import VisitorCache


def report(*candidates: tuple[str, float], exact: bool = True) -> Report:
    made = Value.exact if exact else Value.heuristic
    found = tuple(Candidate(move, made(amount, "discs")) for move, amount in candidates)
    return Report("test", found[0].move, found[0].value, found, 1, 0.1)


def puzzle(number: int, kind: str = "test") -> Puzzle:
    found = report(("d3", 4.0), ("c4", 4.0), ("f5", -2.0))
    return Puzzle(kind, "othello", {"size": 8}, ("d3", "c3")[: number % 3], f"task {number}", ("d3", "c4"), found)


def test_every_move_that_keeps_a_proved_value_is_right_and_nothing_is_where_something_is_not_proved() -> None:
    assert keeps_value(report(("a", 4.0), ("b", 4.0), ("c", 2.0))) == ("a", "b")
    assert keeps_value(report(("a", 4.0), ("b", 2.0), exact=False)) is None


def wins(position: tengen.Position) -> bool:
    """Whether whoever is to move wins at Clobber, by trying everything."""
    return any(not wins(position.play(move)) for move in position.legal_moves)


def fives(position: tengen.Position, plies: int) -> list[str]:
    """The moves by which whoever is to move wins at Pente within so many plies, whatever the answers."""
    found = []
    for move in position.legal_moves:
        after = position.play(move)
        if after.outcome is not None:
            won = after.outcome.winner == position.to_move
        else:
            won = plies > 2 and all(
                reply.outcome is None and bool(fives(reply, plies - 2))
                for reply in (after.play(answer) for answer in after.legal_moves)
            )
        if won:
            found.append(position.game.write_move(move))
    return found


def test_the_answers_are_those_of_trying_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(puzzles, "PENTE_SIZE", 6)  # or it would take minutes here
    monkeypatch.setattr(puzzles, "SQUARES_LEFT", (6, 7))
    random = Random(7)

    async def make(host: EngineHost, name: str) -> Puzzle:
        for _ in range(100):
            found = await puzzle_kind(name).compose(host, random)
            if found is not None:
                return found
        raise AssertionError(f"no puzzle of {name} in 100 tries")

    with EngineHost(1) as host:
        made = {kind.name: asyncio.run(make(host, kind.name)) for kind in puzzle_kinds()}
    for name, one in made.items():
        position = tengen.game(one.game, **dict(one.options)).start().play_all(one.moves)
        assert position.game.players[position.to_move] in one.task
        if name == "pente-game":  # shipped, with the moves that win alone
            stones = int(re.findall(r"\d+", one.task)[0])
            right = [position.game.write_move(move) for move in winning_moves(position, stones)]
            assert sorted(one.right) == sorted(right) == sorted(each.move for each in one.report.candidates)
            continue
        if one.game == "go":  # shipped; tests/engines/go/test_go_puzzles.py tries everything
            assert len(one.report.candidates) == len(position.legal_moves) - 1  # all except a pass
            assert set(one.right) < {each.move for each in one.report.candidates}
            assert one.marked
            continue
        assert len(one.report.candidates) == len(position.legal_moves)
        if name == "clobber-win":
            right = [move for move in position.legal_moves if not wins(position.play(move))]
            assert sorted(one.right) == sorted(position.write_moves(right))
        elif name == "pente-win":
            assert sorted(one.right) == sorted(fives(position, 3))
        else:
            values = {each.move: each.value.amount for each in one.report.candidates}
            assert values == {
                position.game.write_move(move): -best(position.play(move)) for move in position.legal_moves
            }
            assert one.right == (max(values, key=lambda move: values[move]),)


def best(position: tengen.Position, alpha: float = -100.0, beta: float = 100.0) -> float:
    """The discs that whoever is to move can get more than the other, by plain alpha-beta over the rules."""
    if position.outcome is not None:
        return position.outcome.score * (1 if position.to_move == 0 else -1)
    for move in position.legal_moves:
        alpha = max(alpha, -best(position.play(move), -beta, -alpha))
        if alpha >= beta:
            break
    return alpha


def test_puzzles_are_made_a_few_ahead_and_then_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    tries = 0

    async def compose(host: EngineHost, random: Random) -> Puzzle | None:
        nonlocal tries
        tries += 1
        if tries > 40:
            raise TengenError("out of ideas")
        made = puzzle(tries, "counted")
        return None if tries % 2 else Puzzle("counted", "go", {"size": tries}, (), "?", ("a1",), made.report)

    monkeypatch.setattr(puzzles, "_kinds", dict(puzzles._kinds))
    register_puzzles(PuzzleKind("counted", "Counted", "go", "", compose))

    async def solve(store: Store, host: EngineHost) -> None:
        sessions = GameSessions(store, host, VisitorCache(None))
        solved = []
        for number in range(20):
            found = await sessions.puzzle_stock.next("counted", "ann")
            assert found is not None
            solved.append(found.id)
            store.answer_puzzle(found.id, "ann", "b2")
            if number == 0:
                await asyncio.sleep(0.2)
                assert tries <= 2 * 7 + 1  # six ahead of whoever solves them
        with pytest.raises(TengenError, match="out of ideas"):
            await sessions.puzzle_stock.next("counted", "ann")
        assert len(set(solved)) == len(solved) == 20
        again = await sessions.puzzle_stock.next("counted", "ann", missed=True)
        assert again is not None
        assert again.id == solved[0]
        with pytest.raises(OptionError, match="no puzzles"):
            await sessions.puzzle_stock.next("nothing", "ann")
        await sessions.close()

    with Store.in_memory() as store, EngineHost(1) as host:
        asyncio.run(solve(store, host))
