"""A hundred games against GNU Go, which is partner and referee: no protocol error, the same stones, prisoners and
legal moves after every move, and the same score at the end. Ten minutes at most; needs Debian's package `gnugo`.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
import time

import pytest

import tengen
from tengen.core.diagram import Stone
from tengen.core.position import Position
from tengen.games.go import Go
from tengen.protocols.external import ExternalProgram
from tengen.protocols.external.process import ExternalProcess
from tengen.protocols.gtp.vertices import Notation, write_vertex

GAMES = 100
SECONDS = 600.0
SIZES = (5, 5, 7, 7, 9, 9, 9, 9, 13)


class Client:
    """One engine that is asked by hand."""

    def __init__(self, command: list[str]) -> None:
        self._process = ExternalProcess(ExternalProgram("gtp", tuple(command)))
        self._number = 0

    def __call__(self, command: str) -> str:
        """The answer, which is no error, and comes with the right id."""
        self._number += 1
        self._process.send(f"{self._number} {command}")
        lines = []
        while line := self._process.receive(time.monotonic() + 60):
            lines.append(line)
        assert lines[0].startswith(f"={self._number}"), f"{command}: {lines}"
        return "\n".join(lines).removeprefix(f"={self._number}").strip()

    def close(self) -> None:
        self._process.send("quit")
        self._process.close()


def stones_of(position: Position, stone: Stone) -> set[str]:
    size = len(position.diagram().stones)
    return {
        write_vertex((column, row), size, size)
        for row, line in enumerate(position.diagram().stones)
        for column, content in enumerate(line)
        if content is stone
    }


def score(text: str) -> float:
    return 0.0 if text[0] not in "BW" else float(text[2:]) * (1 if text[0] == "B" else -1)


def test_a_hundred_games_with_gnugo(capsys: pytest.CaptureFixture[str]) -> None:
    gnugo = shutil.which("gnugo", path=f"{os.environ['PATH']}:/usr/games")
    if gnugo is None:
        pytest.skip("gnugo is not here: install Debian's package `gnugo`, and run this again")
    seed = random.SystemRandom().randrange(1 << 32)
    dice = random.Random(seed)
    ours = Client([sys.executable, "-m", "tengen", "gtp", "--level", "60nodes", "--seed", str(seed % 1000)])
    theirs = Client([gnugo, "--mode", "gtp", "--level", "1", "--chinese-rules", "--never-resign",
                     "--positional-superko", "--seed", str(seed % 1000)])  # fmt: skip
    began = time.monotonic()
    games = moves = captured = wins = same_dead = 0
    while games < GAMES and time.monotonic() - began < SECONDS:
        size, komi = dice.choice(SIZES), dice.choice((0, 5.5, 7, 7.5))
        game = tengen.game("go", size=size, komi=komi)
        assert isinstance(game, Go)
        position = game.start()
        notation = Notation(position)
        engines = [ours, theirs] if games % 2 else [theirs, ours]
        for engine in engines:
            engine(f"boardsize {size}")
            engine("clear_board")
            engine(f"komi {komi}")
        while not position.is_over and position.ply < 3 * size * size:
            colour = "bw"[position.to_move]
            word = engines[position.to_move](f"genmove {colour}")
            engines[1 - position.to_move](f"play {colour} {word}")
            position = position.play(notation.read(word, position))
            for engine in engines:
                for name, stone in (("black", Stone.FIRST), ("white", Stone.SECOND)):
                    assert set(engine(f"list_stones {name}").split()) == stones_of(position, stone)
                for player, name in enumerate(("black", "white")):
                    assert int(engine(f"captures {name}")) == position.state.captured[player]
            if not position.is_over:
                legal = {notation.write(move).upper() for move in position.legal_moves} - {"PASS"}
                for engine in engines:
                    found = {move.upper() for move in engine(f"all_legal {'bw'[position.to_move]}").split()}
                    assert found - {"PASS"} == legal, f"seed {seed}, game {games}"
        moves += position.ply
        captured += int(position.state.captured.sum())
        if position.is_over:
            result, dead = theirs("final_score"), theirs("final_status_list dead").split()
            assert game.count(position, dead).score == score(result), (
                f"seed {seed}, game {games}: {result}, {dead}"
            )
            same_dead += set(ours("final_status_list dead").split()) == set(dead)
            wins += (score(result) > 0) == (engines[0] is ours) and score(result) != 0
        games += 1
    ours.close()
    theirs.close()
    with capsys.disabled():
        print(
            f"\nGNU Go: {games} games, {moves:,} moves, {captured:,} stones captured, seed {seed}, "
            f"{time.monotonic() - began:.0f} s: no protocol error; stones, prisoners, legal moves the same after "
            f"every move, every score the same; dead stones judged alike in {same_dead} games; we won {wins}"
        )
    assert games >= 20, "too few in the time to say anything; those that were played were sound"
