"""Rulesets as games for players: random games follow the rules of the checker; boards and moves read back."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys

import pytest

import tengen
from tengen import games
from tengen.core.errors import IllegalMove, OptionError, TengenError, UnreadableMove
from tengen.games.rulesets import RULESETS

PROGRAM = """
import random
import tengen
from tengen import games
from tengen.engines.sums.checker import GAMES, parse_position
from tengen.web.board_data import board_data

rng = random.Random(7)
for name in games.more_names():
    for _ in range(2):
        position = tengen.game(name).start()
        while not position.is_over:
            board = str(position.game.board_of(position))
            text = board.translate(str.maketrans("XO", "##")) if name == "domineering" else board
            cells = parse_position(f"{name}:{text}")[2]
            expected = {tuple(sorted(after.items())) for after in GAMES[name](cells, "XO"[position.to_move])}
            found = set()
            for move in position.legal_moves:
                after = position.play(move)
                shown = str(after.game.board_of(after))
                if name == "domineering":
                    shown = shown.translate(str.maketrans("XO", "##"))
                found.add(tuple(sorted(parse_position(f"{name}:{shown}")[2].items())))
                again = position.game.read_move(position.game.write_move(move), position)
                assert position.game.write_move(again) == position.game.write_move(move)
            assert found == expected, (name, board)
            position = position.play(rng.choice(position.legal_moves))
        assert position.outcome.winner == 1 - position.to_move
        assert tengen.game(name, board=str(position.game.board_of(position))).start().diagram().text()
data = board_data(tengen.game("amazons").start(), playable=True)
assert all(len(move) == 4 for move in data["moves"]) and not data["putsStones"]
assert "#" in board_data(tengen.game("kayles").start(), playable=False)["stones"]
print("played")
"""


def test_random_games_follow_the_rules_of_the_checker() -> None:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True)
    assert run.stdout == "played\n", run.stderr


@pytest.mark.parametrize("name", games.more_names())
def test_options(name: str) -> None:
    game = tengen.game(name)
    assert pickle.loads(pickle.dumps(game)) == game
    assert tengen.game(name, **game.options()) == game
    assert game.start().diagram().text()
    assert {option.name for option in game.user_options()} >= {"board", "first"}
    with pytest.raises(TengenError):
        tengen.game(name, board="XY")
    with pytest.raises(OptionError):
        tengen.game(name, first="Z")
    with pytest.raises(OptionError):
        tengen.game(name, size="0x5")


def test_moves_that_cannot_be_made_say_why() -> None:
    position = tengen.game("domineering", size="2x3").start()
    with pytest.raises(IllegalMove, match="domino"):
        position.play("a1-b1")
    with pytest.raises(UnreadableMove, match="not on the board"):
        position.play("a9-a8")
    with pytest.raises(UnreadableMove):
        position.play("?")


def test_every_ruleset_but_clobber_is_listed() -> None:
    assert set(games.more_names()) == set(RULESETS) - {"clobber"}
    assert not set(games.more_names()) & set(games.names())
    with pytest.raises(OptionError, match="domineering"):
        games.game("chess")
