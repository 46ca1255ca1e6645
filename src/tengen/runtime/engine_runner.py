"""Runs an engine in this process, for consecutive games of a session."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tengen.core.game import Game
from tengen.core.position import Position
from tengen.players.config import EngineConfig
from tengen.search.limits import Limits, StopFlag
from tengen.search.report import Report

if TYPE_CHECKING:
    from tengen.search.engine import Engine, OnProgress


class EngineRunner:
    """Runs the engine of a configuration for one game after another. Each new game gets a fresh engine.

    The default engine of a game, which exists for every game, is loaded on first use: a program that only asks
    about positions starts faster without it.
    """

    def __init__(self, config: EngineConfig, game: Game) -> None:
        self.requested = config
        self._overrides: dict[str, Any] = {}
        self.game = game
        self._created: tuple[EngineConfig, Engine] | None = None
        self.reset()

    @property
    def name(self) -> str:
        return self.config.engine

    def reset(self, game: Game | None = None) -> None:
        """Create a new engine, for the same game or for `game`, which forgets what it learned."""
        game = self.game if game is None else game
        is_default = not (self.requested.engine or self.requested.settings or self._overrides)
        self._created = None if is_default else self._create(game)
        self.game = game

    def _create(self, game: Game) -> tuple[EngineConfig, Engine]:
        from tengen.players.configure import for_game
        from tengen.runtime.turn import create_engine

        config = for_game(self.requested, game)
        if self._overrides and config.program is None:
            config = replace(config, settings=tuple(sorted({**dict(config.settings), **self._overrides}.items())))
        return config, create_engine(config, game)

    @property
    def config(self) -> EngineConfig:
        if self._created is None:
            self._created = self._create(self.game)
        return self._created[0]

    @property
    def engine(self) -> Engine:
        if self._created is None:
            self._created = self._create(self.game)
        return self._created[1]

    def engine_for(self, game: Game) -> Engine:
        """The engine for `game`, replaced if necessary.

        Raises `OptionError` if the chosen one does not play it.
        """
        from tengen.players.configure import for_game

        if for_game(self.requested, game).engine != self.config.engine:
            self.reset(game)
        return self.engine

    def override(self, **settings: Any) -> None:
        """Change settings at a controller's request; those that this engine does not have are ignored."""
        known = {tunable.name: tunable for tunable in self.engine.tunables}
        self._overrides.update(
            {name: known[name].check(value) for name, value in settings.items() if name in known}
        )
        self.reset()

    def set_threads(self, threads: int) -> None:
        """Set the number of threads, limited to what the engine supports."""
        self.requested = replace(self.requested, threads=max(1, min(threads, self.engine.max_threads)))
        self.reset()

    def use_book(self, book: bool) -> None:
        """Switch the opening book on or off."""
        self.requested = replace(self.requested, book=book)
        self.reset()

    def limits(self, *, has_clock: bool = False) -> Limits:
        """The limits of its level; see `EngineConfig.limits`."""
        return self.requested.search_limits(has_clock=has_clock)

    def play(
        self,
        position: Position,
        limits: Limits,
        *,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> Report:
        """The engine's move: from its book if enabled, otherwise by search."""
        from tengen.runtime.turn import take_turn
        from tengen.runtime.warmup import compiling_together

        engine = self.engine_for(position.game)
        with compiling_together(position.game, self.config):
            return take_turn(engine, self.config, position, limits, stop=stop, on_progress=on_progress)

    def search(
        self,
        position: Position,
        limits: Limits,
        *,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> Report:
        """Search without the opening book."""
        from tengen.runtime.warmup import compiling_together

        engine = self.engine_for(position.game)
        with compiling_together(position.game, self.config):
            return engine.search(position, limits, stop=stop, on_progress=on_progress)
