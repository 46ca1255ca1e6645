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
from tengen.engines.go.mcts.candidates import moves_by_prior
from tengen.engines.go.reading.status import Status, StatusBoard, StringStatus, dead_stones
from tengen.engines.go.strings.move_values import Appraiser, urgent_moves
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
        appraiser = Appraiser(position, budget, self.settings["playouts"], self.seed)
        wanted = {move: reason for move, reason in urgent_moves(position, strings).items() if move in allowed}
        for move in self._big_moves(position, appraiser.settled, allowed):
            wanted.setdefault(move, "big")
        appraiser.add(wanted)

        def report() -> Report:
            return self._report(position, strings, appraiser, wanted, allowed, budget.seconds)

        while appraiser.go_on():
            if on_progress is not None and budget.progress_due():
                on_progress(report())
        return report()

    def _big_moves(self, position: Position, settled: Array, allowed: set[Move]) -> list[Move]:
        """The likeliest moves; none where all around is one side's for sure: a stone there changes nothing."""

        def is_open(point: Point) -> bool:
            around = {int(settled[row, column]) for column, row in (point, *_beside(position, point))}
            return around not in ({1}, {-1})

        order = (
            move
            for move in moves_by_prior(position, len(position.legal_moves))
            if move in allowed and is_open(position.game.points(move)[0])
        )
        return list(islice(order, self.settings["big"]))

    # ---- what it says

    def _report(
        self,
        position: Position,
        strings: Sequence[StringStatus],
        appraiser: Appraiser,
        wanted: dict[Move, str],
        allowed: set[Move],
        seconds: float,
    ) -> Report:
        game, found = position.game, appraiser.found()
        left = Value.heuristic(round(appraiser.left, 1), "points")
        moves = [
            Candidate(
                game.write_move(worth.move),
                Value.heuristic(round(worth.score, 1), "points"),
                tuple(game.write_move(move) for move in worth.line),
                reason=f"{worth.reason}, worth {worth.worth:.1f}",
            )
            for worth in found
        ]
        gains = sum(worth.worth > 0 for worth in found)
        first: list[Candidate] = []
        if not gains:
            first = _unweighed(position, wanted, left) if not found else []
            first = first or _clean(position, strings, appraiser.settled, allowed, left)
        passes = [Candidate("pass", left, ("pass",), reason="nothing is worth a move")] if PASS in allowed else []
        candidates = [*moves[:gains], *first, *passes, *moves[gains:]] or _unweighed(
            position, {min(allowed): "given"}, left
        )
        return Report(
            engine=self.name,
            best=candidates[0].move,
            value=candidates[0].value,
            candidates=tuple(candidates),
            nodes=appraiser.games,
            seconds=seconds,
            overlays=(
                _status_overlay(strings),
                Overlay.from_points("worth", {game.points(one.move)[0]: round(one.worth, 1) for one in found}),
                *overlays(position, dead_stones(strings)),
            ),
        )


def _beside(position: Position, point: Point) -> list[Point]:
    game, (column, row) = position.game, point
    assert isinstance(game, Go)
    around = ((column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1))
    return [(x, y) for x, y in around if 0 <= x < game.width and 0 <= y < game.height]


def _unweighed(position: Position, wanted: dict[Move, str], left: Value) -> list[Candidate]:
    """The first of the moves that come into question, where there was no time to look at any."""
    for move, reason in wanted.items():
        name = position.game.write_move(move)
        return [Candidate(name, left, (name,), reason=f"{reason}, not weighed")]
    return []


def _clean(
    position: Position, strings: Sequence[StringStatus], settled: Array, allowed: set[Move], left: Value
) -> list[Candidate]:
    """Under area rules stones that stay count: dead ones of the enemy are taken off before the last pass.

    Dead are those that are read so, and those on points that are ours in nearly all games.
    """
    game, ours = position.game, 1 - 2 * position.to_move
    assert isinstance(game, Go)
    if game.scoring != "area":
        return []
    lost = dead_stones(strings)
    dead = [
        string
        for string in strings
        if string.player != position.to_move
        and (string.stones <= lost or all(settled[row, column] == ours for column, row in string.stones))
    ]
    for string in sorted(dead, key=lambda string: (string.liberties, sorted(string.stones))):
        for stone in sorted(string.stones):
            for point in _beside(position, stone):
                move = game.point(point)
                if move in allowed:
                    name = game.write_move(move)
                    return [Candidate(name, left, (name,), reason="takes dead stones off")]
    return []


def _status_overlay(strings: Sequence[StringStatus]) -> Overlay:
    return Overlay.from_points(
        "status",
        {point: LABELS[string.status] for string in strings if string.status in LABELS for point in string.stones},
    )
