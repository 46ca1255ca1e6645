"""The benchmarks of `bench` with OpenSpiel's C++ code, through its Python package."""

from __future__ import annotations

import random
import time
from functools import cache
from typing import Any

from tengen.core.errors import OptionError

_GAMES = {
    "othello": "othello",
    "go 9x9": "go(board_size=9,komi=7.5)",
    "go 19x19": "go(board_size=19,komi=7.5)",
    "clobber 1x20": "clobber(rows=2,columns=20)",  # it needs two rows: the second is empty
}
_CLOBBER_START = "0" + "ox" * 10 + "." * 20
_SAMPLE_GAMES = 100  # to estimate the mean length
_BATCH = 64  # games that are stepped in turn


class OpenSpielBench:
    """OpenSpiel, if it is installed."""

    def __init__(self) -> None:
        try:
            import pyspiel
        except ImportError:
            raise OptionError("open_spiel is not installed: run pip install 'tengen[compare]'") from None
        self._spiel = pyspiel

    def rate(self, label: str, what: str, seconds: float, simulations: int) -> float:
        """The rate of the same work per second; 0 if OpenSpiel has no equivalent."""
        if label not in _GAMES:
            return 0.0
        if what == "random moves":
            return self._random_moves(label, seconds)
        if what == "uct simulations":
            return self._simulations(label, seconds, simulations)
        if what == "environment steps":
            return self._steps(label, seconds)
        return 0.0

    def _random_moves(self, label: str, seconds: float) -> float:
        """Random moves per second.

        Its rollout evaluator plays many random games in C++ in a search of one simulation.
        """
        rollouts = 1
        while True:
            elapsed = self._time_search(label, rollouts=rollouts, simulations=1)
            if elapsed > seconds / 4:
                rates = [rollouts / self._time_search(label, rollouts, 1) for _ in range(4)]
                return max(rates) * self._mean_length(label)
            rollouts *= 2

    def _simulations(self, label: str, seconds: float, simulations: int) -> float:
        """Simulations per second, with as many in one search as ours, or as many as fit into the time."""
        tried = 64
        while tried < simulations and self._time_search(label, 1, tried) < seconds / 4:
            tried = min(4 * tried, simulations)
        return max(tried / self._time_search(label, 1, tried) for _ in range(4))

    def _steps(self, label: str, seconds: float) -> float:
        """Random moves per second in many games at a time, stepped from Python as its package offers.

        Without observations, which ours include.
        """
        generator = random.Random(1)
        _, start = self._start(label)
        states = [start.clone() for _ in range(_BATCH)]
        steps, began = 0, time.thread_time()
        while (passed := time.thread_time() - began) < seconds:
            for number, state in enumerate(states):
                state.apply_action(generator.choice(state.legal_actions()))
                if state.is_terminal():
                    states[number] = start.clone()
            steps += len(states)
        return steps / passed

    def _time_search(self, label: str, rollouts: int, simulations: int) -> float:
        game, state = self._start(label)
        evaluator = self._spiel.RandomRolloutEvaluator(rollouts, 1)
        bot = self._spiel.MCTSBot(game, evaluator, 1.0, simulations, 1000, False, 1, False)
        started = time.thread_time()
        bot.mcts_search(state)
        return time.thread_time() - started

    @cache  # noqa: B019
    def _mean_length(self, label: str) -> float:
        """The mean length of its random games with the same uniform policy."""
        generator = random.Random(1)
        _, start = self._start(label)
        moves = 0
        for _ in range(_SAMPLE_GAMES):
            state = start.clone()
            while not state.is_terminal():
                state.apply_action(generator.choice(state.legal_actions()))
                moves += 1
        return moves / _SAMPLE_GAMES

    def _start(self, label: str) -> tuple[Any, Any]:
        game = self._spiel.load_game(_GAMES[label])
        if label.startswith("clobber"):
            return game, game.new_initial_state(_CLOBBER_START)
        return game, game.new_initial_state()
