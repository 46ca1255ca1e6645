"""Weak levels with human-like mistakes, for every game.

`CasualEngine` lets another engine choose, but not with full attention: it overlooks moves, mainly quiet ones far
from the last move; it takes a capture without further thought; it answers near the last move; it moves in haste,
without looking at replies. Values in its reports are those of the engine behind it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any, ClassVar

from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.engines import registry
from tengen.engines.move_features import gains, last_move_distances
from tengen.search.engine import Engine, OnProgress
from tengen.search.limits import Limits, StopFlag, root_moves
from tengen.search.report import Report
from tengen.search.tunables import Tunable

# A quiet move far away is overlooked with probability `overlook`, others with a share of it.
NEAR = 2  # points from the last move
NEAR_SHARE = 0.7
GAIN_SHARE = 0.7
HASTY_NODES_SHARE = 10  # a hasty move gets a tenth of the nodes
_MEMORY_MB = 16  # for the engine behind it: weak levels search little
_SIMPLE_ENGINES = {"clobber": "alphabeta", "go": "glance", "othello": "othello", "pente": "classic"}


class CasualEngine(Engine):
    """Another engine that overlooks moves, likes captures, answers nearby and moves in haste."""

    name: ClassVar[str] = "casual"
    summary: ClassVar[str] = mark(
        "imitates people: overlooks moves, likes captures, answers nearby, moves in haste"
    )
    tunables: ClassVar[tuple[Tunable, ...]] = (
        Tunable("overlook", 0.0, 0.0, 1.0, mark("chance to overlook a quiet move far away; less for others")),
        Tunable(
            "greed", 0.0, 0.0, 1.0, mark("chance to capture or flip as much as possible without further thought")
        ),
        Tunable("local", 0.0, 0.0, 1.0, mark("chance to consider only moves near the last move")),
        Tunable("haste", 0.0, 0.0, 1.0, mark("chance to move without looking at replies")),
        Tunable("simple", True, 0, 1, mark("use the simplest engine of the game instead of the strongest")),
    )

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._engine: Engine | None = None
        self._game: Game | None = None

    def search(
        self,
        position: Position,
        limits: Limits,
        *,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> Report:
        engine = self._engine_for(position.game)
        moves = root_moves(position, limits)
        if limits.lines > 1:  # an analysis
            report = engine.search(position, limits, stop=stop, on_progress=on_progress)
            return replace(report, engine=self.name)
        random = Random(f"{self.seed} {int(position.key)} {position.ply}")
        considered = considered_moves(position, moves, self.settings, random)
        if random.random() < self.settings["haste"]:
            limits = _hasty(limits)
        if len(considered) < len(moves):
            limits = replace(limits, moves=tuple(considered))
        report = engine.search(position, limits, stop=stop, on_progress=on_progress)
        return replace(report, engine=self.name)

    def _engine_for(self, game: Game) -> Engine:
        if self._engine is None or self._game != game:
            name = _SIMPLE_ENGINES.get(game.name, "") if self.settings["simple"] else ""
            if not name or not registry.can_play(name, game):
                name = registry.default_engine(game)
            kind = registry.engine_class(name)
            memory = {tunable.name: _MEMORY_MB for tunable in kind.tunables if tunable.megabytes}
            self._engine, self._game = kind(seed=self.seed, **memory), game
        return self._engine


def considered_moves(
    position: Position, moves: Sequence[Move], settings: Mapping[str, Any], random: Random
) -> Sequence[Move]:
    """The moves that come to mind, at least one that is not a pass. `settings` are those of `CasualEngine`."""
    gained = gains(position, moves)
    if random.random() < settings["greed"] and max(gained) > 0:
        return [move for move, amount in zip(moves, gained, strict=True) if amount == max(gained)]
    distances = last_move_distances(position, moves)
    is_local = random.random() < settings["local"]
    seen = []
    for move, amount, distance in zip(moves, gained, distances, strict=True):
        if not position.game.points(move):  # a pass: it always comes to mind
            seen.append(move)
            continue
        chance = settings["overlook"] * (GAIN_SHARE if amount > 0 else 1) * (NEAR_SHARE if distance <= NEAR else 1)
        if random.random() >= chance and not (is_local and distance > NEAR):
            seen.append(move)
    places = [move for move in moves if position.game.points(move)]
    if places and not any(move in places for move in seen):
        seen.append(random.choice(places))
    return seen


def _hasty(limits: Limits) -> Limits:
    """Limits for a move without a look at the replies: one ply, or fewer nodes if only they are limited."""
    nodes = None if limits.nodes is None else max(1, limits.nodes // HASTY_NODES_SHARE)
    return replace(limits, depth=1 if limits.depth is not None or nodes is None else None, nodes=nodes)
