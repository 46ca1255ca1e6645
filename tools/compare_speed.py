"""Compare the speed of two checkouts: python tools/compare_speed.py OLD NEW [--rounds 5] [--only TEXT]

OLD and NEW are folders that contain `src/tengen`; both run in this Python environment, each in its own process.
Every round runs a task in both, so that a noisy machine slows both alike. A task is a fixed amount of work,
measured in CPU seconds; the figure is the median over the rounds of NEW / OLD, with the quartiles. If the counts
(nodes, simulations, moves) differ, the two do different work.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

FIRST_RUNS = 1  # not measured: they compile and fill caches


def _endgames() -> int:
    """Sixteen random Othello positions with 20 empty squares, solved exactly."""
    import tengen
    from tengen.engines.registry import create

    nodes = 0
    rng = random.Random(20)
    for _ in range(16):
        position = tengen.game("othello").start()
        while position.ply < 40 and not position.is_over:
            position = position.play(rng.choice(position.legal_moves))
        nodes += create("othello", table=64).search(position, tengen.Limits(depth=60)).nodes
    return nodes


def _search(game: str, engine: str, moves: str = "", **options: Any) -> Callable[[], int]:
    """A search of a fixed number of nodes with a new engine."""

    def run() -> int:
        import tengen
        from tengen.engines.registry import create

        settings = {name: options[name] for name in options if name in ("table", "seed")}
        rules = {name: options[name] for name in options if name not in ("table", "seed", "nodes")}
        position = tengen.game(game, **rules).start()
        for move in moves.split():
            position = position.play(move)
        return int(create(engine, **settings).search(position, tengen.Limits(nodes=options["nodes"])).nodes)

    return run


def _playouts(size: int, heavy: bool, games: int) -> Callable[[], int]:
    def run() -> int:
        import tengen
        from tengen.engines.go.mcts.playouts import Playouts

        playouts = Playouts(tengen.game("go", size=size).start(), seed=1, heavy=heavy, owners=False)
        playouts.run(games)
        return playouts.moves

    return run


def _clobber(boards: Callable[[], list[str]]) -> Callable[[], int]:
    def run() -> int:
        from tengen.engines.clobber.solver import Solver

        solver = Solver()
        for board in boards():
            assert solver.mover_wins(board) is not None
        return int(solver.nodes)

    return run


def _random_boards() -> list[str]:
    rng = random.Random(260)
    return ["".join(rng.choice("XO") for _ in range(60)) for _ in range(260)]


PENTE = "K10 L11 M9 L9 K12 L12 L10 K11 N8 J10 L13 M10 O7 P6 J11"

TASKS: dict[str, Callable[[], int]] = {
    "othello: 16 endgames of 20 empties": _endgames,
    "othello: midgame nodes": _search("othello", "othello", "f5 d6 c3", table=16, nodes=6_000_000),
    "go 9x9: light playouts": _playouts(9, False, 100_000),
    "go 9x9: heavy playouts": _playouts(9, True, 20_000),
    "go 19x19: light playouts": _playouts(19, False, 20_000),
    "go 19x19: heavy playouts": _playouts(19, True, 5_000),
    "go 9x9: simulations": _search("go", "go", size=9, seed=1, nodes=20_000),
    "go 19x19: simulations": _search("go", "go", size=19, seed=1, nodes=5_000),
    "pente: nodes": _search("pente", "pente", PENTE, table=16, nodes=1_000_000),
    "connect6: nodes": _search("pente", "pente", "K10", variant="connect6", table=16, nodes=1_000_000),
    "clobber: (XO)^34": _clobber(lambda: ["XO" * 34]),
    "clobber: 260 random boards of 60 cells": _clobber(_random_boards),
    "uct: othello": _search("othello", "uct", seed=1, nodes=250_000),
    "uct: go 9x9": _search("go", "uct", size=9, seed=1, nodes=60_000),
    "uct: clobber 1x20": _search("clobber", "uct", size=20, seed=1, nodes=300_000),
    "uct: pente": _search("pente", "uct", seed=1, nodes=60_000),
    "alphabeta: othello": _search("othello", "alphabeta", table=16, nodes=5_000_000),
    "alphabeta: go 9x9": _search("go", "alphabeta", size=9, table=16, nodes=500_000),
}


class Checkout:
    """A process that runs tasks with the code of one checkout."""

    def __init__(self, folder: Path) -> None:
        source = folder.resolve() / "src"
        if not (source / "tengen").is_dir():
            sys.exit(f"{folder} has no src/tengen")
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--serve"],
            env=os.environ | {"PYTHONPATH": str(source)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, task: str) -> tuple[float, int]:
        """CPU seconds and count of one run."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(task, file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        if not line:
            sys.exit(f"the process that ran {task!r} failed")
        seconds, count = json.loads(line)
        return seconds, count

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(60)


def _serve() -> None:
    for line in sys.stdin:
        started = time.process_time()
        count = TASKS[line.rstrip("\n")]()
        print(json.dumps([time.process_time() - started, count]), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="only tasks whose name contains this text")
    arguments = parser.parse_args()
    print(f"{'task':42}{'old':>9}{'new':>9}  {'new / old':20}count")
    for task in [name for name in TASKS if arguments.only in name]:
        checkouts = [Checkout(arguments.old), Checkout(arguments.new)]
        for _ in range(FIRST_RUNS):
            counts = [checkout.run(task)[1] for checkout in checkouts]
        seconds: list[list[float]] = [[], []]
        for number in range(arguments.rounds):
            for index in (0, 1) if number % 2 == 0 else (1, 0):
                seconds[index].append(checkouts[index].run(task)[0])
        for checkout in checkouts:
            checkout.close()
        ratios = [new / old for old, new in zip(*seconds, strict=True)]
        low, middle, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
        same = f"{counts[0]:,}" if counts[0] == counts[1] else f"{counts[0]:,} -> {counts[1]:,}"
        medians = "".join(f"{statistics.median(one):8.3f}s" for one in seconds)
        print(f"{task:42}{medians}  {middle:.3f} ({low:.3f}-{high:.3f})  {same}", flush=True)


if __name__ == "__main__":
    _serve() if sys.argv[1:] == ["--serve"] else main()
