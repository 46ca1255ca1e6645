"""Runs protocols on standard input and output. Needs no command-line parser, so that `tengen gtp` starts fast."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, closing, nullcontext
from typing import TYPE_CHECKING

from tengen.core.compiled.ready_markers import is_marked, mark_ready
from tengen.protocols.line_protocol import InputQueue, LineProtocol, run_protocol

if TYPE_CHECKING:
    from tengen.core.game import Game
    from tengen.players.config import EngineConfig
    from tengen.runtime.kernel_groups import KernelGroup


def serve(
    game: Game, config: EngineConfig, protocol: Callable[[InputQueue, Callable[[str], None]], LineProtocol]
) -> None:
    """Run a protocol, while other processes compile what the engine needs."""
    with _warm_up(game, config):
        run_protocol(protocol, sys.stdin.buffer, sys.stdout.buffer)


def serve_gtp(game: Game, config: EngineConfig) -> None:
    from tengen.protocols.gtp.server import Gtp

    serve(game, config, lambda inbox, write: Gtp(inbox, write, game, config))


def serve_default_gtp() -> None:
    """`tengen gtp` without arguments."""
    from tengen.games import game
    from tengen.players.config import EngineConfig

    serve_gtp(game("go"), EngineConfig())


def _warm_up(game: Game, config: EngineConfig) -> AbstractContextManager[object]:
    """Compiles what the engine needs; nothing if a marker says that all of it is in the cache."""
    player = (game.describe(), config)
    if is_marked(player):
        return nullcontext()
    from tengen.players.configure import for_game
    from tengen.runtime.background_warmup import BackgroundWarmUp
    from tengen.runtime.kernel_groups import groups_of_player

    def groups() -> list[KernelGroup]:
        found = groups_of_player(game, for_game(config, game))
        if all(group.is_complete for group in found):
            mark_ready(player)
        return found

    return closing(BackgroundWarmUp(groups))
