"""Analysis of small Clobber positions in plain Python, before compiled code is loaded."""

from __future__ import annotations

from tengen.core.values import GameValue
from tengen.engines.clobber.analysis_report import Analysis, SubgameReport
from tengen.engines.clobber.simplest_sums import simplest_known_sum
from tengen.engines.clobber.value_report import ValueReport
from tengen.engines.sums.plain import PlainEvaluator
from tengen.engines.sums.solver import FIRST_STEPS, within_steps
from tengen.games.rulesets import Board, ruleset
from tengen.games.rulesets.repeats import expand_repeats

MAX_CELLS = 12  # on such boards, the analysis of larger ones finds all values and dominated moves as well

MAX_LENGTH = 4096  # of a board


def analyse_small(text: str) -> Analysis | None:
    """The same as `engines.clobber.analysis.analyse` without a database; None for positions that are not small.

    Raises `PositionError`.
    """
    written = expand_repeats(text, MAX_LENGTH)
    if len(written) > 2 * MAX_CELLS:
        return None
    board = ruleset("clobber").read(written)
    if len(board.cells) > MAX_CELLS:
        return None
    return within_steps(lambda: _analyse(board))


def _analyse(board: Board) -> Analysis:
    rules = ruleset("clobber")

    def place(move: int) -> tuple[int, int, int]:
        """The order of moves in longer analyses."""
        origin, target = rules.points(move, board.width, board.height)
        return origin, abs(target - origin), target

    plain = PlainEvaluator()
    plain.allow(FIRST_STEPS)
    parts = [
        SubgameReport(str(part), value.outcome, ValueReport.of(value))
        for part in rules.parts(board)
        for value in [plain.value(rules, part)]
    ]
    total = plain.value(rules, board)
    winning: dict[str, list[str]] = {}
    dominated: dict[str, list[str]] = {}
    for player, mover in enumerate("XO"):
        after: dict[str, GameValue] = {
            rules.write_move(board, move): plain.value(rules, rules.after(board, player, move))
            for move in sorted(rules.moves(board, player), key=place)
        }
        winning[mover] = [move for move, value in after.items() if value.outcome in ("P", "LR"[player])]
        dominated[mover] = [
            move
            for move, mine in after.items()
            if any(its > mine if mover == "X" else its < mine for its in after.values())
        ]
    return Analysis(
        board=str(board),
        parts=tuple(parts),
        outcome=total.outcome,
        value=ValueReport.of(total),
        simplest=simplest_known_sum(total),
        simplest_searched=True,
        wins={mover: bool(moves) for mover, moves in winning.items()},
        winning_moves=winning,
        unknown_moves={"X": [], "O": []},
        dominated_moves=dominated,
    )
