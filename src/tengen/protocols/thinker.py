"""The engine behind a protocol, and how long it thinks about a move."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

from tengen.core.compiled.cache import compile_listener
from tengen.core.game import Game
from tengen.core.position import Position
from tengen.players.choice import USUAL, Choice
from tengen.runtime.warmup import prepare
from tengen.search.engine import Engine, OnProgress
from tengen.search.limits import Limits, StopFlag
from tengen.search.report import Report


class Thinker:
    """An engine that lasts as long as its game; a new game gets a fresh one."""

    def __init__(self, choice: Choice, game: Game) -> None:
        self.choice = choice
        self.game = game
        self._others: dict[str, Any] = {}
        self.forget()

    def forget(self, game: Game | None = None) -> None:
        """A new game, or the same again: nothing that the engine learned in the last one."""
        wanted = self.game if game is None else game
        self.engine = self.choice.create(wanted, **self._others)
        self.game, self.name = wanted, self.choice.name_for(wanted)

    def engine_for(self, game: Game) -> Engine:
        """The engine, changed if another plays this game. Raises `OptionError` if the chosen one does not."""
        if self.choice.name_for(game) != self.name:
            self.forget(game)
        return self.engine

    def set(self, **settings: Any) -> None:
        """Settings from the other program; those that this engine does not have are left out."""
        known = {tunable.name: tunable for tunable in self.engine.tunables}
        fitting = {name: known[name].check(value) for name, value in settings.items() if name in known}
        self._others.update(fitting)
        self.forget()

    def set_threads(self, threads: int) -> None:
        """As many of them as the engine can use."""
        self.choice = replace(self.choice, threads=max(1, min(threads, self.engine.max_threads)))
        self.forget()

    def own_limits(self, *, timed: bool = False) -> Limits:
        """What the user's level allows; where another program keeps the time, nothing if there is no level."""
        if self.choice.level is not None:
            return self.choice.level.limits()
        return Limits() if timed else USUAL.limits()

    def warm_up(self, position: Position) -> None:
        """Compile what a game from here needs, by an engine of its own; say so if it takes long."""
        told: list[str] = []

        def tell(kernel: str) -> None:
            if not told:
                print("tengen: compiling for this machine, once; this takes a minute", file=sys.stderr, flush=True)
            told.append(kernel)

        with compile_listener(tell):
            prepare(self.choice.create(position.game), position)

    def search(
        self, position: Position, limits: Limits, stop: StopFlag, on_progress: OnProgress | None = None
    ) -> Report:
        return self.engine_for(position.game).search(position, limits, stop=stop, on_progress=on_progress)
