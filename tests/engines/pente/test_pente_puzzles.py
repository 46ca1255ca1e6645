"""Pente puzzles: all solutions are known, bundled ones are correct, files round-trip."""

from __future__ import annotations

import json

import numpy as np
import pytest

import tengen
from tengen import cli
from tengen.core.position import Position
from tengen.engines.pente.puzzles import (
    SHIPPED,
    PuzzleError,
    WinPuzzle,
    check_puzzle,
    make_puzzle,
    read_puzzles,
    shipped_puzzles,
    write_puzzles,
)
from tengen.engines.pente.search_threads import SearchThread
from tengen.engines.pente.threats.brute_force import is_claim_refuted, stones_to_win, winning_moves
from tengen.games import records
from tests.helpers.pente_positions import game_of, random_walk


def free_of_captures(moves: str) -> Position:
    game = tengen.game("pente", variant="no-capture", size=9, first="anywhere")
    return game.start().play_all(moves.split())


def wins_by_the_rules(position: Position, stones: int) -> tuple[int, ...]:
    """Moves that win in time, by playing everything."""
    found = []
    for move in position.legal_moves:
        after = position.play(move)
        if after.is_over:
            wins = after.outcome.winner == position.to_move
        else:
            wins = stones > 1 and all(
                (
                    answered.outcome.winner == position.to_move
                    if answered.is_over
                    else wins_by_the_rules(answered, stones - 1)
                )
                for answered in map(after.play, after.legal_moves)
            )
        if wins:
            found.append(move)
    return tuple(sorted(found))


def test_brute_force_matches_the_rules():
    wins = 0
    for variant, seed in (
        ("standard", 0),
        ("standard", 2),
        ("keryo", 0),
        ("keryo", 1),
        ("keryo", 2),
        ("poof", 0),
        ("boat", 5),
    ):
        for position in random_walk(game_of(variant, 6), seed, 24)[9::5]:
            for stones in (1, 2):
                found = () if position.is_over else winning_moves(position, stones)
                assert found == (() if position.is_over else wins_by_the_rules(position, stones))
                wins += len(found)
    assert wins > 0


def test_a_win_in_three_leaves_a_win_in_two_after_every_answer():
    """F5 makes two threes."""
    position = free_of_captures("C5 A1 D5 A9 F8 J1 F7 J9")
    assert stones_to_win(position) == 0
    found = winning_moves(position, 3)
    assert position.game.read_move("F5", position) in found
    rng = np.random.default_rng(1)
    for move in found[:2]:
        after = position.play(move)
        for answer in rng.choice(np.array(after.legal_moves), 8):
            assert stones_to_win(after.play(int(answer))) > 0
    assert is_claim_refuted(position, SearchThread(), threes=2) is False
    assert is_claim_refuted(position.parent.parent.parent.parent, SearchThread(), threes=0) is None


def test_bundled_puzzles_are_correct():
    puzzles = shipped_puzzles()
    assert len({puzzle.id for puzzle in puzzles}) == len(puzzles) >= 5
    assert {puzzle.stones for puzzle in puzzles} == {2, 3}
    assert json.loads(SHIPPED.read_text())["made"]["command"].startswith("tengen pente puzzles")
    for puzzle in puzzles:
        assert puzzle.side == puzzle.position.game.players[puzzle.position.to_move]
        assert puzzle.proof == ("unique" if len(puzzle.solutions) == 1 else "complete")
    for puzzle in puzzles[:: max(1, len(puzzles) // 4)]:
        check_puzzle(puzzle)


def test_a_wrong_puzzle_is_rejected():
    puzzle = shipped_puzzles()[0]
    wrong = WinPuzzle(puzzle.options, puzzle.moves, puzzle.side, puzzle.stones, ("A1",), puzzle.line)
    with pytest.raises(PuzzleError, match="win, not A1"):
        check_puzzle(wrong)
    with pytest.raises(PuzzleError, match="shorter win"):
        check_puzzle(WinPuzzle(puzzle.options, puzzle.moves, puzzle.side, puzzle.stones + 1, ("A1",), puzzle.line))


def test_an_open_three_makes_a_puzzle():
    position = free_of_captures("E5 A1 E6 A9 E7 J1")
    thread = SearchThread()
    puzzle = make_puzzle(position, thread)
    assert puzzle is not None
    assert puzzle.stones == 2
    assert puzzle.solutions == ("E8", "E4")
    assert puzzle.line[0] == puzzle.solutions[0]
    assert puzzle.position.play_all(puzzle.line).outcome.winner == position.to_move
    assert make_puzzle(position, thread, max_solutions=1) is None
    assert make_puzzle(position.parent.parent, thread) is None


def test_puzzle_file_round_trip(tmp_path):
    path = tmp_path / "puzzles.json"
    write_puzzles(path, shipped_puzzles(), {"command": "none"})
    assert read_puzzles(path) == shipped_puzzles()
    path.write_text('{"puzzles": [{}]}')
    with pytest.raises(PuzzleError, match="not a file of Pente puzzles"):
        read_puzzles(path)
    with pytest.raises(PuzzleError, match="no Pente puzzles"):
        read_puzzles(tmp_path / "none.json")


def test_puzzles_are_exported_with_their_solutions(tmp_path, capfd):
    path = tmp_path / "puzzles.sgf"
    assert cli.run(["pente", "puzzles", str(path)]) == 0
    puzzle = shipped_puzzles()[0]
    assert puzzle.id in capfd.readouterr().out
    record = next(iter(records.read(path)))
    assert record.game.write_move(record.moves()[-1]) == puzzle.moves[-1]
    end = record.nodes()[len(puzzle.moves)]
    assert end.comment == puzzle.task
    solutions = [record.game.write_move(child.move) for child in end.children if child.move is not None]
    assert tuple(solutions) == puzzle.solutions
    texts = [record.game.write_move(move) for move in record.moves((1,))]  # the first variation
    assert texts == [*puzzle.moves, *puzzle.line]
    assert cli.run(["pente", "puzzles", str(path), "variant=keryo"]) == 2
    assert "give --games as well" in capfd.readouterr().err


def test_exported_puzzles_are_solved(tmp_path, capfd):
    path = tmp_path / "puzzles.sgf"
    cli.run(["pente", "puzzles", str(path)])
    capfd.readouterr()
    puzzle = shipped_puzzles()[3]
    assert cli.run(["solve", str(path), "-n", "4"]) == 0
    out = capfd.readouterr().out
    assert f"4  {puzzle.solutions[0]}" in out
    assert "1 solved" in out


def test_a_puzzle_is_shown_with_board_and_moves(capfd):
    puzzle = shipped_puzzles()[0]
    assert cli.run(["pente", "puzzles", puzzle.id]) == 0
    out = capfd.readouterr().out
    assert "19 " in out
    assert f"moves  {puzzle.moves[0]} {puzzle.moves[1]}" in out
    assert f"line   {' '.join(puzzle.line)}" in out
    assert shipped_puzzles()[1].id not in out
    assert cli.run(["pente", "puzzles", "pente-0123456789"]) == 2
    assert "there is no puzzle pente-0123456789" in capfd.readouterr().err
    assert cli.run(["pente", "puzzles", puzzle.id, "--games", "1"]) == 2


def test_options_and_file_arguments(tmp_path, capfd):
    path = tmp_path / "puzzles.json"
    few = ["--games", "1", "--nodes", "50"]
    assert cli.run(["pente", "puzzles", "variant=keryo", "size=9", *few]) == 0
    assert cli.run(["pente", "puzzles", "variant=keryo", str(path), "size=9", *few]) == 0
    assert '"command": "tengen pente puzzles variant=keryo size=9 --games 1' in path.read_text()
    assert cli.run(["pente", "puzzles", "variant=keryo"]) == 2
    assert "game options are only for new puzzles" in capfd.readouterr().err
    assert cli.run(["pente", "puzzles", "one.json", "two.json"]) == 2
    assert "only one output file" in capfd.readouterr().err
