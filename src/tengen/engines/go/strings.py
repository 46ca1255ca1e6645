"""The player that thinks in strings: it reads what is urgent, weighs what is big, and plays what is worth most.

The founding text's global move, in its five steps: update the status of the strings; the worth of urgent moves;
find big moves; their worth; play the best. All that led to the move is in its report.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, ClassVar

from tengen.core.diagram import Point
from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.engines.go.influence import estimate, overlays
from tengen.engines.go.likely import likely_moves
from tengen.engines.go.reading.status import Status, StatusBoard, StringStatus
from tengen.engines.go.worth import Appraiser, Worth, dead_stones
from tengen.games.go import PASS, Go
from tengen.search.engine import Engine, OnProgress
from tengen.search.limits import Budget, Limits, StopFlag, root_moves
from tengen.search.report import Candidate, Overlay, Report, Value
from tengen.search.tunables import Tunable

LABELS = {
    Status.UNCONDITIONALLY_DEAD: "††",
    Status.DEAD: "†",
    Status.URGENT: "!",
    Status.ESCAPED: "→",
    Status.SEKI: "=",
    Status.ALIVE: "✓",
    Status.UNCONDITIONALLY_ALIVE: "✓✓",
}
"""What stands on the stones of a string. Strings that no reader takes have no label."""


class StringEngine(Engine):
    """Plays the urgent or big move that is worth most, and says why."""

    name: ClassVar[str] = "strings"
    summary: ClassVar[str] = "reads strings, weighs urgent and big moves by influence, and says why"
    deepens: ClassVar[bool] = False
    tunables: ClassVar[tuple[Tunable, ...]] = (
        Tunable("big", 16, 1, 400, "big moves that are weighed, the likeliest ones"),
        Tunable("width", 3, 1, 20, "answers that are tried to a big move"),
        Tunable("follow", 0, 0, 8, "moves that are searched after a big one"),
        Tunable("playouts", 400, 0, 100_000, "games to the end for each score; 0: by influence alone"),
    )

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._boards: dict[Game, tuple[StatusBoard, Appraiser]] = {}

    @classmethod
    def plays(cls, game: Game) -> bool:
        return game.name == "go"

    def search(
        self,
        position: Position,
        limits: Limits,
        *,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> Report:
        allowed = set(root_moves(position, limits))
        limits.check_without_depth(self.name, stop or StopFlag())
        board, appraiser = self._board(position.game)
        budget = Budget(limits, stop)
        strings = board.update(position)
        now = appraiser.score(position, position.to_move) * (1 if position.to_move == 0 else -1)
        found = {worth.move: worth for worth in _by_worth(appraiser.urgent(position, strings), allowed)}
        dead = dead_stones(strings)
        for move in self._big_moves(position, dead, found, allowed):
            if budget.is_spent:
                break
            started = time.perf_counter()
            worth = appraiser.big(position, move, dead)
            budget.count(1, time.perf_counter() - started)
            if worth is not None:
                found[worth.move] = worth
            if on_progress is not None and budget.progress_due():
                on_progress(self._report(position, strings, list(found.values()), allowed, now, budget.seconds))
        return self._report(position, strings, list(found.values()), allowed, now, budget.seconds)

    def _board(self, game: Game) -> tuple[StatusBoard, Appraiser]:
        """What is kept from move to move of a game: statuses of strings that did not change."""
        assert isinstance(game, Go)
        if game not in self._boards:
            self._boards.clear()
            width, depth, playouts = (self.settings[name] for name in ("width", "follow", "playouts"))
            appraiser = Appraiser(game, width=width, depth=depth, playouts=playouts)
            self._boards[game] = StatusBoard(game), appraiser
        return self._boards[game]

    def _big_moves(
        self, position: Position, dead: frozenset[Point], urgent: dict[Move, Worth], allowed: set[Move]
    ) -> list[Move]:
        """Likely moves that are not urgent, nor beside dead stones, which are gone without them, nor where all
        around is one side's: a stone there changes nothing.
        """
        near = {beside for point in dead for beside in _beside(point)}
        owners = estimate(position, dead).owners
        height, width = owners.shape

        def is_open(point: Point) -> bool:
            around = {
                int(owners[row, column])
                for column, row in (point, *_beside(point))
                if 0 <= column < width and 0 <= row < height
            }
            return around not in ({1}, {-1}) and point not in near

        order = (
            move
            for move in likely_moves(position, len(position.legal_moves))
            if move in allowed and move not in urgent and is_open(position.game.points(move)[0])
        )
        return [move for _, move in zip(range(self.settings["big"]), order, strict=False)]

    # ---- what it says

    def _report(
        self,
        position: Position,
        strings: Sequence[StringStatus],
        found: Sequence[Worth],
        allowed: set[Move],
        now: float,
        seconds: float,
    ) -> Report:
        game = position.game
        candidates = [
            Candidate(
                game.write_move(worth.move),
                Value.heuristic(round(worth.score, 1), "points"),
                tuple(game.write_move(move) for move in worth.line),
                reason=f"{worth.reason}, worth {worth.worth:.1f}",
            )
            for worth in _by_worth(found, allowed)
            if worth.worth > 0
        ]
        if PASS in allowed:
            candidates.append(
                Candidate(
                    "pass", Value.heuristic(round(now, 1), "points"), ("pass",), reason="nothing is worth a move"
                )
            )
        if not found or max(worth.worth for worth in found) <= 0:
            candidates = _clean(position, strings, allowed, now) + candidates
        if not candidates:
            move = game.write_move(min(allowed))
            candidates.append(Candidate(move, Value.heuristic(round(now, 1), "points"), (move,)))
        return Report(
            engine=self.name,
            best=candidates[0].move,
            value=candidates[0].value,
            candidates=tuple(candidates),
            nodes=len(found),
            seconds=seconds,
            overlays=(
                _status_overlay(strings),
                Overlay.of("worth", {game.points(one.move)[0]: round(one.worth, 1) for one in found}),
                *overlays(position, dead_stones(strings)),
            ),
        )


def _beside(point: Point) -> tuple[Point, ...]:
    column, row = point
    return (column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)


def _by_worth(found: Sequence[Worth], allowed: set[Move]) -> list[Worth]:
    """The best first; of several reasons for one move the best counts."""
    best: dict[Move, Worth] = {}
    for worth in found:
        if worth.move in allowed and (worth.move not in best or worth.worth > best[worth.move].worth):
            best[worth.move] = worth
    return sorted(best.values(), key=lambda worth: (-worth.worth, worth.move))


def _clean(position: Position, strings: Sequence[StringStatus], allowed: set[Move], now: float) -> list[Candidate]:
    """Under area rules stones that stay count: dead ones of the enemy are taken off before the last pass."""
    game = position.game
    assert isinstance(game, Go)
    if game.scoring != "area":
        return []
    dead = [string for string in strings if string.status in (Status.DEAD, Status.UNCONDITIONALLY_DEAD)]
    for string in sorted(dead, key=lambda string: (string.liberties, sorted(string.stones))):
        if string.player == position.to_move:
            continue
        for stone in sorted(string.stones):
            for point in _beside(stone):
                if not (0 <= point[0] < game.width and 0 <= point[1] < game.height):
                    continue
                move = game.point(point)
                if move in allowed:
                    name = game.write_move(move)
                    value = Value.heuristic(round(now, 1), "points")
                    return [Candidate(name, value, (name,), reason="takes dead stones off")]
    return []


def _status_overlay(strings: Sequence[StringStatus]) -> Overlay:
    return Overlay.of(
        "status",
        {point: LABELS[string.status] for string in strings if string.status in LABELS for point in string.stones},
    )
