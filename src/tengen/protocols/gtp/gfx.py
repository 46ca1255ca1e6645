"""Reports as GoGui graphics commands (gfx)."""

from __future__ import annotations

from tengen.core.diagram import Point
from tengen.core.position import Position
from tengen.protocols.gtp.session import Session
from tengen.search.report import Overlay, Report

MAX_LABELS = 9  # moves labelled with their rank


def report_graphics(session: Session, report: Report, position: Position) -> str:
    """The principal variation, ranks of the best moves, visit shares as influence, and a line of text."""
    lines = []
    variation = session.notation.line(report.line, position)
    colours = "bw" if position.to_move == 0 else "wb"
    if variation and not any("-" in move or not move[-1].isdigit() for move in variation):
        lines.append("VAR " + " ".join(f"{colours[ply % 2]} {move}" for ply, move in enumerate(variation)))
    ranked = [session.notation.rewrite(candidate.move, position) for candidate in report.candidates[:MAX_LABELS]]
    labels = [f"{move} {rank}" for rank, move in enumerate(ranked, 1) if _is_point(move)]
    if labels:
        lines.append("LABEL " + " ".join(labels))
    for overlay in report.overlays:
        if overlay.name == "visits":
            marks = _values(session, overlay)
            if marks:
                lines.append("INFLUENCE " + " ".join(marks))
    lines.append(f"TEXT {report.engine}: {report.value}, {report.nodes} nodes in {report.seconds:.1f} s")
    return "\n".join(lines)


def format_dboard(session: Session, numbers: dict[Point, float]) -> str:
    """A GoGui `dboard`: one number per point, in rows from the top."""
    width, height = session.notation.width, session.notation.height
    return "\n".join(
        " ".join(f"{numbers.get((column, row), 0.0):.3f}" for column in range(width)) for row in range(height)
    )


def overlay_values(report: Report, name: str) -> dict[Point, float]:
    """The numeric values of an overlay."""
    for overlay in report.overlays:
        if overlay.name == name:
            return {
                (column, row): float(content) for column, row, content in overlay.points if _is_number(content)
            }
    return {}


def _is_number(content: float | str) -> bool:
    return isinstance(content, int | float)


def _is_point(move: str) -> bool:
    return "-" not in move and move[-1].isdigit()


def _values(session: Session, overlay: Overlay) -> list[str]:
    return [
        f"{session.notation.write_point((column, row))} {float(content):.3f}"
        for column, row, content in overlay.points
        if _is_number(content) and float(content) >= 0.005
    ]
