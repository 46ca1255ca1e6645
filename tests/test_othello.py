"""Othello: the rules against a second, simple implementation, known counts, notation, reasons, a golden game.

The golden game is written anew, after a change that is meant to alter it, by `python -m tests.test_othello`.
"""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tengen.core.compiled.generic import evaluate, is_over, key, play, random_move, score
from tengen.core.compiled.kernel import kernel
from tengen.core.compiled.rng import below, make_rng
from tengen.core.diagram import Stone
from tengen.core.errors import GameOver, IllegalMove, OptionError, PositionError, TengenError, UnreadableMove
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.games import game
from tengen.games.othello import PASS, Othello, rules
from tengen.search.kernels.perft import count_lines
from tests.reference import othello as reference

GOLDEN = Path(__file__).parent / "golden" / "othello-8x8.txt"
SIZES = (8, 6, 4)

# Black to move wherever it says so; every one is reached by no game in particular.
BLACK_MUST_PASS = "XO--------------" "X"  # a1 b1: only White's disc is at the edge of the line
OVER_AT_ONCE = "XX--------------" "O"
WIPE_OUT = "XO--------------" "X"


# ---- the two forms of one position


def position_of(other: reference.Othello) -> Position:
    return Othello(size=other.size, board=other.squares() + other.mover).start()


def bit_board(names: list[str]) -> int:
    return sum(1 << ("abcdefgh".index(name[0]) + 8 * (int(name[1]) - 1)) for name in names)
