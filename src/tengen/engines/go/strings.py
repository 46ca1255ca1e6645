"""The player that thinks in strings: it reads what is urgent, weighs what is big, and plays what is worth most.

The founding text's global move, in its five steps: update the status of the strings; the worth of urgent moves;
find big moves; their worth; play the best. All that led to the move is in its report.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any, ClassVar

from tengen.core.diagram import Point
from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.engines.go.board import Array
from tengen.engines.go.influence import overlays
from tengen.engines.go.likely import likely_moves
from tengen.engines.go.reading.status import Status, StatusBoard, StringStatus
from tengen.engines.go.worth import Appraiser, dead_stones, urgent_moves
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


SETTLED = 0.9
"""A point that is one side's in so much of all games, more or less, is settled."""


class StringEngine(Engine):
    """Plays the urgent or big move that is worth most, and says why."""

    name: ClassVar[str] = "strings"
    summary: ClassVar[str] = "reads strings, weighs urgent and big moves by narrow searches, and says why"
    deepens: ClassVar[bool] = False
    tunables: ClassVar[tuple[Tunable, ...]] = (
        Tunable("big", 16, 1, 400, "big moves that are weighed, the likeliest ones"),
        Tunable("playouts", 6000, 1, 1_000_000, "games to the end for the scores of all moves together"),
    )

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._board: StatusBoard | None = None  # kept from move to move: strings that did not change

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
        assert isinstance(position.game, Go)
        if self._board is None or self._board.game != position.game:
            self._board = StatusBoard(position.game)
        budget = Budget(limits, stop)
        strings = self._board.update(position)
        appraiser = Appraiser(position, budget, self.settings["playouts"])
        big = self._big_moves(position, appraiser.owners, allowed)
        urgent = {move: reason for move, reason in urgent_moves(position, strings).items() if move in allowed}
        appraiser.add(urgent | {move: "big" for move in big if move not in urgent})
        while appraiser.go_on():
            if on_progress is not None and budget.progress_due():
                on_progress(self._report(position, strings, appraiser, allowed, budget.seconds))
        return self._report(position, strings, appraiser, allowed, budget.seconds)

    def _big_moves(self, position: Position, owners: Array, allowed: set[Move]) -> list[Move]:
        """The likeliest moves; none where all around is one side's for sure: a stone there changes nothing."""
        height, width = owners.shape

        def is_open(point: Point) -> bool:
            around = [
                owners[row, column]
                for column, row in (point, *_beside(point))
                if 0 <= column < width and 0 <= row < height
            ]
            return bool(min(around) < SETTLED and max(around) > -SETTLED)

        order = (
            move
            for move in likely_moves(position, len(position.legal_moves))
            if move in allowed and is_open(position.game.points(move)[0])
        )
        return list(islice(order, self.settings["big"]))

    # ---- what it says

    def _report(
        self,
        position: Position,
        strings: Sequence[StringStatus],
        appraiser: Appraiser,
        allowed: set[Move],
        seconds: float,
    ) -> Report:
        game, found = position.game, appraiser.found()
        left = Value.heuristic(round(appraiser.left, 1), "points")
        candidates = [
            Candidate(
                game.write_move(worth.move),
                Value.heuristic(round(worth.score, 1), "points"),
                tuple(game.write_move(move) for move in worth.line),
                reason=f"{worth.reason}, worth {worth.worth:.1f}",
            )
            for worth in found
            if worth.worth > 0
        ]
        if not candidates:
            candidates = _clean(position, strings, allowed, left)
        if PASS in allowed:
            candidates.append(Candidate("pass", left, ("pass",), reason="nothing is worth a move"))
        if not candidates:
            move = game.write_move(found[0].move if found else min(allowed))
            candidates.append(Candidate(move, left, (move,)))
        return Report(
            engine=self.name,
            best=candidates[0].move,
            value=candidates[0].value,
            candidates=tuple(candidates),
            nodes=appraiser.games,
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


def _clean(
    position: Position, strings: Sequence[StringStatus], allowed: set[Move], left: Value
) -> list[Candidate]:
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
                    return [Candidate(name, left, (name,), reason="takes dead stones off")]
    return []


def _status_overlay(strings: Sequence[StringStatus]) -> Overlay:
    return Overlay.of(
        "status",
        {point: LABELS[string.status] for string in strings if string.status in LABELS for point in string.stones},
    )
