"""Urgent moves of groups: whether the group reader kills or saves a group depends on who moves first.

Only groups on whose survival playouts disagree are read: those of all others are settled, or far from it.
"""

from __future__ import annotations

from collections.abc import Sequence

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.engines.go.groups.group_life import GroupLife
from tengen.engines.go.reading.status import StatusTracker, StringStatus
from tengen.engines.go.reading.tactics import ATTACK_KO_MODES, Result
from tengen.engines.go.strings.move_values import MoveEvaluator
from tengen.games.go import Go

MAX_GROUPS = 2  # the largest
MIN_STONES = 3  # smaller groups are strings, which the status board reads
MAX_SIMULATIONS = 1000
UNCERTAIN = (0.1, 0.9)  # survival in playouts


def urgent_group_moves(
    position: Position, tracker: StatusTracker, strings: Sequence[StringStatus], evaluator: MoveEvaluator
) -> dict[Move, str]:
    """Moves that save or kill a group whose life depends on who moves first, each with its reason.

    `tracker` was updated with the position.
    """
    game = position.game
    assert isinstance(game, Go)
    groups = {string.group: string for string in strings if _is_uncertain(string, evaluator)}
    largest = sorted(groups, key=lambda group: (-len(group), sorted(group)))[:MAX_GROUPS]
    if not largest:
        return {}
    reader = GroupLife(position, tracker.life, MAX_SIMULATIONS)
    found: dict[Move, str] = {}
    for group in largest:
        string = groups[group]
        point = tracker.geometry.point(min(string.stones))
        attack = reader.attack(point)
        defence = reader.defend(point) if attack.result is Result.WORKS else None
        if defence is None or defence.result is not Result.WORKS:
            continue
        own = string.player == position.to_move
        chosen = defence.move if own else attack.move
        if chosen:
            move = Move(int(tracker.geometry.to_rules[chosen]))
            text = (
                mark("urgent: saves the group at {point}") if own else mark("urgent: kills the group at {point}")
            )
            found.setdefault(move, text.format(point=game.write_move(game.point(min(string.stones)))))
    return found


def load_group_kernels(position: Position, tracker: StatusTracker, strings: Sequence[StringStatus]) -> None:
    """Load the kernels of the group reader, which are compiled on first use, by a search of one simulation."""
    groups = GroupLife(position, tracker.life, 1)
    point = tracker.geometry.point(min(strings[0].stones))
    groups.reader.search(point, groups.zone(point), ATTACK_KO_MODES[0][1], attacking=True)


def _is_uncertain(string: StringStatus, evaluator: MoveEvaluator) -> bool:
    """Whether playouts disagree on the survival of a string that is part of a group to read."""
    if len(string.group) < MIN_STONES or string.proved:
        return False
    low, high = sorted(evaluator.survival(string, if_passed=passed) for passed in (False, True))
    return low < UNCERTAIN[1] and high > UNCERTAIN[0]
