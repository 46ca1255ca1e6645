"""Analysis by GTP engines: `lz-analyze` of Leela Zero, `kata-analyze` of KataGo, and GNU Go's estimates.

Values are those of the side to move, which is KataGo's default (`reportAnalysisWinratesAs = SIDETOMOVE`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tengen.core.diagram import Point
from tengen.core.position import Position
from tengen.protocols.external.analysis import (
    Evaluation,
    ReadMove,
    SaidMove,
    candidates,
    count,
    grid_overlay,
    info_fields,
    number,
    visits_overlay,
    win_rate_value,
)
from tengen.search.report import Overlay, Value

ANALYSING = ("kata-analyze", "lz-analyze", "analyze")  # commands, best first
GNU_GO_COMMANDS = frozenset({"reg_genmove", "top_moves_black", "top_moves_white", "estimate_score"})
_SCORE = re.compile(r"([BW])\+(\d{1,4}(?:\.\d{1,4})?)|0", re.ASCII | re.IGNORECASE)
_INFO = re.compile(r"\binfo\s+(?=move\b)")
_SECTIONS = re.compile(r"\b(rootInfo|ownership|ownershipStdev|movesOwnership|policy)\b")


def read_info(line: str, position: Position, size: tuple[int, int], read: ReadMove) -> Evaluation:
    """A line of `info` parts. Moves are ordered as the engine says."""
    head, *rest = _SECTIONS.split(line)
    sections = dict(zip(rest[::2], rest[1::2], strict=False))
    said: list[tuple[float, SaidMove]] = []
    priors: dict[str, float] = {}
    for rank, part in enumerate(_INFO.split(head)[1:]):
        about, _, line_text = part.partition(" pv ")
        words = about.split()
        fields = info_fields(words)
        move = fields.get("move", "")
        rate = _rate(fields.get("winrate", ""))
        if rate is None:
            continue
        line_words = _moves_of(line_text) or [move]
        points = number(fields.get("scoreLead", fields.get("scoreMean")), -1e4, 1e4)
        order = number(fields.get("order"), 0, 1e6)
        made = SaidMove(line_words, win_rate_value(rate), count(fields.get("visits")), points)
        said.append((rank if order is None else order, made))
        prior = number(fields.get("prior"), 0, 1e4)
        if prior:  # Leela Zero writes ten-thousandths
            priors[move] = prior / 10_000 if prior > 1 else prior
    found = candidates((one for _, one in sorted(said, key=lambda one: one[0])), position, read)
    overlays: list[Overlay | None] = [visits_overlay(found, position)]
    sign = 1.0 if position.to_move == 0 else -1.0
    overlays.append(grid_overlay("ownership", sections.get("ownership", "").split(), *size, sign))
    overlays.append(_priors(priors, position, read))
    nodes = max(
        sum(one.visits for one in found), count(info_fields(sections.get("rootInfo", "").split()).get("visits"))
    )
    return Evaluation(found, nodes, 0, tuple(one for one in overlays if one is not None))


def _rate(text: str) -> float | None:
    """A win rate: a whole number of ten-thousandths in Leela Zero's form, a fraction in KataGo's."""
    whole = text.isascii() and text.isdigit() and text not in ("0", "1")
    rate = number(text, 0, 10_000 if whole else 1)
    return rate if rate is None else rate / 10_000 if whole else rate


def _moves_of(text: str) -> list[str]:
    """The moves of a variation, up to the next field, such as `pvVisits`."""
    words = []
    for word in text.split():
        if not (word.lower() == "pass" or any(symbol.isdigit() for symbol in word)):
            break
        words.append(word)
    return words


def _priors(priors: dict[str, float], position: Position, read: ReadMove) -> Overlay | None:
    points: dict[Point, float | str] = {}
    for one in candidates((SaidMove([move], win_rate_value(p)) for move, p in priors.items()), position, read):
        for point in position.game.points(position.game.read_move(one.move, position))[-1:]:
            points[point] = round(one.value.amount, 4)
    return Overlay.from_points("policy", points) if points else None


def first_command(known: Sequence[str] | frozenset[str]) -> str:
    """The best analysing command that an engine knows; empty if it has none."""
    return next((one for one in ANALYSING if one in known), "")


def read_top_moves(move: str, moves: str, score: str, position: Position) -> Evaluation:
    """GNU Go's move, its `top_moves` (a move and what it is worth, in turn), and its `estimate_score`.

    A move is valued by the estimate, less what it is worth less than the best.
    """
    found = _SCORE.match(score.strip())
    lead = 0.0 if found is None or found[1] is None else float(found[2]) * (1 if found[1].upper() == "B" else -1)
    lead = lead if position.to_move == 0 else -lead
    words = moves.split()
    worth = {
        word.upper(): number(value, -1e4, 1e4) or 0.0 for word, value in zip(words[::2], words[1::2], strict=False)
    }
    best = max([worth.get(move.upper(), 0.0), *worth.values()])
    names = sorted(worth, key=lambda name: (name != move.upper(), -worth[name]))
    said = []
    for name in names if move.upper() in worth else [move, *names]:
        loss = best - worth[name] if name in worth else 0.0
        reason = f"worth {worth[name]:.1f} points" if name in worth else ""
        said.append(SaidMove([name], Value.heuristic(round(lead - loss, 2), "points"), reason=reason))
    return Evaluation(candidates(said, position, position.game.read_move))
