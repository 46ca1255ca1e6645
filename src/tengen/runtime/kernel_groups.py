"""Groups of kernels that are compiled together, and which of them are known to be complete."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace

from tengen import games
from tengen.books.installed import has_books
from tengen.core.compiled.ready_markers import is_marked, mark_ready
from tengen.core.errors import OptionError
from tengen.core.game import Game
from tengen.core.translation import mark
from tengen.engines.registry import engines_for
from tengen.players.config import EngineConfig
from tengen.players.opponents import default_opponent

RULES, BOOK = "rules", mark("opening book")
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class KernelGroup:
    """Kernels of a game that are compiled together: of its rules, of its opening book, or of an engine."""

    game: str
    part: str
    config: EngineConfig | None = None  # of an engine

    @classmethod
    def of_engine(cls, game: str, config: EngineConfig) -> KernelGroup:
        return cls(game, config.engine, replace(config, book=False, seed=0))

    @property
    def title(self) -> str:
        return games.game_class(self.game).title

    @property
    def is_complete(self) -> bool:
        """Whether all its kernels are known to be in the cache."""
        return is_marked(self)

    def mark_complete(self) -> None:
        mark_ready(self)


def loadable_games() -> list[str]:
    """Load all games; returns their names, without plugins that cannot be loaded."""
    found = []
    for name in games.names():
        try:
            games.game_class(name)
            found.append(name)
        except OptionError as error:
            _log.warning("%s", error)
    return found


def kernel_groups(names: list[str] | None = None) -> list[KernelGroup]:
    """All groups of these games, or of all games."""
    groups = []
    for game in map(games.game, names or loadable_games()):
        groups += [KernelGroup(game.name, RULES), KernelGroup(game.name, BOOK)]
        groups += [KernelGroup.of_engine(game.name, EngineConfig(engine)) for engine in engines_for(game)]
    return groups


def groups_of_player(game: Game, config: EngineConfig) -> list[KernelGroup]:
    """The groups that an engine player of a game needs, in the order in which it needs them."""
    book = [KernelGroup(game.name, BOOK)] if config.uses_book and has_books(game) else []
    return [*book, KernelGroup.of_engine(game.name, config), KernelGroup(game.name, RULES)]


def first_groups(name: str) -> list[KernelGroup]:
    """The groups that the default opponent of a game needs."""
    return groups_of_player(games.game(name), default_opponent(name).config)


def likely_groups(first: str) -> list[KernelGroup]:
    """All groups, the most likely ones first: those of default opponents, beginning with the game `first`."""
    names = sorted(loadable_games(), key=lambda name: name != first)
    groups = [group for name in names for group in first_groups(name)]
    return list(dict.fromkeys([*groups, *kernel_groups(names)]))
