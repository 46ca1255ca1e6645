"""Evaluation of Pente positions without search, and statistics of the classic player's choices.

Everything here loads compiled code, so it runs in a helper process.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tengen import games
from tengen.core.errors import OptionError
from tengen.core.locale_format import number
from tengen.core.translation import mark
from tengen.runtime.messages import Request

OverlayData = dict[str, Any]

MAX_POSITIONS, MAX_DEPTH, OPEN_PLIES = 100, 6, 2
LEGEND = mark(
    "rows that a stone would make: 5, 4, 3 in a row, + open, two digits for two rows; on a disc of its colour"
)
CAPTURES_LEGEND = mark("x2 captures two stones, x threatens to capture; on a disc of the capturing side's colour")


@dataclass(frozen=True)
class SideCounts:
    """Counts of one side: windows with one to five own and no enemy stones, and captures."""

    score: int
    windows: tuple[int, ...]
    captured: int
    takes: int
    threats: int


@dataclass(frozen=True)
class PenteEvaluation:
    """`utility` and `chances` (-1 to 1) are estimates for the side to move; without `sides` there are none."""

    utility: float
    chances: float
    verdict: str
    sides: tuple[SideCounts, ...]
    layers: dict[str, OverlayData]


def pente_evaluation(request: Request) -> PenteEvaluation:
    """Evaluate a position by its utility alone, with threats and captures as overlays."""
    from tengen.engines.pente.classic.static_evaluation import evaluate_position

    position = request.position()
    layers = _layers(position)
    try:
        found = evaluate_position(position)
    except OptionError as error:
        return PenteEvaluation(0.0, 0.0, str(error), (), layers)
    sides = tuple(
        SideCounts(side.score, side.windows, side.captured, side.takes, side.threats) for side in found.sides
    )
    return PenteEvaluation(found.utility, found.chances, found.verdict, sides, layers)


def _layers(position: Any) -> dict[str, OverlayData]:
    from tengen.engines.pente.engine import PenteEngine
    from tengen.engines.pente.opening import has_choice, is_opening
    from tengen.engines.pente.overlays import threat_overlays
    from tengen.engines.pente.root_position import RootPosition

    threats: list[tuple[int, int, str, int]] = []
    captures: list[tuple[int, int, str, int]] = []
    known = PenteEngine.plays(position.game) and not position.is_over
    if known and not has_choice(position) and not is_opening(position):
        for overlay in threat_overlays(position, RootPosition(position)):
            side = 0 if overlay.name.startswith(position.game.players[0]) else 1
            found = threats if overlay.name.endswith("rows") else captures
            found += [(column, row, str(label), side) for column, row, label in overlay.points]
    return {
        "threats": {"labels": threats, "legend": LEGEND},
        "captures": {"labels": captures, "legend": CAPTURES_LEGEND},
    }


@dataclass(frozen=True)
class ChoiceStatistics:
    """Statistics of the classic player's choices: summary lines, tables by depth, filter curves as SVG."""

    figures: tuple[str, ...]
    best_at: dict[int, list[float]]
    relative: dict[int, list[float]]
    pictures: tuple[str, ...]


def choice_statistics(size: int, positions: int, depth: int, seed: int) -> ChoiceStatistics:
    """Search positions of quick games with open windows, and count the ranks of the best moves."""
    from tengen.engines.pente.classic.choice_statistics import collect_statistics, played_positions
    from tengen.engines.pente.classic.engine import ClassicEngine
    from tengen.engines.pente.classic.filter_curves import filter_curves
    from tengen.search.tunables import settle

    if not (1 <= positions <= MAX_POSITIONS and OPEN_PLIES <= depth <= MAX_DEPTH):
        raise OptionError(
            mark("expected 1 to {max_positions} positions and a depth from {open_plies} to {max_depth}").format(
                max_positions=MAX_POSITIONS, open_plies=OPEN_PLIES, max_depth=MAX_DEPTH
            )
        )
    game = games.game("pente", size=size)
    settings = settle("classic", (*ClassicEngine.tunables, *ClassicEngine.weaknesses), {})
    found_positions = list(played_positions(game, settings, positions, seed))
    research, found = collect_statistics(found_positions, settings, depth, open_plies=OPEN_PLIES)
    if not found.samples:
        raise OptionError(mark("no position had more than one candidate: use more positions"))
    base = float(settings["exp_base"])
    curves = filter_curves(found, base)
    below = research.distance / max(1, research.choices)
    figures = (
        mark("{choices} choices, {nodes} nodes ({count} searches, depth {depth})").format(
            choices=number(research.choices), nodes=number(research.nodes), count=len(found_positions), depth=depth
        ),
        mark("chosen move {below} levels below the best on average").format(below=number(below, 2)),
        mark("chosen move is the killer of its ply: {share} %").format(
            share=number(research.share(research.by_killer), 1)
        ),
        mark("chosen move is the list's best by history: {share} %").format(
            share=number(research.share(research.by_history), 1)
        ),
        *(curve.summary for curve in curves),
    )
    return ChoiceStatistics(
        figures,
        found.best_at(),
        found.relative(base),
        tuple(picture for curve in curves for picture in curve.pictures.values()),
    )
