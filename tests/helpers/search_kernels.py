"""Small runs of every search kernel, as data that can be compared between processes.

`python -m tests.helpers.search_kernels` prints the results as JSON.
"""

from __future__ import annotations

import json
import pkgutil
from importlib import import_module
from pathlib import Path

import numpy as np
from numba.core.dispatcher import Dispatcher

import tengen.search.kernels
from tengen.core.compiled.cache import KernelCache
from tengen.core.compiled.rng import make_rng
from tengen.core.position import Position
from tengen.engines.registry import create
from tengen.games import game
from tengen.search.kernels import perft, playout
from tengen.search.kernels.network import run_forward
from tengen.search.kernels.reference import reference_loop
from tengen.search.limits import Limits
from tengen.search.network.evaluator import evaluator, rectangle_neighbourhoods
from tengen.search.network.weights import NetworkShape, Weights

SOURCES = Path(tengen.__file__).parents[1]


def kernels(used: bool = False) -> list[str]:
    """The name of every kernel of search, or of those that ran in this process."""
    names = set()
    for module in pkgutil.iter_modules(tengen.search.kernels.__path__, f"{tengen.search.kernels.__name__}."):
        for value in vars(import_module(module.name)).values():
            if isinstance(value, Dispatcher) and isinstance(value._cache, KernelCache):
                if value.signatures or not used:
                    names.add(f"{value.py_func.__module__}.{value.py_func.__qualname__}")
    return sorted(names)


STARTS = {
    "clobber": lambda: game("clobber", size=8).start(),
    "othello": lambda: game("othello", size=4).start().play("b1"),
    "go": lambda: game("go", size=3, komi=0, ko="situational").start().play("B2"),
}


def results(rules: str) -> dict[str, object]:
    """What every kernel finds in a tiny run; fit for JSON."""
    position = STARTS[rules]()
    found: dict[str, object] = {}
    for name, settings, nodes in (
        ("alphabeta", {"table": 1}, 120),
        ("flat", {}, 12),
        ("uct", {}, 40),
        ("uct", {"rave": 100, "bias": 1.0}, 40),
    ):
        engine = create(name, seed=9, **settings)
        for at in (position, position.play(position.legal_moves[0])):  # the second time with the tree kept
            report = json.loads(engine.search(at, Limits(nodes=nodes, lines=2)).to_json())
            del report["seconds"]
            found[f"{name} {settings} after {at.ply}"] = report
    found["reference loop"] = int(reference_loop(100))
    stop = np.zeros(1, np.int64)
    stack, moves, keys = perft_scratch(position, 3)
    found["perft"] = int(perft.count_lines(stack, moves, keys, len(position.repeat_keys), 3, stop))
    states = np.array([position.state, position.state])
    for uniform in (True, False):
        rng = make_rng(4)
        counts = playout.random_games(states, 5, position.game.max_playout_length, uniform, rng, stop)
        found[f"random games, uniform {uniform}"] = [*map(int, counts), int(rng[0])]
    found["network"] = network_logits()
    return found


def network_logits() -> list[float]:
    """Results of a tiny network with small whole numbers, which are exact in any order of addition."""
    shape = NetworkShape(features=2, inputs=1, channels=2, blocks=1, hidden=1, value_hidden=1)
    arrays = {
        name: (np.arange(np.prod(sizes)) % 3 - 1).reshape(sizes).astype(np.float32)
        for name, sizes in shape.array_shapes().items()
    }
    network = evaluator(Weights(shape, arrays, "test 1"), rectangle_neighbourhoods(3, 2))
    network.features[:-1] = np.eye(6, 2, dtype=np.float32)
    network.inputs[:] = 1
    run_forward(network)
    return [round(float(logit), 4) for logit in network.logits]


def perft_scratch(position: Position, depth: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    stack = np.zeros(depth + 1, position.game.record)
    stack[0] = position.state
    keys = np.concatenate([position.repeat_keys, np.zeros(depth + 1, np.uint64)])
    return stack, np.zeros((depth + 1, position.game.max_legal_moves), np.int32), keys


if __name__ == "__main__":
    print(json.dumps({rules: results(rules) for rules in STARTS}))
