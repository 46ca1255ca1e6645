"""The string player: it reads strings, finds urgent and big moves, and plays the move with the highest value.

The five steps of its move are those of the original design: update the status of the strings, value urgent moves,
find big moves, value them, play the best. The report contains everything that led to the move.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.engines.go.board import Array
from tengen.engines.go.influence import overlays
from tengen.engines.go.mcts.candidates import moves_by_prior
from tengen.engines.go.mcts.passing import area_score
from tengen.engines.go.positions import adjacent_points
from tengen.engines.go.reading.status import Status, StatusTracker, StringStatus, dead_stones
from tengen.engines.go.strings.move_values import MoveEvaluator, open_moves, urgent_moves
from tengen.engines.go.strings.urgent_groups import load_group_kernels, urgent_group_moves
from tengen.games.go import PASS, Go
from tengen.search.engine import Engine, OnProgress
from tengen.search.limits import Budget, Limits, StopFlag, root_moves
from tengen.search.report import Candidate, Overlay, Report, Value
from tengen.search.tunables import Tunable

# Labels of a string's stones; strings that were not read have none.
STATUS_LABELS = {
    Status.UNCONDITIONALLY_DEAD: "††",
    Status.DEAD: "†",
    Status.URGENT: "!",
    Status.ESCAPED: "→",
    Status.SEKI: "=",
    Status.ALIVE: "✓",
    Status.UNCONDITIONALLY_ALIVE: "✓✓",
}


SEARCHED_BIG_MOVES = 4  # big moves by a short search of all moves, besides those by prior
MAX_LOSS_IF_LOST = 1.5  # points, mostly errors of the estimate, of a move that is better than a lost count
MIN_PLAYOUTS_FOR_GROUPS = 4000  # reading groups takes about as long as this many playouts


class StringEngine(Engine):
    """Plays the urgent or big move with the highest value, and explains it."""

    name: ClassVar[str] = "strings"
    summary: ClassVar[str] = mark(
        "reads strings, values urgent and big moves by narrow searches, and explains its choice"
    )
    deepens: ClassVar[bool] = False
    tunables: ClassVar[tuple[Tunable, ...]] = (
        Tunable("big_moves", 20, 1, 400, mark("number of big moves to value, by prior"), former_names=("big",)),
        Tunable("playouts", 16_000, 1, 1_000_000, mark("playouts for valuing all moves together")),
    )

    _kernels_are_loaded: ClassVar[bool] = False  # in this process

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._tracker: StatusTracker | None = None  # kept between moves: unchanged strings are not read again

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
        if self._tracker is None or self._tracker.game != position.game:
            self._tracker = StatusTracker(position.game)
        strings = self._tracker.update(position)
        self._load_kernels(position, strings, allowed)
        budget = Budget(limits, stop)
        playouts = min(self.settings["playouts"], limits.nodes or self.settings["playouts"])
        evaluator = MoveEvaluator(position, budget, playouts, self.seed)
        candidates = self._candidates(position, strings, evaluator)
        reasons = {move: reason for move, reason in candidates.items() if move in allowed}
        evaluator.add(reasons)

        def report() -> Report:
            return self._report(position, strings, evaluator, reasons, allowed, budget.seconds)

        while evaluator.step():
            if on_progress is not None and budget.progress_due():
                on_progress(report())
        return report()

    def _load_kernels(self, position: Position, strings: Sequence[StringStatus], allowed: set[Move]) -> None:
        """Load, or compile on first use, what a search needs, before its clock starts."""
        if StringEngine._kernels_are_loaded or not strings:
            return
        assert self._tracker is not None
        evaluator = MoveEvaluator(position, Budget(Limits(nodes=1_000_000), None), 1, self.seed)
        evaluator.add(dict.fromkeys(sorted(allowed)[:1], ""))
        load_group_kernels(position, self._tracker, strings)
        StringEngine._kernels_are_loaded = True

    def _candidates(
        self, position: Position, strings: Sequence[StringStatus], evaluator: MoveEvaluator
    ) -> dict[Move, str]:
        """Urgent and big moves with their reasons."""
        assert self._tracker is not None
        reasons = urgent_moves(position, strings)
        if evaluator.max_playouts >= MIN_PLAYOUTS_FOR_GROUPS and evaluator.has_time:
            reasons = urgent_group_moves(position, self._tracker, strings, evaluator) | reasons
        moves = [*evaluator.best_moves(SEARCHED_BIG_MOVES), *moves_by_prior(position, len(position.legal_moves))]
        big = open_moves(position, dict.fromkeys(moves), evaluator.settled)[: self.settings["big_moves"]]
        return reasons | {move: mark("big") for move in big if move not in reasons}

    def _report(
        self,
        position: Position,
        strings: Sequence[StringStatus],
        evaluator: MoveEvaluator,
        reasons: dict[Move, str],
        allowed: set[Move],
        seconds: float,
    ) -> Report:
        game, found = position.game, evaluator.move_values()
        assert isinstance(game, Go)
        pass_value = Value.heuristic(round(evaluator.pass_score, 1), "points")
        moves = [
            Candidate(
                game.write_move(one.move),
                Value.heuristic(round(one.score, 1), "points"),
                tuple(game.write_move(move) for move in one.line),
                reason=mark("{reason}, worth {points:.1f}").format(reason=one.reason, points=one.value),
            )
            for one in found
        ]
        # Under area rules a move that gains nothing costs nothing: where the count would be a loss, play goes on.
        is_lost = game.scoring == "area" and area_score(position) < 0
        least = -MAX_LOSS_IF_LOST if is_lost else 0
        gains = next((index for index, one in enumerate(found) if one.value <= least), len(found))
        first: list[Candidate] = []
        if not gains:
            first = _unevaluated(position, reasons, pass_value) if not found else []
            first = first or _capture_dead_stones(position, strings, evaluator.settled, allowed, pass_value)
        passes = (
            [Candidate("pass", pass_value, ("pass",), reason=mark("no move gains points"))]
            if PASS in allowed
            else []
        )
        candidates = [*moves[:gains], *first, *passes, *moves[gains:]] or _unevaluated(
            position, {min(allowed): "given"}, pass_value
        )
        return Report(
            engine=self.name,
            best=candidates[0].move,
            value=candidates[0].value,
            candidates=tuple(candidates),
            nodes=evaluator.playouts,
            seconds=seconds,
            overlays=(
                _status_overlay(strings),
                Overlay.from_points("worth", {game.points(one.move)[0]: round(one.value, 1) for one in found}),
                *overlays(position, dead_stones(strings)),
            ),
        )


def _unevaluated(position: Position, reasons: dict[Move, str], value: Value) -> list[Candidate]:
    """The first candidate move, for searches that had no time to evaluate any."""
    for move, reason in reasons.items():
        name = position.game.write_move(move)
        return [Candidate(name, value, (name,), reason=mark("{reason}, not evaluated").format(reason=reason))]
    return []


def _capture_dead_stones(
    position: Position, strings: Sequence[StringStatus], settled: Array, allowed: set[Move], value: Value
) -> list[Candidate]:
    """A move towards capturing dead enemy stones, which count as alive under area rules.

    Dead are strings that reading calls dead, and those on points that are settled for us.
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
            for point in adjacent_points(game, stone):
                move = game.point(point)
                if move in allowed:
                    name = game.write_move(move)
                    return [Candidate(name, value, (name,), reason=mark("captures dead stones"))]
    return []


def _status_overlay(strings: Sequence[StringStatus]) -> Overlay:
    labelled = [string for string in strings if string.status in STATUS_LABELS]
    return Overlay.from_points(
        "status", {point: STATUS_LABELS[string.status] for string in labelled for point in string.stones}
    )
