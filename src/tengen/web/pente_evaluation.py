"""What Pente's own knowledge says of a position without any search: its utility, threats and captures; and how the
classic player chooses. All of it runs in a process beside the server (`HelperPool`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tengen import games
from tengen.core.errors import OptionError
from tengen.runtime.messages import Request

Layer = dict[str, Any]

MOST_POSITIONS, MOST_DEPTH, OPEN_PLIES = 100, 6, 2
LEGEND = "what a stone would make there: 5 a row, 4, 3, + an open one, two figures two of them; on its side's disc"
CAPTURES_LEGEND = "x2 captures two stones, x threatens to; on the disc of who captures"


@dataclass(frozen=True)
class Counted:
    """One side's counts: windows with one to five own stones and no enemy stone, and what captures are there."""

    score: int
    windows: tuple[int, ...]
    captured: int
    takes: int
    threats: int


@dataclass(frozen=True)
class View:
    """`utility` and `chances` (-1 to 1) are guesses for who is to move. Without `sides` there is no utility."""

    utility: float
    chances: float
    verdict: str
    sides: tuple[Counted, ...]
    layers: dict[str, Layer]


def view_position(request: Request) -> View:
    """The live evaluator: what a position is worth by its utility alone, with threats and captures to draw."""
    from tengen.engines.pente.classic.static_evaluation import evaluate_position

    game = games.game(request.game, **request.options)
    position = game.start().play_all(request.moves)  # type: ignore[arg-type]
    layers = _layers(position)
    try:
        found = evaluate_position(position)
    except OptionError as error:
        return View(0.0, 0.0, str(error), (), layers)
    sides = tuple(
        Counted(side.score, side.windows, side.captured, side.takes, side.threats) for side in found.sides
    )
    return View(found.utility, found.chances, found.verdict, sides, layers)


def _layers(position: Any) -> dict[str, Layer]:
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
class Statistics:
    """How the classic player chooses: figures in words, tables by depth, and the curves of its filters as SVG."""

    figures: tuple[str, ...]
    best_at: dict[int, list[float]]
    relative: dict[int, list[float]]
    pictures: tuple[str, ...]


def choice_statistics(size: int, positions: int, depth: int, seed: int) -> Statistics:
    """Search positions of quick games with open windows, and count where the best moves were."""
    from tengen.engines.pente.classic.choice_statistics import collect_statistics, played_positions
    from tengen.engines.pente.classic.engine import ClassicEngine
    from tengen.engines.pente.classic.filter_curves import filter_curves
    from tengen.search.tunables import settle

    if not (1 <= positions <= MOST_POSITIONS and OPEN_PLIES <= depth <= MOST_DEPTH):
        raise OptionError(
            f"1 to {MOST_POSITIONS} positions, and a depth from {OPEN_PLIES} to {MOST_DEPTH}, can be searched"
        )
    game = games.game("pente", size=size)
    settings = settle("classic", (*ClassicEngine.tunables, *ClassicEngine.weaknesses), {})
    places = list(played_positions(game, settings, positions, seed))
    research, found = collect_statistics(places, settings, depth, open_plies=OPEN_PLIES)
    if not found.samples:
        raise OptionError("no position had a choice: take more positions")
    base = float(settings["exp_base"])
    curves = filter_curves(found, base)
    below = research.distance / max(1, research.choices)
    figures = (
        f"{research.choices:,} choices in {research.nodes:,} nodes of {len(places)} searches to depth {depth}",
        f"chosen move below the best level by {below:.2f} levels on the mean",
        f"chosen move is the killer of its ply: {research.share(research.by_killer):.1f} %",
        f"chosen move is the list's best by history: {research.share(research.by_history):.1f} %",
        *(curve.summary for curve in curves),
    )
    return Statistics(
        figures,
        found.best_at(),
        found.relative(base),
        tuple(picture for curve in curves for picture in curve.pictures.values()),
    )
